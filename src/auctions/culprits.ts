import type { DryRun } from '../chain/settlement/dry-run.ts'
import type { Auction } from '../domain/auction/auction.ts'
import type { RankedSolution } from '../domain/auction/solution.ts'
import { Outage } from '../domain/errors/error.ts'
import { nativeMarker } from '../domain/evm/address.ts'
import type { ExclusionReason } from '../domain/order/event.ts'
import { accountOf, type Order } from '../domain/order/order.ts'
import { settlementGas } from '../domain/settlement/gas.ts'
import { outsideOf } from './outside.ts'
import type { AuctionServices } from './services.ts'
import {
  allowedGas,
  encodeEmptyTrial,
  encodeSolution,
  encodeTrial,
  trialPassed,
} from './settlement-calldata.ts'
import { type SettlementPlan, toSettlementPlan } from './settlement-plan.ts'

/** An order that makes a settlement fail. */
export interface Culprit {
  order: Order
  /** Whether it fails alone. Otherwise it is only one of those whose own code ran in a settlement that failed. */
  certain: boolean
  /** The reason in its event; null if it would be a guess, or if the indexer records one soon. */
  reason: ExclusionReason | null
  /** What a contract answers when it is tried alone. */
  revert?: string | undefined
}

/** Trades of one failed settlement that are tried alone. */
const maxTrials = 32

/**
 * The orders that make this settlement fail, if it does: those that fail when they are tried alone, else all with code of their own.
 * None when an empty settlement fails too, or the node does not answer.
 * @returns undefined when it passes by itself
 * @param failed the settlement failed on chain: it need not fail again in the dry run
 */
export async function culpritsOf(
  auction: Auction,
  solution: RankedSolution,
  services: AuctionServices,
  failed = false,
): Promise<Culprit[] | undefined> {
  const { network, dryRuns, log } = services
  const dryRun = dryRuns.get(solution.solver)
  if (!dryRun) return []
  const plan = toSettlementPlan(auction, solution, network.wrappedNative)
  try {
    const { calldata, gas } = encodeSolution(auction, solution, network)
    const revert = await dryRun(calldata, gas)
    if (revert === undefined && !failed) return undefined
    const empty = await dryRun(encodeEmptyTrial(auction.id, network), allowedGas(settlementGas(0, 0)))
    const culprits = empty === trialPassed ? await tryAlone(auction, plan, services, dryRun) : []
    // An order that its solver brings, and the calls of an outside solver are as likely a cause as the code of an order.
    const isOutside = outsideOf(solution.solver, services) !== undefined
    const placed = new Set(auction.orders.map(({ order }) => order))
    const ofOrders = culprits.filter(({ order }) => placed.has(order))
    const blamed = isOutside ? ofOrders.filter(({ certain }) => certain) : ofOrders
    const uids = blamed.map(({ order }) => order.uid)
    log.warn('a settlement fails', { auctionId: String(auction.id), solver: solution.solver, revert, uids })
    return blamed
  } catch (fault) {
    if (fault instanceof Outage) return []
    throw fault
  }
}

/** Starts a back-off for each culprit, longer each time. Uncertain culprits get random lengths, so that they come back separately. */
export async function leaveOut(
  culprits: readonly Culprit[],
  block: number,
  services: AuctionServices,
): Promise<void> {
  for (const { order, certain, reason, revert } of culprits) {
    services.culprits.fail(backOffKey(order), block, { reason, revert }, certain ? 1 : services.random())
  }
  await services.standings.write(
    culprits.filter(({ reason }) => reason !== null),
    block,
  )
}

/**
 * Keeps the other orders of owners who cancelled at the last moment from what is settled instead, so that each owner can hold up others
 * once a block, and longer each time until an order of the owner is filled.
 */
export function delayOwners(
  cancelled: readonly Order[],
  block: number,
  { culprits }: Pick<AuctionServices, 'culprits'>,
): void {
  const owners = new Set(cancelled.map(accountOf))
  for (const owner of owners) culprits.fail(owner, block - 1, { reason: null })
}

/** The back-off of an order, or of its owner. */
export function backOffOf(order: Order, block: number, { culprits }: Pick<AuctionServices, 'culprits'>) {
  return culprits.waiting(order.uid, block) ?? culprits.waiting(accountOf(order), block)
}

/** A success ends the back-offs of its orders and of their owners. */
export function forgive(order: Order, { culprits }: Pick<AuctionServices, 'culprits'>): void {
  culprits.forgive(order.uid)
  culprits.forgive(accountOf(order))
}

/** An owner with a contract wallet or hooks can create any number of orders, so its back-off covers all of them. */
function backOffKey(order: Order): string {
  return hasOwnCode(order) ? accountOf(order) : order.uid
}

async function tryAlone(
  auction: Auction,
  plan: SettlementPlan,
  { network }: AuctionServices,
  dryRun: DryRun,
): Promise<Culprit[]> {
  const extraGas = new Map(auction.orders.map((entry) => [entry.order.id, entry.extraGas]))
  const trials = await Promise.all(
    plan.trades.slice(0, maxTrials).map(async (trade): Promise<Culprit[]> => {
      const { order } = trade
      const gas = allowedGas(settlementGas(1, 0) + (extraGas.get(order.id) ?? 0n))
      const { calldata, balance } = encodeTrial(plan, trade, auction.id, network)
      const revert = await dryRun(calldata, gas, { balance })
      return revert === trialPassed
        ? []
        : [{ order, certain: true, reason: reasonFor(order, revert), revert }]
    }),
  )
  const certain = trials.flat()
  if (certain.length > 0) return certain
  return plan.trades
    .filter(({ order }) => hasOwnCode(order))
    .map(({ order }) => ({ order, certain: false, reason: null }))
}

function hasOwnCode({ signingScheme, interactions }: Order): boolean {
  return signingScheme === 'eip1271' || interactions.pre.length + interactions.post.length > 0
}

/** Of orders that have ended on chain, which the indexer records. Of a cancelled one the greatest amount is filled, so that adding overflows. */
const ended = new Set(['GPv2: order filled', 'GPv2: order expired', 'SafeMath: addition overflow'])

/** A contract wallet's revert reason is not trusted. */
function reasonFor({ signingScheme, buyToken }: Order, revert: string | undefined): ExclusionReason | null {
  if (revert !== undefined && ended.has(revert)) return null
  const unsigned = signingScheme === 'eip1271' || revert === 'GPv2: order not presigned'
  if (unsigned) return 'invalid_signature'
  return buyToken === nativeMarker ? null : 'insufficient_balance'
}

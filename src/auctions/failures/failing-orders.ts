import type { DryRun } from '../../chain/settlement/sequence.ts'
import type { Auction } from '../../domain/auction/auction.ts'
import type { RankedSolution } from '../../domain/auction/solution.ts'
import { Outage } from '../../domain/errors/error.ts'
import { type Address, nativeMarker } from '../../domain/evm/address.ts'
import type { ExclusionReason, Failing, Pause } from '../../domain/order/event.ts'
import { accountOf, type Order } from '../../domain/order/order.ts'
import type { Pool } from '../../domain/routing/pool.ts'
import { settlementGas } from '../../domain/settlement/gas.ts'
import { wrappedForm } from '../../domain/token/token.ts'
import type { StandingUpdate } from '../admission/standings.ts'
import { outsideOf } from '../outside.ts'
import type { AuctionServices } from '../services.ts'
import {
  allowedGas,
  encodeEmptyTrial,
  encodeSolution,
  encodeTrial,
  type SettlementPlan,
  toSettlementPlan,
  trialPassed,
} from '../settlement-calldata.ts'
import { type RouteFault, routeFaults, sellTokenFaults, unpaidOrders } from './route-trials.ts'

/** An order that makes a settlement fail. */
export interface FailingOrder {
  order: Order
  /**
   * True if it fails alone. Otherwise it is only one of those whose own code ran in a settlement that failed.
   */
  certain: boolean
  /** The reason in its event; null if it would be a guess, or if the indexer records one soon. */
  reason: ExclusionReason | null
  /** The answer of a contract when the order is tried alone. */
  revert?: string | undefined
  /** The token or pool that it trades through, if that refuses an amount like its own. */
  failing?: Failing | undefined
}

/** The cause of a settlement's failure, as far as trials show it. */
interface FailureCause {
  /** True if it fails by itself. */
  fails: boolean
  failingOrders: FailingOrder[]
  /** Faults apart from the orders. */
  faults: RouteFault[]
  /** True if an empty settlement of the solver fails too. */
  isSolvers: boolean
  /** Why it fails, where no trial shows the cause. */
  unexplained: string | undefined
}

/** The circumstances of a transaction that failed on chain: trials of its parts see the same. */
export interface MinedFailure {
  block: number
  /** The price of a unit of gas, in wei; undefined if the node does not report it. */
  gasPrice: bigint | undefined
}

/** Trades of one failed settlement that are tried alone. */
const maxTrials = 32

const unknownCause: FailureCause = {
  fails: true,
  failingOrders: [],
  faults: [],
  isSolvers: false,
  unexplained: undefined,
}

/**
 * Finds the cause if this settlement fails: the orders that fail when they are tried alone, or their tokens
 * if these fail without them; else the tokens and pools of its route that fail; else the orders whose
 * receivers cannot be paid; else all orders with code of their own. Finds none if the node does not answer.
 * @param mined the settlement failed on chain, in this block: it need not fail again in the newest one, or at
 *   another price of gas
 */
export async function findFailureCause(
  auction: Auction,
  solution: RankedSolution,
  services: AuctionServices,
  mined?: MinedFailure,
): Promise<FailureCause> {
  const { network, dryRuns, log } = services
  const newest = dryRuns.get(solution.solver)
  if (!newest) return unknownCause
  const { gasPrice } = auction
  const dryRun: DryRun = (calldata, gas, state) => newest(calldata, gas, { gasPrice, ...mined, ...state })
  const plan = toSettlementPlan(auction, solution, network.wrappedNative)
  try {
    const { calldata, gas } = encodeSolution(auction, solution, network)
    const revert = await dryRun(calldata, gas)
    if (revert === undefined && !mined) return { ...unknownCause, fails: false }
    const empty = await dryRun(encodeEmptyTrial(auction.id, network), allowedGas(settlementGas(0, 0)))
    const blame =
      empty === trialPassed
        ? await tryParts(auction, solution, plan, services, dryRun, mined)
        : { ...unknownCause, isSolvers: true }
    const uids = blame.failingOrders.map(({ order }) => order.uid)
    const faults = blame.faults.map(({ failing, revert: answer }) => ({ ...failing, revert: answer }))
    const about = { auctionId: String(auction.id), solver: solution.solver, revert, uids, faults }
    log.warn('a settlement fails', about)
    const isUnexplained = !blame.isSolvers && uids.length + faults.length === 0
    return { ...blame, fails: revert !== undefined, unexplained: isUnexplained ? revert : undefined }
  } catch (fault) {
    if (fault instanceof Outage) return unknownCause
    throw fault
  }
}

async function tryParts(
  auction: Auction,
  solution: RankedSolution,
  plan: SettlementPlan,
  services: AuctionServices,
  dryRun: DryRun,
  mined: MinedFailure | undefined,
): Promise<FailureCause> {
  // An order that its solver brings, and the calls of an outside solver are as likely a cause as the code of
  // an order.
  const isOutside = outsideOf(solution.solver, services) !== undefined
  const placed = new Set(auction.orders.map(({ order }) => order))
  const alone = await tryAlone(auction, plan, services, dryRun)
  const certain = alone.filter(({ order }) => placed.has(order))
  if (alone.length > 0) {
    const ofTokens = await sellTokenFaults(auction, solution, certain, services, mined)
    const failing = new Set(ofTokens.map(({ failing: { address } }) => address))
    const failingOrders = certain.filter(({ order }) => !failing.has(order.sellToken))
    return { ...unknownCause, failingOrders, faults: ofTokens }
  }
  if (isOutside) return unknownCause
  const faults = await routeFaults(auction, solution, services, mined)
  if (faults.length > 0) return { ...unknownCause, faults }
  const unpaid = await unpaidOrders(auction, solution, services, mined)
  if (unpaid.length > 0)
    return { ...unknownCause, failingOrders: unpaid.map((one) => ({ ...one, certain: true, reason: null })) }
  const withCode = plan.trades.map(({ order }) => order).filter((order) => hasOwnCode(order))
  return {
    ...unknownCause,
    failingOrders: withCode.map((order) => ({ order, certain: false, reason: null })),
  }
}

/**
 * Starts a back-off for each failing order, longer each time. Uncertain failing orders get random lengths, so
 * that they come back separately.
 */
export async function pauseOrders(
  failingOrders: readonly FailingOrder[],
  block: number,
  services: AuctionServices,
): Promise<void> {
  for (const { order, certain, reason, revert, failing } of failingOrders) {
    const pause = { reason, revert, failing }
    services.backOffs.fail(backOffKey(order), block, pause, certain ? 1 : services.random())
  }
  await services.standings.write(failingOrders.filter(isRecorded).map(toVerdict), block)
}

/**
 * Keeps the other orders of owners who cancelled at the last moment from what is settled instead, so that
 * each owner can hold up others once a block, and longer each time until an order of the owner is filled.
 */
export function delayOwners(
  cancelled: readonly Order[],
  block: number,
  { backOffs }: Pick<AuctionServices, 'backOffs'>,
): void {
  const owners = new Set(cancelled.map(accountOf))
  for (const owner of owners) backOffs.fail(owner, block - 1, { reason: null })
}

const isRecorded = ({ certain, reason, revert }: FailingOrder) =>
  reason !== null || (certain && revert !== undefined && !ended.has(revert))

const toVerdict = ({ order, reason, revert, failing }: FailingOrder) => ({
  order,
  reason: reason ?? ('settlement_failed' as const),
  revert,
  failing,
})

/** The orders that a fault of their amounts keeps from being traded that way. */
export function refusedFor({ failing, revert, isOfAmount, orders }: RouteFault): FailingOrder[] {
  if (!isOfAmount) return []
  return orders.map((order) => ({
    order,
    certain: true,
    reason: null,
    revert: `for this amount: ${revert}`,
    failing,
  }))
}

/** Pauses tokens and pools that fail for any amount, longer each time, and stores it for their orders. */
export async function pauseFailing(
  faults: readonly RouteFault[],
  { orders }: Auction,
  block: number,
  { backOffs, standings, network }: Pick<AuctionServices, 'backOffs' | 'standings' | 'network'>,
): Promise<void> {
  const lasting = faults.filter(({ isOfAmount }) => !isOfAmount)
  for (const { failing, revert } of lasting)
    backOffs.fail(failingKey(failing), block, { reason: null, revert, failing })
  const verdicts = lasting.flatMap(({ failing, revert, orders: through }): StandingUpdate[] => {
    // A pool is only left out of what solvers get.
    if (failing.kind === 'pool') return through.map((order) => ({ order, reason: null, revert, failing }))
    return orders
      .filter(({ order }) => tokensOf(order, network).includes(failing.address))
      .map(({ order }) => ({ order, reason: 'settlement_failed' as const, revert, failing }))
  })
  const byOrder = new Map(verdicts.map((verdict) => [verdict.order.id, verdict]))
  if (byOrder.size > 0) await standings.write([...byOrder.values()], block)
}

/** The pause of the pool or of one of its tokens at the block: an auction does without it. */
export function pauseOfPool(
  { address, token0, token1 }: Pick<Pool, 'address' | 'token0' | 'token1'>,
  block: number,
  { backOffs, failedGas }: Pick<AuctionServices, 'backOffs' | 'failedGas'>,
): Pause | undefined {
  return (
    backOffs.waiting(failingKey({ kind: 'pool', address }), block) ??
    failedGas.pauseOfToken(token0) ??
    failedGas.pauseOfToken(token1) ??
    pauseOfTokens([token0, token1], block, { backOffs })
  )
}

function pauseOfTokens(
  tokens: readonly Address[],
  block: number,
  { backOffs }: Pick<AuctionServices, 'backOffs'>,
): Pause | undefined {
  for (const address of tokens) {
    const pause = backOffs.waiting(failingKey({ kind: 'token', address }), block)
    if (pause) return pause
  }
  return undefined
}

const failingKey = ({ kind, address }: Failing) => `${kind}:${address}`

/**
 * The pause of an order: too much gas was lost on it, its account or a token; or one of these backs off.
 */
export function backOffOf(
  order: Order,
  block: number,
  { backOffs, failedGas, network }: Pick<AuctionServices, 'backOffs' | 'failedGas' | 'network'>,
): Pause | undefined {
  return (
    failedGas.pauseOf(order) ??
    backOffs.waiting(order.uid, block) ??
    backOffs.waiting(accountOf(order), block) ??
    pauseOfTokens(tokensOf(order, network), block, { backOffs })
  )
}

/** The tokens that are transferred where the order is traded. */
export function tokensOf(
  { sellToken, buyToken }: Pick<Order, 'sellToken' | 'buyToken'>,
  { wrappedNative }: Pick<AuctionServices['network'], 'wrappedNative'>,
): [Address, Address] {
  return [sellToken, wrappedForm(buyToken, wrappedNative)]
}

/** A success ends the back-offs of its orders and of their owners, of the tokens and of the pools. */
export function endBackOffs(
  orders: readonly Order[],
  { proposal }: Pick<RankedSolution, 'proposal'>,
  { backOffs, network }: Pick<AuctionServices, 'backOffs' | 'network'>,
): void {
  const hops = (proposal.paths ?? []).flatMap((path) => path.hops)
  for (const order of orders) {
    backOffs.forgive(order.uid)
    backOffs.forgive(accountOf(order))
  }
  const tokens = [
    ...orders.flatMap((order) => tokensOf(order, network)),
    ...hops.map(({ tokenOut }) => tokenOut),
  ]
  for (const address of new Set(tokens)) backOffs.forgive(failingKey({ kind: 'token', address }))
  for (const { pool } of hops) backOffs.forgive(failingKey({ kind: 'pool', address: pool.address }))
}

/**
 * An owner with a contract wallet or hooks can create any number of orders, so its back-off covers all of
 * them.
 */
function backOffKey(order: Order): string {
  return hasOwnCode(order) ? accountOf(order) : order.uid
}

async function tryAlone(
  auction: Auction,
  plan: SettlementPlan,
  { network }: AuctionServices,
  dryRun: DryRun,
): Promise<FailingOrder[]> {
  const extraGas = new Map(auction.orders.map((entry) => [entry.order.id, entry.extraGas]))
  const trials = await Promise.all(
    plan.trades.slice(0, maxTrials).map(async (trade): Promise<FailingOrder[]> => {
      const { order } = trade
      const gas = allowedGas(settlementGas(1, 0) + (extraGas.get(order.id) ?? 0n))
      const { calldata, balance } = encodeTrial(plan, trade, auction.id, network)
      const revert = await dryRun(calldata, gas, { balance })
      return revert === trialPassed
        ? []
        : [{ order, certain: true, reason: reasonFor(order, revert), revert }]
    }),
  )
  return trials.flat()
}

function hasOwnCode({ signingScheme, interactions }: Order): boolean {
  return signingScheme === 'eip1271' || interactions.pre.length + interactions.post.length > 0
}

/**
 * Reverts of orders that have ended on chain, which the indexer records. A cancelled order counts as filled
 * by the greatest amount, so that an addition overflows.
 */
const ended = new Set(['GPv2: order filled', 'GPv2: order expired', 'SafeMath: addition overflow'])

/** A contract wallet's revert reason is not trusted. */
function reasonFor({ signingScheme, buyToken }: Order, revert: string | undefined): ExclusionReason | null {
  if (revert !== undefined && ended.has(revert)) return null
  const unsigned = signingScheme === 'eip1271' || revert === 'GPv2: order not presigned'
  if (unsigned) return 'invalid_signature'
  return buyToken === nativeMarker ? null : 'insufficient_balance'
}

import type { Settler } from '../chain/settlement/settler.ts'
import type { Auction } from '../domain/auction/auction.ts'
import type { RankedSolution } from '../domain/auction/solution.ts'
import { Outage } from '../domain/errors/error.ts'
import { nativeMarker } from '../domain/evm/address.ts'
import type { ExclusionReason } from '../domain/order/event.ts'
import type { Order } from '../domain/order/order.ts'
import type { Pool } from '../domain/routing/pool.ts'
import { maxTransactionGas, settlementGas } from '../domain/settlement/gas.ts'
import { compete } from './compete.ts'
import { recordExclusions } from './exclusions.ts'
import type { AuctionServices } from './services.ts'
import { encodeEmptyTrial, encodePlan, encodeTrial, trialPassed } from './settlement-calldata.ts'
import { type SettlementPlan, toSettlementPlan } from './settlement-plan.ts'

/** An order that makes a settlement fail. */
export interface Culprit {
  order: Order
  /** Whether it fails alone. Otherwise it is only one of those whose own code ran in a settlement that failed. */
  certain: boolean
  /** The reason in its event; null if it would be a guess, or if the indexer records one soon. */
  reason: ExclusionReason | null
}

/** Maximum number of competitions in one auction. */
const maxRounds = 4
/** Trades of one failed settlement that are tried alone. */
const maxTrials = 32

export interface Simulated {
  /** Without the orders that made a settlement fail. */
  auction: Auction
  solutions: RankedSolution[]
}

/**
 * Repeats the competition until every winner's settlement passes a dry run, or fails without a culprit. A culprit is left out of this
 * auction and of later ones, and solvers compete again with the other orders.
 */
export async function simulate(
  auction: Auction,
  pools: readonly Pool[],
  services: AuctionServices,
  signal: AbortSignal,
  round = 1,
): Promise<Simulated> {
  const solutions = await compete(auction, pools, services, signal)
  if (round === maxRounds || signal.aborted) return { auction, solutions }
  const culprits = await culpritsOfWinners(auction, solutions, services)
  if (culprits.length === 0) return { auction, solutions }
  await leaveOut(culprits, auction.block, services)
  const excluded = new Set(culprits.map(({ order }) => order.id))
  const orders = auction.orders.filter(({ order }) => !excluded.has(order.id))
  if (orders.length === 0) return { auction: { ...auction, orders }, solutions: [] }
  return simulate({ ...auction, orders }, pools, services, signal, round + 1)
}

async function culpritsOfWinners(
  auction: Auction,
  solutions: readonly RankedSolution[],
  services: AuctionServices,
): Promise<Culprit[]> {
  const winners = solutions.filter(({ isWinner }) => isWinner)
  const culprits = await Promise.all(winners.map((solution) => culpritsOf(auction, solution, services)))
  return culprits.flat()
}

/**
 * The orders that make this settlement fail, if it does: those that fail when they are tried alone, else all with code of their own.
 * None when an empty settlement fails too, or the node does not answer.
 * @param failed the settlement failed on chain: it need not fail again in the dry run
 */
export async function culpritsOf(
  auction: Auction,
  solution: RankedSolution,
  services: AuctionServices,
  failed = false,
): Promise<Culprit[]> {
  const { network, settlers, log } = services
  const settler = settlers.get(solution.solver)
  if (!settler) return []
  const plan = toSettlementPlan(auction, solution, network.wrappedNative)
  try {
    const gas = allowedGas(solution.proposal.gas)
    const revert = await settler.dryRun(encodePlan(plan, auction.id), gas)
    if (revert === undefined && !failed) return []
    const empty = await settler.dryRun(encodeEmptyTrial(auction.id, network), allowedGas(settlementGas(0, 0)))
    const culprits = empty === trialPassed ? await tryAlone(auction, plan, services, settler) : []
    const uids = culprits.map(({ order }) => order.uid)
    log.warn('a settlement fails', { auctionId: String(auction.id), solver: solution.solver, revert, uids })
    return culprits
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
  for (const { order, certain, reason } of culprits) {
    services.culprits.fail(backOffKey(order), block, { reason }, certain ? 1 : services.random())
  }
  const reported = culprits.flatMap(({ order, reason }) => (reason ? [{ order, excluded: reason }] : []))
  await recordExclusions(reported, services)
}

/** An owner with a contract wallet or hooks can create any number of orders, so its back-off covers all of them. */
export function backOffKey(order: Order): string {
  return hasOwnCode(order) ? order.owner : order.uid
}

async function tryAlone(
  auction: Auction,
  plan: SettlementPlan,
  { network }: AuctionServices,
  settler: Settler,
): Promise<Culprit[]> {
  const extraGas = new Map(auction.orders.map((entry) => [entry.order.id, entry.extraGas]))
  const trials = await Promise.all(
    plan.trades.slice(0, maxTrials).map(async (trade): Promise<Culprit[]> => {
      const { order } = trade
      const gas = allowedGas(settlementGas(1, 0) + (extraGas.get(order.id) ?? 0n))
      const { calldata, balance } = encodeTrial(plan, trade, auction.id, network)
      const revert = await settler.dryRun(calldata, gas, balance)
      return revert === trialPassed ? [] : [{ order, certain: true, reason: reasonFor(order, revert) }]
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

/** The indexer records that an order is filled or expired on chain. A contract wallet's revert reason is not trusted. */
function reasonFor({ signingScheme, buyToken }: Order, revert: string | undefined): ExclusionReason | null {
  if (revert === 'GPv2: order filled' || revert === 'GPv2: order expired') return null
  const unsigned = signingScheme === 'eip1271' || revert === 'GPv2: order not presigned'
  if (unsigned) return 'invalid_signature'
  return buyToken === nativeMarker ? null : 'insufficient_balance'
}

/** More than the solver's estimate, but limited: third-party code could use any amount. */
function allowedGas(expected: bigint): bigint {
  const allowed = 3n * expected + 500_000n
  return allowed < maxTransactionGas ? allowed : maxTransactionGas
}

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

/** An order that takes a settlement down with it. */
export interface Culprit {
  order: Order
  /** It fails by itself. Without that it is only one of those whose own code ran in a settlement that failed. */
  certain: boolean
  /** What its owner is told; null where that would be a guess, or is told by the chain soon. */
  reason: ExclusionReason | null
}

/** Competitions of one auction, at most. */
const maxRounds = 4
/** Trades of one failed settlement that are tried alone. */
const maxTrials = 32

export interface Simulated {
  /** Without the orders that spoiled a settlement. */
  auction: Auction
  ranking: RankedSolution[]
}

/**
 * Lets solvers compete until every winner's settlement holds in a dry run, or fails by nobody's fault. An order that spoils one
 * leaves the auction and those after it, and the rest competes anew: it costs others nothing but the time.
 */
export async function simulate(
  auction: Auction,
  pools: readonly Pool[],
  services: AuctionServices,
  signal: AbortSignal,
): Promise<Simulated> {
  let left = auction
  for (let round = 1; ; round++) {
    const ranking = await compete(left, pools, services, signal)
    if (round === maxRounds || signal.aborted) return { auction: left, ranking }
    const winners = ranking.filter(({ isWinner }) => isWinner)
    const found = await Promise.all(winners.map((solution) => culpritsOf(left, solution, services)))
    const culprits = found.flat()
    if (culprits.length === 0) return { auction: left, ranking }
    await leaveOut(culprits, left.block, services)
    const excluded = new Set(culprits.map(({ order }) => order.id))
    left = { ...left, orders: left.orders.filter(({ order }) => !excluded.has(order.id)) }
    if (left.orders.length === 0) return { auction: left, ranking: [] }
  }
}

/**
 * Who makes this settlement fail, if it does: the orders that fail when they are tried alone, else all that bring code of their own.
 * Nobody when a settlement of nothing fails too, or the node does not answer.
 * @param failed it failed on chain: it need not fail again to count
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

/** Those who spoiled a settlement wait, each time longer; those who may only have been there come back at different times. */
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

/** One who can sign for a contract wallet, or write hooks, has as many orders as it likes: it waits as a whole. */
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
      const { calldata, purse } = encodeTrial(plan, trade, auction.id, network)
      const revert = await settler.dryRun(calldata, gas, purse)
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

/** An order that is over, on chain, is told so by the indexer. What a wallet reverts with is its own invention. */
function reasonFor({ signingScheme, buyToken }: Order, revert: string | undefined): ExclusionReason | null {
  if (revert === 'GPv2: order filled' || revert === 'GPv2: order expired') return null
  const unsigned = signingScheme === 'eip1271' || revert === 'GPv2: order not presigned'
  if (unsigned) return 'invalid_signature'
  return buyToken === nativeMarker ? null : 'insufficient_balance'
}

/** Some more than what a solver reckons with, and not whatever a stranger's code would like. */
function allowedGas(expected: bigint): bigint {
  const allowed = 3n * expected + 500_000n
  return allowed < maxTransactionGas ? allowed : maxTransactionGas
}

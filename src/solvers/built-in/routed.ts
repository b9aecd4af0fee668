import type { AuctionOrder } from '../../domain/auction/auction.ts'
import type { Proposal } from '../../domain/auction/solution.ts'
import type { Address } from '../../domain/evm/address.ts'
import { rateBits } from '../../domain/routing/graph.ts'
import { hopsOf, rateBound } from '../../domain/routing/route.ts'
import { settlementGas } from '../../domain/settlement/gas.ts'
import { routeCalls } from '../route-calls.ts'
import { type Leg, poolsAfter, routeLeg } from './leg.ts'
import { type Candidate, outcomeOf, pairOf, type Task, toCandidate } from './task.ts'

/** An order and how much of its fixed side to fill. */
export interface SizedOrder {
  entry: AuctionOrder
  filled: bigint
}

/** An order that can be settled alone. */
export type Routed = SizedOrder & Candidate

const largestBatch = 8
const smallestFraction = 64n

/** Routes the order alone, as much of it as is profitable at its limit. */
export function routeAlone(task: Task, entry: AuctionOrder): Routed | undefined {
  if (isOutOfReach(task, entry)) return undefined
  for (const filled of sizes(entry)) {
    const leg = routeLeg(task, entry, filled)
    const candidate = leg && toCandidate(task, [entry], legsProposal(task, [leg]))
    if (candidate) return { entry, filled, ...candidate }
  }
  return undefined
}

/**
 * Routes orders of one directed pair, the best first, each through the pools as the orders before it leave them, all at one price.
 * An order that fails at that price is left out, the last such one first.
 */
export function routeTogether(task: Task, orders: readonly SizedOrder[]): Candidate | undefined {
  let members = orders.slice(0, largestBatch)
  while (members.length > 1) {
    const legs = sequentialLegs(task, members)
    const proposal = legsProposal(task, legs)
    const passes = legs.map(
      ({ entry, trade }) => outcomeOf(task, entry, trade, proposal.prices) !== undefined,
    )
    const failing = passes.lastIndexOf(false)
    if (failing < 0 && legs.length === members.length) {
      return toCandidate(
        task,
        legs.map(({ entry }) => entry),
        proposal,
      )
    }
    const kept = legs.filter((_, index) => index !== failing).map(({ entry }) => entry)
    members = members.filter(({ entry }) => kept.includes(entry))
  }
  return undefined
}

/** Its limit price is beyond the pools' rate for the first atom. Most open orders are like that, and need no search. */
function isOutOfReach(task: Task, { order }: AuctionOrder): boolean {
  const { sell, buy } = pairOf(order, task)
  if (sell === buy) return false
  return order.sellAmount * rateBound(task.pools, sell, buy) < order.buyAmount << rateBits
}

function sizes({ order, remaining }: AuctionOrder): bigint[] {
  const amounts = [remaining]
  if (!order.partiallyFillable) return amounts
  for (let fraction = 2n; fraction <= smallestFraction; fraction *= 2n) amounts.push(remaining / fraction)
  return amounts
}

function sequentialLegs(task: Task, members: readonly SizedOrder[]): Leg[] {
  const legs: Leg[] = []
  let { pools } = task
  for (const { entry, filled } of members) {
    const leg = routeLeg({ ...task, pools }, entry, filled, members.length)
    if (!leg) continue
    legs.push(leg)
    pools = poolsAfter(pools, hopsOf(leg))
  }
  return legs
}

function legsProposal(task: Task, legs: readonly Leg[]): Proposal {
  const hops = legs.reduce((sum, leg) => sum + hopsOf(leg).length, 0)
  const extraGas = legs.reduce((sum, { entry }) => sum + entry.extraGas, 0n)
  return {
    prices: sharedPrices(task, legs),
    trades: legs.map(({ trade }) => trade),
    interactions: legs.flatMap((leg) => routeCalls(leg.paths, task.settlement)),
    gas: settlementGas(legs.length, hops) + extraGas,
  }
}

/**
 * One price for all orders. Sell orders must together get no more than their swaps gave, buy orders pay no less than theirs took:
 * if the two averages differ, the one that is worse for the traders applies to both.
 */
function sharedPrices(task: Task, legs: readonly Leg[]): Proposal['prices'] {
  const prices = new Map<Address, bigint>()
  const [first] = legs
  if (!first) return prices
  const sums = (['sell', 'buy'] as const)
    .map((kind) => legs.filter(({ entry }) => entry.order.kind === kind))
    .filter((side) => side.length > 0)
    .map((side) => ({
      amountIn: side.reduce((sum, leg) => sum + leg.amountIn, 0n),
      amountOut: side.reduce((sum, leg) => sum + leg.amountOut, 0n),
    }))
  const worst = sums.reduce((a, b) => (a.amountIn * b.amountOut >= b.amountIn * a.amountOut ? a : b))
  const { sell, buy } = pairOf(first.entry.order, task)
  return prices.set(sell, worst.amountOut).set(buy, worst.amountIn)
}

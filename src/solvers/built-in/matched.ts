import { divUp } from '../../domain/amount.ts'
import type { AuctionOrder } from '../../domain/auction/auction.ts'
import type { Pool } from '../../domain/routing/pool.ts'
import { hopsOf, type Path } from '../../domain/routing/route.ts'
import { grossFill } from '../../domain/settlement/execution.ts'
import { settlementGas } from '../../domain/settlement/gas.ts'
import { routeCalls } from '../route-calls.ts'
import {
  clearAt,
  type Match,
  matchPriceScale,
  nearestClearing,
  remainderRoute,
  type Side,
} from './clearing.ts'
import { priceRange } from './price-range.ts'
import {
  type Candidate,
  descendingValue,
  hopCostUp,
  orderFeeUp,
  pairOf,
  type Task,
  toCandidate,
} from './task.ts'

/** Two orders that sell each other's buy token. */
interface Opposites {
  seller: AuctionOrder
  buyer: AuctionOrder
}

/**
 * Settles two opposite orders against each other at one price between their limits, the market price if it is there.
 * Each pays half of the gas; the larger one's remainder goes through the pools, or stays open if it is partially fillable.
 */
export function matchOrders(task: Task, seller: AuctionOrder, buyer: AuctionOrder): Candidate | undefined {
  const opposites = { seller, buyer }
  const whole = remainderPools(task, opposites).map((pools) => matchWhole(task, opposites, pools))
  const parts = [matchPart(task, opposites, 'seller'), matchPart(task, opposites, 'buyer')]
  return [...whole, ...parts].filter((candidate) => candidate !== undefined).sort(descendingValue)[0]
}

/**
 * The pool sets to try for the larger order's remainder: none, one pool, and the pools of the best route. They are chosen once, at the
 * start price. Both orders pay for a swap in each pool.
 */
function remainderPools(task: Task, opposites: Opposites): Pool[][] {
  const match = toMatch(task, opposites, 1)
  const range = match && priceRange(task, opposites.seller, opposites.buyer, match)
  if (!range) return [[]]
  const findPools = (search: Parameters<typeof remainderRoute>[3]) => {
    const route = remainderRoute(match, range.start, task.pools, search)
    return route ? hopsOf(route).map(({ pool }) => pool) : []
  }
  const short = findPools(() => ({ maxHops: 1, maxPaths: 1 }))
  const best = findPools(({ from }) => ({ hopCost: hopCostUp(task, from) }))
  return [[], short, best].filter((pools, index) => index === 0 || pools.length > index - 1)
}

function matchWhole(task: Task, opposites: Opposites, pools: readonly Pool[]): Candidate | undefined {
  const match = toMatch(task, opposites, pools.length)
  const range = match && priceRange(task, opposites.seller, opposites.buyer, match)
  if (!range) return undefined
  const clearing = nearestClearing(range, (price) => clearAt(match, price, pools))
  return clearing && matchCandidate(task, opposites, match, clearing.price, clearing.paths)
}

/** Fills one order completely and the `part` order only as far as the other allows. */
function matchPart(task: Task, opposites: Opposites, part: keyof Opposites): Candidate | undefined {
  if (!opposites[part].order.partiallyFillable) return undefined
  const match = toMatch(task, opposites, 0)
  const range = match && priceRange(task, opposites.seller, opposites.buyer, match)
  const reduced = range && reduce(match, part, range.start)
  // A smaller order pays the same fee out of less, so its limit moves.
  const reducedRange = reduced && priceRange(task, opposites.seller, opposites.buyer, reduced)
  if (!reducedRange) return undefined
  const clearing = nearestClearing(reducedRange, (price) => clearAt(reduced, price, []))
  return clearing && matchCandidate(task, opposites, reduced, clearing.price, clearing.paths)
}

function toMatch(task: Task, { seller, buyer }: Opposites, hops: number): Match | undefined {
  const half = divUp(settlementGas(2, hops), 2n)
  const [sellerSide, buyerSide] = [toSide(task, seller, half), toSide(task, buyer, half)]
  if (!sellerSide || !buyerSide) return undefined
  const { sell: base, buy: quoted } = pairOf(seller.order, task)
  return { base, quoted, seller: sellerSide, buyer: buyerSide }
}

function toSide(task: Task, entry: AuctionOrder, gas: bigint): Side | undefined {
  const { kind, uid } = entry.order
  const fee = orderFeeUp(task, entry, gas)
  if (fee === undefined) return undefined
  const executedAmount = kind === 'sell' ? entry.remaining - fee : entry.remaining
  return executedAmount > 0n ? { kind, trade: { orderUid: uid, executedAmount, fee } } : undefined
}

/** The match with one order reduced to the amounts of the other at this price. */
function reduce(match: Match, part: keyof Opposites, price: bigint): Match | undefined {
  const other = match[part === 'seller' ? 'buyer' : 'seller']
  const uniform =
    part === 'seller' ? { sell: matchPriceScale, buy: price } : { sell: price, buy: matchPriceScale }
  const fill = grossFill(other.kind, other.trade, uniform)
  const side = match[part]
  const executedAmount = side.kind === 'sell' ? fill.buy : fill.sell - other.trade.fee
  if (executedAmount <= 0n || executedAmount > side.trade.executedAmount) return undefined
  return { ...match, [part]: { ...side, trade: { ...side.trade, executedAmount } } }
}

function matchCandidate(
  task: Task,
  { seller, buyer }: Opposites,
  match: Match,
  price: bigint,
  paths: readonly Path[],
): Candidate | undefined {
  return toCandidate(task, [seller, buyer], {
    prices: new Map([
      [match.base, price],
      [match.quoted, matchPriceScale],
    ]),
    trades: [match.seller.trade, match.buyer.trade],
    interactions: routeCalls(paths, task.settlement),
    gas: settlementGas(2, hopsOf({ paths }).length) + seller.extraGas + buyer.extraGas,
  })
}

import type { ProposedTrade } from '../../domain/auction/solution.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { OrderKind } from '../../domain/order/order.ts'
import type { Pool } from '../../domain/routing/pool.ts'
import { bestRouteForBuy, type Path, type Route, type RouteSearch } from '../../domain/routing/route.ts'
import { grossFill } from '../../domain/settlement/execution.ts'

/** One order of a matched pair: its fixed side's amount and its network fee. */
export interface Side {
  kind: OrderKind
  trade: ProposedTrade
}

/** Two opposite orders: `seller` gives `base` for `quoted`, `buyer` gives `quoted` for `base`. */
export interface Match {
  base: Address
  quoted: Address
  seller: Side
  buyer: Side
}

/** The price of a match is quoted atoms for 2^160 base atoms: rounding it changes no amount by more than an atom. */
export const matchPriceScale = 2n ** 160n

/** Prices that both orders accept after their fees; `start` is the market price, or the limit nearest to it. */
export interface PriceRange {
  lowest: bigint
  highest: bigint
  start: bigint
}

/** At a price, either both orders are filled with these swaps, or one side needs more than the pools give. */
export type Clearing = { paths: readonly Path[] } | 'too high' | 'too low'

/** The part of the larger order that the other does not fill: `missing` atoms of `to`, and the `spare` atoms of `from` to buy them. */
interface Remainder {
  from: Address
  to: Address
  spare: bigint
  missing: bigint
}

/** Matches the orders at this price; the remainder of the larger one goes through these pools. */
export function clearAt(match: Match, price: bigint, pools: readonly Pool[]): Clearing {
  const remainder = remainderAt(match, price)
  if (!remainder) return { paths: [] }
  const { from, to, spare, missing } = remainder
  const route = spare > 0n && pools.length > 0 ? bestRouteForBuy(pools, from, to, missing) : undefined
  if (route && route.amountIn <= spare) return { paths: route.paths }
  return from === match.base ? 'too high' : 'too low'
}

/** The best route for the remainder at this price, whether or not the spare amount pays for it. */
export function remainderRoute(
  match: Match,
  price: bigint,
  pools: readonly Pool[],
  search: (remainder: Remainder) => RouteSearch,
): Route | undefined {
  const remainder = remainderAt(match, price)
  return (
    remainder && bestRouteForBuy(pools, remainder.from, remainder.to, remainder.missing, search(remainder))
  )
}

function remainderAt({ base, quoted, seller, buyer }: Match, price: bigint): Remainder | undefined {
  const sold = grossFill(seller.kind, seller.trade, { sell: price, buy: matchPriceScale })
  const bought = grossFill(buyer.kind, buyer.trade, { sell: matchPriceScale, buy: price })
  const spareBase = sold.sell - seller.trade.fee - bought.buy
  const spareQuoted = bought.sell - buyer.trade.fee - sold.buy
  if (spareBase >= 0n && spareQuoted >= 0n) return undefined
  return spareQuoted < 0n
    ? { from: base, to: quoted, spare: spareBase, missing: -spareQuoted }
    : { from: quoted, to: base, spare: spareQuoted, missing: -spareBase }
}

/**
 * The price nearest to `start` that clears, inside the range, by bisection. Prices that clear form one interval: prices above it are
 * too high, prices below it too low.
 */
export function nearestClearing(
  { start, lowest, highest }: PriceRange,
  clear: (price: bigint) => Clearing,
): { price: bigint; paths: readonly Path[] } | undefined {
  const first = clear(start)
  if (typeof first === 'object') return { price: start, ...first }
  let refused = start
  let other = first === 'too high' ? lowest : highest
  if (clear(other) === first) return undefined
  const closeEnough = start >> 40n
  while (distance(refused, other) > closeEnough + 1n) {
    const middle = (refused + other) / 2n
    if (clear(middle) === first) refused = middle
    else other = middle
  }
  const last = clear(other)
  return typeof last === 'object' ? { price: other, ...last } : undefined
}

function distance(a: bigint, b: bigint): bigint {
  return a > b ? a - b : b - a
}

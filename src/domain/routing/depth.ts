import type { Address } from '../evm/address.ts'
import { rateBits } from './graph.ts'
import { type Pool, poolSide } from './pool.ts'
import { bestRouteForSell, rateBound } from './route.ts'

/** What sells at most so many basis points below the price of a first atom. */
export interface DepthLevel {
  bps: number
  /** Sell atoms, to a thousandth of the most. */
  sellAmount: bigint
  /** Buy atoms for them. */
  buyAmount: bigint
}

const bpsScale = 10_000n
/** The rest of an interval that is not searched any more, as a part of its upper end. */
const precision = 1_000n

/** By routes through the pools, with their fees. The levels are in ascending order. `undefined` without a route. */
export function depthOf(
  pools: readonly Pool[],
  sell: Address,
  buy: Address,
  levels: readonly number[],
): DepthLevel[] | undefined {
  const rate = rateBound(pools, sell, buy)
  if (rate === 0n) return undefined
  // More than all pools hold halves the price at least.
  let most = pools
    .filter(({ token0, token1 }) => token0 === sell || token1 === sell)
    .reduce((sum, pool) => sum + poolSide(pool, sell).reserveIn, 0n)
  const found: DepthLevel[] = []
  for (const bps of levels.toReversed()) {
    const least = rate * (bpsScale - BigInt(bps))
    const buyAmountWithin = (amount: bigint) => {
      const out = bestRouteForSell(pools, sell, buy, amount)?.amountOut ?? 0n
      return (out * bpsScale) << rateBits >= amount * least ? out : undefined
    }
    const level = { bps, sellAmount: 0n, buyAmount: 0n }
    let high = most
    while (high - level.sellAmount > high / precision) {
      const amount = (level.sellAmount + high + 1n) / 2n
      const buyAmount = buyAmountWithin(amount)
      if (buyAmount === undefined) high = amount - 1n
      else Object.assign(level, { sellAmount: amount, buyAmount })
    }
    found.unshift(level)
    most = high
  }
  return found
}

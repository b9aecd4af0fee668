import { basisPoints, described, objectOf, safeInt, uint256, type ValueOf } from '../described.ts'
import type { Address } from '../evm/address.ts'
import { rateBits } from './graph.ts'
import { type Pool, poolSide } from './pool.ts'
import { bestRouteForSell, rateBound } from './route.ts'

const depthLevel = described('DepthLevel', 'The amount that sells within some basis points of the price.', {
  bps: basisPoints('The distance below the first atom’s price.'),
  sellAmount: uint256('The most base atoms for which the price is not lower, to a thousandth.'),
  buyAmount: uint256('Quote atoms for them, after the pools’ fees and before gas.'),
})
type DepthLevel = ValueOf<typeof depthLevel>

/** The levels of a market's depth, in basis points. */
export const depthLevels = [10, 50, 200]

export const marketDepth = described('MarketDepth', 'The amounts that pools take of a token.', {
  block: safeInt('The block of the pools.'),
  levels: objectOf(depthLevel).list('Within 10, 50 and 200 basis points.', depthLevels.length),
})
export type MarketDepth = ValueOf<typeof marketDepth>

const bpsScale = 10_000n
/** The precision of the search: the last interval is this fraction of its upper end. */
const precision = 1_000n

/**
 * The depth over routes through the pools, with their fees. The levels are in ascending order. Undefined
 * without a route.
 */
export function depthOf(
  pools: readonly Pool[],
  sell: Address,
  buy: Address,
  levels: readonly number[],
): DepthLevel[] | undefined {
  const rate = rateBound(pools, sell, buy)
  if (rate === 0n) return undefined
  // An amount above the content of all pools at least halves the price.
  let max = pools
    .filter(({ token0, token1 }) => token0 === sell || token1 === sell)
    .reduce((sum, pool) => sum + poolSide(pool, sell).reserveIn, 0n)
  const found: DepthLevel[] = []
  for (const bps of levels.toReversed()) {
    const min = rate * (bpsScale - BigInt(bps))
    const buyAmountWithin = (amount: bigint) => {
      const out = bestRouteForSell(pools, sell, buy, amount)?.amountOut ?? 0n
      return (out * bpsScale) << rateBits >= amount * min ? out : undefined
    }
    const level = { bps, sellAmount: 0n, buyAmount: 0n }
    let high = max
    while (high - level.sellAmount > high / precision) {
      const amount = (level.sellAmount + high + 1n) / 2n
      const buyAmount = buyAmountWithin(amount)
      if (buyAmount === undefined) high = amount - 1n
      else Object.assign(level, { sellAmount: amount, buyAmount })
    }
    found.unshift(level)
    max = high
  }
  return found
}

import { divUp, formatUnits } from '../amount.ts'
import { feeDenominator, feeNumerator, poolSide } from '../routing/pool.ts'
import type { Route } from '../routing/route.ts'
import type { QuotePath, QuoteRoute } from './quote.ts'

/** The public form of a route over the pools of this block. */
export function toQuoteRoute({ paths }: Route, block: number): QuoteRoute {
  return {
    block,
    paths: paths.map(({ amountIn, amountOut, hops }) => ({
      amountIn,
      amountOut,
      hops: hops.map(({ pool, tokenIn, ...hop }) => ({
        pool: pool.address,
        tokenIn,
        tokenOut: hop.tokenOut,
        amountIn: hop.amountIn,
        amountOut: hop.amountOut,
        ...poolSide(pool, tokenIn),
      })),
    })),
  }
}

const digits = 6

/**
 * The share by which the executed rate is worse than the first atom's rate, both after the pools' fees: 0.01
 * is one percent. Over several paths, first-atom rates are weighted by the input of each path. A decimal of
 * up to 6 digits, rounded up; zero without swaps.
 */
export function priceImpactUp(paths: readonly QuotePath[]): string {
  // The output if every atom had the first atom's rate, as a fraction.
  let [numerator, denominator, amountOut] = [0n, 1n, 0n]
  for (const path of paths) {
    let [ideal, unit] = [path.amountIn, 1n]
    for (const { reserveIn, reserveOut } of path.hops) {
      ideal *= reserveOut * feeNumerator
      unit *= reserveIn * feeDenominator
    }
    numerator = numerator * unit + ideal * denominator
    denominator *= unit
    amountOut += path.amountOut
  }
  if (numerator === 0n) return '0'
  const lost = numerator - amountOut * denominator
  return formatUnits(lost > 0n ? divUp(lost * 10n ** BigInt(digits), numerator) : 0n, digits)
}

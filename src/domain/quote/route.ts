import { divUp, formatUnits } from '../amount.ts'
import { decimal, derived, described, objectOf, safeInt, token, uint256, type ValueOf } from '../described.ts'
import { feeDenominator, feeNumerator, poolSide } from '../routing/pool.ts'
import { poolContract } from '../routing/pool-value.ts'
import type { Route } from '../routing/route.ts'

const quoteHop = described('QuoteHop', 'One swap in one pool.', {
  pool: poolContract,
  tokenIn: token('The input token; the native coin in its wrapped form.'),
  tokenOut: token('The output token; the native coin in its wrapped form.'),
  amountIn: uint256('The input, in atoms of tokenIn.'),
  amountOut: uint256('The output, in atoms of tokenOut.'),
})
/** A swap, with the reserves of the pool before it. */
export type QuoteHop = ValueOf<typeof quoteHop> & { reserveIn: bigint; reserveOut: bigint }

/** Typical numbers of paths and hops, for the cost of a query. */
const [usualPaths, usualHops] = [2, 2]

const quotePath = described('QuotePath', 'Swaps in a row.', {
  amountIn: uint256('The input, in sell token atoms.'),
  amountOut: uint256('The output, in buy token atoms.'),
  hops: objectOf<typeof quoteHop, QuoteHop>(quoteHop).list(
    'The swaps in the order of the trade; the output of one is the input of the next.',
    usualHops,
  ),
})
export type QuotePath = ValueOf<typeof quotePath>

export const quoteRoute = described(
  'QuoteRoute',
  'The route behind the amounts of a quote: parallel paths that share no pool.',
  {
    block: safeInt('The block whose pools it was computed on.'),
    priceImpact: derived(
      decimal(
        'The share by which the executed rate is worse than that of the first atom, by the size of the trade alone: 0.01 is one percent. Rounded up.',
      ),
      ({ paths }: { paths: readonly QuotePath[] }) => priceImpactUp(paths),
    ),
    paths: objectOf(quotePath).list('Each a part of the amount.', usualPaths),
  },
)
export type QuoteRoute = ValueOf<typeof quoteRoute>

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

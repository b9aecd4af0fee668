import { poolSide } from '../routing/pool.ts'
import type { Route } from '../routing/route.ts'
import type { QuoteRoute } from './quote.ts'

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

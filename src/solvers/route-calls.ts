import type { Address } from '../domain/address.ts'
import { swapCall, transferCall } from '../domain/calldata.ts'
import type { Interaction } from '../domain/order.ts'
import type { Hop } from '../domain/route.ts'

/** The calls that walk a route: the settlement pays the first pool, each pool pays the next one, the last pays the settlement. */
export function routeCalls(hops: readonly Hop[], settlement: Address): Interaction[] {
  const [first] = hops
  if (!first) return []
  return [
    transferCall(first.tokenIn, first.pool.address, first.amountIn),
    ...hops.map(({ pool, tokenOut, amountOut }, index) => {
      const [amount0, amount1] = tokenOut === pool.token0 ? [amountOut, 0n] : [0n, amountOut]
      return swapCall(pool.address, amount0, amount1, hops[index + 1]?.pool.address ?? settlement)
    }),
  ]
}

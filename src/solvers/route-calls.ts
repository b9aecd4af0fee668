import type { Address } from '../domain/evm/address.ts'
import type { Interaction } from '../domain/order/order.ts'
import type { Path } from '../domain/routing/route.ts'
import { swapCall, transferCall } from '../domain/settlement/calldata.ts'

/**
 * The calls for paths in sequence: the settlement pays the first pool, each pool pays the next, the last pays
 * the settlement.
 */
export function routeCalls(paths: readonly Path[], settlement: Address): Interaction[] {
  return paths.flatMap(({ hops }) => [
    transferCall(hops[0].tokenIn, hops[0].pool.address, hops[0].amountIn),
    ...hops.map(({ pool, tokenOut, amountOut }, index) => {
      const [amount0, amount1] = tokenOut === pool.token0 ? [amountOut, 0n] : [0n, amountOut]
      return swapCall(pool.address, amount0, amount1, hops[index + 1]?.pool.address ?? settlement)
    }),
  ])
}

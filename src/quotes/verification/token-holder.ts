import type { Address } from '../../domain/evm/address.ts'
import type { Pool } from '../../domain/routing/pool.ts'
import { poolSide } from '../../domain/routing/pool.ts'

/** The pool that has most of a token: somebody to try transfers with. */
export function deepestPool(token: Address, pools: readonly Pool[]): Address | undefined {
  const held = (pool: Pool) => poolSide(pool, token).reserveIn
  const holders = pools.filter(({ token0, token1 }) => token0 === token || token1 === token)
  return holders.reduce<Pool | undefined>(
    (most, pool) => (most && held(most) >= held(pool) ? most : pool),
    undefined,
  )?.address
}

import type { Address } from '../../domain/evm/address.ts'
import type { Pool } from '../../domain/routing/pool.ts'
import { poolSide } from '../../domain/routing/pool.ts'

/** The pool with the largest reserve of a token: a holder for trial transfers. */
export function deepestPool(token: Address, pools: readonly Pool[]): Address | undefined {
  const reserve = (pool: Pool) => poolSide(pool, token).reserveIn
  const holders = pools.filter(({ token0, token1 }) => token0 === token || token1 === token)
  return holders.reduce<Pool | undefined>(
    (deepest, pool) => (deepest && reserve(deepest) >= reserve(pool) ? deepest : pool),
    undefined,
  )?.address
}

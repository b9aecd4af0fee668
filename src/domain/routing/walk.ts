import type { Address } from '../evm/address.ts'
import { type Pool, poolInputUp, poolOutputDown, poolTakes } from './pool.ts'

/** One pool of a path, seen from the token whose amount is known. */
export interface Step {
  pool: Pool
  from: Address
  to: Address
}

/** Pools in a row from the given amount, which for a buy is at the end of the trade. */
export type PoolPath = readonly Step[]

/** The direction from the given side to the far side: forward for a sell, backward for a buy. */
export interface Direction {
  /** Returns the token that the pool receives. */
  tokenIn(step: Pick<Step, 'from' | 'to'>): Address
  /**
   * Returns the exact amount on the far side of the pool; undefined if the pool contract would refuse the
   * swap.
   */
  swapAmount(step: Step, amount: bigint): bigint | undefined
  /** The sign of an atom's value on the far side: positive if it is received, negative if it is paid. */
  sign: 1n | -1n
}

/** The direction from the sell amount to the largest buy amount. */
export const selling: Direction = {
  tokenIn: ({ from }) => from,
  swapAmount({ pool, from }, amountIn) {
    const amountOut = poolOutputDown(pool, from, amountIn)
    return amountOut > 0n && poolTakes(pool, from, amountIn) ? amountOut : undefined
  },
  sign: 1n,
}

/** The direction from the buy amount to the smallest sell amount. */
export const buying: Direction = {
  tokenIn: ({ to }) => to,
  swapAmount({ pool, to }, amountOut) {
    const amountIn = poolInputUp(pool, to, amountOut)
    return amountIn !== undefined && poolTakes(pool, to, amountIn) ? amountIn : undefined
  },
  sign: -1n,
}

/** The amount on the far side of the whole path. */
export function amountThrough(direction: Direction, poolPath: PoolPath, amount: bigint): bigint | undefined {
  let reached: bigint | undefined = amount
  for (const step of poolPath) {
    if (reached === undefined) return undefined
    reached = direction.swapAmount(step, reached)
  }
  return reached
}

/** The same path from the other end, for the opposite direction. */
export function reversePath(poolPath: PoolPath): PoolPath {
  return poolPath.map(({ pool, from, to }) => ({ pool, from: to, to: from })).toReversed()
}

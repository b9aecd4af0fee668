import type { Address } from '../evm/address.ts'
import { type Pool, poolInputUp, poolOutputDown, poolTakes } from './pool.ts'

/** One pool of a way, seen from the token whose amount is known. */
export interface Step {
  pool: Pool
  from: Address
  to: Address
}

/** Pools in a row, the given amount first: a buy is walked from its end. */
export type Way = readonly Step[]

export interface Walk {
  /** The token that the pool is paid in. */
  tokenIn(step: Pick<Step, 'from' | 'to'>): Address
  /** The exact amount on the other side of the pool; `undefined` when there is none that the pool contract takes part in. */
  pass(step: Step, amount: bigint): bigint | undefined
  /** What an atom on the far side is worth: more is better when it is got, worse when it is paid. */
  sign: 1n | -1n
}

/** From what is sold to the most that is bought. */
export const selling: Walk = {
  tokenIn: ({ from }) => from,
  pass({ pool, from }, amountIn) {
    const amountOut = poolOutputDown(pool, from, amountIn)
    return amountOut > 0n && poolTakes(pool, from, amountIn) ? amountOut : undefined
  },
  sign: 1n,
}

/** From what is bought to the least that is sold. */
export const buying: Walk = {
  tokenIn: ({ to }) => to,
  pass({ pool, to }, amountOut) {
    const amountIn = poolInputUp(pool, to, amountOut)
    return amountIn !== undefined && poolTakes(pool, to, amountIn) ? amountIn : undefined
  },
  sign: -1n,
}

/** The amount on the far side of the whole way. */
export function walkThrough(walk: Walk, way: Way, amount: bigint): bigint | undefined {
  let reached: bigint | undefined = amount
  for (const step of way) {
    if (reached === undefined) return undefined
    reached = walk.pass(step, reached)
  }
  return reached
}

/** The same way from the other end, for the opposite walk. */
export function reversed(way: Way): Way {
  return way.map(({ pool, from, to }) => ({ pool, from: to, to: from })).toReversed()
}

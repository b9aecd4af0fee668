import { divUp } from '../amount.ts'
import type { Address } from '../evm/address.ts'

/** A constant-product pool of two tokens, as read at one block. Tokens are in address order. */
export interface Pool {
  address: Address
  token0: Address
  token1: Address
  reserve0: bigint
  reserve1: bigint
}

export type PoolIdentity = Pick<Pool, 'address' | 'token0' | 'token1'>

/** The part of the input that is traded; the rest is the pool's 0.3 % fee. */
export const feeNumerator = 997n
export const feeDenominator = 1000n
const maxReserve = 2n ** 112n - 1n

interface Side {
  reserveIn: bigint
  reserveOut: bigint
}

export function poolSide(pool: Pool, tokenIn: Address): Side {
  return tokenIn === pool.token0
    ? { reserveIn: pool.reserve0, reserveOut: pool.reserve1 }
    : { reserveIn: pool.reserve1, reserveOut: pool.reserve0 }
}

/** The output of the pool for `amountIn`, after its 0.3 % fee, rounded down as the pool contract does. */
export function poolOutputDown(pool: Pool, tokenIn: Address, amountIn: bigint): bigint {
  const { reserveIn, reserveOut } = poolSide(pool, tokenIn)
  const afterFee = amountIn * feeNumerator
  const denominator = reserveIn * feeDenominator + afterFee
  return denominator === 0n ? 0n : (afterFee * reserveOut) / denominator
}

/** The minimum input for `amountOut`; undefined if the pool does not hold that much. */
export function poolInputUp(pool: Pool, tokenIn: Address, amountOut: bigint): bigint | undefined {
  const { reserveIn, reserveOut } = poolSide(pool, tokenIn)
  if (amountOut >= reserveOut) return undefined
  return divUp(reserveIn * amountOut * feeDenominator, (reserveOut - amountOut) * feeNumerator)
}

/**
 * Reports whether the pool accepts an input. Pool contracts store reserves in 112 bits and revert above that.
 */
export function poolTakes(pool: Pool, tokenIn: Address, amountIn: bigint): boolean {
  return poolSide(pool, tokenIn).reserveIn + amountIn <= maxReserve
}

/** The output by input before rounding: out = scale · in / (offset + bend · in). */
export interface Curve {
  scale: bigint
  offset: bigint
  bend: bigint
}

export function poolCurve(pool: Pool, tokenIn: Address): Curve {
  const { reserveIn, reserveOut } = poolSide(pool, tokenIn)
  return { scale: reserveOut * feeNumerator, offset: reserveIn * feeDenominator, bend: feeNumerator }
}

/** The pool after a swap, for a second trade through it in the same settlement. */
export function poolAfterSwap(pool: Pool, tokenIn: Address, amountIn: bigint, amountOut: bigint): Pool {
  return tokenIn === pool.token0
    ? { ...pool, reserve0: pool.reserve0 + amountIn, reserve1: pool.reserve1 - amountOut }
    : { ...pool, reserve0: pool.reserve0 - amountOut, reserve1: pool.reserve1 + amountIn }
}

import type { Address } from './address.ts'

/** A constant-product pool of two tokens, as read at one block. Tokens are in address order. */
export interface Pool {
  address: Address
  token0: Address
  token1: Address
  reserve0: bigint
  reserve1: bigint
}

const feeNumerator = 997n
const feeDenominator = 1000n

interface Side {
  reserveIn: bigint
  reserveOut: bigint
}

export function poolSide(pool: Pool, tokenIn: Address): Side {
  return tokenIn === pool.token0
    ? { reserveIn: pool.reserve0, reserveOut: pool.reserve1 }
    : { reserveIn: pool.reserve1, reserveOut: pool.reserve0 }
}

/** What the pool pays out for `amountIn`, after its 0.3 % fee, rounded down as the pool contract does. */
export function poolOutputDown(pool: Pool, tokenIn: Address, amountIn: bigint): bigint {
  const { reserveIn, reserveOut } = poolSide(pool, tokenIn)
  const afterFee = amountIn * feeNumerator
  const denominator = reserveIn * feeDenominator + afterFee
  return denominator === 0n ? 0n : (afterFee * reserveOut) / denominator
}

/** What the pool must be paid to give `amountOut`, rounded up; `undefined` when it does not hold that much. */
export function poolInputUp(pool: Pool, tokenIn: Address, amountOut: bigint): bigint | undefined {
  const { reserveIn, reserveOut } = poolSide(pool, tokenIn)
  if (amountOut >= reserveOut) return undefined
  return (reserveIn * amountOut * feeDenominator) / ((reserveOut - amountOut) * feeNumerator) + 1n
}

/** The pool after a swap, for a second trade through it in the same settlement. */
export function poolAfterSwap(pool: Pool, tokenIn: Address, amountIn: bigint, amountOut: bigint): Pool {
  return tokenIn === pool.token0
    ? { ...pool, reserve0: pool.reserve0 + amountIn, reserve1: pool.reserve1 - amountOut }
    : { ...pool, reserve0: pool.reserve0 - amountOut, reserve1: pool.reserve1 + amountIn }
}

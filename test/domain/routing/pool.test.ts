import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type Pool,
  poolAfterSwap,
  poolInputUp,
  poolOutputDown,
  poolTakes,
} from '../../../src/domain/routing/pool.ts'
import { coin, dollar, numbered } from '../../fakes/order.ts'

const amount = fc.bigInt({ min: 1n, max: 2n ** 112n })
const pools: fc.Arbitrary<Pool> = fc.record({
  address: fc.constant(numbered('01')),
  token0: fc.constant(dollar),
  token1: fc.constant(coin),
  reserve0: amount,
  reserve1: amount,
})
const tokenIn = fc.constantFrom(dollar, coin)

describe('constant product', () => {
  it.each([
    [1_000n, 996n],
    [1_000_000n, 499_248n],
    [1n, 0n],
    [0n, 0n],
  ])('a pool of a million each pays for %s in %s out', (amountIn, amountOut) => {
    const pool = {
      address: numbered('01'),
      token0: dollar,
      token1: coin,
      reserve0: 10n ** 6n,
      reserve1: 10n ** 6n,
    }
    expect(poolOutputDown(pool, dollar, amountIn)).toBe(amountOut)
  })

  it('an empty pool quotes no trade', () => {
    const pool = { address: numbered('01'), token0: dollar, token1: coin, reserve0: 0n, reserve1: 0n }
    expect(poolOutputDown(pool, dollar, 0n)).toBe(0n)
    expect(poolOutputDown(pool, dollar, 5n)).toBe(0n)
    expect(poolInputUp(pool, dollar, 1n)).toBeUndefined()
  })

  it('takes what its contract can store', () => {
    const pool = {
      address: numbered('01'),
      token0: dollar,
      token1: coin,
      reserve0: 2n ** 112n - 11n,
      reserve1: 2n ** 111n,
    }
    expect(poolTakes(pool, dollar, 10n)).toBe(true)
    expect(poolTakes(pool, dollar, 11n)).toBe(false)
    expect(poolTakes(pool, coin, 2n ** 111n - 1n)).toBe(true)
    expect(poolTakes(pool, coin, 2n ** 111n)).toBe(false)
  })

  it("never pays out its reserve, and passes the pool contract's own check after every swap", () => {
    fc.assert(
      fc.property(pools, tokenIn, amount, (pool, token, amountIn) => {
        const amountOut = poolOutputDown(pool, token, amountIn)
        const after = poolAfterSwap(pool, token, amountIn, amountOut)
        expect(after.reserve0 > 0n && after.reserve1 > 0n).toBe(true)
        expect(passesFeeCheck(pool, after, token, amountIn)).toBe(true)
        expect(product(after) >= product(pool)).toBe(true)
        expect(
          passesFeeCheck(pool, poolAfterSwap(pool, token, amountIn, amountOut + 1n), token, amountIn),
        ).toBe(false)
      }),
    )
  })

  it('the input is the smallest one for an output, and no pool pays its whole reserve', () => {
    fc.assert(
      fc.property(pools, tokenIn, amount, (pool, token, amountOut) => {
        const amountIn = poolInputUp(pool, token, amountOut)
        const reserveOut = token === dollar ? pool.reserve1 : pool.reserve0
        expect(amountIn === undefined).toBe(amountOut >= reserveOut)
        if (amountIn === undefined) return
        expect(poolOutputDown(pool, token, amountIn) >= amountOut).toBe(true)
        expect(poolOutputDown(pool, token, amountIn - 1n) < amountOut).toBe(true)
      }),
    )
  })
})

function product({ reserve0, reserve1 }: Pool): bigint {
  return reserve0 * reserve1
}

/** The pool contract compares balances less 0.3 % of the input. */
function passesFeeCheck(before: Pool, after: Pool, token: string, amountIn: bigint): boolean {
  const [in0, in1] = token === before.token0 ? [amountIn, 0n] : [0n, amountIn]
  const [adjusted0, adjusted1] = [after.reserve0 * 1_000n - in0 * 3n, after.reserve1 * 1_000n - in1 * 3n]
  return adjusted0 * adjusted1 >= product(before) * 1_000_000n
}

import fc from 'fast-check'
import type { Address } from '../../src/domain/evm/address.ts'
import type { Pool } from '../../src/domain/routing/pool.ts'
import { coin, dollar, numbered, wrapped } from './order.ts'

const tokens = [wrapped, dollar, coin, numbered('dd'), numbered('ee')]

/** Pools between a few tokens, some with the same pair, each with its own address. */
export function poolGraphs(
  reserve: fc.Arbitrary<bigint>,
  maxLength: number,
  minLength = 0,
): fc.Arbitrary<Pool[]> {
  const pool = fc.record({
    pair: fc.shuffledSubarray(tokens, { minLength: 2, maxLength: 2 }),
    reserve0: reserve,
    reserve1: reserve,
  })
  return fc.array(pool, { minLength, maxLength }).map((list) =>
    list.map(({ pair, ...reserves }, index) => {
      const [token0 = wrapped, token1 = dollar] = pair.toSorted()
      return { address: numbered(`${index + 10}`), token0, token1, ...reserves }
    }),
  )
}

/** A pool of a thousand units of its first token. @param reserve1 in units, which have 18 decimals */
export function unitPool(digits: string, token0: Address, token1: Address, reserve1: bigint): Pool {
  const unit = 10n ** 18n
  return { address: numbered(digits), token0, token1, reserve0: 1_000n * unit, reserve1: reserve1 * unit }
}

export function otherToken({ token0, token1 }: Pool, token: Address): Address | undefined {
  return token === token0 ? token1 : token === token1 ? token0 : undefined
}

/** Every path of pools from one token to the other that passes no token twice. */
export function allWays(pools: readonly Pool[], from: Address, to: Address, hops: number): Pool[][] {
  const walk = (token: Address, passed: readonly Address[], left: number): Pool[][] =>
    pools.flatMap((pool) => {
      const next = otherToken(pool, token)
      if (!next || passed.includes(next)) return []
      if (next === to) return [[pool]]
      return left > 1 ? walk(next, [...passed, next], left - 1).map((rest) => [pool, ...rest]) : []
    })
  return walk(from, [from], hops)
}

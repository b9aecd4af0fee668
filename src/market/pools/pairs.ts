import type { Address } from '../../domain/evm/address.ts'
import type { Pool } from '../../domain/routing/pool.ts'

export type TokenPair = readonly [Address, Address]

/** Two different tokens in address order. */
export interface Pair extends Pick<Pool, 'token0' | 'token1'> {
  key: string
}

/**
 * Lists, without duplicates, the pairs that routes of up to three swaps can use between the two tokens of
 * each pair: the pair itself, its tokens with base tokens, and base tokens with each other. The number is
 * linear in that of `pairs`.
 */
export type PairsAround = (pairs: readonly TokenPair[]) => readonly Pair[]

export function createPairsAround(baseTokens: readonly Address[]): PairsAround {
  const basePairs = new Map<string, Pair>()
  for (const token of baseTokens) {
    for (const base of baseTokens) addPair(basePairs, token, base)
  }
  return (pairs) => {
    const pairsAround = new Map(basePairs)
    for (const [tokenA, tokenB] of pairs) addPair(pairsAround, tokenA, tokenB)
    for (const token of new Set(pairs.flat())) {
      for (const base of baseTokens) addPair(pairsAround, token, base)
    }
    return [...pairsAround.values()]
  }
}

function addPair(pairs: Map<string, Pair>, tokenA: Address, tokenB: Address): void {
  if (tokenA === tokenB) return
  const [token0, token1] = tokenA < tokenB ? [tokenA, tokenB] : [tokenB, tokenA]
  const key = `${token0}${token1}`
  if (!pairs.has(key)) pairs.set(key, { key, token0, token1 })
}

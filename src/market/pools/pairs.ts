import type { Address } from '../../domain/evm/address.ts'
import type { Pool } from '../../domain/routing/pool.ts'

export type TokenPair = readonly [Address, Address]

/** Two different tokens in address order. */
export interface Pair extends Pick<Pool, 'token0' | 'token1'> {
  key: string
}

/**
 * The pairs that routes of three swaps use between the two tokens of each: the pair itself, its tokens with
 * base tokens, and those with each other. Each once. Their number grows with that of the pairs asked for, not
 * with its square.
 */
export type PairsAround = (wanted: readonly TokenPair[]) => readonly Pair[]

export function createPairsAround(baseTokens: readonly Address[]): PairsAround {
  const basePairs = new Map<string, Pair>()
  for (const token of baseTokens) {
    for (const base of baseTokens) addPair(basePairs, token, base)
  }
  return (wanted) => {
    const pairs = new Map(basePairs)
    for (const [one, other] of wanted) addPair(pairs, one, other)
    for (const token of new Set(wanted.flat())) {
      for (const base of baseTokens) addPair(pairs, token, base)
    }
    return [...pairs.values()]
  }
}

function addPair(pairs: Map<string, Pair>, one: Address, other: Address): void {
  if (one === other) return
  const [token0, token1] = one < other ? [one, other] : [other, one]
  const key = `${token0}${token1}`
  if (!pairs.has(key)) pairs.set(key, { key, token0, token1 })
}

import { createLruCache } from '../domain/derived.ts'
import type { Address } from '../domain/evm/address.ts'
import type { Pool } from '../domain/routing/pool.ts'

/** The pools that auctions had: their code is that of the network's factory. */
export interface KnownPools {
  note(pools: readonly Pool[]): void
  has(address: Address): boolean
}

const maxKnown = 20_000

export function createKnownPools(): KnownPools {
  const known = createLruCache<Address, true>({ max: maxKnown })
  return {
    note(pools) {
      for (const { address } of pools) known.set(address, true)
    },
    has: (address) => known.has(address),
  }
}

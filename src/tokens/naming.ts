import { setTimeout as pause } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { type Address, nativeMarker } from '../domain/evm/address.ts'
import type { Log } from '../domain/log.ts'
import type { Database } from '../storage/database/database.ts'
import { findTokens } from '../storage/token/tokens.ts'
import type { TokenReader } from './metadata.ts'

/** Has the metadata of tokens stored before it is needed. It returns at once. */
export type NameTokens = (addresses: readonly Address[]) => void

interface NamingOptions {
  chainId: number
  db: Database
  log: Log
  /** Reads what is not stored, and stores it once its block is indexed. */
  knownTokens: TokenReader['knownTokens']
  /** Pauses between further tries for tokens that could not be read or stored. */
  againMs?: readonly number[] | undefined
}

/** A reorg forgets tokens, so that they are looked at again. */
const storedMs = 3_600_000
const maxStored = 10_000
const maxWanted = 1_000

/**
 * Messages of notifications name tokens by what is stored, since a transaction does not wait for a node: so the tokens of an order are
 * read when it is placed, whether or not a client has asked for their names.
 */
export function createTokenNaming({
  chainId,
  db,
  log,
  knownTokens,
  againMs = [2_000, 15_000, 60_000, 300_000],
}: NamingOptions): NameTokens {
  const stored = new LRUCache<Address, true>({ max: maxStored, ttl: storedMs })
  const wanted = new Set<Address>()

  /** Stores what can be. @returns the others */
  async function store(addresses: readonly Address[]): Promise<Address[]> {
    try {
      await knownTokens(addresses)
      for (const address of (await findTokens(db, chainId, addresses)).keys()) stored.set(address, true)
    } catch (fault) {
      log.warn('tokens of orders not named', { chainId, fault: String(fault) })
    }
    return addresses.filter((address) => !stored.has(address))
  }

  async function name(addresses: readonly Address[]): Promise<void> {
    let missing = await store(addresses)
    for (const pauseMs of againMs) {
      if (missing.length === 0) return
      await pause(pauseMs, undefined, { ref: false })
      missing = await store(missing)
    }
  }

  return (addresses) => {
    const unnamed = new Set(addresses.filter((address) => !stored.has(address) && !wanted.has(address)))
    unnamed.delete(nativeMarker)
    if (unnamed.size === 0 || wanted.size + unnamed.size > maxWanted) return
    for (const address of unnamed) wanted.add(address)
    void name([...unnamed]).then(() => {
      for (const address of unnamed) wanted.delete(address)
    })
  }
}

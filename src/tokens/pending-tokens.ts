import { setTimeout as pause } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type { ReadToken } from '../chain/token/metadata.ts'
import type { Address } from '../domain/evm/address.ts'
import type { Clock, Log } from '../domain/log.ts'
import type { Token } from '../domain/token/token.ts'
import type { Database } from '../storage/database/database.ts'
import { storeReadTokens } from '../storage/token/tokens.ts'

export interface PendingTokensOptions {
  chainId: number
  db: Database
  log: Log
  now: Clock
  /** Pauses before further tries to store what could not be stored at once. */
  storeAgainMs?: readonly number[] | undefined
}

/**
 * Tokens that were read in blocks that the indexer has not met, or not yet: it may never, where another block
 * took the place.
 */
export interface PendingTokens {
  keep(token: ReadToken): void
  /** Those of them that need not be read again: read a moment ago, or stored now. */
  recall(addresses: readonly Address[]): Promise<Token[]>
  /** Now or soon, as far as their blocks are indexed. @throws Outage of the database */
  store(tokens: readonly ReadToken[]): Promise<void>
}

/** Long enough that a lagging indexer does not make every request a question to the node. */
const freshMs = 5_000
const maxKept = 10_000

export function createPendingTokens({
  chainId,
  db,
  log,
  now,
  storeAgainMs = [1_000, 2_000, 4_000, 8_000],
}: PendingTokensOptions): PendingTokens {
  const kept = new LRUCache<Address, { token: ReadToken; until: number }>({ max: maxKept })
  const isKept = (token: ReadToken) => kept.peek(token.address)?.token === token

  /** @returns those that are not stored */
  async function tryToStore(tokens: readonly ReadToken[]): Promise<ReadToken[]> {
    const wanted = tokens.filter(isKept)
    const placed = wanted.filter(hasBlock)
    if (placed.length === 0) return wanted
    const stored = await storeReadTokens(db, chainId, placed)
    for (const address of stored) kept.delete(address)
    return wanted.filter(({ address }) => !stored.has(address))
  }

  /** Others look into the store alone, and do not come here to ask again. */
  async function storeLater(tokens: readonly ReadToken[], pausesMs: readonly number[]): Promise<void> {
    const [pauseMs, ...more] = pausesMs
    if (tokens.length === 0 || pauseMs === undefined) return
    await pause(pauseMs, undefined, { ref: false })
    await storeLater((await tryToStore(tokens)).filter(hasBlock), more)
  }

  return {
    keep: (token) => void kept.set(token.address, { token, until: now() + freshMs }),
    async recall(addresses) {
      const known = addresses.flatMap((address) => kept.get(address) ?? [])
      const old = known.filter(({ until }) => until <= now()).map(({ token }) => token)
      const gone = new Set(await tryToStore(old))
      return known.flatMap(({ token }) => (gone.has(token) ? [] : [plain(token)]))
    },
    async store(tokens) {
      const left = (await tryToStore(tokens)).filter(hasBlock)
      storeLater(left, storeAgainMs).catch((fault) => {
        log.warn('token metadata not stored', { chainId, tokens: left.length, fault: String(fault) })
      })
    },
  }
}

export function plain({ block: _, ...token }: ReadToken): Token {
  return token
}

function hasBlock(token: ReadToken): token is ReadToken & { block: NonNullable<ReadToken['block']> } {
  return token.block !== null
}

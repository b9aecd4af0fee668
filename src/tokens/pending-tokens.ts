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
  /** Pauses between further tries to store tokens that could not be stored at once. */
  storeAgainMs?: readonly number[] | undefined
}

/** The bytes of tokens that may be stored for a client. Tokens beyond them are read again for each request. */
export interface TokenRoom {
  hasRoom(): boolean
  /** Counts tokens that were stored. */
  add(tokens: readonly Token[]): void
}

/** Tokens read in blocks that are not indexed yet. A block that a reorg replaced never will be. */
export interface PendingTokens {
  keep(token: ReadToken): void
  /** The tokens that need not be read again: read a moment ago, or stored by this call. */
  recall(addresses: readonly Address[], room?: TokenRoom): Promise<Token[]>
  /** Stores tokens whose blocks are indexed, and tries the others again later. @throws Outage of the database */
  store(tokens: readonly ReadToken[], room?: TokenRoom): Promise<void>
}

/** Long enough that not every request reads from the node while the indexer lags. */
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

  /** @returns the tokens that are still pending */
  async function tryToStore(tokens: readonly ReadToken[], room?: TokenRoom): Promise<ReadToken[]> {
    const pending = tokens.filter(isKept)
    const storable = pending.filter(hasBlock)
    if (storable.length === 0 || room?.hasRoom() === false) return pending
    const stored = await storeReadTokens(db, chainId, storable)
    room?.add(storable.filter(({ address }) => stored.has(address)))
    for (const address of stored) kept.delete(address)
    return pending.filter(({ address }) => !stored.has(address))
  }

  /** Reads of stored data do not trigger another try, so it is repeated here. */
  async function storeLater(
    tokens: readonly ReadToken[],
    pausesMs: readonly number[],
    room: TokenRoom | undefined,
  ): Promise<void> {
    const [pauseMs, ...more] = pausesMs
    if (tokens.length === 0 || pauseMs === undefined) return
    await pause(pauseMs, undefined, { ref: false })
    await storeLater((await tryToStore(tokens, room)).filter(hasBlock), more, room)
  }

  return {
    keep: (token) => void kept.set(token.address, { token, until: now() + freshMs }),
    async recall(addresses, room) {
      const entries = addresses.flatMap((address) => kept.get(address) ?? [])
      const expired = entries.filter(({ until }) => until <= now()).map(({ token }) => token)
      const stale = new Set(await tryToStore(expired, room))
      return entries.flatMap(({ token }) => (stale.has(token) ? [] : [plain(token)]))
    },
    async store(tokens, room) {
      const pending = (await tryToStore(tokens, room)).filter(hasBlock)
      storeLater(pending, storeAgainMs, room).catch((fault) => {
        log.warn('token metadata not stored', { chainId, tokens: pending.length, fault: String(fault) })
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

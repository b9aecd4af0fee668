import { setMaxListeners } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import type { ReadToken } from '../chain/token/metadata.ts'
import { abortable } from '../concurrency/abortable.ts'
import { createLruCache } from '../domain/derived.ts'
import { Outage } from '../domain/errors/error.ts'
import { type Address, nativeMarker } from '../domain/evm/address.ts'
import type { Clock, Log } from '../domain/log.ts'
import { nativeCoin } from '../domain/network/chains.ts'
import type { Network } from '../domain/network/network.ts'
import type { Token } from '../domain/token/token.ts'
import type { Database } from '../storage/database/database.ts'
import { findTokens, storeReadTokens } from '../storage/token/tokens.ts'

interface PendingTokensOptions {
  chainId: number
  db: Database
  log: Log
  now: Clock
  /** Pauses between further tries to store tokens that could not be stored at once. */
  storeAgainMs?: readonly number[] | undefined
}

/**
 * The bytes of tokens that may be stored for a client. Tokens beyond them are read again for each request.
 */
export interface TokenRoom {
  hasRoom(): boolean
  /** Counts tokens that were stored. */
  add(tokens: readonly Token[]): void
}

/** Tokens read in blocks that are not indexed yet. A block that a reorg replaced never will be. */
interface PendingTokens {
  keep(token: ReadToken): void
  /** The tokens that need not be read again: read a moment ago, or stored by this call. */
  recall(addresses: readonly Address[], room?: TokenRoom): Promise<Token[]>
  /**
   * Stores tokens whose blocks are indexed, and tries the other tokens again later.
   * @throws Outage of the database
   */
  store(tokens: readonly ReadToken[], room?: TokenRoom): Promise<void>
}

/** Long enough that not every request reads from the node while the indexer lags. */
const freshMs = 5_000
const maxKept = 10_000

function createPendingTokens({
  chainId,
  db,
  log,
  now,
  storeAgainMs = [1_000, 2_000, 4_000, 8_000],
}: PendingTokensOptions): PendingTokens {
  const kept = createLruCache<Address, { token: ReadToken; until: number }>({ max: maxKept })
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

  /** Reads of stored data do not trigger another try, so the try is repeated here. */
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

function plain({ block: _, ...token }: ReadToken): Token {
  return token
}

function hasBlock(token: ReadToken): token is ReadToken & { block: NonNullable<ReadToken['block']> } {
  return token.block !== null
}

interface TokenReaderOptions {
  network: Pick<Network, 'chainId' | 'name'>
  /** Reads a token contract; many calls share a batch. @throws Outage */
  ask(address: Address): Promise<ReadToken>
  db: Database
  log: Log
  now: Clock
  /** Time limit of one read, the wait for the node included. */
  timeoutMs?: number | undefined
  /** Pauses between further tries to store tokens that could not be stored at once. */
  storeAgainMs?: readonly number[] | undefined
}

interface TokenReader {
  /**
   * Addresses that are no token are left out; one that could not be read has an Outage.
   * @param room for tokens that are not stored yet; no limit when left out
   */
  tokens(addresses: readonly Address[], room?: TokenRoom): Promise<Map<Address, Token | Outage>>
  /** The same, but a token that could not be read is left out too. */
  knownTokens(addresses: readonly Address[], room?: TokenRoom): Promise<Map<Address, Token>>
}

/** Short, so that a newly deployed token is soon seen. */
const absentMs = 60_000
const maxAbsent = 10_000
const maxWaiting = 5_000

/**
 * Reads token metadata from the database, else from the chain; then it is stored once its block is indexed.
 * An address that is no token is cached for a while; an outage is not.
 */
export function createTokenReader({
  network,
  ask,
  db,
  log,
  now,
  timeoutMs = 4_500,
  storeAgainMs,
}: TokenReaderOptions): TokenReader {
  const { chainId } = network
  const absent = createLruCache<Address, true>({
    max: maxAbsent,
    ttl: absentMs,
    ttlResolution: 0,
    perf: { now },
  })
  const pending = createPendingTokens({ chainId, db, log, now, storeAgainMs })
  const underWay = new Map<Address, Promise<ReadToken | undefined>>()

  /**
   * Concurrent callers share one request. A result that comes after their timeouts is kept for the next
   * caller.
   */
  function askOnce(address: Address): Promise<ReadToken | undefined> {
    const running = underWay.get(address)
    if (running) return running
    if (underWay.size >= maxWaiting)
      return Promise.reject(new Outage('the network node', 'too many tokens are being read'))
    const answer = ask(address)
      .then(remember)
      .finally(() => underWay.delete(address))
    underWay.set(address, answer)
    return answer
  }

  /** @returns undefined for an address that is no token */
  function remember(answer: ReadToken): ReadToken | undefined {
    if (isToken(answer)) pending.keep(answer)
    else absent.set(answer.address, true)
    return isToken(answer) ? answer : undefined
  }

  /** Addresses that are no token are left out. */
  async function read(addresses: readonly Address[]): Promise<(ReadToken | OutageOf)[]> {
    const limit = AbortSignal.timeout(timeoutMs)
    setMaxListeners(0, limit)
    const late = () => new Outage('the network node', 'did not return the token in time')
    const answers = addresses.map(async (address) => {
      const answer = await abortable(askOnce(address), limit, late).catch(onlyOutage)
      return answer instanceof Outage ? { address, outage: answer } : answer
    })
    return (await Promise.all(answers)).filter((answer) => answer !== undefined)
  }

  async function tokens(
    addresses: readonly Address[],
    room?: TokenRoom,
  ): Promise<Map<Address, Token | Outage>> {
    const contracts = new Set(addresses.filter((address) => !absent.has(address)))
    const hasCoin = contracts.delete(nativeMarker)
    const results = new Map<Address, Token | Outage>(
      contracts.size > 0 ? await findTokens(db, chainId, [...contracts]) : [],
    )
    const missing = () => [...contracts].filter((address) => !results.has(address) && !absent.has(address))
    for (const token of await pending.recall(missing(), room)) results.set(token.address, token)
    const answers = await read(missing())
    await pending.store(answers.filter(isRead), room)
    for (const answer of answers) results.set(answer.address, isRead(answer) ? plain(answer) : answer.outage)
    if (hasCoin) results.set(nativeMarker, nativeCoin(chainId))
    return results
  }

  return {
    tokens,
    async knownTokens(addresses, room) {
      const readTokens = new Map<Address, Token>()
      let unread = 0
      for (const [address, token] of await tokens(addresses, room)) {
        if (token instanceof Outage) unread++
        else readTokens.set(address, token)
      }
      if (unread > 0) log.warn('token metadata not read', { network: network.name, tokens: unread })
      return readTokens
    },
  }
}

interface OutageOf {
  address: Address
  outage: Outage
}

function isRead(answer: ReadToken | OutageOf): answer is ReadToken {
  return !('outage' in answer)
}

/** A contract with neither a symbol nor decimals is no token. */
function isToken({ symbol, decimals }: Token): boolean {
  return symbol !== null || decimals !== null
}

function onlyOutage(fault: unknown): Outage {
  if (fault instanceof Outage) return fault
  throw fault
}

/** Has the metadata of tokens stored before it is needed, and returns at once. */
type NameTokens = (addresses: readonly Address[]) => void

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
 * Messages of notifications name tokens by what is stored, since a transaction does not wait for a node: so
 * the tokens of an order are read when it is placed, even if no client has requested their names.
 */
export function createTokenNaming({
  chainId,
  db,
  log,
  knownTokens,
  againMs = [2_000, 15_000, 60_000, 300_000],
}: NamingOptions): NameTokens {
  const stored = createLruCache<Address, true>({ max: maxStored, ttl: storedMs })
  const wanted = new Set<Address>()

  /** Stores the tokens that can be stored. @returns the addresses of the others */
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

import { setMaxListeners } from 'node:events'
import { LRUCache } from 'lru-cache'
import type { ReadToken } from '../chain/token/metadata.ts'
import { abortable } from '../concurrency/abortable.ts'
import { Outage } from '../domain/errors/error.ts'
import { type Address, nativeMarker } from '../domain/evm/address.ts'
import type { Clock, Log } from '../domain/log.ts'
import { nativeCoin } from '../domain/network/chains.ts'
import type { Network } from '../domain/network/network.ts'
import type { Token } from '../domain/token/token.ts'
import type { Database } from '../storage/database/database.ts'
import { findTokens } from '../storage/token/tokens.ts'
import { createPendingTokens, plain, type TokenRoom } from './pending-tokens.ts'

export interface TokenReaderOptions {
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

export interface TokenReader {
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
 * Reads token metadata from the database, else from the chain; then it is stored once its block is indexed. An address that is no
 * token is cached for a while; an outage is not.
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
  const absent = new LRUCache<Address, true>({
    max: maxAbsent,
    ttl: absentMs,
    ttlResolution: 0,
    perf: { now },
  })
  const pending = createPendingTokens({ chainId, db, log, now, storeAgainMs })
  const underWay = new Map<Address, Promise<ReadToken | undefined>>()

  /** Concurrent callers share one request. A result that comes after their timeouts is kept for the next caller. */
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

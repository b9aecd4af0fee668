import { setMaxListeners } from 'node:events'
import { LRUCache } from 'lru-cache'
import type { ReadToken } from '../chain/token/metadata.ts'
import { whileWaited } from '../concurrency/waiting.ts'
import { Outage } from '../domain/errors/error.ts'
import { type Address, nativeMarker } from '../domain/evm/address.ts'
import type { Clock, Log } from '../domain/log.ts'
import { chains } from '../domain/network/chains.ts'
import type { Network } from '../domain/network/network.ts'
import type { Token } from '../domain/token/token.ts'
import type { Database } from '../storage/database/database.ts'
import { findTokens } from '../storage/token/tokens.ts'
import { createPendingTokens, plain } from './pending-tokens.ts'

export interface TokenReaderOptions {
  network: Pick<Network, 'chainId' | 'name'>
  /** What a contract says; many are asked at once. @throws Outage */
  ask(address: Address): Promise<ReadToken>
  db: Database
  log: Log
  now: Clock
  /** For one reading, however many wait for the node. */
  timeoutMs?: number | undefined
  /** When it is tried again to store what could not be stored at once, counted from the last time. */
  storeAgainMs?: readonly number[] | undefined
}

export interface TokenReader {
  /** One that is no token is left out; one that could not be asked has an Outage. */
  tokens(addresses: readonly Address[]): Promise<Map<Address, Token | Outage>>
  /** For those who go on without: one that could not be asked is left out too. */
  knownTokens(addresses: readonly Address[]): Promise<Map<Address, Token>>
}

/** Whoever deploys a token does not wait long for it to be seen. */
const absentMs = 60_000
const maxAbsent = 10_000
const maxWaiting = 5_000

/**
 * Metadata of tokens: from the store, else from the chain and then stored, once its block is indexed. What
 * turned out to be no token is not asked again soon; an outage is never remembered.
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

  /**
   * Once, however many wait for it. What comes when nobody waits any more is remembered for who asks next.
   */
  function askOnce(address: Address): Promise<ReadToken | undefined> {
    const asked = underWay.get(address)
    if (asked) return asked
    if (underWay.size >= maxWaiting)
      return Promise.reject(new Outage('the network node', 'too many tokens are asked about'))
    const answer = ask(address)
      .then(remember)
      .finally(() => underWay.delete(address))
    underWay.set(address, answer)
    return answer
  }

  /** @returns undefined for what is no token */
  function remember(answer: ReadToken): ReadToken | undefined {
    if (isToken(answer)) pending.keep(answer)
    else absent.set(answer.address, true)
    return isToken(answer) ? answer : undefined
  }

  /** Those that are no tokens are left out. */
  async function read(addresses: readonly Address[]): Promise<(ReadToken | OutageOf)[]> {
    const limit = AbortSignal.timeout(timeoutMs)
    setMaxListeners(0, limit)
    const late = () => new Outage('the network node', 'did not tell of the token in time')
    const answers = addresses.map(async (address) => {
      const answer = await whileWaited(askOnce(address), limit, late).catch(onlyOutage)
      return answer instanceof Outage ? { address, outage: answer } : answer
    })
    return (await Promise.all(answers)).filter((answer) => answer !== undefined)
  }

  async function tokens(addresses: readonly Address[]): Promise<Map<Address, Token | Outage>> {
    const asked = new Set(addresses.filter((address) => !absent.has(address)))
    const coin = asked.delete(nativeMarker)
    const found = new Map<Address, Token | Outage>(
      asked.size > 0 ? await findTokens(db, chainId, [...asked]) : [],
    )
    const missing = () => [...asked].filter((address) => !found.has(address) && !absent.has(address))
    for (const token of await pending.recall(missing())) found.set(token.address, token)
    const answers = await read(missing())
    await pending.store(answers.filter(isRead))
    for (const answer of answers) found.set(answer.address, isRead(answer) ? plain(answer) : answer.outage)
    if (coin) found.set(nativeMarker, nativeCoin(chainId))
    return found
  }

  return {
    tokens,
    async knownTokens(addresses) {
      const known = new Map<Address, Token>()
      let unread = 0
      for (const [address, answer] of await tokens(addresses)) {
        if (answer instanceof Outage) unread++
        else known.set(address, answer)
      }
      if (unread > 0) log.warn('token metadata not read', { network: network.name, tokens: unread })
      return known
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

/**
 * What is neither called something nor divided into something is no token, whatever stands at the address.
 */
function isToken({ symbol, decimals }: Token): boolean {
  return symbol !== null || decimals !== null
}

function onlyOutage(fault: unknown): Outage {
  if (fault instanceof Outage) return fault
  throw fault
}

/** No contract tells of it; on every chain it has the digits of its wrapped form. */
function nativeCoin(chainId: number): Token {
  const { symbol = null, name = null } = chains.get(chainId)?.coin ?? {}
  return { chainId, address: nativeMarker, symbol, name, decimals: 18 }
}

import { LRUCache } from 'lru-cache'
import type { ReadToken } from '../chain/token-metadata.ts'
import { type Address, nativeMarker } from '../domain/address.ts'
import { chains } from '../domain/chains.ts'
import { Outage } from '../domain/error.ts'
import type { Clock, Log } from '../domain/log.ts'
import type { Network } from '../domain/network.ts'
import type { Token } from '../domain/token.ts'
import { whileWaited } from '../outside/waiting.ts'
import type { Database } from '../storage/database.ts'
import { findTokens, storeTokens } from '../storage/tokens.ts'

export interface TokenReaderOptions {
  network: Pick<Network, 'chainId' | 'name'>
  /** What a contract says; many are asked at once. @throws Outage */
  ask(address: Address): Promise<ReadToken>
  db: Database
  log: Log
  now: Clock
  /** For one reading, however many wait for the node. */
  patienceMs?: number
}

export interface TokenReader {
  /** One that is no token is left out; one that could not be asked has an Outage. */
  tokens(addresses: readonly Address[]): Promise<Map<Address, Token | Outage>>
  /** For those who go on without: one that could not be asked is left out too. */
  knownTokens(addresses: readonly Address[]): Promise<Map<Address, Token>>
}

/** Whoever deploys a token does not wait long for it to be seen. */
const absentMs = 60_000
const mostAbsent = 10_000
const mostWaiting = 5_000

/**
 * Metadata of tokens: from the store, else from the chain and then stored. What turned out to be no token is not asked again soon; an
 * outage is never remembered.
 */
export function createTokenReader({
  network,
  ask,
  db,
  log,
  now,
  patienceMs = 4_500,
}: TokenReaderOptions): TokenReader {
  const { chainId } = network
  const absent = new LRUCache<Address, true>({
    max: mostAbsent,
    ttl: absentMs,
    ttlResolution: 0,
    perf: { now },
  })

  let waiting = 0

  /** What is answered later than that is nobody's: who asks again waits in its turn again. */
  async function askSoon(address: Address, limit: AbortSignal): Promise<ReadToken | Outage> {
    if (waiting >= mostWaiting) return new Outage('the network node', 'too many tokens are asked about')
    waiting++
    const answer = ask(address).finally(() => waiting--)
    const late = () => new Outage('the network node', 'did not tell of the token in time')
    return whileWaited(answer, limit, late).catch(onlyOutage)
  }

  async function tokens(addresses: readonly Address[]): Promise<Map<Address, Token | Outage>> {
    const asked = new Set(addresses.filter((address) => !absent.has(address)))
    const coin = asked.delete(nativeMarker)
    const found = new Map<Address, Token | Outage>(
      asked.size > 0 ? await findTokens(db, chainId, [...asked]) : [],
    )
    const unknown = [...asked].filter((address) => !found.has(address))
    const limit = AbortSignal.timeout(patienceMs)
    const answers = unknown.map(async (address) => [address, await askSoon(address, limit)] as const)
    const read: ReadToken[] = []
    for (const [address, answer] of await Promise.all(answers)) {
      if (answer instanceof Outage) found.set(address, answer)
      else if (isToken(answer)) read.push(answer)
      else absent.set(address, true)
    }
    if (read.length > 0) await storeTokens(db, read)
    for (const { block: _, ...token } of read) found.set(token.address, token)
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

/** What is neither called something nor divided into something is no token, whatever stands at the address. */
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

import { z } from 'zod'
import { Refusal } from '../domain/errors/error.ts'
import { type Address, toAddress } from '../domain/evm/address.ts'
import type { Clock, Log } from '../domain/log.ts'
import { createAnswerCache } from '../outside/answer-cache.ts'
import { invalidResponse, OutsideFault } from '../outside/fault.ts'
import { createHealth, type HealthLimits } from '../outside/health.ts'
import { exchangeJson } from '../outside/http-json.ts'

/** Token lists in the form of tokenlists.org, which clients reference by URL. */
export interface TokenLists {
  /**
   * Returns the contracts of the list on a chain.
   * @throws Refusal InvalidParameter if lists from this URL are not read; Outage
   */
  contracts(url: string, chainId: number): Promise<readonly Address[]>
}

interface TokenListsOptions {
  /**
   * The allowed prefixes of the lists' URLs. They prevent strangers from choosing the hosts that this service
   * calls.
   */
  allowed: readonly string[]
  now: Clock
  log: Log
}

const name = 'a token list'
const maxBytes = 10_485_760
const timeoutMs = 20_000
const keptMs = 600_000
const maxLists = 100
/** The maximum number of tokens in one list, on all chains. */
const maxTokens = 20_000
const limits: HealthLimits = {
  failures: 5,
  pauseMs: { min: 1_000, max: 60_000 },
  backOffMs: { min: 1_000, max: 60_000 },
  atOnce: 4,
}

const listSchema = z.object({
  tokens: z.array(z.object({ chainId: z.unknown(), address: z.unknown() })),
})

type List = ReadonlyMap<number, readonly Address[]>

/** Creates the reader. Each list is read once in ten minutes for all clients, and each host has a breaker. */
export function createTokenLists({ allowed, now, log }: TokenListsOptions): TokenLists {
  const cache = createAnswerCache<List>({ maxEntries: maxLists, now, ttlMs: () => keptMs })
  const healths = new Map<string, ReturnType<typeof createHealth>>()

  function healthOf({ host }: URL) {
    const health = healths.get(host) ?? createHealth({ name: `token lists of ${host}`, limits, now, log })
    healths.set(host, health)
    return health
  }

  async function read(url: URL): Promise<List> {
    const peer = { name, url: url.href, now, timeoutMs, maxBytes }
    const { status, body } = await exchangeJson(peer, { path: '' }, AbortSignal.timeout(timeoutMs))
    if (status === 404 || status === 410)
      throw new Refusal('InvalidParameter', `tokensListsUrls names what is no token list: ${url.href}`, {
        field: 'tokensListsUrls',
      })
    if (status !== 200) throw new OutsideFault(name, `status ${status}`)
    const { data } = listSchema.safeParse(body)
    if (!data) throw invalidResponse(name, 'it has no list of tokens')
    if (data.tokens.length > maxTokens) throw invalidResponse(name, `it has more than ${maxTokens} tokens`)
    const list = new Map<number, Address[]>()
    for (const { chainId, address } of data.tokens) {
      const contract = typeof address === 'string' ? toAddress(address) : undefined
      if (typeof chainId !== 'number' || !contract) continue
      const contracts = list.get(chainId)
      if (contracts) contracts.push(contract)
      else list.set(chainId, [contract])
    }
    return list
  }

  return {
    async contracts(text, chainId) {
      const url = URL.canParse(text) ? new URL(text) : undefined
      if (!url || !allowed.some((beginning) => url.href.startsWith(beginning)))
        throw new Refusal('InvalidParameter', notAllowed(allowed), { field: 'tokensListsUrls' })
      url.hash = ''
      const list = await cache(url.href, () => healthOf(url).ask(() => read(url)))
      return list.get(chainId) ?? []
    },
  }
}

function notAllowed(allowed: readonly string[]): string {
  return allowed.length === 0
    ? 'tokensListsUrls must be empty: this service reads no token lists, name the tokens in customTokens'
    : `tokensListsUrls must begin with ${allowed.join(' or ')}`
}

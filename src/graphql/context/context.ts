import type { Partners } from '../../accounts/partners.ts'
import type { SignInServices } from '../../accounts/sign-in.ts'
import type { AffiliateServices } from '../../affiliates/register.ts'
import type { Statistics } from '../../affiliates/statistics.ts'
import type { StoredMeter } from '../../concurrency/byte-budget.ts'
import { type Outage, Refusal } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Bytes32 } from '../../domain/evm/hex.ts'
import type { Clock, Log } from '../../domain/log.ts'
import type { OrderUid } from '../../domain/order/order.ts'
import type { ImpactLimits } from '../../domain/quote/impact.ts'
import { listItems } from '../../domain/text/json.ts'
import type { NativeRate } from '../../domain/token/prices.ts'
import type { Caller } from '../../http/caller.ts'
import type { TokenLists } from '../../market/token-lists.ts'
import type { Announcements } from '../../notifications/announcements.ts'
import type { ChannelServices } from '../../notifications/channels/manage.ts'
import type { Feeds } from '../../notifications/feed.ts'
import type { Shared } from '../../outside/redis/shared.ts'
import { type Db, readFor } from '../../storage/database/database.ts'
import { createLoaders, type Loaders, type ReadTokens } from '../../storage/loaders.ts'
import type { BalanceSessions } from '../../tokens/balance-sessions.ts'
import { maxNamedOrders } from '../input/fields.ts'
import type { AccessRules, Features } from './access.ts'
import type { TradingNetworks, TradingServices } from './networks.ts'
import type { StoredBytes } from './stored-bytes.ts'

/** Services that the interfaces (GraphQL, REST, SSE) need from the rest of the program. */
export interface Services {
  db: Db
  now: Clock
  log: Log
  networks: TradingNetworks
  feeds: Feeds
  affiliates: AffiliateServices
  statistics: Statistics
  signIn: SignInServices
  channels: ChannelServices
  partners: Partners
  /** Announcements of the connected content system, if any. */
  announcements?: Announcements | undefined
  balanceSessions: BalanceSessions
  tokenLists: TokenLists
  version: string
  /** The commit that the build is of, where the deployment says it. */
  commit?: string | undefined
  /** Persisted documents of the deployment: text by its SHA-256. */
  documents?: Readonly<Record<string, string>>
  /** State that all processes share; without it each process has its own. */
  shared?: Shared | undefined
  /** True if errors of documents and variables suggest schema names: only in local development. */
  suggests?: boolean
  /** All are enabled when left out. */
  features?: Features
  /** Access rules for reads; all clients may read everything when left out. */
  access?: AccessRules
  /** True if a competition is hidden from clients until its deadline block has passed. */
  hidesCompetitions?: boolean
  /** Reports whether a request's key is the operator's; no key is when left out. */
  isOperator?(apiKey: string | undefined): boolean
  /** Reports whether a key may enable and disable affiliates: the content system's or operator's. */
  isEditor?(apiKey: string | undefined): boolean
  /** The number of an order's newest auctions in a REST debug report; a default if left out. */
  reportAuctions?: number
  /** Orders that one request may name; `maxNamedOrders` when left out. */
  maxOrderUids?: number
  /** Losses against the market price that quotes name; the defaults if left out. */
  impactLimits?: ImpactLimits
  /** No limits when left out. */
  stored?: StoredBytes
  /** Counts the bytes that clients cause to be stored. */
  storedMeter?: StoredMeter
  /** @throws Refusal AppDataInvalid, AppDataHashMismatch, AppDataMismatch, RateLimited */
  uploadAppData(
    hash: Bytes32 | null,
    document: string,
    client: string,
  ): Promise<{ hash: Bytes32; created: boolean }>
}

/** One request, or one event of a stream. */
export interface Context extends Services, Caller {
  loaders: Loaders
  /** Came over a path that only the operator reaches: hidden competitions are visible. */
  restricted?: boolean
  /** Aborts when the client disconnects. */
  clientSignal: AbortSignal
  /** Estimated objects of the result, where that is known. */
  objects?: number
  /**
   * Counts list items of the result.
   * @throws Refusal QueryTooComplex over the limit, and from then on every time
   */
  countItems<Row>(rows: readonly Row[]): Row[]
  /**
   * Counts one use of a costly field.
   * @throws Refusal QueryTooComplex with `refusal` from the use after `max` on
   */
  countUse(field: string, max: number, refusal: string): void
  /** Counts the list items in JSON text that the database wrote. @throws Refusal like `countItems` */
  countTextItems(text: string): void
  /**
   * Called before each read.
   * @throws Refusal over the limit or after a disconnect; the Outage of this request
   */
  proceed(): void
  /**
   * Rejects once the result is over the limit, so that execution need not wait for the remaining resolvers.
   */
  overLimit: Promise<never>
}

/** Tokens per request whose native prices are read from the chain. */
const maxNativePrices = 128
/** Tokens per request and kind of data that may cause a call of an outside source with a quota. */
const maxOutsideTokens = 32
/** Balances per request with a worth. Each counts as many objects, so that its price is paid for. */
const maxValuedBalances = 500

/** Limit of list items in a result, because nested lists multiply. */
const maxListItems = 20_000

/**
 * Limits a result that the database wrote without resolvers.
 * @throws Refusal QueryTooComplex
 */
export function checkListItems(texts: readonly string[]): void {
  const length = texts.reduce((sum, text) => sum + text.length, 0)
  // An item is two characters at least.
  if (length <= 2 * maxListItems) return
  if (texts.reduce((sum, text) => sum + listItems(text), 0) > maxListItems) throw tooManyItems()
}

function tooManyItems(): Refusal {
  return new Refusal('QueryTooComplex', `the result holds more than ${maxListItems} list items`)
}

/** @param outage of the database that this request has met before: every further read throws it */
export function createContext(
  services: Services,
  caller: Caller,
  clientSignal: AbortSignal,
  outage?: Outage,
): Context {
  let listItemCount = 0
  let rejectOverLimit = (_refusal: Refusal) => {}
  const overLimit = new Promise<never>((_resolve, reject) => {
    rejectOverLimit = reject
  })
  overLimit.catch(() => {})

  function proceed(): void {
    if (outage) throw outage
    if (listItemCount > maxListItems) throw tooManyItems()
    if (clientSignal.aborted) throw new Refusal('Unavailable', 'the client has gone')
  }

  function addItems(items: number): void {
    listItemCount += items
    try {
      proceed()
    } catch (error) {
      rejectOverLimit(error as Refusal)
      throw error
    }
  }

  const tradingOnChain = (chainId: number) => services.networks.byChainId(chainId)

  /** Reads a value for each token; an error affects its token only. */
  function loadEach<Value>(
    subject: string,
    maxTokens: number,
    readValue: (trading: TradingServices, token: Address) => Promise<Value | undefined>,
  ): ReadTokens<Value> {
    let requested = 0
    return async (chainId, addresses) => {
      requested += addresses.length
      if (requested > maxTokens)
        throw new Refusal(
          'QueryTooComplex',
          `${subject} of more than ${maxTokens} tokens are requested at once`,
        )
      const trading = tradingOnChain(chainId)
      const results = new Map<Address, Value | Error>()
      const loadToken = async (token: Address) => {
        const result = await (trading && readValue(trading, token))?.catch((error: Error) => error)
        if (result !== undefined) results.set(token, result)
      }
      await Promise.all(addresses.map(loadToken))
      return results
    }
  }

  async function nativeRates(chainId: number, addresses: readonly Address[], max: number) {
    if (addresses.length > max)
      throw new Refusal('QueryTooComplex', `prices of more than ${max} tokens are requested at once`)
    const trading = tradingOnChain(chainId)
    const rates = new Map<Address, NativeRate | Refusal>()
    for (let start = 0; trading && start < addresses.length; start += maxNativePrices)
      for (const rate of await trading.nativeRates(addresses.slice(start, start + maxNativePrices), caller))
        rates.set(...rate)
    return rates
  }

  const loaders = createLoaders(
    {
      tokens: async (chainId, addresses) =>
        (await tradingOnChain(chainId)?.tokens(addresses, services.stored?.tokenRoom(caller.client))) ??
        new Map(),
      usdPrices: loadEach('prices', maxOutsideTokens, (trading, token) =>
        trading.usdPrice(token, caller.client),
      ),
      histories: {
        fiveMinutes: loadEach('histories', maxOutsideTokens, (trading, token) =>
          trading.priceHistory(token, 'fiveMinutes', caller.client),
        ),
        oneDay: loadEach('histories', maxOutsideTokens, (trading, token) =>
          trading.priceHistory(token, 'oneDay', caller.client),
        ),
      },
      topHolders: loadEach('holders', maxOutsideTokens, (trading, token) =>
        trading.topHolders(token, caller.client),
      ),
      nativeRates: (chainId, addresses) => nativeRates(chainId, addresses, maxNativePrices),
      ofBalances: {
        usdPrices: loadEach('prices', maxValuedBalances, (trading, token) =>
          trading.usdPrice(token, caller.client),
        ),
        nativeRates: (chainId, addresses) => nativeRates(chainId, addresses, maxValuedBalances),
      },
      diagnoses: async (chainId, facts) => (await tradingOnChain(chainId)?.diagnose(facts, caller)) ?? [],
    },
    proceed,
  )
  const uses = new Map<string, number>()
  return {
    ...services,
    ...caller,
    db: readFor(services.db, { client: caller.client, gone: () => clientSignal }),
    loaders,
    clientSignal,
    countItems(rows) {
      addItems(rows.length)
      return [...rows]
    },
    countUse(field, max, refusal) {
      const count = (uses.get(field) ?? 0) + 1
      if (count > max) throw new Refusal('QueryTooComplex', refusal)
      uses.set(field, count)
    },
    countTextItems: (text) => addItems(listItems(text)),
    overLimit,
    proceed,
  }
}

/** @throws Refusal InvalidParameter when a request names too many orders */
export function checkNamed(
  uids: readonly OrderUid[],
  field: string,
  { maxOrderUids = maxNamedOrders }: Pick<Services, 'maxOrderUids'>,
): void {
  if (uids.length > maxOrderUids)
    throw new Refusal('InvalidParameter', `${field} must name at most ${maxOrderUids} orders`, { field })
}

import type { AffiliateServices } from '../../affiliates/register.ts'
import type { Statistics } from '../../affiliates/statistics.ts'
import { type Outage, Refusal } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Bytes32 } from '../../domain/evm/hex.ts'
import { listItems } from '../../domain/json-text.ts'
import type { Clock, Log } from '../../domain/log.ts'
import type { OrderUid } from '../../domain/order/uid.ts'
import type { Caller } from '../../http/caller.ts'
import type { Feed } from '../../notifications/feed.ts'
import type { Db } from '../../storage/database/database.ts'
import { createLoaders, type Loaders, type ReadTokens } from '../../storage/loaders.ts'
import { maxNamedOrders } from '../order/uids-input.ts'
import type { Features } from './features.ts'
import type { TradingNetworks, TradingServices } from './networks.ts'

/** What the doors need from the rest of the program. */
export interface Services {
  db: Db
  now: Clock
  log: Log
  networks: TradingNetworks
  feed: Feed
  affiliates: AffiliateServices
  /** Of affiliates and their traders. */
  statistics: Statistics
  version: string
  /** Documents known in advance: text by the SHA-256 of it. */
  documents?: Readonly<Record<string, string>>
  /**
   * Whether faults of documents and variables name what may have been meant: on a machine of one's own alone.
   */
  suggests?: boolean
  /** Everything is open when left out. */
  features?: Features
  /** Whether a competition is nobody's business until its deadline block has passed. */
  hidesCompetitions?: boolean
  /** Whether a key that came with a request is the operator's; without this nobody's is. */
  isOperator?(apiKey: string | undefined): boolean
  /** Whether it is a key of who decides about affiliates. */
  isEditor?(apiKey: string | undefined): boolean
  /** The newest auctions that a report over REST shows of an order, where that is not the usual. */
  reportAuctions?: number
  /** Orders that one request may name, where that is less than usual. */
  maxOrderUids?: number
  /** @throws Refusal AppDataInvalid, AppDataHashMismatch, AppDataMismatch */
  uploadAppData(hash: Bytes32 | null, document: string): Promise<{ hash: Bytes32; created: boolean }>
}

/** One request, or one event of a stream. */
export interface Context extends Services, Caller {
  loaders: Loaders
  /** Asked over a path that only the operator reaches: nothing is hidden from it. */
  restricted?: boolean
  /** Aborts when the client has gone. */
  clientSignal: AbortSignal
  /**
   * Counts what a result holds.
   * @throws Refusal QueryTooComplex over the limit, and from then on every time
   */
  spend<Row>(rows: readonly Row[]): Row[]
  /** The same of the lists in a text that the database wrote. */
  spendText(text: string): void
  /** @throws Refusal when nothing more is to be read; the Outage that was met */
  proceed(): void
  /** Rejects once the result is over the limit: what is still under way is of no use to anybody. */
  overspent: Promise<never>
}

/** Prices are read from the chain: of so many tokens at once. */
const maxPriced = 128
/** Each can be a question to somebody outside, who counts them. */
const maxAskedOutside = 32

/** Nested lists multiply: a result holds this many list items at most. */
const maxListItems = 20_000

/**
 * For a result that the database wrote alone.
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

/** @param outage of the database, for a request that has met it already: nothing more is read for it */
export function createContext(
  services: Services,
  caller: Caller,
  clientSignal: AbortSignal,
  outage?: Outage,
): Context {
  let spent = 0
  let stop = (_refusal: Refusal) => {}
  const overspent = new Promise<never>((_resolve, reject) => {
    stop = reject
  })
  overspent.catch(() => {})

  function proceed(): void {
    if (outage) throw outage
    if (spent > maxListItems) throw tooManyItems()
    if (clientSignal.aborted) throw new Refusal('Unavailable', 'the client has gone')
  }

  function count(items: number): void {
    spent += items
    try {
      proceed()
    } catch (error) {
      stop(error as Refusal)
      throw error
    }
  }

  const tradingOnChain = (chainId: number) => services.networks.byChainId(chainId)

  /** Token by token; an outage is that token's alone. */
  function each<Value>(
    what: string,
    most: number,
    ask: (trading: TradingServices, token: Address) => Promise<Value | undefined>,
  ): ReadTokens<Value> {
    let params = 0
    return async (chainId, addresses) => {
      params += addresses.length
      if (params > most)
        throw new Refusal('QueryTooComplex', `${what} of more than ${most} tokens are asked for at once`)
      const trading = tradingOnChain(chainId)
      const results = new Map<Address, Value | Error>()
      const askAbout = async (token: Address) => {
        const answer = await (trading && ask(trading, token))?.catch((error: Error) => error)
        if (answer !== undefined) results.set(token, answer)
      }
      await Promise.all(addresses.map(askAbout))
      return results
    }
  }

  const loaders = createLoaders(
    {
      tokens: async (chainId, addresses) => (await tradingOnChain(chainId)?.tokens(addresses)) ?? new Map(),
      usdPrices: each('prices', maxAskedOutside, (trading, token) => trading.usdPrice(token, caller.client)),
      topHolders: each('holders', maxAskedOutside, (trading, token) =>
        trading.topHolders(token, caller.client),
      ),
      nativeRates: async (chainId, addresses) => {
        if (addresses.length > maxPriced) {
          throw new Refusal(
            'QueryTooComplex',
            `prices of more than ${maxPriced} tokens are asked for at once`,
          )
        }
        return (await tradingOnChain(chainId)?.nativeRates(addresses)) ?? new Map()
      },
    },
    proceed,
  )
  return {
    ...services,
    ...caller,
    loaders,
    clientSignal,
    spend(rows) {
      count(rows.length)
      return [...rows]
    },
    spendText: (text) => count(listItems(text)),
    overspent,
    proceed,
  }
}

/** @throws Refusal InvalidParameter for more orders than one request may name */
export function checkNamed(
  uids: readonly OrderUid[],
  field: string,
  { maxOrderUids = maxNamedOrders }: Pick<Services, 'maxOrderUids'>,
): void {
  if (uids.length > maxOrderUids)
    throw new Refusal('InvalidParameter', `${field} must name at most ${maxOrderUids} orders`, { field })
}

import type { Address } from '../domain/address.ts'
import { Refusal } from '../domain/error.ts'
import type { Bytes32 } from '../domain/hex.ts'
import type { Clock, Log } from '../domain/log.ts'
import type { Network } from '../domain/network.ts'
import type { Cancellation, OrderCreation } from '../domain/order-creation.ts'
import type { OrderUid } from '../domain/order-uid.ts'
import type { QuoteReply, QuoteRequest } from '../domain/quote.ts'
import type { Token } from '../domain/token.ts'
import type { Feed } from '../notifications/feed.ts'
import type { Db } from '../storage/database.ts'
import { createLoaders, type Loaders } from '../storage/loaders.ts'

/** What can be done on one network. */
export interface TradingDesk {
  network: Network
  /** Stores the order when every check passes. @throws Refusal naming the first fault */
  placeOrder(creation: OrderCreation): Promise<OrderUid>
  /** All or none. @throws Refusal */
  cancelOrders(cancellation: Cancellation): Promise<OrderUid[]>
  /** @throws Refusal */
  quote(request: QuoteRequest): Promise<QuoteReply>
  /** Metadata of tokens; a contract that does not say has null for it, one that is no token is left out. */
  tokens(addresses: readonly Address[]): Promise<Map<Address, Token>>
}

export interface Desks {
  all: readonly TradingDesk[]
  byName(name: string): TradingDesk | undefined
  byChainId(chainId: number): TradingDesk | undefined
}

/** What the doors need from the rest of the program. */
export interface Services {
  db: Db
  now: Clock
  log: Log
  desks: Desks
  feed: Feed
  version: string
  /** Documents known in advance: text by the SHA-256 of it. */
  documents?: Readonly<Record<string, string>>
  /** @throws Refusal AppDataInvalid, AppDataHashMismatch */
  uploadAppData(hash: Bytes32 | null, document: string): Promise<{ hash: Bytes32; created: boolean }>
}

/** One request, or one event of a stream. */
export interface Context extends Services {
  loaders: Loaders
  requestId: string
  /** Aborts when the client has gone. */
  clientSignal: AbortSignal
  /** Counts what a result holds. @throws Refusal QueryTooComplex over the limit, and from then on every time */
  spend<Row>(rows: readonly Row[]): Row[]
  /** Rejects once the result is over the limit: what is still under way is of no use to anybody. */
  overspent: Promise<never>
}

/** Nested lists multiply: a result holds this many list items at most. */
export const maxListItems = 20_000

export function createContext(services: Services, requestId: string, clientSignal: AbortSignal): Context {
  let spent = 0
  let stop = (_refusal: Refusal) => {}
  const overspent = new Promise<never>((_resolve, reject) => {
    stop = reject
  })
  overspent.catch(() => {})

  function proceed(): void {
    if (spent > maxListItems) {
      throw new Refusal('QueryTooComplex', `the result holds more than ${maxListItems} list items`)
    }
    if (clientSignal.aborted) throw new Refusal('Unavailable', 'the client has gone')
  }

  const loaders = createLoaders(
    services.db,
    async (chainId, addresses) => (await services.desks.byChainId(chainId)?.tokens(addresses)) ?? new Map(),
    proceed,
  )
  return {
    ...services,
    loaders,
    requestId,
    clientSignal,
    spend(rows) {
      spent += rows.length
      try {
        proceed()
      } catch (error) {
        stop(error as Refusal)
        throw error
      }
      return [...rows]
    },
    overspent,
  }
}

/** The desk a request names; without a name the only one there is. */
export function deskOf({ desks }: Pick<Services, 'desks'>, name: string | null | undefined): TradingDesk {
  const [only, second] = desks.all
  if (name == null) {
    if (only && !second) return only
    throw new Refusal('InvalidParameter', `network is required: one of ${names(desks)}`, { field: 'network' })
  }
  const desk = desks.byName(name)
  if (!desk)
    throw new Refusal('NotFound', `there is no network ${name.slice(0, 40)} here`, { field: 'network' })
  return desk
}

/** Narrows a list to one network. */
export function chainIdOf(
  services: Pick<Services, 'desks'>,
  name: string | null | undefined,
): number | undefined {
  return name == null ? undefined : deskOf(services, name).network.chainId
}

function names({ all }: Desks): string {
  return all.map(({ network }) => network.name).join(', ')
}

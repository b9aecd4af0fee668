import { setTimeout as pause } from 'node:timers/promises'
import type { ByteBudget } from '../concurrency/byte-budget.ts'
import { createLruCache } from '../domain/derived.ts'
import { Outage, Refusal } from '../domain/errors/error.ts'
import type { Address } from '../domain/evm/address.ts'
import type { Bytes32 } from '../domain/evm/hex.ts'
import { keccakText } from '../domain/evm/keccak.ts'
import type { OrderUid } from '../domain/order/order.ts'
import { invalidResponse, OutsideFault } from '../outside/fault.ts'
import { isObject } from '../outside/http-json.ts'
import { mayLag, noteWrite } from '../storage/database/own-writes.ts'
import { isHistoryRead, requestHistory } from '../storage/order/histories.ts'
import {
  isSettlementStored,
  placedBehind,
  unknownAmong,
  unknownIn,
  watchAccounts,
} from '../storage/order/mirror.ts'
import { findOrderIds } from '../storage/order/orders.ts'
import { lackFees, untoldAmong } from '../storage/order/reported-fees.ts'
import { mirrorNumbered } from './competitions.ts'
import {
  type MirrorClient,
  type MirrorServices,
  mirrorNewest,
  mirrorOlder,
  mirrorOrders,
  storeFees,
  storeShownOrders,
  titleOf,
} from './mirror.ts'
import { maxOrders, maxWaitMs, type OrderBook } from './order-book.ts'
import { transactionsOf } from './read-trades.ts'

export interface ClientServices extends MirrorServices {
  /** The calls that each client may cause within a minute. */
  callsOfClients: Pick<ByteBudget, 'hasRoom' | 'add'>
  readSettled: ReadSettled
}

/**
 * Stores what these transactions settled in blocks before the first indexed one, as our own node has it.
 * @returns the transactions that the node does not know
 * @throws Outage
 */
type ReadSettled = (hashes: readonly Bytes32[]) => Promise<Bytes32[]>

/**
 * Reads what is not stored, for a client, and stores it. Concurrent requests for the same share one call.
 * @returns whether it may be stored now
 * @throws Outage; Refusal RateLimited for a client that has caused its share of the calls
 */
export type ReadThrough<Key> = (key: Key, client: MirrorClient) => Promise<boolean>

/** The same for keys that are read again only after a while. */
type ReadOnce<Key> = ReadThrough<Key> & {
  /** Reports whether what was read of a key still counts, for every client. */
  hasRead(key: Key): boolean
}

/** Returns a function that reads orders by their UIDs. */
export function createOrderReader(services: ClientServices): ReadThrough<readonly OrderUid[]> {
  const { db, network } = services
  const running = new Map<OrderUid, Promise<void>>()

  async function read(uids: readonly OrderUid[], client: MirrorClient): Promise<boolean> {
    const unknown = await unknownAmong(db, network.chainId, uids)
    if (unknown.length === 0) return isBehind(uids, client)
    const others = new Set(unknown.flatMap((uid) => running.get(uid) ?? []))
    const own = unknown.filter((uid) => !running.has(uid))
    if (own.length > 0) {
      client.checkRoom()
      const clientServices = servicesFor(client, services)
      const work = mirrorOrders(own, 'client', clientServices)
        .then(async () => readTrades(await untoldAmong(db, network.chainId, own, maxUntold), clientServices))
        .finally(() => {
          for (const uid of own) running.delete(uid)
        })
      for (const uid of own) running.set(uid, work)
      await work
    }
    await Promise.allSettled(others)
    // The limit of another client may have ended its reading.
    if (others.size > 0) await read(uids, client)
    await noteWrite(db, client.key)
    return true
  }

  /** Orders that another client caused to be read may not be at the replica that this client reads. */
  async function isBehind(uids: readonly OrderUid[], client: MirrorClient): Promise<boolean> {
    if (!mayLag(db) || (await findOrderIds(db, network.chainId, uids)).size === 0) return false
    await noteWrite(db, client.key)
    return true
  }

  return (uids, client) => inTime(read(uids, client), services)
}

/** Orders of one request whose trades, and the fees of these, are read at once. */
const maxUntold = 4

/**
 * Reads the trades that the order book reports of orders. It names the transactions, and our node says what
 * those traded that are not stored. Trades that cannot be read now come with the history of the owner.
 */
async function readTrades(uids: readonly OrderUid[], services: ClientServices): Promise<void> {
  const { orderBook } = services
  try {
    for (const orderUid of uids) {
      const trades = await orderBook.tradesOf({ orderUid }, 'client')
      await services.readSettled(transactionsOf(trades))
      await storeFees(trades, services)
    }
  } catch (fault) {
    ignoreLimits(fault)
  }
}

/** Reads the fees of an account's trades, where they are missing. */
async function readFees(owner: Address, services: ClientServices): Promise<void> {
  const { db, network, orderBook } = services
  if (await lackFees(db, network.chainId, owner))
    await storeFees(await orderBook.tradesOf({ owner }, 'client'), services)
}

/** The time for which an account is watched after a client has requested its orders. */
const watchedMs = 600_000
/** Pages of an account with many orders that a request causes. */
const maxPages = 10
/** The time that a client waits for orders beyond the first page, and for older trades. */
const restMs = 1_000
const lookEveryMs = 50

/**
 * Returns a function that reads the orders of an account, newest first, and requests its older trades. The
 * newest page comes at once. A client waits a moment for the rest, which comes later if it takes longer.
 * While the order book is away, an account that was read before has the orders that are stored.
 */
export function createAccountReader(services: ClientServices): ReadOnce<Address> {
  return readOnce({ ...services, servesStale: true }, async (owner: Address, services) => {
    const { db, network } = services
    const { chainId, firstBlock } = network
    await watchAccounts(db, chainId, { accounts: [owner] }, watchedMs)
    const isListed = await mirrorNewest(owner, { size: maxOrders, pages: 1 }, 'client', services)
    // Older trades come after their orders: those are no news.
    await requestHistory(db, chainId, owner, firstBlock)
    const older = isListed ? undefined : mirrorOlder(owner, maxPages - 1, 'client', services)
    await within(restMs, async (isOver) => {
      await older?.catch(ignoreLimits)
      await readTrades(await placedBehind(db, chainId, owner, maxUntold), services)
      while (!isOver() && !(await isHistoryRead(db, chainId, owner))) await pause(lookEveryMs)
      await readFees(owner, services).catch(ignoreLimits)
    })
  })
}

/** Waits for work, at most so long. */
async function within(ms: number, work: (isOver: () => boolean) => Promise<void>): Promise<void> {
  const ended = new AbortController()
  const over = pause(ms, undefined, { signal: ended.signal }).catch(() => undefined)
  let isOver = false
  const running = work(() => isOver)
  // What fails later fails for no client.
  running.catch(() => undefined)
  await Promise.race([running, over]).finally(() => {
    isOver = true
    ended.abort()
  })
}

/** A client that has used its share of the calls has the rest by those of the service. */
function ignoreLimits(fault: unknown): void {
  if (!(fault instanceof Outage || fault instanceof Refusal)) throw fault
}

/**
 * Returns a function that reads what a transaction settled: from our node, if the transaction is older than
 * the first indexed block, and the orders that it traded from the order book.
 * @throws by its calls: Outage too if an order of it cannot be read
 */
export function createTransactionReader(services: ClientServices): ReadThrough<Bytes32> {
  return readOnce({ ...services, countsMs: transactionMs }, async (hash: Bytes32, services) => {
    const { db, network, orderBook, readSettled } = services
    const { chainId } = network
    const isStored = await isSettlementStored(db, chainId, hash)
    const [unknown] = isStored ? [] : await readSettled([hash])
    if (unknown) {
      const orders = await orderBook.ordersIn(hash, 'client')
      await storeShownOrders(orders, undefined, services)
      if (orders.length === 0) return
      throw new OutsideFault(`the node of ${network.name}`, 'does not know this transaction')
    }
    await mirrorOrders(await unknownIn(db, chainId, hash), 'client', services)
  })
}

/** Returns a function that reads competitions by the numbers of their auctions. */
export function createCompetitionReader(services: ClientServices): ReadThrough<`${bigint}`> {
  return readOnce(services, async (number: `${bigint}`, services) => {
    if (await mirrorNumbered(BigInt(number), services)) return
    throw new OutsideFault(
      `the order book of ${services.network.name}`,
      `auction ${number} is still being read`,
    )
  })
}

/** Stores a document that no order names yet. @throws Refusal if the client has no room for it */
export type StoreDocument = (hash: Bytes32, document: string, client: string) => Promise<unknown>

/** Returns a function that reads documents. One that has not the hash is left out. */
export function createDocumentReader(
  services: ClientServices,
  storeDocument: StoreDocument,
): ReadThrough<Bytes32> {
  return readOnce(services, async (hash: Bytes32, { orderBook, network }, { key }) => {
    const { status, body } = await orderBook.get(`/api/v1/app_data/${hash}`, 'client')
    if (status === 404) return
    const document = status < 300 && isObject(body) ? body.fullAppData : undefined
    if (typeof document !== 'string')
      throw invalidResponse(titleOf(network), `no document, but status ${status}`)
    if (keccakText(document) === hash) await storeDocument(hash, document, key)
  })
}

/** The time for which the same is not read again; a transaction may be mined in the next block. */
const onceMs = 30_000
const transactionMs = 2_000
const maxKeys = 10_000

interface OnceServices extends ClientServices {
  /** True if a key that was read before is served from what is stored while the order book is away. */
  servesStale?: boolean
  /** The time for which a key is not read again; half a minute without it. */
  countsMs?: number
}

/** Returns a function that reads each key once within a time, for all clients. */
function readOnce<Key extends string>(
  services: OnceServices,
  read: (key: Key, services: ClientServices, client: MirrorClient) => Promise<void>,
): ReadOnce<Key> {
  const { countsMs = onceMs } = services
  const countsUntil = createLruCache<Key, number>({ max: maxKeys })
  const running = new Map<Key, Promise<void>>()

  function start(key: Key, client: MirrorClient): Promise<void> {
    client.checkRoom()
    const startedAt = services.now()
    const work = read(key, servicesFor(client, services), client)
      .then(() => void countsUntil.set(key, startedAt + countsMs))
      .finally(() => running.delete(key))
    running.set(key, work)
    return work
  }

  const isRecent = (until: number | undefined) => until !== undefined && services.now() < until

  async function join(key: Key, client: MirrorClient): Promise<boolean> {
    const before = countsUntil.get(key)
    if (isRecent(before)) {
      if (!mayLag(services.db)) return false
      await noteWrite(services.db, client.key)
      return true
    }
    const other = running.get(key)
    try {
      await (other ?? start(key, client))
      await noteWrite(services.db, client.key)
      return true
    } catch (fault) {
      // The limit of another client may have ended its reading.
      if (other && fault instanceof Refusal) return join(key, client)
      if (services.servesStale && fault instanceof Outage && before !== undefined) return false
      throw fault
    }
  }

  const readThrough: ReadThrough<Key> = (key, client) => inTime(join(key, client), services)
  // A client's own replica may lack what another client has just read.
  return Object.assign(readThrough, {
    hasRead: (key: Key) => isRecent(countsUntil.get(key)) && !mayLag(services.db),
  })
}

/** The services for one client: each call counts before it is made, and each order that is stored for it. */
function servicesFor(client: MirrorClient, services: ClientServices): ClientServices {
  return { ...services, client, orderBook: chargedTo(client.key, services) }
}

/**
 * The order book for one client: each read counts before it is made.
 * @throws by each read: Refusal RateLimited for a client that has caused its share of the calls
 */
export function chargedTo(client: string, { orderBook, callsOfClients }: ClientServices): OrderBook {
  const counted =
    <Args extends unknown[], Result>(call: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      if (!callsOfClients.hasRoom(client))
        throw new Refusal(
          'RateLimited',
          'this client causes more calls to the order book than are made for one client in a minute: those are a share of the network’s callsPerMinute',
          { data: { limit: 'calls to the order book', retryAfterMs: 10_000 } },
        )
      callsOfClients.add(client, 1)
      return call(...args)
    }
  const { order, ordersByUids, ordersOf, ordersIn, tradesOf, competition, get } = orderBook
  return {
    ...orderBook,
    order: counted(order),
    ordersByUids: counted(ordersByUids),
    ordersOf: counted(ordersOf),
    ordersIn: counted(ordersIn),
    tradesOf: counted(tradesOf),
    competition: counted(competition),
    get: counted(get),
  }
}

/** Ends the wait of a client. What the order book returns later is stored all the same. @throws Outage */
export async function inTime<Result>(
  work: Promise<Result>,
  { network }: Pick<MirrorServices, 'network'>,
  withinMs = maxWaitMs,
): Promise<Result> {
  const ended = new AbortController()
  const late = pause(withinMs, undefined, { signal: ended.signal }).then(() => {
    throw new OutsideFault(titleOf(network), 'has not answered in time')
  })
  return Promise.race([work, late]).finally(() => ended.abort())
}

import { setTimeout as pause } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type { ByteBudget } from '../concurrency/byte-budget.ts'
import { Outage, Refusal } from '../domain/errors/error.ts'
import type { Address } from '../domain/evm/address.ts'
import type { Bytes32 } from '../domain/evm/hex.ts'
import { keccakText } from '../domain/evm/keccak.ts'
import type { OrderUid } from '../domain/order/order.ts'
import { OutsideFault } from '../outside/fault.ts'
import { isObject } from '../outside/http-json.ts'
import { mayLag, noteWrite } from '../storage/database/own-writes.ts'
import { unknownAmong, watchAccounts } from '../storage/order/mirror.ts'
import { findOrderIds } from '../storage/order/orders.ts'
import { type MirrorClient, type MirrorServices, mirrorOrders, storeOrders, titleOf } from './mirror.ts'
import { maxOrders, maxWaitMs, type OrderBook } from './order-book.ts'

export interface ClientServices extends MirrorServices {
  /** The calls that each client may cause within a minute. */
  callsOfClients: Pick<ByteBudget, 'hasRoom' | 'add'>
}

/**
 * Reads what is not stored, for a client, and stores it. Concurrent requests for the same share one call.
 * @returns whether it may be stored now
 * @throws Outage; Refusal RateLimited for a client that has caused its share of the calls
 */
export type ReadThrough<Key> = (key: Key, client: MirrorClient) => Promise<boolean>

/** The same for keys that are read again only after a while. */
export type ReadOnce<Key> = ReadThrough<Key> & {
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
      const work = mirrorOrders(own, 'client', servicesFor(client, services)).finally(() => {
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

  /** Orders that another client caused to be read may not be at the replica that this one reads. */
  async function isBehind(uids: readonly OrderUid[], client: MirrorClient): Promise<boolean> {
    if (!mayLag(db) || (await findOrderIds(db, network.chainId, uids)).size === 0) return false
    await noteWrite(db, client.key)
    return true
  }

  return (uids, client) => inTime(read(uids, client), services)
}

/** The time for which an account is watched after a client has requested its orders. */
const watchedMs = 600_000

/**
 * Returns a function that reads the newest orders of an account. While the order book is away, an account
 * that was read before has the orders that are stored.
 */
export function createAccountReader(services: ClientServices): ReadOnce<Address> {
  return readOnce(services, async (owner: Address, services) => {
    const { db, network, orderBook } = services
    await watchAccounts(db, network.chainId, { accounts: [owner] }, watchedMs)
    await storeOrders(await orderBook.ordersOf(owner, { limit: maxOrders }, 'client'), undefined, services)
  })
}

/** Returns a function that reads the orders of a settlement in one call. */
export function createTransactionReader(services: ClientServices): ReadThrough<Bytes32> {
  return readOnce(services, async (hash: Bytes32, services) => {
    await storeOrders(await services.orderBook.ordersIn(hash, 'client'), undefined, services)
  })
}

/** Stores a document that no order names yet. @throws Refusal if the client has no room for it */
export type StoreDocument = (hash: Bytes32, document: string, client: string) => Promise<unknown>

/** Returns a function that reads documents. One that has not the hash is left out. */
export function createDocumentReader(
  services: ClientServices,
  storeDocument: StoreDocument,
): ReadThrough<Bytes32> {
  return readOnce(services, async (hash: Bytes32, { orderBook }, { key }) => {
    const { status, body } = await orderBook.get(`/api/v1/app_data/${hash}`, 'client')
    const document = status < 300 && isObject(body) ? body.fullAppData : undefined
    if (typeof document === 'string' && keccakText(document) === hash)
      await storeDocument(hash, document, key)
  })
}

/** The time for which the same is not read again. */
const onceMs = 30_000
const maxKeys = 10_000

/** Returns a function that reads each key once within half a minute, for all clients. */
function readOnce<Key extends string>(
  services: ClientServices,
  read: (key: Key, services: MirrorServices, client: MirrorClient) => Promise<void>,
): ReadOnce<Key> {
  const readAt = new LRUCache<Key, number>({ max: maxKeys })
  const running = new Map<Key, Promise<void>>()

  function start(key: Key, client: MirrorClient): Promise<void> {
    client.checkRoom()
    const startedAt = services.now()
    const work = read(key, servicesFor(client, services), client)
      .then(() => void readAt.set(key, startedAt))
      .finally(() => running.delete(key))
    running.set(key, work)
    return work
  }

  const isRecent = (at: number | undefined) => at !== undefined && services.now() - at < onceMs

  async function join(key: Key, client: MirrorClient): Promise<boolean> {
    const before = readAt.get(key)
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
      if (fault instanceof Outage && before !== undefined) return false
      throw fault
    }
  }

  const readThrough: ReadThrough<Key> = (key, client) => inTime(join(key, client), services)
  // A client's own replica may lack what another client has just read.
  return Object.assign(readThrough, {
    hasRead: (key: Key) => isRecent(readAt.get(key)) && !mayLag(services.db),
  })
}

/** The services for one client: each call counts before it is made, and each order that is stored for it. */
function servicesFor(client: MirrorClient, services: ClientServices): MirrorServices {
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
          'this client names more unknown orders than are looked up in a minute',
          { data: { limit: 'calls to the order book', retryAfterMs: 10_000 } },
        )
      callsOfClients.add(client, 1)
      return call(...args)
    }
  const { order, ordersByUids, ordersOf, ordersIn, get } = orderBook
  return {
    ...orderBook,
    order: counted(order),
    ordersByUids: counted(ordersByUids),
    ordersOf: counted(ordersOf),
    ordersIn: counted(ordersIn),
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

import { zeroAppData } from '../../domain/app-data/document.ts'
import { Refusal } from '../../domain/errors/error.ts'
import type { Bytes32 } from '../../domain/evm/hex.ts'
import type { Log } from '../../domain/log.ts'
import type { Order } from '../../domain/order/order.ts'
import { findDocuments } from '../../storage/app-data.ts'
import type { Database } from '../../storage/database/database.ts'
import {
  currentMark,
  type LiveOrder,
  type LiveOrderCursor,
  liveOrdersAfter,
  orderChanges,
  storeDocumentTerms,
} from '../../storage/order/live.ts'

/**
 * The live orders of a network, followed in memory. The table is the fact: each read gets what transactions
 * wrote since the last.
 */
export interface LiveBook {
  /** Forgets everything, so that the next read starts afresh: another process may have led meanwhile. */
  reset(): void
  /** @returns what changed since the last read */
  read(now: number): Promise<BookChanges>
  /**
   * Signed orders that are neither filled nor cancelled; some may have expired. Those whose document came
   * after them are left out until what follows from it is stored with them.
   */
  orders(): Iterable<Order>
  /** Why an order is not traded with its document, which came after it; undefined for others. */
  faultOf(order: Pick<Order, 'id'>): string | undefined
}

interface BookChanges {
  /** Live orders that wait for their presignature. */
  unsigned: Pick<LiveOrder, 'id' | 'uid'>[]
  /** Row keys of orders that were filled or cancelled. */
  ended: bigint[]
  /** Row keys of orders that expired. */
  expired: bigint[]
}

export interface LiveBookOptions {
  db: Database
  chainId: number
  log: Log
  /** Limit of orders in memory, some two kilobytes each. Of more, those that expire first are held. */
  maxOrders: number
  /** Reads the document of an order that may have come after it: see `createLateDocumentReader`. */
  readDocument(order: Order): Pick<Order, 'interactions' | 'validFrom'> | Refusal | undefined
}

const pageSize = 2_000
/** Hashes without a document that are looked up in a read; those beyond wait for the next ones. */
const maxHashes = 1_000
/** Orders whose document came after them that are stored in a read. */
const maxCompleted = 1_000

export function createLiveBook(options: LiveBookOptions): LiveBook {
  const { db, chainId, log, maxOrders, readDocument } = options
  const orders = new Map<bigint, Order>()
  /** Orders without a document, by its hash. */
  const undocumented = new Map<Bytes32, Set<bigint>>()
  /** Orders with what follows from a document that came after them, which is still to be stored. */
  const late = new Map<bigint, Order>()
  const faults = new Map<bigint, string>()
  let mark: bigint | undefined

  function put(order: Order): void {
    orders.set(order.id, order)
    if (order.fullAppData === null && order.appData !== zeroAppData) {
      const same = undocumented.get(order.appData)
      if (same) same.add(order.id)
      else undocumented.set(order.appData, new Set([order.id]))
    }
    const terms = readDocument(order)
    if (terms instanceof Refusal) faults.set(order.id, terms.message)
    else if (terms) late.set(order.id, { ...order, ...terms })
  }

  function forget(id: bigint): void {
    const hash = orders.get(id)?.appData
    orders.delete(id)
    late.delete(id)
    faults.delete(id)
    const same = hash && undocumented.get(hash)
    same?.delete(id)
    if (hash && same?.size === 0) undocumented.delete(hash)
  }

  function take(live: readonly LiveOrder[]): BookChanges['unsigned'] {
    const unsigned: BookChanges['unsigned'] = []
    for (const { id, uid, order } of live) {
      const isHeld = order && (orders.has(id) || orders.size < maxOrders)
      forget(id)
      if (isHeld) put(order)
      if (!order) unsigned.push({ id, uid })
    }
    return unsigned
  }

  /** The mark is read before the orders: what is written meanwhile is read again. */
  async function load(now: number): Promise<Omit<BookChanges, 'expired'>> {
    const start = await currentMark(db)
    const unsigned: BookChanges['unsigned'] = []
    let last: LiveOrderCursor | undefined = { validTo: BigInt(now), id: 0n }
    while (last && orders.size < maxOrders) {
      const page: Awaited<ReturnType<typeof liveOrdersAfter>> = await liveOrdersAfter(
        db,
        chainId,
        last,
        pageSize,
      )
      unsigned.push(...take(page.orders))
      last = page.last
    }
    if (last) log.error('more live orders than are held in memory', { chainId, maxOrders })
    mark = start
    return { unsigned, ended: [] }
  }

  async function follow(since: bigint): Promise<Omit<BookChanges, 'expired'>> {
    const changes = await orderChanges(db, chainId, since)
    for (const id of changes.ended) forget(id)
    const unsigned = take(changes.live)
    mark = changes.mark
    return { unsigned, ended: changes.ended }
  }

  function takeExpired(now: number): bigint[] {
    const expired = [...orders.values()].filter(({ effectiveValidTo }) => effectiveValidTo < now)
    for (const { id } of expired) forget(id)
    return expired.map(({ id }) => id)
  }

  /** Takes over documents that were stored meanwhile: no order changes with them. */
  async function findLateDocuments(): Promise<void> {
    if (undocumented.size === 0) return
    const hashes = [...undocumented.keys()].slice(0, maxHashes)
    const documents = await findDocuments(db, hashes)
    for (const hash of hashes) {
      const ids = undocumented.get(hash) ?? new Set()
      undocumented.delete(hash)
      const document = documents.get(hash)
      // The next read looks up others first.
      if (document === undefined) undocumented.set(hash, ids)
      else
        for (const id of ids) {
          const order = orders.get(id)
          if (order) put({ ...order, fullAppData: document })
        }
    }
  }

  async function completeLate(): Promise<void> {
    const completed = [...late.values()].slice(0, maxCompleted)
    await storeDocumentTerms(db, completed)
    for (const order of completed) {
      orders.set(order.id, order)
      late.delete(order.id)
    }
  }

  return {
    reset() {
      for (const held of [orders, undocumented, late, faults]) held.clear()
      mark = undefined
    },
    async read(now) {
      const { unsigned, ended } = mark === undefined ? await load(now) : await follow(mark)
      const expired = takeExpired(now)
      await findLateDocuments()
      await completeLate()
      return { unsigned, ended, expired }
    },
    orders: () =>
      late.size === 0 ? orders.values() : [...orders.values()].filter(({ id }) => !late.has(id)),
    faultOf: ({ id }) => faults.get(id),
  }
}

import type { Log } from '../../domain/log.ts'
import type { Order } from '../../domain/order/order.ts'
import type { Database } from '../../storage/database/database.ts'
import {
  currentMark,
  type LiveOrder,
  type LiveOrderCursor,
  liveOrdersAfter,
  orderChanges,
} from '../../storage/order/live.ts'

/**
 * The live orders of a network, followed in memory. The table is the fact: each read gets what transactions
 * wrote since the last.
 */
export interface OrderBook {
  /** Forgets everything, so that the next read starts afresh: another process may have led meanwhile. */
  reset(): void
  /** @returns what changed since the last read */
  read(now: number): Promise<BookChanges>
  /** Signed orders that are neither filled nor cancelled; some may have expired. */
  orders(): IterableIterator<Order>
}

export interface BookChanges {
  /** Live orders that wait for their presignature. */
  unsigned: Pick<LiveOrder, 'id' | 'uid'>[]
  /** Row keys of orders that were filled or cancelled. */
  ended: bigint[]
  /** Row keys of orders that expired. */
  expired: bigint[]
}

export interface OrderBookOptions {
  db: Database
  chainId: number
  log: Log
  /** Limit of orders in memory, some two kilobytes each. Of more, those that expire first are held. */
  maxOrders: number
}

const pageSize = 2_000

export function createOrderBook({ db, chainId, log, maxOrders }: OrderBookOptions): OrderBook {
  const orders = new Map<bigint, Order>()
  let mark: bigint | undefined

  function take(live: readonly LiveOrder[]): BookChanges['unsigned'] {
    const unsigned: BookChanges['unsigned'] = []
    for (const { id, uid, order } of live) {
      if (order && (orders.has(id) || orders.size < maxOrders)) orders.set(id, order)
      else orders.delete(id)
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
    for (const id of changes.ended) orders.delete(id)
    const unsigned = take(changes.live)
    mark = changes.mark
    return { unsigned, ended: changes.ended }
  }

  function takeExpired(now: number): bigint[] {
    const expired = [...orders.values()].filter(({ effectiveValidTo }) => effectiveValidTo < now)
    for (const { id } of expired) orders.delete(id)
    return expired.map(({ id }) => id)
  }

  return {
    reset() {
      orders.clear()
      mark = undefined
    },
    async read(now) {
      const { unsigned, ended } = mark === undefined ? await load(now) : await follow(mark)
      return { unsigned, ended, expired: takeExpired(now) }
    },
    orders: () => orders.values(),
  }
}

import { createLruCache } from '../domain/derived.ts'
import { Outage } from '../domain/errors/error.ts'
import type { OrderUid } from '../domain/order/order.ts'
import { OutsideFault, Throttled } from '../outside/fault.ts'
import { type MirrorServices, mirrorOrders } from './mirror.ts'
import { maxUids, type Priority } from './order-book.ts'

/** The time for which an order that the order book fails to return is left alone. */
const failingMs = 60_000
const maxFailing = 1_000

type FindUids = (limit: number) => Promise<readonly OrderUid[]>
/** Mirrors the first orders of a list. @returns whether none waits for the next call */
export type MirrorBatch = (find: FindUids, services: MirrorServices) => Promise<boolean>

/**
 * Returns a function that mirrors the first orders of a list. One order may make the order book fail each
 * request that names it: after a failure the next batch is half as long, until that order is alone; after a
 * second failure it is left out for a minute.
 * @param most orders of a batch
 * @param mirror reads them
 */
export function createBatches(
  priority: Priority,
  max = maxUids,
  mirror: typeof mirrorOrders = mirrorOrders,
): MirrorBatch {
  let size = max
  const failing = createLruCache<OrderUid, true>({ max: maxFailing, ttl: failingMs })
  let suspect: OrderUid | undefined
  return async (find, services) => {
    const found = (await find(max + failing.size + 1)).filter((uid) => !failing.has(uid))
    const batch = found.slice(0, size)
    if (batch.length === 0) return true
    try {
      await mirror(batch, priority, services)
      size = Math.min(max, size * 2)
      return batch.length === found.length
    } catch (fault) {
      // A slow database may store fewer orders in its time.
      if (fault instanceof Outage && !(fault instanceof OutsideFault)) size = Math.ceil(batch.length / 2)
      if (fault instanceof OutsideFault && !(fault instanceof Throttled)) {
        const [first] = batch as [OrderUid]
        const isAlone = batch.length === 1 && services.orderBook.state() === 'closed'
        // The first failure may be that of all requests.
        if (isAlone && suspect === first) failing.set(first, true)
        suspect = isAlone ? first : undefined
        size = Math.ceil(batch.length / 2)
      }
      throw fault
    }
  }
}

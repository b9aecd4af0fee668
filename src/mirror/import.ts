import { setTimeout as pause } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import pLimit from 'p-limit'
import { chunksOf } from '../chain/rpc/rpc.ts'
import { Outage } from '../domain/errors/error.ts'
import type { Address } from '../domain/evm/address.ts'
import type { Log } from '../domain/log.ts'
import type { OrderUid } from '../domain/order/order.ts'
import { noteListing, requestHistory } from '../storage/order/histories.ts'
import { unknownAmong } from '../storage/order/mirror.ts'
import { type MirrorServices, mirrorNewest, mirrorOlder, mirrorOrders, storedAtOnce } from './mirror.ts'
import { maxOrders } from './order-book.ts'

/** While some orders are stored, the next are requested and verified. */
const atOnce = 2
const pauseMs = { first: 1_000, max: 60_000 }
/** Faults in a row after which an import ends; the next one goes on where it was. */
const maxFaults = 10
/** Pages of an account: an order book that repeats the same page has no end. */
const maxPages = 10_000

/** UIDs that an import remembers: an order that is placed meanwhile moves others to the next page. */
const maxRead = 100_000

/** The orders that an import has read: each counts once, however it is named. */
type ImportedOrders = LRUCache<OrderUid, true>
export const importedOrders = (): ImportedOrders => new LRUCache({ max: maxRead })

/**
 * Mirrors the orders of these UIDs that are not stored, and requests the older trades of their owners.
 * @throws Outage after ten faults in a row
 */
export async function importOrders(
  uids: readonly OrderUid[],
  read: ImportedOrders,
  services: MirrorServices,
): Promise<void> {
  const { db, network } = services
  const named = [...new Set(uids)].filter((uid) => !read.has(uid))
  const unknown = await unknownAmong(db, network.chainId, named)
  const limit = pLimit({ concurrency: atOnce, rejectOnClear: true })
  try {
    await Promise.all(
      chunksOf(unknown, storedAtOnce).map((batch) =>
        limit(() => patiently(() => mirrorOrders(batch, 'history', services), services.log)),
      ),
    )
    for (const uid of unknown) read.set(uid, true)
  } finally {
    limit.clearQueue()
  }
}

/**
 * Mirrors the orders of an account, newest first, and requests its older trades. Once its list was read to
 * the end, only new orders are read. An import that ended early goes on where it was.
 * @param isWhole reads the whole list again
 * @throws Outage as `importOrders`
 */
export async function importAccount(
  account: Address,
  isWhole: boolean,
  read: ImportedOrders,
  services: MirrorServices,
): Promise<void> {
  const { db, network, log } = services
  const once = { ...services, read }
  await requestHistory(db, network.chainId, account, network.firstBlock)
  if (isWhole) await noteListing(db, network, account, { listedTo: null, running: null })
  const newest = { size: maxOrders, pages: maxPages }
  let isRead = await patiently(() => mirrorNewest(account, newest, 'history', once), log)
  for (let page = 0; page < maxPages && !isRead; page++)
    isRead = await patiently(() => mirrorOlder(account, 1, 'history', once), log)
}

/** Repeats work while the order book or the database is away. */
async function patiently<Result>(work: () => Promise<Result>, log: Log): Promise<Result> {
  for (let faults = 1; ; faults++) {
    try {
      return await work()
    } catch (fault) {
      if (!(fault instanceof Outage) || faults === maxFaults) throw fault
      log.warn('the import waits', { fault: fault.message })
      await pause(Math.min(pauseMs.max, pauseMs.first * 2 ** (faults - 1)))
    }
  }
}

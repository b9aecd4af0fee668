import { setTimeout as pause } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { Outage } from '../domain/errors/error.ts'
import type { OrderUid } from '../domain/order/order.ts'
import { OutsideFault, Throttled } from '../outside/fault.ts'
import {
  dueAccounts,
  forgetMissing,
  liveMirrored,
  noteLooked,
  unknownAmong,
  unknownLogged,
  watchChannels,
} from '../storage/order/mirror.ts'
import { type MirrorServices, mirrorAccount, mirrorOrders } from './mirror.ts'
import { maxUids, type Priority } from './order-book.ts'

/**
 * The time after which a live order, or a watched account, is read again. With many of them, the budget of
 * calls makes it longer.
 */
const compareMs = 5_000
/** Watched accounts of one turn, so that live orders have theirs. */
const maxAccounts = 4
const missingMs = 86_400_000
/** The interval of what need not be done with each look. */
const rareMs = 60_000
/** The time for which an order that the order book fails to return is left alone. */
const failingMs = 60_000
const maxFailing = 1_000

export interface FollowOptions extends MirrorServices {
  /** The pause between two looks; by default the block time, from half a second to ten. */
  pollMs?: number
}

/**
 * Mirrors an order book until `signal` aborts: the orders of logs that the indexer stored, those of the
 * newest auction, those of watched accounts, and the ends of live orders that only the order book knows. One
 * process at a time may run it.
 */
export async function followOrderBook(options: FollowOptions, signal: AbortSignal): Promise<void> {
  const { db, network, log, now } = options
  const { chainId } = network
  const rest = options.pollMs ?? Math.min(10_000, Math.max(500, network.blockTimeMs))
  const [logged, auctioned, live] = [createBatches('new'), createBatches('new'), createBatches('live')]
  const before = (ms: number) => new Date(now() - ms)
  const first = [
    () => logged((limit) => unknownLogged(db, chainId, limit), options),
    async () => {
      const uids = await options.orderBook.auctionedOrders('new')
      await noteLooked(db, chainId, new Date(now()))
      await auctioned(() => unknownAmong(db, chainId, uids), options)
    },
  ]
  // The two share what the others leave of the budget: they take turns in going first.
  const then = [
    async () => {
      for (const account of await dueAccounts(db, chainId, before(compareMs), maxAccounts))
        await mirrorAccount(account, options)
    },
    () =>
      live(
        async (limit) => (await liveMirrored(db, chainId, before(compareMs), limit)).map(({ uid }) => uid),
        options,
      ),
  ]
  const rare = async () => {
    await forgetMissing(db, chainId, before(missingMs))
    await watchChannels(db, chainId, 5 * rareMs)
  }
  for (let rareAt = Number.NEGATIVE_INFINITY; !signal.aborted; then.reverse()) {
    const isDue = now() - rareAt >= rareMs
    if (isDue) rareAt = now()
    for (const step of [...(isDue ? [rare] : []), ...first, ...then]) {
      if (signal.aborted) return
      await step().catch((fault: unknown) => {
        if (!(fault instanceof Outage)) throw fault
        log.debug('the order book cannot be read for the moment', {
          network: network.name,
          fault: fault.message,
        })
      })
    }
    await pause(rest, undefined, { signal }).catch(() => undefined)
  }
}

type FindUids = (limit: number) => Promise<readonly OrderUid[]>

/**
 * Returns a function that mirrors the first orders of a list. One order may make the order book fail each
 * request that names it: after a failure the next batch is half as long, until that order is alone; after a
 * second failure it is left out for a minute.
 */
export function createBatches(priority: Priority) {
  let size = maxUids
  const failing = new LRUCache<OrderUid, true>({ max: maxFailing, ttl: failingMs })
  let suspect: OrderUid | undefined
  return async (find: FindUids, services: MirrorServices): Promise<void> => {
    const found = await find(maxUids + failing.size)
    const batch = found.filter((uid) => !failing.has(uid)).slice(0, size)
    if (batch.length === 0) return
    try {
      await mirrorOrders(batch, priority, services)
      size = Math.min(maxUids, size * 2)
    } catch (fault) {
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

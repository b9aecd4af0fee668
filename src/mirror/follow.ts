import { setTimeout as pause } from 'node:timers/promises'
import { Outage } from '../domain/errors/error.ts'
import { forgetMissing, liveMirrored, unknownAmong, unknownLogged } from '../storage/order/mirror.ts'
import { type MirrorServices, mirrorOrders } from './mirror.ts'
import { maxUids } from './order-book.ts'

/**
 * The time after which a live order is compared again. With many orders, the budget of calls makes it longer.
 */
const compareMs = 5_000
const missingMs = 86_400_000

export interface FollowOptions extends MirrorServices {
  /** The pause between two looks; by default the block time, from half a second to ten. */
  pollMs?: number
}

/**
 * Mirrors an order book until `signal` aborts: the orders of logs that the indexer stored, those of the
 * newest auction, and the ends of live orders that only the order book knows. One process at a time may run
 * it.
 */
export async function followOrderBook(options: FollowOptions, signal: AbortSignal): Promise<void> {
  const { db, network, log, now } = options
  const { chainId } = network
  const rest = options.pollMs ?? Math.min(10_000, Math.max(500, network.blockTimeMs))
  const steps = [
    async () => mirrorOrders(await unknownLogged(db, chainId, maxUids), 'new', options),
    async () => {
      const uids = await options.orderBook.auctionedOrders('new')
      await mirrorOrders((await unknownAmong(db, chainId, uids)).slice(0, maxUids), 'new', options)
    },
    async () => {
      const due = await liveMirrored(db, chainId, new Date(now() - compareMs), maxUids)
      const uids = due.map(({ uid }) => uid)
      await mirrorOrders(uids, 'live', options)
    },
    async () => forgetMissing(db, chainId, new Date(now() - missingMs)),
  ]
  while (!signal.aborted) {
    for (const step of steps) {
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

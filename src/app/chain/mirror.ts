import { setTimeout as pause } from 'node:timers/promises'
import { createByteBudget } from '../../concurrency/byte-budget.ts'
import { Outage } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Clock, Log } from '../../domain/log.ts'
import type { Network } from '../../domain/network/network.ts'
import type { OrderUid } from '../../domain/order/order.ts'
import { followOrderBook } from '../../mirror/follow.ts'
import {
  createAccountReader,
  createPassing,
  type MirrorServices,
  mirrorUnknown,
} from '../../mirror/mirror.ts'
import { createOrderBook } from '../../mirror/order-book.ts'
import { createWrites, type OrderBookWrites, type WriteServices } from '../../mirror/writes.ts'
import type { LoopMetrics } from '../../server/measures/loop-metrics.ts'
import type { Database } from '../../storage/database/database.ts'
import { claimOrderBook, type Watched, watchAccounts } from '../../storage/order/mirror.ts'
import type { OrderBookConfig } from '../config.ts'
import type { Settings } from '../settings.ts'

const watchEveryMs = 5_000

interface MirrorOptions extends Pick<WriteServices, 'uidOf' | 'nameTokens' | 'checkSignature'> {
  network: Network
  orderBook: OrderBookConfig
  db: Database
  loopDb: Database
  settings: Settings
  metrics: LoopMetrics
  now: Clock
  log: Log
}

/** The services of a network that follows an order book. */
export interface Mirror {
  /** Claims the chain in the database for this order book. @throws when it holds another's orders */
  claim(): Promise<void>
  writes: OrderBookWrites
  /**
   * Reads orders that are not stored, for a client. @returns whether any is stored now
   * @throws Outage; Refusal RateLimited for a client that has caused its share of the calls
   */
  read(uids: readonly OrderUid[], client: string): Promise<boolean>
  /** The same for the newest orders of an account. @returns false if they were read a moment before */
  readAccount(owner: Address, client: string): Promise<boolean>
  /** Returns its answer to a GET request, which clients share for some seconds. @throws like `read` */
  passOn(path: string, client: string): Promise<{ status: number; body: unknown }>
  /** Notes the accounts that streams of this process follow, so that their orders are read first. */
  watch(followed: () => Watched, signal: AbortSignal): Promise<void>
  /** Mirrors the order book, in the process that leads the indexer. */
  follow(signal: AbortSignal): Promise<void>
}

export function composeMirror(options: MirrorOptions): Mirror {
  const { network, orderBook: config, db, loopDb, settings, metrics, now, log } = options
  const { nameTokens, checkSignature, uidOf } = options
  const { callsPerMinute, apiKey, url } = config
  const servicesOver = (db: Database): MirrorServices => ({
    ...{ network, db, now, log, nameTokens, checkSignature },
    orderBook: createOrderBook({
      ...{ chainId: network.chainId, name: `${network.name}-order-book`, db, now, log },
      ...{ url, apiKey, callsPerMinute },
    }),
    leastImprovement: settings.NOTIFICATION_LEAST_IMPROVEMENT,
    meter: metrics.mirror(network.name),
  })
  // A tenth of all calls, over any minute.
  const calls = { what: 'calls to the order book', bytes: Math.max(4, callsPerMinute / 10), ageMs: 60_000 }
  const serving = { ...servicesOver(db), callsOfClients: createByteBudget(calls, { now }) }
  return {
    claim: () => claimOrderBook(db, network.chainId, withoutCredentials(url)),
    writes: createWrites({ ...serving, uidOf }),
    read: (uids, client) => mirrorUnknown(uids, client, serving),
    readAccount: createAccountReader(serving),
    passOn: createPassing(serving),
    async watch(followed, signal) {
      while (!signal.aborted) {
        await watchAccounts(loopDb, network.chainId, followed(), 4 * watchEveryMs).catch((fault: unknown) => {
          if (!(fault instanceof Outage)) throw fault
        })
        await pause(watchEveryMs, undefined, { signal }).catch(() => undefined)
      }
    },
    follow: (signal) => followOrderBook(servicesOver(loopDb), signal),
  }
}

function withoutCredentials(text: string): string {
  const url = new URL(text)
  url.username = ''
  url.password = ''
  url.search = ''
  return url.href
}

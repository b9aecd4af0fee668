import { setTimeout as pause } from 'node:timers/promises'
import type { Chain } from '../../chain/chain.ts'
import { createByteBudget } from '../../concurrency/byte-budget.ts'
import { Outage } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Bytes32 } from '../../domain/evm/hex.ts'
import type { Clock, Log } from '../../domain/log.ts'
import type { Network } from '../../domain/network/network.ts'
import type { OrderUid } from '../../domain/order/order.ts'
import { beginOf, type HistoryOptions, readHistories } from '../../indexer/account-history.ts'
import { followOrderBook } from '../../mirror/follow.ts'
import type { MirrorServices } from '../../mirror/mirror.ts'
import { createOrderBook } from '../../mirror/order-book.ts'
import {
  createAccountReader,
  createDocumentReader,
  createOrderReader,
  createPassing,
  createTransactionReader,
  type ReadThrough,
  type StoreDocument,
} from '../../mirror/read-through.ts'
import { createWrites, type OrderBookWrites, type WriteServices } from '../../mirror/writes.ts'
import type { LoopMetrics } from '../../server/measures/loop-metrics.ts'
import type { Database } from '../../storage/database/database.ts'
import { requestHistory } from '../../storage/order/histories.ts'
import { claimOrderBook, firstIndexedBlock, type Watched, watchAccounts } from '../../storage/order/mirror.ts'
import type { OrderBookConfig } from '../config.ts'
import type { Settings } from '../settings.ts'

const watchEveryMs = 5_000

interface MirrorOptions
  extends Pick<WriteServices, 'uidOf' | 'nameTokens' | 'checkSignature'>,
    Pick<HistoryOptions, 'tradesOf'> {
  network: Network
  orderBook: OrderBookConfig
  chain: Chain
  db: Database
  loopDb: Database
  settings: Settings
  metrics: LoopMetrics
  now: Clock
  log: Log
}

/** The services of a network that follows an order book. */
export interface Mirror {
  /**
   * Claims the chain in the database for this order book, and for the first block to index.
   * @throws Outage; when it holds another's orders
   */
  claim(): Promise<void>
  /** The first block to index, once the chain is claimed. */
  firstBlock(): Promise<number>
  writes: OrderBookWrites
  read: ReadThrough<readonly OrderUid[]>
  /** Reads the newest orders of an account. The process that follows reads its older trades later. */
  readAccount: ReadThrough<Address>
  /** Reads the orders of a transaction. */
  readTransaction: ReadThrough<Bytes32>
  /** Returns a function that reads documents. */
  documentReader(store: StoreDocument): ReadThrough<Bytes32>
  /** Returns its answer to a GET request, which clients share for some seconds. @throws like `read` */
  passOn(path: string, client: string): Promise<{ status: number; body: unknown }>
  /** Notes the accounts that streams of this process follow, so that their orders are read first. */
  watch(followed: () => Watched, signal: AbortSignal): Promise<void>
  /** Mirrors the order book, and reads older trades of accounts, in the process that leads the indexer. */
  follow(signal: AbortSignal): Promise<void>
}

export function composeMirror(options: MirrorOptions): Mirror {
  const { network, orderBook: config, chain, db, loopDb, settings, metrics, now, log } = options
  const { nameTokens, checkSignature, uidOf } = options
  const { callsPerMinute, apiKey, url, history = 'accounts' } = config
  const { chainId } = network
  const servicesOver = (db: Database): MirrorServices => ({
    ...{ network, db, now, log, nameTokens, checkSignature },
    orderBook: createOrderBook({
      ...{ chainId, name: `${network.name}-order-book`, db, now, log },
      ...{ url, apiKey, callsPerMinute },
    }),
    leastImprovement: settings.NOTIFICATION_LEAST_IMPROVEMENT,
    meter: metrics.mirror(network.name),
  })
  // A tenth of all calls, over any minute.
  const calls = { what: 'calls to the order book', bytes: Math.max(4, callsPerMinute / 10), ageMs: 60_000 }
  const serving = { ...servicesOver(db), callsOfClients: createByteBudget(calls, { now }) }
  const readOrdersOf = createAccountReader(serving)
  return {
    claim: () =>
      claimOrderBook(db, chainId, withoutCredentials(url), () => beginOf(history, network, { db, chain })),
    firstBlock: () => firstIndexedBlock(db, chainId),
    writes: createWrites({ ...serving, uidOf }),
    read: createOrderReader(serving),
    async readAccount(owner, client) {
      const isRead = await readOrdersOf(owner, client)
      if (isRead) await requestHistory(db, chainId, owner, network.firstBlock)
      return isRead
    },
    readTransaction: createTransactionReader(serving),
    documentReader: (store) => createDocumentReader(serving, store),
    passOn: createPassing(serving),
    async watch(followed, signal) {
      while (!signal.aborted) {
        await watchAccounts(loopDb, chainId, followed(), 4 * watchEveryMs).catch((fault: unknown) => {
          if (!(fault instanceof Outage)) throw fault
        })
        await pause(watchEveryMs, undefined, { signal }).catch(() => undefined)
      }
    },
    async follow(signal) {
      const { tradesOf } = options
      await Promise.all([
        followOrderBook(servicesOver(loopDb), signal),
        readHistories({ network, db: loopDb, chain, tradesOf, now, log }, signal),
      ])
    },
  }
}

function withoutCredentials(text: string): string {
  const url = new URL(text)
  url.username = ''
  url.password = ''
  url.search = ''
  return url.href
}

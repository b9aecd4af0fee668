import { setTimeout as pause } from 'node:timers/promises'
import type { Chain } from '../../chain/chain.ts'
import type { ReadInvalidated, ReadPresignatures } from '../../chain/order/presignatures.ts'
import { createWake } from '../../concurrency/wake.ts'
import { Outage } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Bytes32 } from '../../domain/evm/hex.ts'
import type { Clock, Log } from '../../domain/log.ts'
import type { Network } from '../../domain/network/network.ts'
import type { OrderUid } from '../../domain/order/order.ts'
import { withoutSecrets } from '../../domain/text/secrets.ts'
import {
  beginOf,
  type HistoryOptions,
  type OldSettlements,
  readHistories,
  readOldSettlements,
} from '../../indexer/account-history.ts'
import { createClientLimits } from '../../mirror/client-limits.ts'
import { followOrderBook } from '../../mirror/follow.ts'
import { type MirrorMeter, type MirrorServices, titleOf } from '../../mirror/mirror.ts'
import { createBookRates, type ReadRates } from '../../mirror/native-rates.ts'
import { createOrderBook } from '../../mirror/order-book.ts'
import {
  createAccountReader,
  createCompetitionReader,
  createDocumentReader,
  createOrderReader,
  createTransactionReader,
  type ReadThrough,
  type StoreDocument,
} from '../../mirror/read-through.ts'
import { createStoredBodies } from '../../mirror/stored-bodies.ts'
import { createWrites, type OrderBookWrites, sharingReads, type WriteServices } from '../../mirror/writes.ts'
import type { LoopMetrics } from '../../server/measures/loop-metrics.ts'
import type { Database } from '../../storage/database/database.ts'
import {
  claimOrderBook,
  type FirstBlocks,
  firstBlocksOf,
  type Watched,
  watchAccounts,
} from '../../storage/order/mirror.ts'
import type { OrderBookConfig } from '../config.ts'
import type { Settings } from '../settings.ts'

const watchEveryMs = 5_000

interface MirrorOptions
  extends Pick<WriteServices, 'storeDocument' | 'describeTokens' | 'checkSignature'>,
    Pick<HistoryOptions, 'tradesOf'>,
    Pick<OldSettlements, 'settledBy'> {
  network: Network
  orderBook: OrderBookConfig
  readPresignatures: ReadPresignatures
  readInvalidated: ReadInvalidated
  chain: Chain
  db: Database
  loopDb: Database
  /** Reports whether a key is one of this deployment. */
  isOwnKey(key: string): boolean
  isHistoryDue: HistoryOptions['isDue'] | undefined
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
  /** The first blocks to index and to notify, once the chain is claimed. */
  firstBlocks(): Promise<FirstBlocks>
  writes: Omit<OrderBookWrites, 'pass' | 'nativeRate'>
  /** Reads native prices of tokens at the order book. */
  nativeRates: ReadRates
  read: ReadThrough<readonly OrderUid[]>
  /** Reads the newest orders of an account. The process that follows reads its older trades later. */
  readAccount: ReadThrough<Address>
  /** Reports whether they were read a moment before, for every client. */
  hasReadAccount(owner: Address): boolean
  /** Reads the orders of a transaction. */
  readTransaction: ReadThrough<Bytes32>
  /** Reads the competition of the auction with this number. */
  readCompetition: ReadThrough<`${bigint}`>
  /** Returns a function that reads documents. */
  documentReader(store: StoreDocument): ReadThrough<Bytes32>
  /** Returns its answer to a request. Clients share those to reads for some seconds. @throws like `read` */
  passOn: OrderBookWrites['pass']
  /** Services of an import with a meter of its own, and with another limit of calls. */
  importing(meter: MirrorMeter, callsPerMinute: number | undefined): MirrorServices
  /** Reads trades that are older than the first indexed block. */
  oldTrades: HistoryOptions
  /** Notes the accounts that streams of this process follow, so that their orders are read first. */
  watch(followed: () => Watched, signal: AbortSignal): Promise<void>
  /** Wakes the loop that follows the order book: trades are stored. */
  onTraded(): void
  /** Mirrors the order book, and reads older trades of accounts, in the process that leads the indexer. */
  follow(signal: AbortSignal): Promise<void>
}

/** The time that the storing of orders waits for the times of each hundred blocks with their trades. */
const timesMs = 1_000

export function composeMirror(options: MirrorOptions): Mirror {
  const { network, orderBook: config, chain, db, loopDb, settings, metrics, now, log } = options
  const { describeTokens, checkSignature, readPresignatures, readInvalidated, storeDocument } = options
  const { callsPerMinute, apiKey, url, history = 'accounts', forwardKeys = false } = config
  const { chainId } = network
  // In the proportion of the public order book: 10 quotes and 5 submissions a second with 100 calls a minute.
  const { quotesPerSecond = callsPerMinute / 10, submissionsPerSecond = callsPerMinute / 20 } = config
  // A fifth of the calls of the service itself, whatever the block time.
  const latestEveryMs = 60_000 / (callsPerMinute * 0.12)
  const budgets = { callsPerMinute, quotesPerSecond, submissionsPerSecond }
  const servicesOver = (db: Database, calls = callsPerMinute): MirrorServices => ({
    network,
    db,
    now,
    log,
    describeTokens,
    checkSignature,
    readPresignatures,
    readInvalidated,
    blockTimes: (numbers) =>
      Promise.race([
        chain.times(numbers).catch(() => new Map()),
        pause(timesMs * Math.ceil(numbers.length / 100), new Map(), { ref: false }),
      ]),
    orderBook: createOrderBook({
      chainId,
      name: `${network.name}-order-book`,
      title: titleOf(network),
      db,
      now,
      log,
      url,
      apiKey,
      ...budgets,
      callsPerMinute: calls,
    }),
    leastImprovement: settings.NOTIFICATION_LEAST_IMPROVEMENT,
    meter: metrics.mirror(network.name),
  })
  const mayForward = (key: string) => forwardKeys && !options.isOwnKey(key)
  const limits = createClientLimits({ ...budgets, mayForward, now })
  const oldSettlements = { network, db, chain, settledBy: options.settledBy, now, log }
  const readSettled = (hashes: readonly Bytes32[]) => readOldSettlements(hashes, oldSettlements)
  const serving = { ...servicesOver(db), callsOfClients: limits.calls, limits, storeDocument, readSettled }
  const { pass, nativeRate, ...writes } = createWrites(serving)
  const readOrdersOf = createAccountReader(serving)
  const traded = createWake()
  const oldTrades = { network, db: loopDb, chain, tradesOf: options.tradesOf, now, log }
  const { isHistoryDue: isDue } = options
  return {
    claim: () =>
      claimOrderBook(db, chainId, withoutSecrets(url), () => beginOf(history, network, { db, chain })),
    firstBlocks: () => firstBlocksOf(db, chainId),
    writes,
    nativeRates: createBookRates({ nativeRate }, serving),
    read: createOrderReader(serving),
    readAccount: readOrdersOf,
    hasReadAccount: readOrdersOf.hasRead,
    readTransaction: createTransactionReader(serving),
    readCompetition: createCompetitionReader(serving),
    documentReader: (store) => createDocumentReader(serving, store),
    passOn: sharingReads({ pass }, serving),
    importing: (meter, callsPerMinute) => ({ ...servicesOver(loopDb, callsPerMinute), meter }),
    oldTrades,
    onTraded: traded.wake,
    async watch(followed, signal) {
      while (!signal.aborted) {
        await watchAccounts(loopDb, chainId, followed(), 4 * watchEveryMs).catch((fault: unknown) => {
          if (!(fault instanceof Outage)) log.error('accounts cannot be watched', { fault: String(fault) })
        })
        await pause(watchEveryMs, undefined, { signal }).catch(() => undefined)
      }
    },
    async follow(signal) {
      await Promise.all([
        followOrderBook(
          {
            ...servicesOver(loopDb),
            latestEveryMs,
            callsPerMinute,
            traded,
            storedBodies: createStoredBodies(loopDb, chainId),
          },
          signal,
        ),
        readHistories({ ...oldTrades, ...(isDue && { isDue }) }, signal),
      ])
    },
  }
}

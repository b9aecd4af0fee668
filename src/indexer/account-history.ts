import { setTimeout as pause } from 'node:timers/promises'
import type { Chain } from '../chain/chain.ts'
import type { SettledLogs } from '../chain/logs/chain-logs.ts'
import type { LogRange } from '../chain/logs/logs.ts'
import type { SettledLog, TradeLog } from '../chain/logs/settlement-logs.ts'
import type { Address } from '../domain/evm/address.ts'
import type { Bytes32 } from '../domain/evm/hex.ts'
import type { Clock, Log } from '../domain/log.ts'
import type { Network } from '../domain/network/network.ts'
import type { OrderUid } from '../domain/order/order.ts'
import { recordTrades, tradesOfOrders } from '../notifications/record.ts'
import { findCheckpoint, insertChainFacts } from '../storage/chain/indexed-logs.ts'
import { findTradesOf } from '../storage/chain/log-queries.ts'
import type { Database, Db, Tx } from '../storage/database/database.ts'
import { signal as signalChange } from '../storage/database/signals.ts'
import { endTurn, nextHistory, notifiedMs } from '../storage/order/histories.ts'
import { type FirstBlocks, firstBlocksOf } from '../storage/order/mirror.ts'
import { findOrders } from '../storage/order/orders.ts'
import { lockOrders, refreshProgress } from '../storage/order/progress.ts'
import { createRange, maxLogs, RangeTooFull } from './block-range.ts'
import { createPoll, type HeadPoll, repeat } from './chain-stream.ts'

/**
 * The logs that are indexed on a followed network: those of new blocks, while older trades are read for the
 * accounts that clients name; all; or those from a block on.
 */
type History = 'accounts' | 'all' | { fromBlock: number }

/**
 * The first blocks to index and to notify. A chain that is indexed already began at the first block of its
 * network. With `accounts`, a new one begins at the newest final block, so that no reorg changes older logs.
 * @throws Outage
 */
export async function beginOf(
  history: History,
  { chainId, firstBlock, finalityBlocks, blockTimeMs }: Network,
  { db, chain }: { db: Db; chain: Pick<Chain, 'head'> },
): Promise<FirstBlocks> {
  if (await findCheckpoint(db, chainId)) return { indexedFrom: firstBlock, notifiedFrom: 0 }
  const { number: head } = await chain.head()
  const notifiedFrom = Math.max(0, head - Math.ceil(notifiedMs / blockTimeMs))
  if (history === 'all') return { indexedFrom: firstBlock, notifiedFrom }
  return {
    indexedFrom: history === 'accounts' ? Math.max(0, head - finalityBlocks) : history.fromBlock,
    notifiedFrom,
  }
}

export interface HistoryOptions {
  network: Pick<Network, 'chainId' | 'name' | 'firstBlock'>
  db: Database
  chain: Pick<Chain, 'times'>
  /** Reads the trades of these accounts, or of all. @throws Outage */
  tradesOf(accounts: readonly Address[] | undefined, range: LogRange): Promise<TradeLog[]>
  now: Clock
  log: Log
  poll?: HeadPoll
  /** Reports whether accounts may wait for their turn. Default: always. */
  isDue?: (chainId: number) => Promise<boolean>
}

const maxBlocks = 100_000
const lookEveryMs = 500
/** The pause after each request to the node. */
const pauseMs = 100

/**
 * Reads the trades of accounts in blocks before the first indexed one, newest first, until `signal` aborts.
 * One process at a time may run it.
 */
export async function readHistories(options: HistoryOptions, signal: AbortSignal): Promise<void> {
  const { network, db, log } = options
  const { chainId, firstBlock } = network
  const range = createRange(maxBlocks)
  const { isDue = async () => true } = options
  const step = async () => {
    const turn = (await isDue(chainId)) ? await nextHistory(db, chainId) : undefined
    if (!turn) return false
    await range.use(async (length) => {
      const from = Math.max(firstBlock, turn.to - length + 1)
      const logs = from > turn.to ? [] : await options.tradesOf(turn.accounts, { from, to: turn.to })
      await store(logs, options, (tx) => endTurn(tx, chainId, turn, { from, firstBlock }))
      return logs.length
    })
    await pause(pauseMs, undefined, { signal }).catch(() => undefined)
    return true
  }
  const what = 'older trades cannot be read for the moment'
  const { poll = createPoll(lookEveryMs) } = options
  await repeat(step, { poll, log, what, network: network.name }, signal)
}

interface OldTrades extends HistoryOptions {
  /** The first indexed block: trades of earlier blocks are stored here. */
  indexedFrom: number
}

/**
 * Reads the trades of all accounts in a range of final blocks, oldest first, and stores those that are not
 * indexed. Yields their UIDs, and the last block that is read.
 * @throws Outage
 */
export async function* readOldTrades(
  { from, to }: { from: number; to: number },
  options: OldTrades,
): AsyncGenerator<{ uids: OrderUid[]; to: number }> {
  const range = createRange(maxBlocks)
  for (let next = from; next <= to; ) {
    const read: { uids: OrderUid[]; to: number }[] = []
    await range.use(async (length) => {
      const end = Math.min(to, next + length - 1)
      const logs = await options.tradesOf(undefined, { from: next, to: end })
      if (logs.length > maxLogs && next < end) throw new RangeTooFull(`${logs.length} logs`)
      const old = logs.filter(({ blockNumber }) => blockNumber < options.indexedFrom)
      await store(old, options)
      read.push({ uids: logs.map(({ orderUid }) => orderUid), to: end })
      next = end + 1
      return logs.length
    })
    yield* read
  }
}

export interface OldSettlements extends Omit<HistoryOptions, 'tradesOf'> {
  /** Reads what transactions settled; those that the node does not know are missing. @throws Outage */
  settledBy(hashes: readonly Bytes32[]): Promise<ReadonlyMap<Bytes32, SettledLogs>>
}

/**
 * Stores the settlements and trades of transactions in blocks before the first indexed one, which are final.
 * @returns the transactions that the node does not know
 * @throws Outage
 */
export async function readOldSettlements(
  hashes: readonly Bytes32[],
  options: OldSettlements,
): Promise<Bytes32[]> {
  const { db, network } = options
  const settled = await options.settledBy(hashes)
  const { indexedFrom } = await firstBlocksOf(db, network.chainId)
  const logs = [...settled.values()].flatMap(({ block, logs }) => (block < indexedFrom ? logs : []))
  const trades = logs.filter((log) => log.type === 'trade')
  const settlements = logs.filter((log) => log.type === 'settlement')
  if (logs.length > 0)
    await store(trades, options, (tx) => storeSettlements(tx, network.chainId, settlements))
  return hashes.filter((hash) => !settled.has(hash))
}

/** Their transactions are read later, like those that no node knew when they were indexed. */
function storeSettlements(tx: Tx, chainId: number, settlements: readonly SettledLog[]): Promise<void> {
  const rows = settlements.map((log) => ({ ...log, auctionId: null, solutionUid: null, isUnread: true }))
  return insertChainFacts(tx, chainId, { ...noFacts, settlements: rows })
}

const noFacts = { trades: [], settlements: [], invalidations: [], presignatures: [], executions: [] }

/**
 * Stores trades with the events of their orders, as of the times of their blocks, and what belongs to them.
 * They are not notified.
 */
async function store(
  logs: readonly TradeLog[],
  options: Omit<HistoryOptions, 'tradesOf'>,
  more: (tx: Tx) => Promise<void> = async () => undefined,
): Promise<void> {
  const { network, db, now } = options
  const { chainId } = network
  const times = await options.chain.times(logs.map(({ blockNumber }) => blockNumber))
  await db.transaction(async (tx) => {
    if (logs.length > 0) {
      await storeTrades(tx, chainId, logs, times, new Date(now()))
      await signalChange(tx, 'orders', String(chainId))
    }
    await more(tx)
  })
}

async function storeTrades(
  tx: Tx,
  chainId: number,
  logs: readonly TradeLog[],
  times: ReadonlyMap<number, Date>,
  at: Date,
): Promise<void> {
  const uids = [...new Set(logs.map(({ orderUid }) => orderUid))]
  await lockOrders(tx, uids)
  const orders = (await findOrders(tx, uids)).filter((order) => order.chainId === chainId)
  const ids = orders.map(({ id }) => id)
  const idOf = new Map<OrderUid, bigint>(orders.map(({ uid, id }) => [uid, id]))
  const stored = new Set((await findTradesOf(tx, ids)).map(placeOf))
  const trades = logs.map((log) => ({
    ...log,
    chainId,
    orderId: idOf.get(log.orderUid) ?? null,
    auctionId: null,
  }))
  await insertChainFacts(tx, chainId, { ...noFacts, trades })
  await refreshProgress(tx, ids)
  const untraded = orders.map((order) => ({
    ...order,
    executedSellAmount: 0n,
    executedBuyAmount: 0n,
    executedFeeAmount: 0n,
  }))
  const traded = tradesOfOrders(
    await findTradesOf(tx, ids),
    new Map(untraded.map((order) => [order.uid, order])),
  )
  const added = traded.filter(({ trade }) => !stored.has(placeOf(trade)))
  const timeOf = ({ blockNumber }: { blockNumber: number }) => times.get(blockNumber) ?? at
  await recordTrades(tx, added, { notifiedFrom: Number.POSITIVE_INFINITY, timeOf }, at)
}

const placeOf = ({ blockNumber, logIndex }: Pick<TradeLog, 'blockNumber' | 'logIndex'>) =>
  `${blockNumber}:${logIndex}`

import type { Block } from '../chain/chain.ts'
import type { ChainLog } from '../chain/logs/chain-logs.ts'
import type { SettlementLog } from '../chain/logs/settlement-logs.ts'
import type { TokenLog } from '../chain/logs/transfer-logs.ts'
import type { DecodedSettlement } from '../chain/settlement/call.ts'
import type { Bytes32 } from '../domain/evm/hex.ts'
import type { Clock } from '../domain/log.ts'
import type { Network } from '../domain/network/network.ts'
import type { Order } from '../domain/order/order.ts'
import { isInvalidated } from '../domain/order/order.ts'
import { isFulfilled, orderStatus } from '../domain/order/status.ts'
import type { OrderUid } from '../domain/order/uid.ts'
import { recordCancelled, recordExpired, recordTrades, type TradeOfOrder } from '../notifications/record.ts'
import { executionsOfAuctions, policiesOfAuctions, solutionsOfAuctions } from '../storage/auction/auctions.ts'
import { endAttempt } from '../storage/auction/competition.ts'
import {
  type Checkpoint,
  forgetBlocksBelow,
  insertBlocks,
  insertChainFacts,
  moveCheckpoint,
} from '../storage/chain/log.ts'
import { rollbackChainFacts } from '../storage/chain/rollback.ts'
import type { Database, Tx } from '../storage/database/database.ts'
import { signal } from '../storage/database/signals.ts'
import { detachNotifications, revertDetached } from '../storage/feed.ts'
import { appendEvents } from '../storage/order/events.ts'
import { findOrders, takeExpired } from '../storage/order/orders.ts'
import { lockOrders, refreshProgress } from '../storage/order/progress.ts'
import { applyBalanceChanges, forgetBalanceChanges, rollbackBalances } from '../storage/token/holders.ts'
import { forgetTokensReadFrom } from '../storage/token/tokens.ts'
import { groupSettlements, type LoggedSettlement } from './attribution.ts'
import { balanceChanges } from './balance-changes.ts'
import { type ReadFacts, readFacts } from './facts.ts'

export interface Indexing {
  chainId: number
  /** If absent, no token balances are followed. */
  network?: Pick<Network, 'firstBlock' | 'holderTokens'>
  db: Database
  now: Clock
  /** Calldata of a settlement transaction; undefined when it is no direct settle call. Throws an Outage. */
  settlementOf(txHash: Bytes32): Promise<DecodedSettlement | undefined>
}

/**
 * Writes the facts of a block range with their events and notifications, and moves the checkpoint, in one transaction. Calldata is
 * read from the node before the transaction begins.
 * @param head the newest block that was seen; by default the last of these
 */
export async function applyBlocks(
  from: Checkpoint | null,
  blocks: readonly [Block, ...Block[]],
  logs: readonly ChainLog[],
  indexing: Indexing,
  head?: number,
): Promise<Checkpoint> {
  const { db, chainId } = indexing
  const at = new Date(indexing.now())
  const to = blocks.at(-1) ?? blocks[0]
  const settlementLogs = logs.filter((log) => !isTokenLog(log))
  const groups = groupSettlements(settlementLogs)
  const calls = await readCalls(groups, indexing)
  await db.transaction(async (tx) => {
    await moveCheckpoint(tx, chainId, { from, to, at, head: head ?? to.number })
    await insertBlocks(tx, chainId, blocks)
    if (settlementLogs.length > 0) await applyLogs(tx, settlementLogs, groups, calls, indexing)
    await applyTransfers(tx, from, blocks, logs.filter(isTokenLog), indexing)
  })
  await sweepExpired(to, indexing, at)
  return to
}

/** Undoes everything above `to`; facts that the new branch repeats are written again with its blocks. */
export async function applyReorg(
  from: Checkpoint | null,
  to: { number: number; hash: Bytes32 | null },
  indexing: Indexing,
): Promise<Checkpoint | null> {
  const { db, chainId } = indexing
  const checkpoint = to.hash === null ? null : { number: to.number, hash: to.hash }
  await db.transaction(async (tx) => {
    await moveCheckpoint(tx, chainId, { from, to: checkpoint, at: new Date(indexing.now()) })
    await refreshProgress(tx, await rollbackChainFacts(tx, chainId, to.number))
    await detachNotifications(tx, chainId, to.number)
    await forgetTokensReadFrom(tx, chainId, to.number)
    await rollbackBalances(tx, chainId, checkpoint?.number ?? null)
  })
  return checkpoint
}

/** Makes blocks up to `number` final: facts that a reorg removed and that did not return by then are gone for good. */
export async function applyFinality(number: number, { db, chainId, network }: Indexing): Promise<void> {
  await db.transaction(async (tx) => {
    await revertDetached(tx, chainId, number)
    await forgetBlocksBelow(tx, chainId, number)
    if (network?.holderTokens.length) await forgetBalanceChanges(tx, chainId, number)
  })
}

function isTokenLog(log: ChainLog): log is TokenLog {
  return log.type === 'transfer' || log.type === 'unreadable'
}

async function applyTransfers(
  tx: Tx,
  from: Checkpoint | null,
  [first, ...rest]: readonly [Block, ...Block[]],
  logs: readonly TokenLog[],
  { chainId, network }: Indexing,
): Promise<void> {
  if (!network || network.holderTokens.length === 0) return
  const to = rest.at(-1) ?? first
  const last = from?.number ?? network.firstBlock - 1
  // A gap in the blocks is below the finality horizon: its balance changes need not be kept for a rollback.
  if (from && first.number > last + 1) await forgetBlocksBelow(tx, chainId, to.number)
  const tokens = network.holderTokens.map(({ address }) => address)
  await applyBalanceChanges(tx, chainId, { tokens, from: last, to: to.number, ...balanceChanges(logs) })
}

async function applyLogs(
  tx: Tx,
  logs: readonly SettlementLog[],
  groups: readonly LoggedSettlement[],
  calls: ReadonlyMap<Bytes32, DecodedSettlement | undefined>,
  { chainId, now }: Indexing,
): Promise<void> {
  const uids = logs.flatMap((log) => (log.type === 'settlement' ? [] : [log.orderUid]))
  await lockOrders(tx, uids)
  // Read under the lock, so that everything written about these orders before has an earlier time.
  const at = new Date(now())
  const orders = new Map(
    (await findOrders(tx, uids))
      .filter((order) => order.chainId === chainId)
      .map((order) => [order.uid, order]),
  )
  const auctionIds = [...calls.values()].flatMap((call) => (call?.auctionId == null ? [] : [call.auctionId]))
  const facts = readFacts(logs, groups, {
    chainId,
    orders,
    calls,
    solutions: await solutionsOfAuctions(tx, auctionIds),
    executions: await executionsOfAuctions(tx, auctionIds),
    policies: await policiesOfAuctions(tx, auctionIds),
  })
  await insertChainFacts(tx, chainId, facts)
  const orderIds = [...orders.values()].map(({ id }) => id)
  await refreshProgress(tx, orderIds)
  const trades = tradesOfOrders(facts, orders)
  await recordTrades(tx, trades, at)
  await recordInvalidations(tx, facts, afterTrades(orders, trades), at)
  await closeAttempts(tx, facts, orders, at)
  await signal(tx, 'orders', String(chainId))
}

/** Applies each order's trades in sequence: exactly the one that completes it fulfils. */
function tradesOfOrders({ trades }: ReadFacts, before: ReadonlyMap<OrderUid, Order>): TradeOfOrder[] {
  const orders = new Map(before)
  const counts = new Map<string, number>()
  return trades.flatMap((trade) => {
    const order = orders.get(trade.orderUid)
    if (!order) return []
    const after = {
      ...order,
      executedSellAmount: order.executedSellAmount + trade.sellAmount,
      executedBuyAmount: order.executedBuyAmount + trade.buyAmount,
      executedFeeAmount: order.executedFeeAmount + trade.feeAmount,
    }
    orders.set(trade.orderUid, after)
    const key = `${trade.orderUid}:${trade.txHash}`
    const ordinal = counts.get(key) ?? 0
    counts.set(key, ordinal + 1)
    return [{ order: after, trade, fulfils: isFulfilled(after) && !isFulfilled(order), ordinal }]
  })
}

function afterTrades(
  before: ReadonlyMap<OrderUid, Order>,
  trades: readonly TradeOfOrder[],
): ReadonlyMap<OrderUid, Order> {
  return new Map([...before, ...trades.map(({ order }) => [order.uid, order] as const)])
}

/**
 * The first invalidation cancels an order that has not ended. The contract does not trade an invalidated order, so its trades in
 * the same blocks came before.
 */
async function recordInvalidations(
  tx: Tx,
  { invalidations }: ReadFacts,
  orders: ReadonlyMap<OrderUid, Order>,
  at: Date,
): Promise<void> {
  const ended = new Set<OrderUid>()
  for (const { orderUid, blockNumber, txHash } of invalidations) {
    const order = orders.get(orderUid)
    if (!order || ended.has(orderUid) || isInvalidated(order) || isFulfilled(order)) continue
    ended.add(orderUid)
    await recordCancelled(tx, [order], { by: 'chain', blockNumber, txHash }, at)
  }
}

async function closeAttempts(
  tx: Tx,
  { attributed }: ReadFacts,
  orders: ReadonlyMap<OrderUid, Order>,
  at: Date,
): Promise<void> {
  for (const { group, solution } of attributed) {
    const { blockNumber, txHash } = group.settlement
    const end = { endedAt: at, endBlock: blockNumber, outcome: 'success', txHash }
    await endAttempt(tx, { auctionId: solution.auctionId, solutionUid: solution.uid, ...end })
    const settled = group.trades.flatMap(({ orderUid }) => orders.get(orderUid) ?? [])
    const event = { label: 'traded' as const, reason: null, timestamp: at, blockNumber }
    await appendEvents(
      tx,
      settled.map(({ id }) => ({ ...event, orderId: id })),
    )
  }
}

/** Expiry goes by chain time, so that an order that traded in time does not expire because its block came late. */
async function sweepExpired(block: Block, { db, chainId }: Indexing, at: Date): Promise<void> {
  const batch = 500
  let taken = batch
  while (taken === batch) {
    taken = await db.transaction(async (tx) => {
      const orders = await takeExpired(tx, chainId, block, batch)
      const expired = orders.filter((order) => orderStatus(order, block.timestamp) === 'expired')
      await recordExpired(tx, expired, block.number, at)
      return orders.length
    })
  }
}

async function readCalls(
  groups: readonly LoggedSettlement[],
  { settlementOf }: Indexing,
): Promise<Map<Bytes32, DecodedSettlement | undefined>> {
  const calls = new Map<Bytes32, DecodedSettlement | undefined>()
  for (const { settlement } of groups) {
    if (!calls.has(settlement.txHash)) calls.set(settlement.txHash, await settlementOf(settlement.txHash))
  }
  return calls
}

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
  /** Without it no token's balances are followed. */
  network?: Pick<Network, 'firstBlock' | 'holderTokens'>
  db: Database
  now: Clock
  /** Calldata of a settlement transaction; undefined when it is no direct settle call. Throws an Outage. */
  settlementOf(txHash: Bytes32): Promise<DecodedSettlement | undefined>
}

/**
 * Writes what a range of blocks said, with the events, notifications and the checkpoint that follow from it, in one transaction.
 * The node is asked before it begins.
 * @param head the newest block that was seen; the last of these when left out
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

/** Takes back everything above `to`; what returns on the other branch is written again by its blocks. */
export async function applyReorg(
  from: Checkpoint | null,
  to: { number: number; hash: Bytes32 | null },
  indexing: Indexing,
): Promise<Checkpoint | null> {
  const { db, chainId } = indexing
  const place = to.hash === null ? null : { number: to.number, hash: to.hash }
  await db.transaction(async (tx) => {
    await moveCheckpoint(tx, chainId, { from, to: place, at: new Date(indexing.now()) })
    await refreshProgress(tx, await rollbackChainFacts(tx, chainId, to.number))
    await detachNotifications(tx, chainId, to.number)
    await forgetTokensReadFrom(tx, chainId, to.number)
    await rollbackBalances(tx, chainId, place?.number ?? null)
  })
  return place
}

/** From here on, what has not returned by block `number` is gone for good. */
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
  // Blocks are left out only below the finality horizon: no change in them has to be kept.
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
  // Read under the lock: whatever was written about these orders before has an earlier time.
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
  await refreshProgress(
    tx,
    [...orders.values()].map(({ id }) => id),
  )
  const trades = tradesOfOrders(facts, orders)
  await recordTrades(tx, trades, at)
  await recordInvalidations(tx, facts, afterTrades(orders, trades), at)
  await closeAttempts(tx, facts, orders, at)
  await signal(tx, 'orders', String(chainId))
}

/** Walks each order's trades in their order: exactly the one that completes it fulfils. */
function tradesOfOrders({ trades }: ReadFacts, before: ReadonlyMap<OrderUid, Order>): TradeOfOrder[] {
  const running = new Map(before)
  const seen = new Map<string, number>()
  return trades.flatMap((trade) => {
    const order = running.get(trade.orderUid)
    if (!order) return []
    const after = {
      ...order,
      executedSellAmount: order.executedSellAmount + trade.sellAmount,
      executedBuyAmount: order.executedBuyAmount + trade.buyAmount,
      executedFeeAmount: order.executedFeeAmount + trade.feeAmount,
    }
    running.set(trade.orderUid, after)
    const key = `${trade.orderUid}:${trade.txHash}`
    const ordinal = seen.get(key) ?? 0
    seen.set(key, ordinal + 1)
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
 * An order is cancelled by its first invalidation, unless it had ended before. The contract trades nothing after one: the trades
 * of the same blocks came before it.
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
    await appendEvents(
      tx,
      settled.map(({ id }) => ({
        orderId: id,
        label: 'traded' as const,
        reason: null,
        timestamp: at,
        blockNumber,
      })),
    )
  }
}

/** Expiry is told by chain time: an order that traded in time is not called expired because its block came late. */
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

import type { Block } from '../chain/chain.ts'
import type { ChainLog, ProtocolLog } from '../chain/logs/chain-logs.ts'
import type { TokenLog } from '../chain/logs/transfer-logs.ts'
import type { SolverLog } from '../chain/settlement/solvers.ts'
import { auctionKeys } from '../domain/auction/key.ts'
import type { Address } from '../domain/evm/address.ts'
import type { Bytes32 } from '../domain/evm/hex.ts'
import type { Clock } from '../domain/log.ts'
import type { Network } from '../domain/network/network.ts'
import type { Order, OrderUid } from '../domain/order/order.ts'
import { lastAttributedBlock } from '../domain/settlement/accounting.ts'
import { recordTrades, type TradeOfOrder, type TradeRules, tradesOfOrders } from '../notifications/record.ts'
import type { RecentTokens } from '../notifications/token-pairs.ts'
import {
  deadlinesOfAuctions,
  executionsOfAuctions,
  policiesOfAuctions,
  solutionsOfAuctions,
} from '../storage/auction/auctions.ts'
import { endAttempt } from '../storage/auction/competition.ts'
import {
  type Checkpoint,
  forgetBlocksBelow,
  insertBlocks,
  insertChainFacts,
  moveCheckpoint,
  moveThrough,
  rollbackChainFacts,
} from '../storage/chain/indexed-logs.ts'
import { rollbackProgrammatic } from '../storage/chain/programmatic.ts'
import { rollbackHoldings } from '../storage/chain/settlement-holdings.ts'
import { insertSolverChanges, startSolvers } from '../storage/chain/solvers.ts'
import type { Database, Tx } from '../storage/database/database.ts'
import { signal } from '../storage/database/signals.ts'
import { detachNotifications, revertDetached } from '../storage/notifications.ts'
import { compareAgain } from '../storage/order/mirror.ts'
import { findOrders } from '../storage/order/orders.ts'
import { lockOrders, refreshProgress } from '../storage/order/progress.ts'
import { applyBalanceChanges, forgetBalanceChanges, rollbackBalances } from '../storage/token/holders.ts'
import { rollbackPools } from '../storage/token/pools.ts'
import { forgetTokensReadFrom } from '../storage/token/tokens.ts'
import { type BlockRange, loadOf } from './block-range.ts'
import { recordInvalidations, recordRefunds, sweepExpired } from './endings.ts'
import {
  groupSettlements,
  type LoggedSettlement,
  type LogRows,
  logsToRows,
  settlementRows,
  withAmounts,
} from './log-rows.ts'
import {
  type Placements,
  type ReadPlacements,
  readPlacedOnChain,
  storeJitOrders,
  storePlacements,
} from './onchain-orders.ts'
import { isProgrammaticLog, storeProgrammaticLogs, timesOf } from './programmatic-orders.ts'
import { readSolvers, type SolverReading, type Solvers } from './solvers.ts'
import { balanceChanges } from './token-balances.ts'

export interface Indexing extends TradeRules, Pick<SolverReading, 'allowedAt'> {
  chainId: number
  /** If absent, no token balances are followed. */
  network?: Pick<Network, 'firstBlock' | 'holderTokens'> &
    Partial<Pick<Network, 'blockTimeMs' | 'wrappedNative'>>
  db: Database
  now: Clock
  /** The settlement contract. If absent, orders that solvers bring are not stored. */
  settlement?: Address
  /** If absent, orders placed on chain are not stored. */
  readPlacements?: ReadPlacements
  /**
   * Reads the tokens of new trades, for their messages. If absent, those of orders were read when these were
   * placed.
   */
  describeTokens?: ((addresses: readonly Address[]) => Promise<RecentTokens>) | undefined
}

/** Time to write a block, which is written whole. Over ten times the usual, for a slow database. */
const msPerLoad = 2

/**
 * Writes the facts of a block range with their events and notifications, and moves the checkpoint, in one
 * transaction.
 * @param head the newest block that was seen; by default the last of these
 */
export async function applyBlocks(
  from: Checkpoint | null,
  range: BlockRange,
  indexing: Indexing,
  head?: number,
): Promise<Checkpoint> {
  const { db, chainId } = indexing
  const { blocks, logs } = range
  const at = new Date(indexing.now())
  const to = blocks.at(-1) ?? blocks[0]
  if (from && logs.length === 0 && !indexing.network?.holderTokens.length) {
    const move = { from, to, at, head: head ?? to.number }
    if (await moveThrough(db, chainId, move, blocks)) await sweepExpired(db, chainId, range.headers, at)
    return to
  }
  const protocolLogs = logs.filter(isProtocolLog)
  const programmaticLogs = logs.filter(isProgrammaticLog)
  const solverLogs = logs.filter(isSolverLog)
  const settled = new Map(
    protocolLogs.flatMap((log) => (log.type === 'settlement' ? [[log.txHash, log]] : [])),
  )
  const solvers = await readSolvers(
    settled,
    { settlements: range.settlements, logs: solverLogs },
    to.number,
    indexing,
  )
  const placements = await readPlacedOnChain(protocolLogs, range, indexing)
  const recentTokens = await describeTraded(protocolLogs, indexing)
  await db.transaction(async (tx) => {
    await moveCheckpoint(tx, chainId, { from, to, at, head: head ?? to.number })
    if (!from) await startSolvers(tx, chainId, indexing.network?.firstBlock ?? blocks[0].number)
    await insertBlocks(tx, chainId, blocks)
    if (solverLogs.length > 0) await insertSolverChanges(tx, chainId, solverLogs)
    if (protocolLogs.length > 0)
      await applyLogs(tx, protocolLogs, placements, { ...range, solvers }, { ...indexing, recentTokens })
    if (programmaticLogs.length > 0)
      await storeProgrammaticLogs(tx, chainId, programmaticLogs, timesOf(range.headers))
    await applyTransfers(tx, from, blocks, logs.filter(isTokenLog), indexing)
  }, msPerLoad * loadOf(logs))
  await sweepExpired(db, chainId, range.headers, at)
  return to
}

/** The tokens of trades that are notified. */
async function describeTraded(
  logs: readonly ProtocolLog[],
  { notifiedFrom = 0, describeTokens = async () => new Map() }: Indexing,
): Promise<RecentTokens> {
  const trades = logs.flatMap((log) =>
    log.type === 'trade' && log.blockNumber >= notifiedFrom ? [log.sellToken, log.buyToken] : [],
  )
  return trades.length > 0 ? describeTokens([...new Set(trades)]) : new Map()
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
    const changed = await rollbackChainFacts(tx, chainId, to.number)
    await refreshProgress(tx, changed)
    await compareAgain(tx, changed)
    await detachNotifications(tx, chainId, to.number)
    await forgetTokensReadFrom(tx, chainId, to.number)
    await rollbackBalances(tx, chainId, checkpoint?.number ?? null)
    await rollbackPools(tx, chainId, checkpoint?.number ?? null)
    await rollbackProgrammatic(tx, chainId, to.number)
    await rollbackHoldings(tx, chainId, checkpoint?.number ?? null)
  })
  return checkpoint
}

/** Makes blocks up to `number` final: facts that a reorg removed and that have not returned are lost. */
export async function applyFinality(number: number, { db, chainId, network }: Indexing): Promise<void> {
  await revertDetached(db, chainId, number)
  await forgetBlocksBelow(db, chainId, number)
  if (network?.holderTokens.length) await forgetBalanceChanges(db, chainId, number)
}

function isTokenLog(log: ChainLog): log is TokenLog {
  return log.type === 'transfer' || log.type === 'unreadable'
}

const isSolverLog = (log: ChainLog): log is SolverLog => log.type === 'solver'

function isProtocolLog(log: ChainLog): log is ProtocolLog {
  return !isTokenLog(log) && !isProgrammaticLog(log) && !isSolverLog(log)
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
  logs: readonly ProtocolLog[],
  placements: Placements,
  range: BlockRange & { solvers: Solvers },
  indexing: Indexing,
): Promise<void> {
  const { headers } = range
  const { chainId, now, notifiedFrom = 0 } = indexing
  const uids = logs.flatMap((log) => (log.type === 'settlement' ? [] : [log.orderUid]))
  await lockOrders(tx, uids)
  await storePlacements(tx, chainId, placements)
  // An order that was only placed has no more facts.
  const named = logs.flatMap((log) =>
    log.type === 'settlement' || log.type === 'placement' ? [] : [log.orderUid],
  )
  // Read under the lock, so that everything written about these orders before has an earlier time.
  const at = new Date(now())
  const known = await knownOrders(tx, chainId, named)
  const { orders, facts } = await interpret(
    tx,
    logs,
    { groups: groupSettlements(logs), known, range },
    indexing,
  )
  await insertChainFacts(tx, chainId, facts)
  const orderIds = [...orders.values()].map(({ id }) => id)
  await refreshProgress(tx, orderIds)
  const trades = tradesOfOrders(facts.trades, orders)
  const timeOf = ({ blockNumber }: { blockNumber: number }) =>
    blockNumber < notifiedFrom ? timeBy(headers, blockNumber) : at
  await recordTrades(tx, trades, { ...indexing, timeOf }, at)
  await compareAgain(
    tx,
    trades.map(({ order }) => order.id),
  )
  await closeAttempts(tx, facts, at)
  // The contract does not trade an invalidated order: its trades came first.
  const endings = { orders: afterTrades(orders, trades), headers, at, notifiedFrom }
  await recordInvalidations(tx, facts.invalidations, endings)
  await recordRefunds(tx, facts.refunds, endings)
  await signal(tx, 'orders', String(chainId))
}

/** The time of the first known block from `blockNumber` on: old ranges have only some of their headers. */
function timeBy(headers: readonly Block[], blockNumber: number): Date {
  const later = headers.filter(({ number }) => number >= blockNumber)
  return new Date(Math.min(...later.map(({ timestamp }) => timestamp)) * 1_000)
}

export async function knownOrders(
  tx: Tx,
  chainId: number,
  uids: readonly OrderUid[],
): Promise<ReadonlyMap<OrderUid, Order>> {
  const orders = await findOrders(tx, uids)
  return new Map(orders.filter((order) => order.chainId === chainId).map((order) => [order.uid, order]))
}

/**
 * Logs, the settlements among them, the orders that are known, and the transactions, solvers and headers of
 * their blocks.
 */
interface Logged {
  groups: readonly LoggedSettlement[]
  known: ReadonlyMap<OrderUid, Order>
  range: Pick<BlockRange, 'settlements' | 'headers'> & { solvers: Solvers }
}

/** The rows of logs, and the known orders with the newly stored JIT orders. */
export async function interpret(
  tx: Tx,
  logs: readonly ProtocolLog[],
  { groups, known, range }: Logged,
  indexing: Indexing,
): Promise<{ orders: ReadonlyMap<OrderUid, Order>; facts: LogRows }> {
  const { chainId, settlement, now } = indexing
  const mined = settlementRows(groups, range.settlements, range.solvers)
  const auctionIds = [...mined.values()].flatMap(({ call }) =>
    call?.auctionId == null ? [] : auctionKeys(chainId, call.auctionId),
  )
  const deadlines = await deadlinesOfAuctions(tx, chainId, auctionIds)
  const competitions = {
    chainId,
    mined,
    deadlines,
    at: new Date(now()),
    lastBlocks: lastBlocksOf(deadlines, indexing),
    solutions: await solutionsOfAuctions(tx, auctionIds),
    executions: await executionsOfAuctions(tx, auctionIds),
  }
  const orders = settlement
    ? await storeJitOrders(tx, groups, range, { ...competitions, settlement, orders: known })
    : known
  const context = { ...competitions, orders, policies: await policiesOfAuctions(tx, auctionIds) }
  const facts = logsToRows(logs, groups, context)
  const settlements = await withAmounts(tx, facts, context, indexing.network?.wrappedNative)
  return { orders, facts: { ...facts, settlements } }
}

function lastBlocksOf(
  deadlines: ReadonlyMap<bigint, number>,
  { network }: Indexing,
): ReadonlyMap<bigint, number> {
  const blockTimeMs = network?.blockTimeMs ?? 1_000
  return new Map([...deadlines].map(([id, deadline]) => [id, lastAttributedBlock(deadline, blockTimeMs)]))
}

function afterTrades(
  before: ReadonlyMap<OrderUid, Order>,
  trades: readonly TradeOfOrder[],
): ReadonlyMap<OrderUid, Order> {
  return new Map([...before, ...trades.map(({ order }) => [order.uid, order] as const)])
}

export async function closeAttempts(tx: Tx, { attributed }: LogRows, at: Date): Promise<void> {
  for (const { group, solution } of attributed) {
    const { blockNumber, txHash } = group.settlement
    const end = { endedAt: at, endBlock: blockNumber, outcome: 'success', txHash }
    await endAttempt(tx, { auctionId: solution.auctionId, solutionUid: solution.uid, ...end })
  }
}

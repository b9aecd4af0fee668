import type { Block } from '../../chain/chain.ts'
import type { ProtocolLog } from '../../chain/logs/chain-logs.ts'
import { byLogPosition } from '../../chain/logs/logs.ts'
import { RpcError } from '../../chain/rpc/rpc.ts'
import type { Untraced } from '../../chain/settlement/trace.ts'
import { Outage } from '../../domain/errors/error.ts'
import type { Bytes32 } from '../../domain/evm/hex.ts'
import type { Log } from '../../domain/log.ts'
import type { Order, OrderUid } from '../../domain/order/order.ts'
import { recordTrades, tradesOfOrders } from '../../notifications/record.ts'
import { creditFirstSettlement } from '../../storage/auction/competition.ts'
import { blockHash, completeChainFacts, holdCheckpoint } from '../../storage/chain/indexed-logs.ts'
import {
  countWaiting,
  settledIn,
  type UnreadTransaction,
  unreadTransactions,
} from '../../storage/chain/log-queries.ts'
import { dueSolvers, postponeSolvers } from '../../storage/chain/solvers.ts'
import type { Tx } from '../../storage/database/database.ts'
import { signal } from '../../storage/database/signals.ts'
import { lockOrders, refreshProgress } from '../../storage/order/progress.ts'
import { closeAttempts, type Indexing, interpret, knownOrders } from '../apply.ts'
import type { BlockRange, ChainReads, Checkpoint } from '../block-range.ts'
import { groupSettlements } from '../log-rows.ts'
import type { IndexerMeter } from '../progress.ts'
import { readSolvers, type Solvers } from '../solvers.ts'

export interface CompletionOptions extends Indexing {
  chain: Pick<ChainReads, 'block' | 'settlements'>
  log: Log
  meter: Pick<IndexerMeter, 'waits'>
  /** The pause between two looks. Default: 15 seconds. */
  completeEveryMs?: number
}

/**
 * Completes settlements that are stored by their logs alone, once a node knows their transactions, and finds
 * the solvers of those that another contract called, once a node traces them.
 */
interface Completion {
  /** Looks at intervals for the transactions whose turn it is. */
  step(checkpoint: Checkpoint): Promise<void>
}

/** Transactions of one turn; most that no node knows stay unknown. */
const atOnce = 10

export function createCompletion(options: CompletionOptions): Completion {
  const { chainId, db, now, log, chain, meter, completeEveryMs = 15_000 } = options
  let nextAt = Number.NEGATIVE_INFINITY
  let after: UnreadTransaction | undefined

  /** @returns why its calls are not known; undefined if they are, or its transaction is not */
  async function complete(
    checkpoint: Checkpoint,
    { blockNumber, txHash, settlements: count }: UnreadTransaction,
  ): Promise<Untraced | undefined> {
    const block = await chain.block(blockNumber)
    if (!block || blockNumber > checkpoint.number) return undefined
    const settlements = await chain.settlements([
      { txHash, blockNumber, blockHash: block.hash, settlements: count },
    ])
    const mined = settlements.get(txHash)
    if (mined?.blockHash !== block.hash) return undefined
    const settled = new Map([[txHash, { blockNumber }]])
    const solvers = await readSolvers(settled, { settlements, logs: [] }, checkpoint.number, options)
    const isCompleted = await completeSettlements(
      { txHash, checkpoint, range: { settlements, solvers, headers: [block] } },
      options,
    )
    if (isCompleted) log.info('a settlement is completed', { txHash, block: blockNumber })
    return typeof mined.calls === 'string' ? mined.calls : undefined
  }

  /** Looks for solvers that are not known, until the node traces no more for the moment. */
  async function findSolvers(checkpoint: Checkpoint): Promise<void> {
    for (const transaction of await dueSolvers(db, chainId, atOnce)) {
      const fault = await complete(checkpoint, transaction)
      if (fault === 'busy' || fault === 'notOffered') return
      await postponeSolvers(db, chainId, transaction.txHash)
    }
  }

  return {
    async step(checkpoint) {
      if (now() < nextAt) return
      nextAt = now() + completeEveryMs
      const waiting = await countWaiting(db, chainId)
      meter.waits(waiting)
      if (waiting.unread + waiting.withoutSolver === 0) return
      const unread = await unreadTransactions(db, chainId, after, atOnce)
      after = unread.length === atOnce ? unread.at(-1) : undefined
      try {
        for (const transaction of unread) await complete(checkpoint, transaction)
        await findSolvers(checkpoint)
      } catch (fault) {
        if (!(fault instanceof Outage || fault instanceof RpcError)) throw fault
        log.warn('settlements cannot be completed for the moment', { fault: fault.message })
      }
      meter.waits(await countWaiting(db, chainId))
    },
  }
}

interface FoundSettlements {
  txHash: Bytes32
  checkpoint: Checkpoint
  /** Its transaction and its block. */
  range: Pick<BlockRange, 'settlements' | 'headers'> & { solvers: Solvers }
}

/** @returns false if a reorg has undone them */
async function completeSettlements(
  { txHash, checkpoint, range }: FoundSettlements,
  indexing: Indexing,
): Promise<boolean> {
  const { db, chainId, now } = indexing
  const [block] = range.headers
  if (!block) return false
  return db.transaction(async (tx) => {
    await holdCheckpoint(tx, chainId, checkpoint)
    // Hashes of final blocks are not stored.
    if (((await blockHash(tx, chainId, block.number)) ?? block.hash) !== block.hash) return false
    const logs = await loggedIn(tx, chainId, block)
    const groups = groupSettlements(logs).filter(({ settlement }) => settlement.txHash === txHash)
    const trades = groups.flatMap((group) => group.trades)
    await lockOrders(
      tx,
      trades.map(({ orderUid }) => orderUid),
    )
    const at = new Date(now())
    const known = await knownOrders(
      tx,
      chainId,
      trades.map(({ orderUid }) => orderUid),
    )
    const { orders, facts } = await interpret(tx, trades, { groups, known, range }, indexing)
    await completeChainFacts(tx, chainId, facts)
    await refreshProgress(
      tx,
      [...orders.values()].map(({ id }) => id),
    )
    // The trades of the other orders were recorded when they were indexed.
    const brought = new Map([...orders].filter(([uid]) => !known.has(uid)).map(withoutTrades))
    await recordTrades(tx, tradesOfOrders(facts.trades, brought), indexing, at)
    await closeAttempts(tx, facts, at)
    for (const { solution } of facts.attributed)
      await creditFirstSettlement(tx, solution.auctionId, solution.uid)
    await signal(tx, 'orders', String(chainId))
    return true
  })
}

const none = { executedSellAmount: 0n, executedBuyAmount: 0n, executedFeeAmount: 0n }

/** An order as it was before its trades, which are linked to it when it is stored. */
const withoutTrades = ([uid, order]: [OrderUid, Order]) => [uid, { ...order, ...none }] as const

/** The logs of settlements and trades of a block, as they were read. */
async function loggedIn(tx: Tx, chainId: number, block: Block): Promise<ProtocolLog[]> {
  const { settlements, trades } = await settledIn(tx, chainId, block.number)
  const place = { blockNumber: block.number, blockHash: block.hash }
  const logs: ProtocolLog[] = [
    ...settlements.map((row) => ({ ...row, type: 'settlement' as const, ...place })),
    ...trades.map((row) => ({ ...row, type: 'trade' as const, ...place })),
  ]
  return logs.sort(byLogPosition)
}

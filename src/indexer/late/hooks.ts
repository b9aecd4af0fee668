import type { SettledHooks } from '../../chain/settlement/hook-calls.ts'
import type { MinedGas } from '../../chain/settlement/mined.ts'
import type { TraceFault } from '../../chain/settlement/trace.ts'
import type { Bytes32 } from '../../domain/evm/hex.ts'
import type { Clock, Log } from '../../domain/log.ts'
import type { Network } from '../../domain/network/network.ts'
import type { Order } from '../../domain/order/order.ts'
import {
  assignHookCalls,
  type HookResult,
  hookPhases,
  hookResult,
  hooksOf,
} from '../../domain/settlement/hooks.ts'
import { type FailedHook, recordFailedHooks } from '../../notifications/record.ts'
import {
  countFailedRead,
  type DueHookCall,
  type ReadHookCall,
  storeHookCalls,
  type UnreadHooks,
  unreadHookCalls,
  unreadHooks,
} from '../../storage/chain/hook-calls.ts'
import { settledIn } from '../../storage/chain/log-queries.ts'
import type { Database, Tx } from '../../storage/database/database.ts'
import { findOrdersById } from '../../storage/order/orders.ts'
import { lockOrders } from '../../storage/order/progress.ts'
import { holdBlock } from '../../storage/token/pools.ts'
import { isChainFault } from '../block-range.ts'
import { type IndexerView, repeat } from '../chain-stream.ts'

export interface HookReading extends Pick<IndexerView, 'poll'> {
  network: Pick<Network, 'chainId' | 'name' | 'blockTimeMs'>
  db: Database
  now: Clock
  log: Log
  /** Returns the gas of transactions; null for those that are in no block. @throws Outage */
  gasOf(txHashes: readonly Bytes32[]): Promise<(MinedGas | null)[]>
  /** Returns the hooks that the settlements of a transaction ran, by a trace. @throws Outage */
  minedHooks(txHash: Bytes32): Promise<{ settlements: SettledHooks[] } | { fault: TraceFault }>
  /** The pause before transactions are tried again. Default: 15 seconds. */
  retryMs?: number
}

/** The number of tries after which outcomes stay unknown. */
const maxTries = 5
const failedRead = { reason: 'notTraced', isFinal: false, maxTries } as const
/** The number of transactions that are read in one step. */
const atOnce = 5

/**
 * Reads the outcomes of hooks from traces of the settlements that are indexed, until `signal` aborts. One
 * process at a time may run it. The indexer does not wait for it. Never throws.
 */
export async function readHooks(options: HookReading, signal: AbortSignal): Promise<void> {
  const { network, poll, log } = options
  const what = 'the outcomes of hooks cannot be read for the moment'
  await repeat(createStep(options), { poll, log, what, network: network.name }, signal)
}

/** Reads the next transactions. Returns whether there may be more. */
function createStep(options: HookReading): () => Promise<boolean> {
  const { network, db, now, retryMs = 15_000 } = options
  const { chainId } = network
  let retryAt = Number.NEGATIVE_INFINITY

  return async () => {
    const isRetrying = now() >= retryAt
    const limit = { maxTries: isRetrying ? maxTries : 0, limit: atOnce }
    const transactions = await unreadHooks(db, chainId, limit)
    if (isRetrying) retryAt = now() + retryMs
    const read: boolean[] = []
    for (const transaction of transactions) {
      const isRead = readTransaction(transaction, options).catch(async (fault) => {
        // A fault of this transaction must not keep the other transactions from being read.
        if (!isChainFault(fault)) await countFailedRead(db, chainId, transaction, failedRead)
        throw fault
      })
      read.push(await isRead)
    }
    return transactions.length === atOnce && read.some(Boolean)
  }
}

/** @returns false if it stored no outcome: the node has no trace, or a reorg undid the settlement */
async function readTransaction(
  transaction: UnreadHooks,
  { network: { chainId }, db, now, log, gasOf, minedHooks }: HookReading,
): Promise<boolean> {
  const { txHash, blockNumber } = transaction
  const [mined] = await gasOf([txHash])
  const isThere = mined?.block === blockNumber
  const found = isThere ? await minedHooks(txHash) : { fault: 'failed' as const }
  if ('fault' in found) {
    const { fault } = found
    const isFinal = fault === 'notOffered' || fault === 'tooLarge'
    const reason = fault === 'tooLarge' ? 'traceTooLarge' : 'notTraced'
    await countFailedRead(db, chainId, transaction, { ...failedRead, reason, isFinal })
    log.warn('the outcomes of hooks are not known: no trace', { txHash, fault })
    return false
  }
  if (!mined) return false
  return db.transaction(async (tx) => {
    // The trace is of this block. A reorg that is applied later takes the outcomes along.
    if (!(await holdBlock(tx, chainId, { number: blockNumber, hash: mined.blockHash }))) return false
    const due = await unreadHookCalls(tx, chainId, transaction)
    const orders = await findOrdersById(tx, [...new Set(due.map(({ orderId }) => orderId))])
    await lockOrders(
      tx,
      orders.map(({ uid }) => uid),
    )
    const read = await outcomes(tx, { due, orders, ran: found.settlements, transaction, chainId })
    await storeHookCalls(tx, read)
    await recordFailedHooks(tx, failures(read, due, orders), new Date(now()))
    return true
  })
}

interface Ran {
  due: readonly DueHookCall[]
  orders: readonly Order[]
  /** Hooks by settlement, as in a trace. */
  ran: readonly SettledHooks[]
  transaction: UnreadHooks
  chainId: number
}

/**
 * Returns the outcome of each hook. Settlements, their trades and the hooks of these follow each other in the
 * trace as they do in the logs.
 */
async function outcomes(tx: Tx, { due, orders, ran, transaction, chainId }: Ran): Promise<ReadHookCall[]> {
  const { settlements } = await settledIn(tx, chainId, transaction.blockNumber)
  const ofTransaction = settlements.filter(({ txHash }) => txHash === transaction.txHash)
  const settlementOf = ({ logIndex }: DueHookCall) =>
    ofTransaction.findIndex((settlement) => settlement.logIndex > logIndex)
  const callsOf = (settlement: number) => (ran.length === ofTransaction.length ? ran[settlement] : null)
  const ordersById = new Map(orders.map((order) => [order.id, order]))
  const hooks = due.flatMap((each) => {
    const order = ordersById.get(each.orderId)
    const hook = order && hooksOf(order)[each.phase][each.position]
    return hook ? [{ each, hook }] : []
  })
  const results = new Map<DueHookCall, HookResult>()
  for (const phase of hookPhases)
    for (const index of ofTransaction.keys()) {
      const called = hooks.filter(({ each }) => each.phase === phase && settlementOf(each) === index)
      const calls = assignHookCalls(
        called.map(({ hook }) => hook),
        callsOf(index)?.[phase] ?? [],
      )
      for (const [place, { each, hook }] of called.entries()) {
        const call = calls[place]
        if (call) results.set(each, hookResult(call, hook))
      }
    }
  return due.map((each) => {
    const { blockNumber, logIndex, phase, position } = each
    const unknown = callsOf(settlementOf(each)) ? ('notCalled' as const) : ('notTraced' as const)
    return { chainId, blockNumber, logIndex, phase, position, ...(results.get(each) ?? { unknown }) }
  })
}

/** The hooks after trades that failed, in order. */
function failures(
  read: readonly ReadHookCall[],
  due: readonly DueHookCall[],
  orders: readonly Order[],
): FailedHook[] {
  const ordersById = new Map(orders.map((order) => [order.id, order]))
  return due.flatMap((each, index) => {
    const [result, order] = [read[index], ordersById.get(each.orderId)]
    const isFailure = each.phase === 'post' && result && 'outcome' in result && result.outcome !== 'succeeded'
    return isFailure && order ? [{ order, trade: each, target: each.target, result }] : []
  })
}

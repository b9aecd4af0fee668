import { setTimeout as pause } from 'node:timers/promises'
import { RpcError } from '../chain/rpc/rpc.ts'
import type { Refund } from '../chain/transaction/refund.ts'
import { createBackOff } from '../concurrency/back-off.ts'
import { Outage } from '../domain/errors/error.ts'
import type { Log } from '../domain/log.ts'
import type { Network } from '../domain/network/network.ts'
import { findCheckpoint } from '../storage/chain/indexed-logs.ts'
import type { Database } from '../storage/database/database.ts'
import { type LeadershipOptions, whileLeading } from '../storage/database/leadership.ts'
import { refundableAfter } from '../storage/order/orders.ts'

export interface RefunderOptions {
  network: Pick<Network, 'chainId' | 'name' | 'blockTimeMs'>
  db: Database
  refund: Refund
  /** Refreshes the balance of its account at intervals. */
  refreshBalance(block: number): Promise<void>
  log: Log
}

const perRound = 20
/** An order whose refund is refused is tried again, at last this many blocks later. */
const maxWaitBlocks = 4_096

/**
 * Refunds the unsold amounts of expired orders that were placed on chain, until `signal` aborts. Orders take
 * turns: one that can't be refunded does not block others. The indexer reads refunds from the chain.
 */
async function runRefunder(
  { network, db, refund, refreshBalance, log }: RefunderOptions,
  signal: AbortSignal,
): Promise<void> {
  const { chainId } = network
  const tried = createBackOff<true>(maxWaitBlocks)
  let after = 0n
  while (!signal.aborted) {
    try {
      const block = (await findCheckpoint(db, chainId))?.number ?? 0
      await refreshBalance(block)
      const orders = await refundableAfter(db, chainId, after, perRound)
      after = orders.length === perRound ? (orders.at(-1)?.id ?? 0n) : 0n
      for (const order of orders) {
        if (signal.aborted) return
        if (tried.waiting(order.uid, block)) continue
        tried.fail(order.uid, block, true)
        const outcome = await refund(order)
        if (outcome === 'unpaid') {
          tried.forgive(order.uid)
          break
        }
        log.info('refund', { network: network.name, uid: order.uid, outcome })
      }
    } catch (fault) {
      if (!(fault instanceof Outage || fault instanceof RpcError)) throw fault
      log.warn('orders cannot be refunded for the moment', { network: network.name, fault: fault.message })
    }
    await pause(Math.max(1_000, network.blockTimeMs), undefined, { signal }).catch(() => undefined)
  }
}

/** The refunds of one network, which one process sends at a time; none without an account for them. */
export function refunding(
  options: RefunderOptions | undefined,
  lead: Pick<LeadershipOptions, 'url' | 'log' | 'signal'>,
): Promise<void>[] {
  if (!options) return []
  const name = `refunds:${options.network.chainId}`
  return [whileLeading({ ...lead, name }, (leading) => runRefunder(options, leading))]
}

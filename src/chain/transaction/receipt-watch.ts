import { setTimeout as pause } from 'node:timers/promises'
import { Outage } from '../../domain/errors/error.ts'
import type { Log } from '../../domain/log.ts'
import type { Receipt, SignedTransaction, Transactions } from './transactions.ts'

/** Waits between two looks at the chain; ends early when the signal fires. */
export type ReceiptPoll = (signal: AbortSignal) => Promise<void>

export interface WatchLimits {
  /** Newest block when it was sent. */
  from: number
  /** When the chain is this long, the wait is over. */
  until: number
  limit: AbortSignal
}

/**
 * Waits for the receipt of `last`, or of one of `earlier`, which it replaces under the same nonce. No receipt when the
 * limits are reached without one. A node that is away is waited for.
 */
export type ReceiptWatch = (
  last: SignedTransaction,
  earlier: readonly SignedTransaction[],
  limits: WatchLimits,
) => Promise<{ receipt?: Receipt; head: number }>

export function createReceiptWatch(transactions: Transactions, poll: ReceiptPoll, log: Log): ReceiptWatch {
  return async (last, earlier, { from, until, limit }) => {
    let head = from
    while (true) {
      try {
        // The head comes first: a receipt that is missing after it is not in any block up to it.
        const newest = await transactions.headNumber()
        for (const { hash } of [...earlier, last]) {
          const receipt = await transactions.receipt(hash)
          if (receipt) return { receipt, head: newest }
        }
        // A node forgets, and a try that timed out may never have arrived.
        if (newest > head && newest < until) await transactions.broadcast(last)
        head = Math.max(head, newest)
      } catch (fault) {
        if (!(fault instanceof Outage)) throw fault
        log.warn('cannot look for a receipt', { txHash: last.hash })
      }
      if (head >= until || limit.aborted) return { head }
      await poll(limit)
    }
  }
}

export function pollEvery(milliseconds: number): ReceiptPoll {
  const interval = Math.min(1000, Math.max(50, milliseconds))
  return (signal) => pause(interval, undefined, { signal }).catch(() => undefined)
}

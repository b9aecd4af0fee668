import { setTimeout as pause } from 'node:timers/promises'
import { Outage } from '../../domain/errors/error.ts'
import type { Log } from '../../domain/log.ts'
import type { Receipt, SignedTransaction, Transactions } from './transactions.ts'

/** Waits until the next poll; returns early when the signal fires. */
export type ReceiptPoll = (signal: AbortSignal) => Promise<void>

export interface WatchLimits {
  /** Newest block when the transaction was sent. */
  from: number
  /** The wait ends when the head reaches this block. */
  endBlock: number
  signal: AbortSignal
}

/**
 * Waits for the receipt of `last`, or of one of `earlier`, which it replaces under the same nonce. No receipt when the
 * limits are reached first. While the node is unavailable it keeps polling.
 */
export type WaitForReceipt = (
  last: SignedTransaction,
  earlier: readonly SignedTransaction[],
  limits: WatchLimits,
) => Promise<{ receipt?: Receipt; head: number }>

export function createReceiptWait(transactions: Transactions, poll: ReceiptPoll, log: Log): WaitForReceipt {
  return async (last, earlier, { from, endBlock, signal }) => {
    let head = from
    while (true) {
      try {
        // Read the head before the receipts: a receipt that is still missing then is in no block up to this head.
        const newestHead = await transactions.headNumber()
        for (const { hash } of [...earlier, last]) {
          const receipt = await transactions.receipt(hash)
          if (receipt) return { receipt, head: newestHead }
        }
        // Nodes drop pending transactions, and a broadcast that timed out may never have arrived.
        if (newestHead > head && newestHead < endBlock) await transactions.broadcast(last)
        head = Math.max(head, newestHead)
      } catch (fault) {
        if (!(fault instanceof Outage)) throw fault
        log.warn('cannot look for a receipt', { txHash: last.hash })
      }
      if (head >= endBlock || signal.aborted) return { head }
      await poll(signal)
    }
  }
}

export function pollEvery(milliseconds: number): ReceiptPoll {
  const interval = Math.min(1000, Math.max(50, milliseconds))
  return (signal) => pause(interval, undefined, { signal }).catch(() => undefined)
}

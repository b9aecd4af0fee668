import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '../domain/log.ts'
import { isChainFault } from './block-range.ts'

/** Waits before the next poll of the chain; ends early when the signal aborts. `failures` is the number of failures in a row. */
export type Poll = (failures: number, signal: AbortSignal) => Promise<void>

const maxPauseMs = 30_000

/** Waits `intervalMs`; after each failure twice as long, up to half a minute. */
export function createPoll(intervalMs: number): Poll {
  return (failures, signal) =>
    pause(Math.max(intervalMs, Math.min(maxPauseMs, intervalMs * 2 ** failures)), undefined, {
      signal,
    }).catch(() => undefined)
}

export interface Repetition {
  poll: Poll
  log: Log
  /** The warning for a fault. */
  what: string
  network: string
}

/** Repeats a step, and polls after a step that leaves nothing to do, and after a fault. Never throws. */
export async function repeat(
  step: () => Promise<boolean>,
  { poll, log, what, network }: Repetition,
  signal: AbortSignal,
): Promise<void> {
  let failures = 0
  while (!signal.aborted) {
    try {
      const hasMore = await step()
      failures = 0
      if (!hasMore) await poll(0, signal)
    } catch (fault) {
      const isUsual = isChainFault(fault)
      if (failures++ === 0 || !isUsual)
        log[isUsual ? 'warn' : 'error'](what, { network, fault: String(fault) })
      await poll(failures, signal)
    }
  }
}

import { setTimeout as pause } from 'node:timers/promises'

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

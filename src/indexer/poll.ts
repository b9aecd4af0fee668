import { setTimeout as pause } from 'node:timers/promises'

/** Waits before the next look at the chain; ends early when the signal fires. `failures` counts those in a row, 0 for none. */
export type Poll = (failures: number, signal: AbortSignal) => Promise<void>

const longestMs = 30_000

/** `intervalMs` between looks; after failures twice as long each time, half a minute at most. */
export function createPoll(intervalMs: number): Poll {
  return (failures, signal) =>
    pause(Math.max(intervalMs, Math.min(longestMs, intervalMs * 2 ** failures)), undefined, { signal }).catch(
      () => undefined,
    )
}

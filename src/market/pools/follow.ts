import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '../../domain/log.ts'

export interface FollowOptions {
  /** One look at the chain. */
  advance: () => Promise<void>
  /** Nobody asks: the node is left alone. */
  isIdle: () => boolean
  pollMs: number
  log: Log
}

const longestPauseMs = 5_000

/**
 * Keeps looking until `signal` aborts, and ends then at once. Faults are told and survived; the process is
 * not kept alive.
 */
export async function follow(options: FollowOptions, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await Promise.race([run(options, signal), once(signal, 'abort')])
}

async function run({ advance, isIdle, pollMs, log }: FollowOptions, signal: AbortSignal): Promise<void> {
  let failures = 0
  while (!signal.aborted) {
    try {
      if (!isIdle()) {
        await advance()
        if (failures > 0) log.info('the market is read again', { failures })
        failures = 0
      }
    } catch (fault) {
      if (failures++ === 0) log.warn('the market is not read', { fault: String(fault) })
    }
    const pauseMs = Math.min(Math.max(pollMs, longestPauseMs), pollMs * 2 ** failures)
    await pause(pauseMs, undefined, { signal, ref: false }).catch(() => undefined)
  }
}

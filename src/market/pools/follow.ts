import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '../../domain/log.ts'

export interface FollowOptions {
  /** Reads the pools of the newest block. */
  advance: () => Promise<void>
  /** Reports whether no client has requested pools lately, so that the node is not polled. */
  isIdle: () => boolean
  pollMs: number
  log: Log
}

const maxPauseMs = 5_000

/**
 * Polls until `signal` aborts, and then ends at once. Logs faults, with a back-off. The timers do not keep
 * the process alive.
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
        if (failures > 0) log.info('the pools are read again', { failures })
        failures = 0
      }
    } catch (fault) {
      if (failures++ === 0) log.warn('the pools could not be read', { fault: String(fault) })
    }
    const pauseMs = Math.min(Math.max(pollMs, maxPauseMs), pollMs * 2 ** failures)
    await pause(pauseMs, undefined, { signal, ref: false }).catch(() => undefined)
  }
}

import { setTimeout as pause } from 'node:timers/promises'
import { Outage } from '../domain/errors/error.ts'
import type { Clock, Log } from '../domain/log.ts'
import type { Block } from './chain.ts'

interface HeadListener {
  /**
   * Receives the newest block at every poll, also if it is unchanged. It is not called again before it has
   * resolved. It may throw.
   */
  onHead(head: Block): Promise<void>
  /**
   * Runs if the node is unavailable, or `onHead` has thrown twice in a row: one node of several may lag
   * behind the one that has the head.
   */
  onOutage(): void
}

/** The newest block for all listeners in this process: one poll, and only while there are listeners. */
export interface Heads {
  /** Adds a listener. @returns a function that removes it */
  listen(listener: HeadListener): () => void
  /** Polls at once. */
  wake(): void
  /**
   * Returns the newest block, at most one poll old. Simultaneous callers share one request.
   * @throws Outage
   */
  newest(): Promise<Block>
}

interface HeadsOptions {
  head(): Promise<Block>
  blockTimeMs: number
  now: Clock
  log: Log
}

const maxPauseMs = 5_000
/**
 * The time until which a lower block counts as that of a lagging node; later it counts as that of a shortened
 * chain.
 */
const lagMs = 1_000

export function createHeads({ head, blockTimeMs, now, log }: HeadsOptions): Heads {
  const pollMs = Math.min(1_000, Math.max(100, blockTimeMs / 10))
  const listeners = new Set<HeadListener>()
  const busy = new Set<HeadListener>()
  /** Listeners that were busy at a poll. The next poll starts as soon as they are free. */
  const late = new Set<HeadListener>()
  const failing = new Set<HeadListener>()
  let latest: { block: Block; seenAt: number } | undefined
  let isRunning = false
  let waiting = new AbortController()
  let reading: Promise<Block> | undefined

  async function readHead(): Promise<Block> {
    const block = await head()
    if (latest && block.number < latest.block.number && now() - latest.seenAt < lagMs) return latest.block
    latest = { block, seenAt: now() }
    return block
  }

  /** Notifies a listener. Never rejects. */
  async function notify(listener: HeadListener, block: Block): Promise<void> {
    busy.add(listener)
    try {
      await listener.onHead(block)
      failing.delete(listener)
    } catch (fault) {
      if (!(fault instanceof Outage)) log.error('a new block was not handled', { fault: String(fault) })
      if (failing.has(listener)) listener.onOutage()
      failing.add(listener)
    } finally {
      busy.delete(listener)
      if (late.delete(listener)) waiting.abort()
    }
  }

  async function poll(): Promise<boolean> {
    try {
      const block = await readHead()
      for (const listener of listeners) {
        if (busy.has(listener)) late.add(listener)
        else void notify(listener, block)
      }
      return true
    } catch (fault) {
      if (!(fault instanceof Outage)) log.error('the newest block was not read', { fault: String(fault) })
      for (const listener of listeners) listener.onOutage()
      return false
    }
  }

  async function run(): Promise<void> {
    for (let failures = 0; listeners.size > 0; ) {
      waiting = new AbortController()
      const { signal } = waiting
      failures = (await poll()) ? 0 : failures + 1
      const pauseMs = Math.max(pollMs, Math.min(maxPauseMs, pollMs * 2 ** failures))
      await pause(pauseMs, undefined, { signal, ref: false }).catch(() => undefined)
    }
    isRunning = false
    latest = undefined
  }

  return {
    listen(listener) {
      listeners.add(listener)
      if (!isRunning) {
        isRunning = true
        void run()
      }
      return () => {
        listeners.delete(listener)
        failing.delete(listener)
        if (listeners.size === 0) waiting.abort()
      }
    },
    wake: () => waiting.abort(),
    async newest() {
      if (latest && now() - latest.seenAt < pollMs) return latest.block
      reading ??= readHead().finally(() => {
        reading = undefined
      })
      return reading
    },
  }
}

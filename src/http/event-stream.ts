import type { ServerResponse } from 'node:http'

/**
 * Writes a part of a stream, and waits until it has left the process.
 * @param onStalled called for a client that reads nothing for `stalledMs`; without it the connection is
 *   closed
 * @returns whether the client is still connected
 */
export function send(
  res: ServerResponse,
  part: string,
  stalledMs: number,
  onStalled: () => void = () => res.destroy(),
): Promise<boolean> {
  if (res.destroyed) return Promise.resolve(false)
  return new Promise((resolve) => {
    const timer = setTimeout(onStalled, stalledMs)
    const settle = (isSent: boolean) => {
      clearTimeout(timer)
      res.off('close', onClose)
      resolve(isSent)
    }
    // Node does not call back after a write to a connection that was destroyed and has not closed yet.
    const onClose = () => settle(false)
    res.once('close', onClose)
    res.write(part, (error) => settle(!error))
  })
}

/** Calls each listener once per interval, spread over the interval. All of them share one timer. */
export interface Beats {
  /** Adds a listener. @returns a function that removes it */
  add(listener: () => void): () => void
}

const beatsPerInterval = 12

export function createBeats(intervalMs: number): Beats {
  const phases = Array.from({ length: beatsPerInterval }, () => new Set<() => void>())
  let now = 0
  let listeners = 0
  let timer: NodeJS.Timeout | undefined

  function beat(): void {
    now = (now + 1) % beatsPerInterval
    for (const listener of phases[now] ?? []) listener()
  }

  return {
    add(listener) {
      const slot = phases[(now + listeners) % beatsPerInterval] ?? new Set()
      slot.add(listener)
      if (listeners++ === 0) timer = setInterval(beat, Math.max(1, intervalMs / beatsPerInterval))
      return () => {
        if (!slot.delete(listener)) return
        if (--listeners === 0) clearInterval(timer)
      }
    },
  }
}

/** The counters of event streams. The metrics read them. */
export interface StreamMeter {
  open: number
  delivered: number
  /** The number of times that a stream waited because its client exceeded its cost units. */
  rests: number
  /** The streams that the service ended, by reason. */
  readonly ends: Map<string, number>
  ended(reason: string): void
}

export function createStreamMeter(): StreamMeter {
  const ends = new Map<string, number>()
  return {
    open: 0,
    delivered: 0,
    rests: 0,
    ends,
    ended: (reason) => void ends.set(reason, (ends.get(reason) ?? 0) + 1),
  }
}

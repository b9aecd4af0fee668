/** Calls each listener once per interval, spread over the interval. All of them share one timer. */
export interface Beats {
  /** Adds a listener. @returns a function that removes it */
  add(listener: () => void): () => void
}

const beatsPerInterval = 12

export function createBeats(intervalMs: number): Beats {
  const slots = Array.from({ length: beatsPerInterval }, () => new Set<() => void>())
  let now = 0
  let listeners = 0
  let timer: NodeJS.Timeout | undefined

  function beat(): void {
    now = (now + 1) % beatsPerInterval
    for (const listener of slots[now] ?? []) listener()
  }

  return {
    add(listener) {
      const slot = slots[(now + listeners) % beatsPerInterval] ?? new Set()
      slot.add(listener)
      if (listeners++ === 0) timer = setInterval(beat, Math.max(1, intervalMs / beatsPerInterval))
      return () => {
        if (!slot.delete(listener)) return
        if (--listeners === 0) clearInterval(timer)
      }
    },
  }
}

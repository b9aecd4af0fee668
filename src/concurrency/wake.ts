import { setTimeout as pause } from 'node:timers/promises'

/** A pause that others may end. */
export interface Wake {
  /** Ends the pause, or the next one if there is none. */
  wake(): void
  /** Waits so long at most, and less when `signal` aborts. @returns whether it was woken */
  pause(ms: number, signal: AbortSignal): Promise<boolean>
}

export function createWake(): Wake {
  let isAwake = false
  let waiting: AbortController | undefined
  return {
    wake() {
      isAwake = true
      waiting?.abort()
    },
    async pause(ms, signal) {
      if (!isAwake && !signal.aborted) {
        const own = new AbortController()
        waiting = own
        const end = () => own.abort()
        signal.addEventListener('abort', end, { once: true })
        await pause(ms, undefined, { signal: own.signal }).catch(() => undefined)
        signal.removeEventListener('abort', end)
        waiting = undefined
      }
      const wasWoken = isAwake
      isAwake = false
      return wasWoken
    },
  }
}

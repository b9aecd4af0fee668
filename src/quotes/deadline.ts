import { setMaxListeners } from 'node:events'
import { Refusal } from '../domain/errors/error.ts'

export interface Deadline {
  /** Aborts when the time is over, when `outer` aborts, and when it is ended. */
  signal: AbortSignal
  /** Nothing is waited for any more: whoever still works may stop. */
  end(): void
}

export function startDeadline(ms: number, outer?: AbortSignal): Deadline {
  const controller = new AbortController()
  // Everybody who is asked listens, and all are gone when the quote is.
  setMaxListeners(0, controller.signal)
  const end = () => {
    clearTimeout(timer)
    outer?.removeEventListener('abort', end)
    controller.abort()
  }
  const timer = setTimeout(end, ms)
  outer?.addEventListener('abort', end, { once: true })
  if (outer?.aborted) end()
  return { signal: controller.signal, end }
}

/** Resolves when the signal aborts, in the next turn: whatever is there by then was in time. */
export function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    const end = () => void setImmediate(() => resolve(undefined))
    if (signal.aborted) end()
    else signal.addEventListener('abort', end, { once: true })
  })
}

/**
 * What `work` comes to, if it does so in time; what is in memory is always in time. Nobody waits for it afterwards.
 * @throws Refusal Unavailable when time is over, and what `work` throws
 */
export async function inTime<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const done = work.then((value) => ({ value }))
  const first = await Promise.race([done, aborted(signal)])
  if (first) return first.value
  throw late()
}

export function late(): Refusal {
  return new Refusal('Unavailable', 'there was no answer in time: try again, or give more time')
}

import { setMaxListeners } from 'node:events'
import { Refusal } from '../domain/errors/error.ts'

export interface Deadline {
  /** Aborts when the time is over, when `outer` aborts, and when `end` is called. */
  signal: AbortSignal
  /** Aborts the signal: the result is no longer needed. */
  end(): void
}

export function startDeadline(ms: number, outer?: AbortSignal): Deadline {
  const controller = new AbortController()
  // Every estimator listens, until the quote ends: Node's warning about many listeners would be wrong.
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

/** Resolves one event loop turn after the signal aborts: results that exist by then are in time. */
export function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    const end = () => void setImmediate(() => resolve(undefined))
    if (signal.aborted) end()
    else signal.addEventListener('abort', end, { once: true })
  })
}

/**
 * The result of `work`, if it comes before `signal` aborts; a result in memory is always in time. A later one is ignored.
 * @throws Refusal Unavailable when time is over; errors of `work`
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

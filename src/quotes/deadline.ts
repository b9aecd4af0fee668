import { setMaxListeners } from 'node:events'
import { Refusal } from '../domain/errors/error.ts'

export interface Deadline {
  /** The signal that aborts after the time limit, when `outer` aborts, or when `end` is called. */
  signal: AbortSignal
  /** Aborts the signal when the result is no longer needed. */
  end(): void
}

export function startDeadline(ms: number, outer?: AbortSignal): Deadline {
  const controller = new AbortController()
  // Every estimator listens until the quote ends, so Node's warning about many listeners would be wrong.
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
 * Returns the result of `work` if it arrives before `signal` aborts; a result in memory is always in time.
 * Ignores a later one.
 * @throws Refusal Unavailable after the time limit; errors of `work`
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

import { TradegraphError } from './error.ts'

const firstMs = 250
const maxMs = 30_000

/** The pause before the next attempt. It doubles with each failure, is random, and honours `retryAfter`. */
export function backOffMs(failures: number, fault?: unknown): number {
  const doubled = Math.min(maxMs, firstMs * 2 ** failures)
  const random = doubled * (0.5 + Math.random() / 2)
  const { retryAfter = 0 } = fault instanceof TradegraphError ? fault : {}
  return Math.max(random, retryAfter * 1_000 * (1 + Math.random() / 10))
}

/** Waits. @throws the reason of the signal when it aborts */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }, ms)
    if (signal?.aborted) onAbort()
    else signal?.addEventListener('abort', onAbort, { once: true })
  })
}

/** Attempts of one request, the first one included. */
const maxAttempts = 4

/** A request is not repeated if the service asks for a longer pause. */
const maxPauseMs = 30_000

/**
 * Runs a request again while its error is retryable, a bounded number of times.
 * @param lost finds the result of an attempt whose answer was lost: after each pause, and when the service
 *   refuses with `code`, which means that an attempt has arrived
 */
export async function attempt<Result>(
  run: () => Promise<Result>,
  signal?: AbortSignal,
  lost?: { code: string; find: () => Promise<Result | undefined> },
): Promise<Result> {
  for (let failures = 0; ; failures++) {
    try {
      return await run()
    } catch (fault) {
      if (!(fault instanceof TradegraphError)) throw fault
      const waitMs = backOffMs(failures, fault)
      const mayRepeat = fault.retryable && failures + 1 < maxAttempts && waitMs <= maxPauseMs * 1.1
      if (mayRepeat) await pause(waitMs, signal)
      const found = mayRepeat || fault.code === lost?.code ? await lost?.find() : undefined
      if (found !== undefined) return found
      if (!mayRepeat) throw fault
    }
  }
}

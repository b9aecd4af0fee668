/**
 * Settles like `promise`, or throws `fault` as soon as the signal aborts. A later result or error is dropped.
 */
export async function abortable<T>(promise: Promise<T>, signal: AbortSignal, fault: () => Error): Promise<T> {
  let onAbort = () => {}
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(fault())
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
  })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

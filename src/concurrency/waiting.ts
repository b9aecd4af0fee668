/**
 * What is waited for, or `fault` as soon as the signal says that it is not waited for any longer. Whatever it
 * comes to after that is nobody's.
 */
export async function whileWaited<T>(
  promise: Promise<T>,
  signal: AbortSignal,
  fault: () => Error,
): Promise<T> {
  let stop = () => {}
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(fault())
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([promise, stopped])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

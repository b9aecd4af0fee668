/** Waits for a signal or a time. A signal that comes without a waiter ends the next wait at once. */
export function createWake(signal: AbortSignal) {
  let isDue = false
  let resolve: (() => void) | undefined
  const now = () => {
    isDue = true
    resolve?.()
  }
  signal.addEventListener('abort', now, { once: true })
  return {
    now,
    async wait(ms: number): Promise<void> {
      if (!isDue) {
        await new Promise<void>((done) => {
          const timer = setTimeout(done, ms)
          resolve = () => {
            clearTimeout(timer)
            done()
          }
        })
      }
      resolve = undefined
      isDue = false
    },
  }
}

/**
 * Slows the sources of an event stream down to the speed of its client. A source waits for `ready` before it produces
 * a message, so that messages do not pile up while the client does not read.
 */
export interface Backpressure {
  /** Resolves when the stream can take a message, or is closed. Counts the message that follows. */
  ready(): Promise<void>
  /** A message has left the process. */
  sent(): void
  /** Adds a subscription to this stream. @returns a function that removes it, or undefined when there are too many */
  begin(): (() => void) | undefined
  close(): void
}

/** Enough to keep the connection busy, few enough to hold in memory. */
const maxPendingMessages = 16

export function createBackpressure(maxSubscriptions: number): Backpressure {
  const waiting: (() => void)[] = []
  let pendingMessages = 0
  let subscriptions = 0
  let closed = false

  return {
    async ready() {
      while (!closed && pendingMessages >= maxPendingMessages) {
        await new Promise<void>((resolve) => waiting.push(resolve))
      }
      pendingMessages++
    },
    sent() {
      pendingMessages--
      waiting.shift()?.()
    },
    begin() {
      if (subscriptions >= maxSubscriptions) return undefined
      subscriptions++
      return () => {
        subscriptions--
      }
    },
    close() {
      closed = true
      for (const resume of waiting.splice(0)) resume()
    },
  }
}

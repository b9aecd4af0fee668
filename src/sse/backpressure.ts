/**
 * Between the sources of an event stream and the client that reads it. A source asks before it hands a message over:
 * while the client does not read, nothing is produced, so nothing piles up.
 */
export interface Backpressure {
  /** Resolves when the stream can take a message, or when it is over. Counts the message that follows. */
  ready(): Promise<void>
  /** A message has left the process. */
  sent(): void
  /** One more subscription on this stream. @returns how to say that it ended, or undefined when there are too many */
  begin(): (() => void) | undefined
  close(): void
}

/** Enough to keep the connection busy, little enough to forget. */
const messagesUnderWay = 16

export function createBackpressure(maxSubscriptions: number): Backpressure {
  const waiting: (() => void)[] = []
  let underWay = 0
  let subscriptions = 0
  let closed = false

  return {
    async ready() {
      while (!closed && underWay >= messagesUnderWay) {
        await new Promise<void>((resolve) => waiting.push(resolve))
      }
      underWay++
    },
    sent() {
      underWay--
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

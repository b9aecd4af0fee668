import type { Documents } from './documents.generated.ts'
import { serviceUrl } from './root.ts'

interface Follower<Result> {
  onResult(result: Result): void
  onLive?(isLive: boolean): void
  /** Entries behind the cursor were removed: the page has to read its data again. */
  onGap(): void
  /** The stream has ended for good. */
  onEnd?(reason: string): void
}

const firstWaitMs = 1_000
const maxWaitMs = 30_000

/**
 * Follows a stream across disconnects, without a gap if its entries have cursors.
 * @returns a function that ends it
 */
export function subscribe<Text extends keyof Documents & string>(
  query: Text,
  variables: Documents[Text]['variables'],
  follower: Follower<Documents[Text]['result']>,
): () => void {
  let lastEventId = ''
  let waitMs = firstWaitMs
  let source: EventSource | undefined
  let timer: ReturnType<typeof setTimeout> | undefined

  function open(): void {
    const search = new URLSearchParams({ query, variables: JSON.stringify(variables) })
    // Replaces `after`. The browser itself sends the last one when it reconnects.
    if (lastEventId !== '') search.set('lastEventId', lastEventId)
    source = new EventSource(serviceUrl(`graphql/stream?${search}`))
    source.addEventListener('open', () => {
      waitMs = firstWaitMs
      follower.onLive?.(true)
    })
    source.addEventListener('error', () => {
      follower.onLive?.(false)
      // A status other than 200, after which the browser does not retry.
      if (source?.readyState === EventSource.CLOSED) openLater()
    })
    source.addEventListener('next', ({ data: text, lastEventId: id }: MessageEvent<string>) => {
      const { data, errors } = JSON.parse(text)
      if (data) {
        lastEventId = id
        return follower.onResult(data)
      }
      source?.close()
      follower.onLive?.(false)
      const { message, extensions } = errors[0]
      if (extensions.code === 'FeedGap') follower.onGap()
      else if (extensions.reason || extensions.retryable) openLater()
      else follower.onEnd?.(message)
    })
  }

  function openLater(): void {
    clearTimeout(timer)
    timer = setTimeout(open, waitMs * (1 + Math.random()))
    waitMs = Math.min(2 * waitMs, maxWaitMs)
  }

  open()
  return () => {
    clearTimeout(timer)
    source?.close()
  }
}

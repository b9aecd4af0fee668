import type { Documents } from './documents.generated.ts'
import { serviceUrl } from './root.ts'

interface Follower<Result> {
  onResult(result: Result): void
  onLive?(isLive: boolean): void
  /** Entries behind the cursor were removed: what is shown has to be read anew. */
  onGap(): void
  /** It will not go on. */
  onEnd?(reason: string): void
}

const firstWaitMs = 1_000
const longestWaitMs = 30_000

/**
 * Follows a stream over all disconnects, without a gap where its entries have cursors.
 * @returns what ends it
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
    // Counts in place of `after`. The browser sends the last one by itself when it connects again.
    if (lastEventId !== '') search.set('lastEventId', lastEventId)
    source = new EventSource(serviceUrl(`graphql/stream?${search}`))
    source.addEventListener('open', () => {
      waitMs = firstWaitMs
      follower.onLive?.(true)
    })
    source.addEventListener('error', () => {
      follower.onLive?.(false)
      // An answer other than 200, after which the browser does not try again.
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
    waitMs = Math.min(2 * waitMs, longestWaitMs)
  }

  open()
  return () => {
    clearTimeout(timer)
    source?.close()
  }
}

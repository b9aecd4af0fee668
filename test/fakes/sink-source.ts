import type { ReadSinkPage, SinkEvent } from '../../src/notifications/sinks/sink.ts'

const labels = ['created', 'ready', 'traded']

/** The first entries of a feed in which two of three places belong to other feeds. */
export const sinkEvents = (count: number): SinkEvent[] =>
  Array.from({ length: count }, (_, index) => {
    const cursor = `${3 * index + 2}`
    return { cursor, json: `{"cursor":"${cursor}"}`, name: labels[index % 3] ?? '', chainId: 1 + (index % 2) }
  })

/** Pages of entries, which may grow. */
export const pagesOf =
  (events: readonly SinkEvent[], max = Number.POSITIVE_INFINITY): ReadSinkPage =>
  ({ after, first }) => {
    const place = after === 'earliest' ? 0 : Number(after)
    const from = events.findIndex(({ cursor }) => Number(cursor) > place)
    const page = from < 0 ? [] : events.slice(from, from + Math.min(first, max))
    const endCursor = page.at(-1)?.cursor ?? null
    return Promise.resolve({
      events: page,
      endCursor,
      hasNextPage: endCursor !== null && endCursor !== events.at(-1)?.cursor,
    })
  }

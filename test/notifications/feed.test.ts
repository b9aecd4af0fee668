import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Address } from '../../src/domain/evm/address.ts'
import { closeFeeds, createFeeds, type Feed, type Feeds } from '../../src/notifications/feed.ts'
import { openSignals, type Signals } from '../../src/storage/database/signals.ts'
import { type NewNotification, recordNotifications } from '../../src/storage/notifications.ts'
import { removeFeedEntries } from '../../src/storage/retention/events.ts'
import { type Entry, nextOf, streamOf } from '../fakes/feed-reading.ts'
import { numbered } from '../fakes/order.ts'
import { silentLog } from '../fakes/silent-log.ts'
import type { TestDatabase } from '../setup/database.ts'
import { eventually } from '../setup/eventually.ts'
import { openTestServer, type TestServer } from '../setup/server.ts'
import { graphql, request } from '../setup/trader.ts'

let server: TestServer
let database: TestDatabase
let signals: Signals
let feeds: Feeds
let feed: Feed
let accounts = 0
beforeAll(async () => {
  server = await openTestServer()
  database = server.database
  signals = await openSignals(database.url, silentLog)
  feeds = createFeeds({ db: database.db, signals, log: silentLog })
  feed = feeds.account
})
afterAll(async () => {
  closeFeeds(feeds)
  await signals.close()
  await server[Symbol.asyncDispose]()
})

interface FeedPage {
  cursor: string
  hasMore: boolean
  edges: { cursor: string; notification: Pick<Entry['notification'], 'message'> }[]
  pageInfo: { hasNextPage: boolean }
}

const question = `query ($account: Address!, $first: Int, $after: String) {
  notifications(account: $account, first: $first, after: $after) {
    cursor hasMore edges { cursor notification { message } } pageInfo { hasNextPage }
  }
}`

async function pageOf(account: Address, first: number, after: string | null): Promise<FeedPage> {
  const { notifications } = await graphql(server.url, question, { account, first, after })
  expect(notifications.pageInfo.hasNextPage).toBe(notifications.hasMore)
  return notifications
}

async function tell(account: Address, ...messages: string[]): Promise<void> {
  const items: NewNotification[] = messages.map((message) => ({
    account,
    cause: `${message}:${account}`,
    type: 'order_filled',
    message,
    timestamp: new Date(0),
    metadata: { orderId: '0x', chainId: 1 },
    blockNumber: null,
  }))
  await database.db.transaction((tx) => recordNotifications(tx, items))
}

/** An account with these notifications. */
async function accountWith(...messages: string[]): Promise<Address> {
  const account = numbered((0xa0 + accounts++).toString(16))
  await tell(account, ...messages)
  return account
}

/** The refusal of a request for a page. */
async function refusedBy(after: string) {
  const variables = { account: numbered('0f'), first: 9, after }
  const { body } = await request(`${server.url}/graphql`, 'POST', { query: question, variables })
  return body.errors[0]
}

const messagesOf = ({ edges }: FeedPage) => edges.map(({ notification }) => notification.message)

describe('a page', () => {
  test('without a cursor has the latest, oldest first, and ends at the present', async () => {
    const account = await accountWith('a', 'b', 'c')
    const page = await pageOf(account, 2, null)
    expect(messagesOf(page)).toEqual(['b', 'c'])
    expect(page.hasMore).toBe(false)
    await tell(account, 'd')
    expect(messagesOf(await pageOf(account, 9, page.cursor))).toEqual(['d'])
  })

  test('after a cursor continues there, and reports whether it is the last', async () => {
    const account = await accountWith('a', 'b', 'c', 'd')
    const first = await pageOf(account, 2, 'earliest')
    expect([messagesOf(first), first.hasMore]).toEqual([['a', 'b'], true])
    expect(first.cursor).toBe(first.edges[1]?.cursor)
    const second = await pageOf(account, 2, first.cursor)
    expect([messagesOf(second), second.hasMore]).toEqual([['c', 'd'], false])
    expect(await pageOf(account, 2, second.cursor)).toEqual({
      edges: [],
      cursor: second.cursor,
      hasMore: false,
      pageInfo: { hasNextPage: false },
    })
    expect(messagesOf(await pageOf(account, 9, first.edges[0]?.cursor ?? null))).toEqual(['b', 'c', 'd'])
  })

  test('before a cursor, read backwards, continues where it ends', async () => {
    const account = await accountWith('a', 'b', 'c', 'd')
    const whole = await pageOf(account, 9, 'earliest')
    const query = `query ($account: Address!, $before: String) {
      notifications(account: $account, last: 2, before: $before) {
        cursor hasMore edges { cursor notification { message } } pageInfo { hasNextPage hasPreviousPage }
      }
    }`
    const { notifications } = await graphql(server.url, query, { account, before: whole.edges[3]?.cursor })
    expect(messagesOf(notifications)).toEqual(['b', 'c'])
    expect(notifications.pageInfo).toEqual({ hasNextPage: true, hasPreviousPage: true })
    expect([notifications.cursor, notifications.hasMore]).toEqual([whole.edges[2]?.cursor, true])
    expect(messagesOf(await pageOf(account, 9, notifications.cursor))).toEqual(['d'])
  })

  test('of an account without notifications ends at the present', async () => {
    const account = await accountWith()
    const { edges, cursor } = await pageOf(account, 9, null)
    expect(edges).toEqual([])
    await tell(account, 'a')
    expect(messagesOf(await pageOf(account, 9, cursor))).toEqual(['a'])
  })

  test('and the pages after its cursor have every notification once, while others write', async () => {
    const account = await accountWith()
    const messages = Array.from({ length: 40 }, (_, index) => String(index))
    const pages: FeedPage[] = []
    let writing = true
    const writer = (async () => {
      for (const message of messages) await tell(account, message)
      writing = false
    })()
    while (writing) pages.push(await pageOf(account, 1_000, null))
    await writer
    expect(messagesOf(await pageOf(account, 1_000, 'earliest'))).toEqual(messages)
    for (const page of pages) {
      const rest = await pageOf(account, 1_000, page.cursor)
      expect([...messagesOf(page), ...messagesOf(rest)]).toEqual(messages)
    }
  })

  test('of one account has no notifications of another', async () => {
    const account = await accountWith('a')
    await accountWith('b')
    expect(messagesOf(await pageOf(account, 9, 'earliest'))).toEqual(['a'])
  })

  const malformed = ['', 'x', '1.', '.1', '1.2', '-1', ' 1', '1 ', '1\n', '+1', '01', '0x1', '1e3', 'latest']
  test.each([...malformed, '9223372036854775808'])('after "%s" is refused', async (after) => {
    const refusal = { name: 'Refusal', code: 'InvalidParameter', field: 'after' }
    const { code, field } = refusal
    expect((await refusedBy(after)).extensions).toMatchObject({ code, field })
    const stream = streamOf(feed, numbered('0f'), after)
    await expect(stream.next()).rejects.toMatchObject(refusal)
  })

  test('says of a cursor of the older form where to begin', async () => {
    expect((await refusedBy('812.44')).message).toContain('cursor of an older form')
  })

  test('after a place that no entry has reached is refused: the cursor is of another database', async () => {
    const account = await accountWith('a')
    const { cursor } = await pageOf(account, 1, null)
    await pageOf(account, 1, cursor)
    for (const future of [String(BigInt(cursor) + 1n), String(2n ** 63n - 1n)]) {
      const refusal = await refusedBy(future)
      expect(refusal.message).toContain('newer than this database')
      expect(refusal.extensions).toMatchObject({ code: 'InvalidParameter', field: 'after' })
      const stream = streamOf(feed, numbered('0f'), future)
      await expect(stream.next()).rejects.toMatchObject({ code: 'InvalidParameter' })
    }
  })

  test('of a feed whose entries are all removed ends where it ended before', async () => {
    const account = await accountWith('a')
    const { cursor } = await pageOf(account, 9, null)
    const later = { before: new Date(Date.now() + 60_000), limit: 1_000 }
    await removeFeedEntries(database.db, later)
    expect(await pageOf(account, 9, null)).toMatchObject({ edges: [], cursor })
    expect(await pageOf(account, 9, cursor)).toMatchObject({ edges: [], cursor })
    await tell(account, 'b')
    expect(messagesOf(await pageOf(account, 9, cursor))).toEqual(['b'])
  })
})

describe('a stream', () => {
  test('replays stored notifications, continues live, and ends with its abort signal', async () => {
    const account = await accountWith('a', 'b')
    const stop = new AbortController()
    const stream = streamOf(feed, account, 'earliest', stop)
    const next = async () => (await nextOf(stream)).notification.message
    expect([await next(), await next()]).toEqual(['a', 'b'])
    const live = next()
    await tell(account, 'c')
    expect(await live).toBe('c')
    const last = stream.next()
    stop.abort()
    expect(await last).toEqual({ done: true, value: undefined })
  })

  test('without a cursor begins at the present', async () => {
    const account = await accountWith('a')
    const stop = new AbortController()
    const stream = streamOf(feed, account, null, stop)
    const first = nextOf(stream)
    await eventually('the stream has begun', () => feed.state().followers === 1)
    await tell(account, 'b')
    expect((await first).notification.message).toBe('b')
    stop.abort()
  })

  test('that was left resumes at its cursor', async () => {
    const account = await accountWith('a', 'b', 'c')
    const before = streamOf(feed, account, 'earliest')
    const { cursor } = await nextOf(before)
    await before.return(undefined)
    const after = streamOf(feed, account, cursor)
    expect((await nextOf(after)).notification.message).toBe('b')
    await after.return(undefined)
  })
})

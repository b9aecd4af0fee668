import { expect, test } from 'vitest'
import { numbered } from '../fakes/order.ts'
import { storeNotification } from '../fakes/story.ts'
import { eventually } from '../setup/eventually.ts'
import { openTestServer, type TestServer } from '../setup/server.ts'
import { type EventReader, openEvents } from './events.ts'

const query = `subscription ($account: Address!, $after: String) {
  notifications(account: $account, after: $after) { cursor node { message } }
}`

const account = numbered('c1')

function open({ url }: TestServer, of: string, after?: string): Promise<EventReader> {
  const body = { query, variables: { account: of, after } }
  return openEvents(`${url}/graphql/stream`, { body })
}

/** How many of the statements since `from` are of which kind. */
function count({ database }: TestServer, from: number) {
  const sent = database.statements.slice(from)
  const of = (part: string) => sent.filter((sql) => sql.includes(part)).length
  const kinds = { reads: of('AS age'), texts: of('f.place = ANY('), pages: of('bytes_before') }
  return { ...kinds, others: sent.length - kinds.reads - kinds.texts - kinds.pages }
}

async function close(streams: readonly EventReader[]): Promise<void> {
  for (const stream of streams) await stream[Symbol.asyncDispose]()
}

test('idle streams cost no statement: one reader looks once a second for all of them', async () => {
  await using server = await openTestServer({}, { streamLimits: { perClient: 1_000 } })
  const streams = await Promise.all(
    Array.from({ length: 200 }, (_, index) => open(server, numbered((0x1000 + index).toString(16)))),
  )
  const from = server.database.statements.length
  const started = performance.now()
  await eventually('three looks', () => count(server, from).reads >= 3)
  const { reads, ...rest } = count(server, from)
  expect(rest).toEqual({ texts: 0, pages: 0, others: 0 })
  expect(reads).toBeLessThanOrEqual((performance.now() - started) / 1_000 + 1)
  await close(streams)
})

test('an event is read once for all of its subscribers', async () => {
  await using server = await openTestServer({}, { streamLimits: { perClient: 1_000 } })
  const streams = await Promise.all(Array.from({ length: 100 }, () => open(server, account)))
  // Another spelling of the same selection.
  const same = await openEvents(`${server.url}/graphql`, {
    body: {
      query: `subscription { notifications(account: "${account}") { ...F node { message } } } fragment F on NotificationEdge { cursor }`,
    },
  })
  const from = server.database.statements.length
  await storeNotification(server.database.db, account, 0)
  for (const stream of [...streams, same]) {
    const [event] = await stream.first(1)
    expect(event?.data.data.notifications.node).toEqual({ message: 'notification 0' })
  }
  expect(count(server, from)).toMatchObject({ texts: 1, pages: 0 })
  await close([...streams, same])
})

test('readers that come back share pages; those in memory need none', async () => {
  await using server = await openTestServer({}, { streamLimits: { perClient: 1_000 } })
  const total = 90
  for (let index = 0; index < total; index++) await storeNotification(server.database.db, account, index)
  const expected = Array.from({ length: total }, (_, index) => `notification ${index}`)
  const messages = (stream: EventReader) =>
    stream.events().map(({ data }) => data.data.notifications.node.message)

  let from = server.database.statements.length
  const streams = await Promise.all(Array.from({ length: 100 }, () => open(server, account, 'earliest')))
  for (const stream of streams) await stream.first(total)
  expect(streams.map(messages)).toEqual(streams.map(() => expected))
  const { pages, texts, others } = count(server, from)
  expect({ texts, others }).toEqual({ texts: 0, others: 0 })
  expect(pages).toBeLessThanOrEqual(30)

  // These are read by the process itself, and stay in memory.
  for (let index = 0; index < 20; index++) await storeNotification(server.database.db, account, total + index)
  for (const stream of streams) await stream.first(total + 20)
  const cursor = streams[0]?.events()[total - 1]?.id
  from = server.database.statements.length
  const back = await Promise.all(Array.from({ length: 100 }, () => open(server, account, cursor)))
  for (const stream of back) await stream.first(20)
  expect(count(server, from)).toMatchObject({ texts: 0, pages: 0, others: 0 })
  await close([...streams, ...back])
})

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { exportFeed } from '../../src/app/commands/export/export.ts'
import { removeFeedEntries } from '../../src/storage/retention/events.ts'
import { numbered, sampleOrder } from '../fakes/order.ts'
import { storeOrder } from '../fakes/stored-order.ts'
import { openTestServer, type TestServer } from '../setup/server.ts'
import { request } from '../setup/trader.ts'

const [first, second] = [numbered('a1'), numbered('a2')]
let server: TestServer
let feed: string
beforeAll(async () => {
  server = await openTestServer()
  feed = `${server.url}/sepolia/api/v1/feed`
  for (let index = 0; index < 5; index++)
    await storeOrder(
      server.database.db,
      sampleOrder({ owner: index % 2 ? second : first, validTo: 2_000_000_000 + index }),
    )
})
afterAll(() => server?.[Symbol.asyncDispose]())

interface Listed {
  cursor: string
  order: { uid: string; owner: string }
  event: { label: string }
}

/** Reads pages until the head. */
async function readAll(query: string) {
  const events: Listed[] = []
  let after = 'earliest'
  for (let pages = 1; ; pages++) {
    const { status, body } = await request(`${feed}?${query}&after=${after}`)
    expect(status).toBe(200)
    events.push(...body.events)
    after = body.cursor
    if (!body.hasMore) return { events, pages, cursor: after }
  }
}

test('pages have each event once, and end at the present', async () => {
  const { events, pages, cursor } = await readAll('limit=2')
  expect(events.map(({ event, order }) => [event.label, order.owner])).toEqual(
    [first, second, first, second, first].map((owner) => ['created', owner]),
  )
  expect(pages).toBe(3)
  const places = events.map((event) => Number(event.cursor))
  expect(places).toEqual([...new Set(places)].toSorted((a, b) => a - b))
  expect(Number(cursor)).toBeGreaterThanOrEqual(places.at(-1) ?? 0)
  const { body } = await request(`${feed}?after=${cursor}`)
  expect(body).toEqual({ events: [], cursor, hasMore: false })
})

test('filters choose events, and a page without any moves on', async () => {
  const all = await readAll('limit=100')
  const { events } = await readAll(`limit=100&owner=${second}&label=created&kind=sell&class=limit`)
  expect(events.map(({ order }) => order.owner)).toEqual([second, second])
  expect((await readAll(`owner=${second}&owner=${first}`)).events).toHaveLength(5)
  expect(await readAll('label=refunded')).toEqual({ events: [], pages: 1, cursor: all.cursor })
  for (const query of ['label=nonsense', 'owner=0x12', 'after=newest', 'limit=0'])
    expect((await request(`${feed}?${query}`)).status, query).toBe(400)
})

test('is an event stream that resumes behind its ids', async () => {
  const { events } = await readAll('limit=100')
  const read = async (headers: Record<string, string>, count: number) => {
    const ending = new AbortController()
    const response = await fetch(`${feed}?after=earliest`, {
      headers: { accept: 'text/event-stream', ...headers },
      signal: ending.signal,
    })
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    let text = ''
    for await (const chunk of response.body as ReadableStream<Uint8Array>) {
      text += new TextDecoder().decode(chunk)
      if (
        text.split('\n\n').filter((event) => event.includes('data:')).length >= count &&
        text.endsWith('\n\n')
      )
        break
    }
    ending.abort()
    return text.split('\n\n').filter((event) => event.includes('data:'))
  }
  const form = (event: Listed | undefined) => `id: ${event?.cursor}\ndata: ${JSON.stringify(event)}`
  expect(await read({}, 5)).toEqual(events.map(form))
  expect(await read({ 'last-event-id': events[3]?.cursor ?? '' }, 1)).toEqual([form(events[4])])
})

test('the export writes what the pages have', async () => {
  const out = mkdtempSync(path.join(tmpdir(), 'export-'))
  try {
    const none: readonly string[] = []
    await exportFeed(
      {
        out,
        format: 'jsonl',
        after: undefined,
        network: undefined,
        rows: '2',
        every: '60',
        label: none,
        owner: none,
        token: none,
        'app-code': none,
        referrer: none,
        class: none,
        kind: none,
        follow: false,
        'skip-gap': false,
      },
      {
        service: { url: server.url, timeoutMs: 10_000 },
        key: undefined,
        random: Math.random,
        print() {},
        warn() {},
      },
    )
    const lines = readdirSync(out)
      .filter((name) => name.endsWith('.jsonl'))
      .flatMap((name) => readFileSync(path.join(out, name), 'utf8').trim().split('\n'))
    expect(lines.map((line) => JSON.parse(line))).toEqual((await readAll('limit=100')).events)
  } finally {
    rmSync(out, { recursive: true })
  }
})

test('is refused behind entries that were removed, with the place to go on from', async () => {
  const { events } = await readAll('limit=100')
  const [early] = events
  await removeFeedEntries(server.database.db, { before: new Date(Date.now() + 86_400_000), limit: 1_000 })
  const { status, body } = await request(`${feed}?after=${early?.cursor}`)
  expect([status, body.errorType]).toEqual([410, 'FeedGap'])
  expect(Number(body.data.cursor)).toBeGreaterThanOrEqual(Number(events.at(-1)?.cursor))
  expect((await request(`${feed}?after=${body.data.cursor}`)).body).toMatchObject({
    events: [],
    hasMore: false,
  })
  const stream = await fetch(`${feed}?after=${early?.cursor}`, { headers: { accept: 'text/event-stream' } })
  expect(await stream.text()).toContain(`"errorType":"FeedGap"`)
})

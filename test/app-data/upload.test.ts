import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { keccakText } from '../../src/domain/evm/keccak.ts'
import { sweep } from '../../src/storage/retention/sweep.ts'
import { silentLog } from '../fakes/silent-log.ts'
import { storeOrder } from '../fakes/story.ts'
import { openTestServer, type TestServer } from '../setup/server.ts'

const dayMs = 86_400_000
const start = 1_800_000_000_000
let time = start
let clients = 0
let server: TestServer
beforeAll(async () => {
  server = await openTestServer({}, { now: () => time, isTrustedProxy: (address) => address === '127.0.0.1' })
})
afterAll(() => server?.[Symbol.asyncDispose]())

const newClient = () => `198.51.100.${++clients}`
/** What compresses to no less than half. */
const newDocument = (bytes = 40) =>
  JSON.stringify({
    appCode: randomBytes(20).toString('hex'),
    metadata: { x: randomBytes(bytes / 2).toString('hex') },
  })

async function upload(document: string, client: string) {
  const response = await fetch(`${server.url}/sepolia/api/v1/app_data`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': client },
    body: JSON.stringify({ fullAppData: document }),
  })
  return { status: response.status, headers: response.headers, body: await response.json() }
}

const isStored = async (document: string) =>
  (await fetch(`${server.url}/sepolia/api/v1/app_data/${keccakText(document)}`)).status === 200

const days = {
  events: 0,
  competitions: 0,
  marketPrices: 0,
  feed: 0,
  quotes: 1,
  idempotencyKeys: 1,
  deliveries: 1,
}
const sweepAt = (at: number) => {
  time = at
  const { db } = server.database
  const options = { db, networks: [], days, now: () => at, log: silentLog }
  return sweep(options, new AbortController().signal)
}

test('a client has so many bytes of documents that no order names, and an order frees its own', async () => {
  const [client, other] = [newClient(), newClient()]
  const documents: string[] = []
  let last = await upload(newDocument(7_000), client)
  for (; last.status === 201; last = await upload(documents.at(-1) ?? '', client))
    documents.push(newDocument(7_000))
  expect([last.status, last.body.errorType, last.body.data.limit]).toEqual([429, 'RateLimited', 'documents'])
  expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(60)
  // Of 400,000 bytes: as they are stored, compressed, with what a row takes beside.
  expect(documents.length).toBeGreaterThan(40)
  expect(documents.length).toBeLessThan(120)
  expect((await upload(newDocument(7_000), other)).status).toBe(201)

  const [named] = documents
  await storeOrder(server.database.db, { appData: keccakText(named ?? '') })
  expect((await upload(newDocument(7_000), client)).status).toBe(201)
  expect((await upload(newDocument(7_000), client)).status).toBe(429)
})

test('a document that no order names ends after its days; one that is named, or uploaded again, stays', async () => {
  const client = newClient()
  const [unused, named, again, early] = Array.from({ length: 4 }, () => newDocument()) as [
    string,
    string,
    string,
    string,
  ]
  await storeOrder(server.database.db, { appData: keccakText(early) })
  for (const document of [unused, named, again, early]) await upload(document, client)
  await storeOrder(server.database.db, { appData: keccakText(named) })
  await sweepAt(start + 80 * dayMs)
  for (const document of [unused, named, again, early]) expect(await isStored(document)).toBe(true)
  expect((await upload(again, client)).status).toBe(200)
  const removed = await sweepAt(start + 90.1 * dayMs)
  expect(removed.app_data).toBeGreaterThan(0)
  const stored = await Promise.all([unused, named, again, early].map(isStored))
  expect(stored).toEqual([false, true, true, true])
  await sweepAt(start + 171 * dayMs)
  expect(await isStored(again)).toBe(false)
})

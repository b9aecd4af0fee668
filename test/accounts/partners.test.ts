import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { operatorCheck, requireAccess } from '../../src/graphql/context/access.ts'
import { openDatabase } from '../../src/storage/database/database.ts'
import { clientOf, jsonOf, left, openLimited } from '../execution/admission/client.ts'
import { numbered } from '../fakes/order.ts'
import { silentLog } from '../fakes/silent-log.ts'
import { storeNotification, storeSettledOrder } from '../fakes/story.ts'
import { openLine } from '../http/client.ts'
import { connectDirectly } from '../setup/database.ts'
import { eventually } from '../setup/eventually.ts'
import { startHangingProxy } from '../setup/hanging-proxy.ts'
import type { TestServer } from '../setup/server.ts'
import { ask } from '../setup/session.ts'
import { openEvents } from '../sse/events.ts'

const operatorKey = 'operator-key-of-16-or-more'
const isOperator = operatorCheck(operatorKey)
const started = 1_800_000_000_000
const lines: unknown[] = []
const keep = (message: string, fields?: object) => void lines.push({ message, ...fields })
const log = { ...silentLog, debug: keep, info: keep, warn: keep, error: keep }

let at = started
const access = { currentAuction: 'operator', simulation: 'public', bookFeed: 'partners' } as const
const common = { now: () => at, isOperator, log, partnerTimes: { writeMs: 20 } }

let server: TestServer
beforeAll(async () => {
  server = await openLimited({}, { ...common, access, accessLog: (request) => keep('request', request) })
})
afterAll(() => server[Symbol.asyncDispose]())
beforeEach(() => {
  // Each test begins with full buckets.
  at += 3_600_000
})

const fields =
  'id name prefix costUnitsPerSecond streams createdAt previousUntil revokedAt lastUsedAt requests costUnits events'
const operate = (query: string, input: object) =>
  ask(server.url, query, { input }, operatorKey).then(({ data, errors }) => {
    if (errors) throw new Error(errors[0]?.extensions.code)
    return Object.values(data)[0] as { key: string; partnerKey: Record<string, unknown> & { id: string } }
  })
const create = (input: object) =>
  operate(
    `mutation ($input: CreatePartnerKeyInput!) { createPartnerKey(input: $input) { key partnerKey { ${fields} } } }`,
    { name: 'Archive', ...input },
  )
const rotate = (input: object) =>
  operate(
    `mutation ($input: RotatePartnerKeyInput!) { rotatePartnerKey(input: $input) { key partnerKey { ${fields} } } }`,
    input,
  )
const change = (input: object) =>
  operate(
    `mutation ($input: ChangePartnerKeyInput!) { changePartnerKey(input: $input) { partnerKey { ${fields} } } }`,
    input,
  )
const revoke = (id: string) =>
  operate(
    `mutation ($input: RevokePartnerKeyInput!) { revokePartnerKey(input: $input) { partnerKey { ${fields} } } }`,
    { id },
  )

async function listed(id: string) {
  const query = `{ partnerKeys(first: 100) { nodes { ${fields} } } }`
  const { data } = await ask(server.url, query, {}, operatorKey)
  return data.partnerKeys.nodes.find((key: { id: string }) => key.id === id)
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
const query = (text: string, headers: Record<string, string>) => ({
  method: 'POST',
  body: JSON.stringify({ query: text }),
  headers,
})
let lastAddress = 0
const newClient = (of: Pick<TestServer, 'url'> = server) => clientOf(of, `198.51.100.${++lastAddress}`)

/** The bucket of cost units that a request with this key is counted in; 100 is that of an address. */
async function bucketOf(key: string, more: Record<string, string> = {}, of?: Pick<TestServer, 'url'>) {
  const { headers } = await newClient(of).send('/graphql', query('{ version }', { ...bearer(key), ...more }))
  return Number(/"reads";q=(\d+)/.exec(String(headers['ratelimit-policy']))?.[1])
}

const account = numbered('0f')
const feed = `subscription { notifications(account: "${account}", after: "earliest") { cursor } }`
const stream = (address: string, key?: string, query = feed) =>
  openEvents(`${server.url}/graphql/stream?${new URLSearchParams({ query })}`, {
    headers: { 'x-forwarded-for': address, ...(key !== undefined && bearer(key)) },
  })

describe('the key of a partner', () => {
  test('is shown once, and stored as a hash', async () => {
    const { key, partnerKey } = await create({ name: 'Archive', costUnitsPerSecond: 200, streams: 3 })
    expect(key).toMatch(/^tgp_[\w-]{43}$/)
    expect(partnerKey).toEqual({
      id: expect.any(String),
      name: 'Archive',
      prefix: key.slice(0, 10),
      costUnitsPerSecond: 200,
      streams: 3,
      createdAt: new Date(at).toISOString().replace('.000', ''),
      previousUntil: null,
      revokedAt: null,
      lastUsedAt: null,
      requests: 0,
      costUnits: 0,
      events: 0,
    })
    expect(await listed(partnerKey.id)).toEqual(partnerKey)
    await using client = await connectDirectly(server.database.url)
    const { rows } = await client.query('SELECT p.*, p::text AS text FROM partner_keys p WHERE id = $1', [
      partnerKey.id,
    ])
    expect(rows[0].key_hash).toEqual(createHash('sha256').update(key).digest())
    expect(rows[0].text).toContain(key.slice(0, 10))
    expect(rows[0].text).not.toContain(key.slice(0, 11))
  })

  test('is for the operator alone to create, change, revoke and list', async () => {
    const { key, partnerKey } = await create({})
    const input = `input: { id: "${partnerKey.id}" }`
    for (const text of [
      'mutation { createPartnerKey(input: { name: "mine" }) { key } }',
      `mutation { rotatePartnerKey(${input}) { key } }`,
      `mutation { changePartnerKey(${input}) { partnerKey { id } } }`,
      `mutation { revokePartnerKey(${input}) { partnerKey { id } } }`,
      '{ partnerKeys { nodes { id } } }',
    ])
      for (const sent of [undefined, key])
        expect((await ask(server.url, text, {}, sent)).errors?.[0]?.extensions.code, text).toBe(
          'Unauthorized',
        )
  })

  test('is listed in pages, newest first', async () => {
    const first = await create({ name: 'first' })
    at += 1_000
    const second = await create({ name: 'second' })
    const page = async (after: string | null) => {
      const text =
        'query ($after: String) { partnerKeys(first: 1, after: $after) { nodes { id } pageInfo { endCursor hasNextPage } } }'
      return (await ask(server.url, text, { after }, operatorKey)).data.partnerKeys
    }
    const newest = await page(null)
    expect(newest.nodes).toEqual([{ id: second.partnerKey.id }])
    expect(newest.pageInfo.hasNextPage).toBe(true)
    expect((await page(newest.pageInfo.endCursor)).nodes).toEqual([{ id: first.partnerKey.id }])
  })

  test('is refused with limits that are none, and an unknown id', async () => {
    await expect(create({ costUnitsPerSecond: 0 })).rejects.toThrow('InvalidParameter')
    await expect(create({ streams: 100_001 })).rejects.toThrow('InvalidParameter')
    await expect(create({ name: 'two\nlines' })).rejects.toThrow('InvalidParameter')
    const id = '00000000-0000-4000-8000-000000000000'
    await expect(rotate({ id })).rejects.toThrow('NotFound')
    await expect(revoke(id)).rejects.toThrow('NotFound')
    await expect(change({ id, name: 'other' })).rejects.toThrow('NotFound')
  })

  test('works beside the next one for the time of overlap', async () => {
    const first = await create({ costUnitsPerSecond: 200 })
    const { id } = first.partnerKey
    const second = await rotate({ id, overlapSeconds: 60 })
    expect(second.partnerKey).toMatchObject({
      id,
      prefix: second.key.slice(0, 10),
      previousUntil: new Date(at + 60_000).toISOString().replace('.000', ''),
    })
    expect([await bucketOf(first.key), await bucketOf(second.key)]).toEqual([400, 400])
    at += 59_999
    expect(await bucketOf(first.key)).toBe(400)
    at += 1
    expect([await bucketOf(first.key), await bucketOf(second.key)]).toEqual([100, 400])
    const third = await rotate({ id, overlapSeconds: 0 })
    expect([await bucketOf(second.key), await bucketOf(third.key)]).toEqual([100, 400])
  })

  test('ends with its revocation, at other processes within ten seconds', async () => {
    await using other = await openLimited({}, { ...common, db: server.database.db })
    const { key, partnerKey } = await create({ costUnitsPerSecond: 200 })
    expect([await bucketOf(key), await bucketOf(key, {}, other)]).toEqual([400, 400])
    const { partnerKey: revoked } = await revoke(partnerKey.id)
    expect(revoked.revokedAt).toBe(new Date(at).toISOString().replace('.000', ''))
    expect(await bucketOf(key)).toBe(100)
    at += 10_000
    expect(await bucketOf(key, {}, other)).toBe(100)
    await expect(rotate({ id: partnerKey.id })).rejects.toThrow('NotFound')
  })

  test('takes its new limits at once', async () => {
    const { key, partnerKey } = await create({ costUnitsPerSecond: 200 })
    expect(await bucketOf(key)).toBe(400)
    expect((await change({ id: partnerKey.id, costUnitsPerSecond: 7 })).partnerKey).toMatchObject({
      name: 'Archive',
      costUnitsPerSecond: 7,
      streams: null,
    })
    expect(await bucketOf(key)).toBe(14)
    await change({ id: partnerKey.id, costUnitsPerSecond: null })
    expect(await bucketOf(key)).toBe(100)
  })

  test('does not count from pages of other origins', async () => {
    const { key } = await create({ costUnitsPerSecond: 200 })
    expect(await bucketOf(key, { origin: 'https://evil.example' })).toBe(100)
    expect(await bucketOf(key, { origin: 'https://trade.example' })).toBe(400)
  })

  test('is read once, however many requests it has', async () => {
    const { key } = await create({})
    const reads = () => server.database.statements.filter((sql) => /SELECT.*"partner_keys"/.test(sql)).length
    const before = reads()
    await using line = openLine(server.url)
    const head = `host: trade.example\r\nauthorization: Bearer ${key}`
    line.write(`GET /graphql?query=%7Bversion%7D HTTP/1.1\r\n${head}\r\n\r\n`.repeat(20))
    await eventually('all are answered', () => line.text.split('HTTP/1.1 200').length === 21)
    expect(reads() - before).toBe(1)
  })

  test('that is not known counts as none, and costs its address a unit for the read', async () => {
    const client = newClient()
    const unknown = `tgp_${'x'.repeat(43)}`
    const first = await client.send('/graphql', query('{ version }', bearer(unknown)))
    expect([jsonOf(first).data.version, left(first)]).toEqual(['test-build', 98])
    expect(left(await client.send('/graphql', query('{ version }', bearer(unknown))))).toBe(97)
    // Another text is not read.
    expect(left(await client.send('/graphql', query('{ version }', bearer('tgp_short'))))).toBe(96)
    await client.exhaust()
    const further = bearer(`tgp_${'y'.repeat(43)}`)
    expect((await client.send('/graphql', query('{ version }', further))).status).toBe(429)
  })

  test('is in no log', async () => {
    const { key } = await create({})
    await bucketOf(key)
    await newClient().send('/sepolia/api/v1/version', { headers: { 'x-api-key': key } })
    await eventually('the requests are logged', () => JSON.stringify(lines).includes('api/v1/version'))
    expect(JSON.stringify(lines)).not.toContain('tgp_')
  })
})

describe('the limits of a partner', () => {
  test('are apart from those of its address, and the same at all addresses', async () => {
    const { key } = await create({ costUnitsPerSecond: 10 })
    const client = newClient()
    const asPartner = () => client.send('/graphql', query('{ version }', bearer(key)))
    expect(left(await asPartner())).toBe(19)
    await client.exhaust()
    expect(left(await asPartner())).toBe(18)
    const other = newClient()
    for (let count = 0; count < 18; count++) await other.send('/graphql', query('{ version }', bearer(key)))
    expect((await asPartner()).status).toBe(429)
    // Less the unit for the read of the key.
    expect(left(await other.graphql('{ version }'))).toBe(99)
  })

  test('bound its streams apart', async () => {
    const { key } = await create({ streams: 1 })
    await using first = await stream('203.0.113.1', key)
    await using second = await stream('203.0.113.2', key)
    await using other = await stream('203.0.113.1')
    expect([first.status, second.status, other.status]).toEqual([200, 429, 200])
  })
})

describe('what is counted', () => {
  test('is requests, cost units and events, with the last use', async () => {
    await storeNotification(server.database.db, account, 1)
    await storeNotification(server.database.db, account, 2)
    const { key, partnerKey } = await create({})
    await bucketOf(key)
    await newClient().send('/graphql', query('{ a: version b: version c: version }', bearer(key)))
    const counted = await eventually('the requests are counted', async () => {
      const now = await listed(partnerKey.id)
      return now.requests === 2 && now
    })
    expect(counted).toMatchObject({ costUnits: 4, events: 0, lastUsedAt: expect.any(String) })
    const events = await stream('203.0.113.3', key)
    await events.first(2)
    await eventually('the events are counted', async () => (await listed(partnerKey.id)).events === 2)
    await events[Symbol.asyncDispose]()
    await eventually('the stream is counted', async () => (await listed(partnerKey.id)).requests === 3)
  })

  test('is written when the process ends', async () => {
    const { key, partnerKey } = await create({})
    const other = await openLimited({}, { ...common, db: server.database.db, partnerTimes: {} })
    await bucketOf(key, {}, other)
    expect((await listed(partnerKey.id)).requests).toBe(0)
    await other[Symbol.asyncDispose]()
    expect((await listed(partnerKey.id)).requests).toBe(1)
  })

  test('is also each request with a key, by its result, in the metrics', async () => {
    await using other = await openLimited({}, { ...common, db: server.database.db })
    const { key } = await create({})
    await bucketOf(key, {}, other)
    await bucketOf(`tgp_${'z'.repeat(43)}`, {}, other)
    const text = (await newClient(other).send('/metrics')).bytes.toString()
    expect(text).toContain('tradegraph_partner_requests_total{result="accepted"} 1')
    expect(text).toContain('tradegraph_partner_requests_total{result="refused"} 1')
  })
})

test('the streams of a revoked key end', async () => {
  const { key, partnerKey } = await create({})
  await using events = await stream('203.0.113.4', key)
  await using rest = await stream('203.0.113.4')
  await revoke(partnerKey.id)
  await eventually('the stream ends', () => events.isClosed())
  expect(events.text()).toContain('SHUTTING_DOWN')
  expect(rest.isClosed()).toBe(false)
})

test('while the database is away, a known partner goes on, and an unknown key gets Unavailable', async () => {
  const { key } = await create({ costUnitsPerSecond: 200 })
  await using proxy = await startHangingProxy(server.database.url)
  const db = openDatabase({ url: proxy.url, maxConnections: 2 })
  await using other = await openLimited({}, { ...common, db })
  expect(await bucketOf(key, {}, other)).toBe(400)
  proxy.hang()
  at += 60_000
  expect(await bucketOf(key, {}, other)).toBe(400)
  const unknown = await newClient(other).send(
    '/graphql',
    query('{ version }', bearer(`tgp_${'w'.repeat(43)}`)),
  )
  expect([unknown.status, jsonOf(unknown).errors[0].extensions.code]).toEqual([503, 'Unavailable'])
  await db.close()
}, 60_000)

test('the feed of the book is read with the key of a partner', async () => {
  await storeSettledOrder(server.database.db, 9n, account)
  const { key } = await create({})
  const page = '{ bookEvents(first: 1) { nodes { event { label } } } }'
  expect((await ask(server.url, page)).errors?.[0]?.extensions.code).toBe('Unauthorized')
  const statements = server.database.statements.length
  for (const sent of [key, operatorKey])
    expect((await ask(server.url, page, {}, sent)).data.bookEvents.nodes).toEqual([
      { event: { label: 'CREATED' } },
    ])
  // The text of the database: no resolver has read anything. Streams of other tests may read the feed.
  const read = server.database.statements.slice(statements).filter((sql) => /order_events/.test(sql))
  expect(read.map((sql) => sql.includes('"nodes"'))).toEqual([true, true])
  const live = 'subscription { bookEvents(after: "earliest") { event { label } } }'
  await using refused = await stream('203.0.113.5', undefined, live)
  await eventually('a refusal', () => refused.text().includes('Unauthorized'))
  await using events = await stream('203.0.113.5', key, live)
  const [first] = await events.first(1)
  expect(first?.data.data.bookEvents.event.label).toBe('CREATED')
})

test('a partner has webhooks of its own, which others do not see', async () => {
  const [one, other] = [await create({ name: 'One' }), await create({ name: 'Other' })]
  const mutate = (key: string, text: string, input: object) => ask(server.url, text, { input }, key)
  const add = (key: string, name: string) =>
    mutate(
      key,
      `mutation ($input: CreateBookWebhookInput!) { createBookWebhook(input: $input) { secret webhook { id name partner } } }`,
      { name, url: 'https://hooks.example.com/book' },
    )
  const codeOf = ({ errors }: { errors?: { extensions: { code: string } }[] }) => errors?.[0]?.extensions.code
  const { createBookWebhook: made } = (await add(one.key, 'first')).data
  expect(made.webhook).toMatchObject({ name: 'first', partner: 'One' })
  expect(codeOf(await add(other.key, 'first'))).toBe('InvalidParameter')
  expect((await add(one.key, 'second')).errors).toBeUndefined()
  expect(codeOf(await add(one.key, 'third'))).toBe('InvalidParameter')
  expect((await add(operatorKey, 'ours')).data.createBookWebhook.webhook.partner).toBeNull()

  const names = async (key: string) =>
    (await ask(server.url, '{ bookWebhooks { name } }', {}, key)).data.bookWebhooks.map(
      ({ name }: { name: string }) => name,
    )
  expect(await names(one.key)).toEqual(['first', 'second'])
  expect(await names(other.key)).toEqual([])
  expect(await names(operatorKey)).toEqual(['first', 'second', 'ours'])
  const { id } = made.webhook
  const pause =
    'mutation ($input: BookWebhookInput!) { pauseBookWebhook(input: $input) { webhook { isPaused } } }'
  const remove = 'mutation ($input: BookWebhookInput!) { deleteBookWebhook(input: $input) { id } }'
  for (const change of [pause, remove])
    expect(codeOf(await mutate(other.key, change, { id }))).toBe('NotFound')
  expect((await mutate(one.key, pause, { id })).data.pauseBookWebhook.webhook).toEqual({ isPaused: true })
  expect((await mutate(operatorKey, remove, { id })).errors).toBeUndefined()
  expect(await names(one.key)).toEqual(['second'])
  expect(codeOf(await mutate('', pause, { id }))).toBe('Unauthorized')
})

test('a page of the book costs ten units more under a filter', async () => {
  const { key } = await create({})
  const client = newClient()
  async function costOf(args: string): Promise<number> {
    const before = left(await client.send('/graphql', query('{ version }', bearer(key))))
    const page = query(`{ bookEvents(${args}) { nodes { event { label } } } }`, bearer(key))
    return before - left(await client.send('/graphql', page))
  }
  const plain = await costOf('first: 1')
  expect(plain).toBeLessThan(5)
  // No entry meets it.
  expect(await costOf('first: 1, filter: { appCodes: ["nothing"] }')).toBe(plain + 10)
})

test('the feed of the book may be for partners and the operator', () => {
  const partner = { id: 'a', name: 'Archive', limits: { costUnitsPerSecond: null, streams: null } }
  const askAs = (more: object) => () =>
    requireAccess('bookFeed', { access, apiKey: undefined, isOperator, ...more })
  const refusal = { code: 'Unauthorized', message: expect.stringContaining('send a partner’s key') }
  expect(askAs({})).toThrow(expect.objectContaining(refusal))
  expect(askAs({ apiKey: `tgp_${'x'.repeat(43)}` })).toThrow(expect.objectContaining(refusal))
  for (const more of [{ partner }, { apiKey: operatorKey }, { restricted: true }])
    expect(askAs(more)).not.toThrow()
  expect(() => requireAccess('currentAuction', { access, apiKey: undefined, isOperator, partner })).toThrow(
    expect.objectContaining({ code: 'Unauthorized' }),
  )
})

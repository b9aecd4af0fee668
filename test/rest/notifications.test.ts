import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../src/storage/database/database.ts'
import { numbered, sampleOrder } from '../fakes/order.ts'
import { recordStatements } from '../fakes/sent-statements.ts'
import { connectDirectly } from '../setup/database.ts'
import { openTestServer, type TestServer } from '../setup/server.ts'
import { graphql } from '../setup/trader.ts'

// An account with many notifications, read through the public interfaces.
const owner = numbered('3d')
const count = 100_000
const start = Date.UTC(2027, 0, 1)
const at = (index: number) => new Date(start + index * 1_000).toISOString().replace('.000Z', 'Z')
const rare = sampleOrder({ owner }).uid
let server: TestServer
const recording = recordStatements()

beforeAll(async () => {
  server = await openTestServer({}, { isNew: true })
  const account = Buffer.from(owner.slice(2), 'hex')
  const { db } = server.database
  await sql(db).$executeRaw`ALTER TABLE notifications DISABLE TRIGGER USER`
  for (let from = 0; from < count; from += 10_000)
    await sql(db).$executeRaw`
      INSERT INTO notifications (cause, chain_id, account, type, message, timestamp, metadata)
      SELECT 'c' || i, 11155111, ${account}, CASE WHEN i % 25000 = 3 THEN 'order_expired' ELSE 'order_partially_filled' END, 'm' || i,
        ${new Date(start)}::timestamptz + i * interval '1 second',
        jsonb_build_object('chainId', 11155111, 'orderId', CASE WHEN i % 50000 = 7 THEN ${rare} ELSE '0x' || repeat(to_char(i % 100, 'FM00'), 56) END)
      FROM generate_series(${from}::int, ${from + 9_999}::int) i`
  await sql(db).$executeRaw`ANALYZE notifications`
}, 60_000)
afterAll(async () => {
  recording.end()
  await server?.[Symbol.asyncDispose]()
})

const query = `query ($account: Address!, $filter: NotificationFilter, $first: Int, $last: Int, $after: String) {
  account(address: $account) { notificationHistory(filter: $filter, first: $first, last: $last, after: $after) {
    nodes { message timestamp type } pageInfo { endCursor hasNextPage } } } }`

async function read(filter: object | null, page: object = { first: 5 }) {
  const data = await graphql(server.url, query, { account: owner, filter, ...page })
  return data.account.notificationHistory
}
const messages = async (filter: object | null, page?: object) =>
  (await read(filter, page)).nodes.map(({ message }: { message: string }) => message)

describe('the history of notifications', () => {
  test('is newest first, and goes on behind a cursor without gap or repetition', async () => {
    const first = await read(null)
    expect(first.nodes.map(({ message }: { message: string }) => message)).toEqual([
      'm99999',
      'm99998',
      'm99997',
      'm99996',
      'm99995',
    ])
    expect(first.nodes[0].timestamp).toBe(at(99_999))
    expect(await messages(null, { first: 2, after: first.pageInfo.endCursor })).toEqual(['m99994', 'm99993'])
    expect(await messages(null, { last: 2 })).toEqual(['m1', 'm0'])
  })

  test.each<[string, object, string[]]>([
    ['type', { types: ['ORDER_EXPIRED'] }, ['m75003', 'm50003', 'm25003', 'm3']],
    [
      'a type of which there is none, and another',
      { types: ['ORDER_FILLED', 'ORDER_EXPIRED', 'ORDER_EXPIRED'] },
      ['m75003', 'm50003', 'm25003', 'm3'],
    ],
    ['order', { orderUid: rare }, ['m50007', 'm7']],
    ['order and type', { orderUid: rare, types: ['ORDER_EXPIRED'] }, []],
    ['time', { from: at(10), until: at(13) }, ['m12', 'm11', 'm10']],
    ['type and time', { types: ['ORDER_EXPIRED'], until: at(25_003) }, ['m3']],
    ['order and time', { orderUid: rare, from: at(8) }, ['m50007']],
  ])('is filtered by %s, in one statement', async (_, filter, found) => {
    const [sent, ...others] = await recording.of(async () => expect(await messages(filter)).toEqual(found))
    expect(others).toEqual([])
    await using client = await connectDirectly(server.database.url)
    const { rows } = await client.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${sent?.text}`, sent?.values)
    const { Plan } = rows[0]['QUERY PLAN'][0]
    // Of some 3,000 pages that the account's notifications have.
    expect(Plan['Shared Hit Blocks'] + Plan['Shared Read Blocks']).toBeLessThan(100)
  })

  test('refuses a filter without a type', async () => {
    await expect(read({ types: [] })).rejects.toThrow(/InvalidParameter|BAD_USER_INPUT|at least one/)
  })
})

test('REST gives the newest thousand, which a client may keep for five minutes and then confirm', async () => {
  const url = `${server.url}/accounts/${owner}/notifications`
  const first = await fetch(url)
  expect(first.headers.get('cache-control')).toBe('public, max-age=300')
  const list = (await first.json()) as { message: string; type: string }[]
  expect([list.length, list[0]?.message, list[0]?.type]).toEqual([1_000, 'm99999', 'order_partially_filled'])
  const tag = first.headers.get('etag') ?? ''
  const again = await fetch(url, { headers: { 'if-none-match': tag } })
  expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', tag])
})

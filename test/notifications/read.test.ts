import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Address } from '../../src/domain/evm/address.ts'
import { operatorCheck } from '../../src/graphql/context/access.ts'
import { sql } from '../../src/storage/database/database.ts'
import { detachNotifications, revertDetached } from '../../src/storage/notifications.ts'
import { numbered } from '../fakes/order.ts'
import { recordStatements } from '../fakes/sent-statements.ts'
import { connectDirectly } from '../setup/database.ts'
import { openTestServer, type TestServer } from '../setup/server.ts'
import { ask } from '../setup/session.ts'
import { request } from '../setup/trader.ts'

const key = 'editor-key-of-16-or-more'
const start = Date.UTC(2026, 10, 1)
const count = 12_000
const recording = recordStatements()

let server: TestServer
let owners = 0
let owner: Address
let firstId: bigint

beforeAll(async () => {
  server = await openTestServer({}, { isNew: true, isEditor: operatorCheck(key) })
})
afterAll(async () => {
  recording.end()
  await server[Symbol.asyncDispose]()
})

/** An account with notifications that nobody has read, a second apart, every tenth of another type. */
async function store(many: number): Promise<void> {
  owner = numbered((0xa0 + owners++).toString(16))
  const { db } = server.database
  const [row] = await sql(db).$queryRaw<{ first: bigint }[]>`
    WITH stored AS (
      INSERT INTO notifications (cause, chain_id, account, type, message, timestamp, metadata, block_number)
      SELECT ${owner} || i, 11155111, decode(substr(${owner}, 3), 'hex'),
        CASE WHEN i % 10 = 3 THEN 'order_expired' ELSE 'order_filled' END, 'm' || i,
        ${new Date(start)}::timestamptz + i * interval '1 second', '{"chainId": 11155111, "orderId": "0x12"}', 5
      FROM generate_series(0, ${many - 1}::int) i RETURNING id)
    SELECT min(id) AS first FROM stored`
  firstId = row?.first ?? 0n
}

const mark = (input: object, token = key) =>
  ask(
    server.url,
    `mutation ($input: MarkNotificationsReadInput!) {
      markNotificationsRead(input: $input) { marked hasMore account { unreadNotifications } } }`,
    { input: { account: owner, ...input } },
    token,
  )

async function history(filter: object, first = 3) {
  const query = `query ($account: Address!, $filter: NotificationFilter, $first: Int) {
    account(address: $account) { unreadNotifications
      notificationHistory(filter: $filter, first: $first) { nodes { message readAt } } } }`
  const { data } = await ask(server.url, query, { account: owner, filter, first })
  return {
    unread: data.account.unreadNotifications as number,
    nodes: data.account.notificationHistory.nodes as { message: string; readAt: string | null }[],
    messages: data.account.notificationHistory.nodes.map(({ message }: { message: string }) => message),
  }
}

const named = (index: number) => String(firstId + BigInt(index))

test('what is named is marked as read once, and nothing of another account', async () => {
  await store(5)
  const first = { owner, ids: [named(0), named(3)] }
  await store(5)
  const ids = [...first.ids, named(1), named(3), named(3), '999999999999']
  expect((await mark({ notificationIds: ids })).data.markNotificationsRead).toEqual({
    marked: 2,
    hasMore: false,
    account: { unreadNotifications: 3 },
  })
  expect((await mark({ notificationIds: ids })).data.markNotificationsRead.marked).toBe(0)
  expect(await history({}, 10)).toMatchObject({
    unread: 3,
    nodes: [
      { message: 'm4', readAt: null },
      { message: 'm3', readAt: '2027-01-15T08:00:00Z' },
      { message: 'm2', readAt: null },
      { message: 'm1', readAt: '2027-01-15T08:00:00Z' },
      { message: 'm0', readAt: null },
    ],
  })
  expect((await history({ unread: true })).messages).toEqual(['m4', 'm2', 'm0'])
  expect((await history({ unread: false })).messages).toEqual(['m3', 'm1'])
  expect((await history({ unread: true, types: ['ORDER_EXPIRED'] })).messages).toEqual([])
  expect((await history({ unread: false, types: ['ORDER_EXPIRED'] })).messages).toEqual(['m3'])
  expect((await history({ unread: true, orderUid: `0x${'12'.repeat(56)}` })).messages).toEqual([])
  owner = first.owner
  expect((await history({})).unread).toBe(5)
})

test('ten thousand are marked at once, and what is unread is read by its index', async () => {
  await store(count)
  await sql(server.database.db).$executeRaw`ANALYZE notifications`
  expect((await history({})).unread).toBe(1_000)
  const since = performance.now()
  const upTo = named(count - 3)
  const { marked, hasMore, account } = (await mark({ upTo })).data.markNotificationsRead
  expect(performance.now() - since).toBeLessThan(5_000)
  expect([marked, hasMore, account]).toEqual([10_000, true, { unreadNotifications: 1_000 }])
  expect((await mark({ upTo })).data.markNotificationsRead).toEqual({
    marked: 1_998,
    hasMore: false,
    account: { unreadNotifications: 2 },
  })
  const [sent, ...others] = await recording.of(async () =>
    expect(await history({ unread: true })).toMatchObject({ unread: 2, messages: ['m11999', 'm11998'] }),
  )
  expect(others).toEqual([])
  await using client = await connectDirectly(server.database.url)
  await client.query('VACUUM notifications')
  const { rows } = await client.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${sent?.text}`, sent?.values)
  const { Plan } = rows[0]['QUERY PLAN'][0]
  expect(Plan['Shared Hit Blocks'] + Plan['Shared Read Blocks']).toBeLessThan(50)
})

test('what a reorg takes back for good is unread again', async () => {
  await store(2)
  await mark({ upTo: named(1) })
  await server.database.db.transaction(async (tx) => {
    await detachNotifications(tx, 11155111, 4)
    await revertDetached(tx, 11155111, 100)
  })
  expect(await history({ unread: true })).toMatchObject({ unread: 2, messages: ['m1', 'm0'] })
})

test.each<[object, string, string]>([
  [{}, 'InvalidParameter', 'give either upTo or notificationIds'],
  [{ upTo: '1', notificationIds: ['1'] }, 'InvalidParameter', 'give either upTo or notificationIds'],
  [{ upTo: '-1' }, 'InvalidParameter', 'upTo must be the notificationId of a notification'],
  [{ notificationIds: [] }, 'InvalidParameter', 'notificationIds must name at least one'],
  [
    { notificationIds: Array.from({ length: 1_001 }, () => '1') },
    'InvalidParameter',
    'notificationIds must name at most 1000',
  ],
])('input that is no set of notifications is refused: %#', async (input, code, message) => {
  const { errors } = await mark(input)
  expect(errors?.[0]).toMatchObject({ message, extensions: { code } })
})

test('others may not mark', async () => {
  await store(1)
  expect((await mark({ upTo: named(0) }, 'tgs_of-nobody')).errors?.[0]?.extensions.code).toBe('Unauthorized')
  expect((await history({})).unread).toBe(1)
})

test('REST shows notifications as before', async () => {
  await store(1)
  await mark({ upTo: named(0) })
  const { body } = await request(`${server.url}/accounts/${owner}/notifications`)
  expect(body).toEqual([
    {
      id: named(0),
      account: owner,
      type: 'order_filled',
      message: 'm0',
      timestamp: '2026-11-01T00:00:00Z',
      metadata: { chainId: 11155111, orderId: '0x12' },
    },
  ])
})

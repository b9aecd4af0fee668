import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Bytes32 } from '../../../src/domain/evm/hex.ts'
import type { Cancellation, OrderEventLabel } from '../../../src/domain/order/event.ts'
import type { Order } from '../../../src/domain/order/order.ts'
import { recordCancelled, recordExpired } from '../../../src/notifications/record.ts'
import { sql } from '../../../src/storage/database/database.ts'
import { appendEvents } from '../../../src/storage/order/events.ts'
import { storeCancellations } from '../../../src/storage/order/orders.ts'
import { numbered, sampleOrder } from '../../fakes/order.ts'
import { storeContest, storeSettlement } from '../../fakes/solutions.ts'
import { storeOrder, storeSettledOrder } from '../../fakes/story.ts'
import { connectDirectly } from '../../setup/database.ts'
import { openTestServer, type TestServer } from '../../setup/server.ts'
import { graphql, request } from '../../setup/trader.ts'

const winner = numbered('51')
const loser = numbered('52')
const outsider = numbered('53')
const hash = (digits: string): Bytes32 => `0x${digits.repeat(32)}` as const
const strange = sampleOrder({ owner: numbered('77') }).uid
const unit = 10n ** 18n

let server: TestServer
let base: string
let owners = 0x100

beforeAll(async () => {
  server = await openTestServer()
  base = `${server.url}/sepolia`
})
afterAll(() => server?.[Symbol.asyncDispose]())

/** An order of a new owner, with its events. */
async function orderWith(...labels: OrderEventLabel[]): Promise<Order> {
  const { db } = server.database
  const order = await storeOrder(db, { owner: numbered((owners++).toString(16).padStart(4, '0')) })
  for (const [index, label] of labels.entries()) {
    const timestamp = new Date(1_799_999_001_000 + index)
    await db.transaction((tx) => appendEvents(tx, [{ orderId: order.id, label, reason: null, timestamp }]))
  }
  return order
}

/** Proposed by two solvers, while a third proposed something else. */
function contest(id: bigint, order: Order, isWinner = true): Promise<void> {
  return storeContest(server.database.db, {
    id,
    orders: [order],
    solutions: [
      {
        solver: winner,
        score: 3n,
        isWinner,
        referenceScore: 2n,
        fills: [{ order, sell: unit, buy: 2_940n }],
      },
      { solver: loser, score: 2n, fills: [{ order, sell: unit, buy: 2_930n }] },
      { solver: outsider, score: 1n, fills: [] },
    ],
  })
}

const value = [
  { solver: outsider, executedAmounts: null },
  { solver: loser, executedAmounts: { sell: String(unit), buy: '2930' } },
  { solver: winner, executedAmounts: { sell: String(unit), buy: '2940' } },
]

async function statusOf({ uid }: Pick<Order, 'uid'>) {
  const { status, body } = await request(`${base}/api/v1/orders/${uid}/status`)
  return status === 200 ? body : [status, body]
}

describe('orders by UIDs', () => {
  const read = (uids: unknown) => request(`${base}/api/v1/orders/by_uids`, 'POST', uids)

  test('equal the single reads, each once; unknown ones are absent', async () => {
    const open = await orderWith()
    const settled = await storeSettledOrder(server.database.db, 9n, numbered('1e'))
    const { status, body } = await read([
      settled.uid,
      strange,
      open.uid.toUpperCase().replace('0X', '0x'),
      settled.uid,
    ])
    expect(status).toBe(200)
    expect(body).toEqual([
      { order: (await request(`${base}/api/v1/orders/${settled.uid}`)).body },
      { order: (await request(`${base}/api/v1/orders/${open.uid}`)).body },
    ])
    expect(body[0].order.quote.sellAmount).toBe(String(unit))
    expect(body[1].order).not.toHaveProperty('quote')
    expect((await read([])).body).toEqual([])
  })

  test('are one statement, however many', async () => {
    const some = await Promise.all([orderWith(), orderWith(), orderWith()])
    for (const count of [1, 3]) {
      const before = server.database.statements.length
      expect((await read(some.slice(0, count).map(({ uid }) => uid))).body).toHaveLength(count)
      expect(server.database.statements.length - before).toBe(1)
    }
  })

  test.each([
    ['129 UIDs', Array.from({ length: 129 }, () => strange), /128/],
    ['an object', { uids: [strange] }, /list/],
    ['what is no UID', [strange, '0x12'], /^\[1\] must be an order UID/],
    ['a number', [1], /^\[0\] must be/],
  ])('%s are refused', async (_, uids, description) => {
    const answer = await read(uids)
    expect([answer.status, answer.body]).toEqual([
      400,
      { errorType: 'InvalidParameter', description: expect.stringMatching(description) },
    ])
  })

  test('fit 128 UIDs into the body', async () => {
    const uids = Array.from({ length: 128 }, (_, index) => sampleOrder({ validTo: index }).uid)
    expect([(await read(uids)).status, (await read(uids)).body]).toEqual([200, []])
  })

  test('include orders of other networks if none is named', async () => {
    const here = await orderWith()
    const there = await storeOrder(server.database.db, { owner: numbered('2c'), chainId: 100 })
    const uids = [here.uid, there.uid, strange]
    expect((await read(uids)).body.map(({ order }: { order: Order }) => order.uid)).toEqual([here.uid])
    const query = 'query ($uids: [OrderUid!]!) { ordersByUids(uids: $uids) { uid status } }'
    expect((await graphql(server.url, query, { uids })).ordersByUids).toEqual([
      { uid: here.uid, status: 'OPEN' },
      { uid: there.uid, status: 'OPEN' },
    ])
  })
})

test('the balance of an order’s owner is a figure where a stored reading has it', async () => {
  const order = await orderWith()
  await using client = await connectDirectly(server.database.url)
  const bytes = (hex: string) => `\\x${hex.slice(2)}`
  const balances = async () => {
    const paths = [`orders/${order.uid}`, `account/${order.owner}/orders`, `debug/order/${order.uid}`]
    const answers = await Promise.all(paths.map((path) => request(`${base}/api/v1/${path}`)))
    const [one, list, report] = answers.map(({ body }) => body)
    const query = 'query ($uid: OrderUid!) { order(uid: $uid) { availableBalance } }'
    const answer = await graphql(server.url, query, { uid: order.uid })
    return new Set([one, list[0], report.order, answer.order].map(({ availableBalance }) => availableBalance))
  }
  expect(await balances()).toEqual(new Set([null]))
  await client.query(
    `INSERT INTO order_standings (order_id, chain_id, since, updated_at, balance) VALUES ($1, $2, now(), now(), 41)`,
    [order.id, order.chainId],
  )
  expect(await balances()).toEqual(new Set(['41']))
  await client.query(
    `WITH token AS (INSERT INTO holder_tokens (chain_id, address, from_block, indexed_to) VALUES ($1, $2, 1, 9) RETURNING id)
      INSERT INTO token_balances (token_id, holder, balance) SELECT id, $3, 42 FROM token`,
    [order.chainId, bytes(order.sellToken), bytes(order.owner)],
  )
  expect(await balances()).toEqual(new Set(['42']))
  await client.query('UPDATE holder_tokens SET fault_block = 9')
  expect(await balances()).toEqual(new Set(['41']))
  await client.query('DELETE FROM token_balances; DELETE FROM holder_tokens')
})

describe('the source of a cancellation', () => {
  const causes: [Cancellation, string][] = [
    [{ by: 'api' }, 'api'],
    [{ by: 'policy', reason: 'chain: of stores' }, 'policy'],
    [{ by: 'policy', reason: null }, 'policy'],
    [{ by: 'replacement', uid: strange }, 'replacement'],
    [{ by: 'chain', txHash: hash('c1'), blockNumber: 7 }, 'chain'],
  ]

  test.each(causes)('%j is read from the order, alone, in lists and in reports', async (cause, source) => {
    const { db } = server.database
    const order = await orderWith()
    expect((await request(`${base}/api/v1/orders/${order.uid}`)).body).not.toHaveProperty('cancelledBy')
    const at = new Date(1_799_999_002_000)
    await db.transaction(async (tx) => {
      if (cause.by === 'chain')
        await sql(tx).order.update({ where: { id: order.id }, data: { invalidated: true } })
      else await storeCancellations(tx, [order.id], at)
      await recordCancelled(tx, [order], cause, at)
    })
    const expected = { invalidated: true, status: 'cancelled', cancelledBy: source }
    const read = async (path: string) => (await request(`${base}/api/v1/${path}`)).body
    expect(await read(`orders/${order.uid}`)).toMatchObject(expected)
    expect(await read(`account/${order.owner}/orders`)).toMatchObject([expected])
    expect(await read(`debug/order/${order.uid}`)).toMatchObject({ order: expected })
    const query = 'query ($uid: OrderUid!) { order(uid: $uid) { invalidated cancelledBy } }'
    const answer = await graphql(server.url, query, { uid: order.uid })
    expect(answer.order).toEqual({ invalidated: true, cancelledBy: source.toUpperCase() })
  })
})

describe('the status of an order', () => {
  test.each([
    [['created'], 'scheduled'],
    [['created', 'ready'], 'active'],
    [['created', 'ready', 'filtered'], 'open'],
    [['created', 'invalid'], 'open'],
  ] as const)('after %j it is %s, and nothing more', async (labels, type) => {
    expect(await statusOf(await orderWith(...labels.slice(1)))).toEqual({ type })
  })

  const chain = { by: 'chain' as const, blockNumber: 1, txHash: hash('32') }
  test.each<[ending: string, Cancellation | null, plain: string, exact: string, source: string | null]>([
    ['its time', null, 'open', 'EXPIRED', null],
    ['a refund after its time', null, 'cancelled', 'REFUNDED', null],
    ['its owner', { by: 'api' }, 'cancelled', 'CANCELLED', 'API'],
    ['the operator', { by: 'policy', reason: 'x' }, 'cancelled', 'CANCELLED', 'POLICY'],
    ['a newer order', { by: 'replacement', uid: strange }, 'cancelled', 'REPLACED', 'REPLACEMENT'],
    ['the chain', chain, 'cancelled', 'INVALIDATED', 'CHAIN'],
  ])(
    'ended by %s is known in the words of both interfaces',
    async (_, cancellation, plain, exact, source) => {
      const { db } = server.database
      const order = await orderWith('ready')
      const at = new Date(1_799_999_002_000)
      await db.transaction(async (tx) => {
        if (cancellation === null)
          await sql(tx).order.update({ where: { id: order.id }, data: { effectiveValidTo: 1n } })
        else if (cancellation.by === 'chain')
          await sql(tx).order.update({ where: { id: order.id }, data: { invalidated: true } })
        else await storeCancellations(tx, [order.id], at)
        if (cancellation === null) await recordExpired(tx, [{ order, blockNumber: 1 }], at)
        else await recordCancelled(tx, [order], cancellation, at)
        const refund = { orderId: order.id, label: 'refunded' as const, reason: null, timestamp: at }
        if (exact === 'REFUNDED') await appendEvents(tx, [refund])
      })
      expect(await statusOf(order)).toEqual({ type: plain })
      const query = `query ($uid: OrderUid!) {
      order(uid: $uid) { status invalidated progress { stage } events(last: 1) { nodes { label source } } }
    }`
      const label = cancellation ? 'CANCELLED' : exact
      expect((await graphql(server.url, query, { uid: order.uid })).order).toEqual({
        status: cancellation ? 'CANCELLED' : 'EXPIRED',
        invalidated: cancellation !== null,
        progress: { stage: exact },
        events: { nodes: [{ label, source }] },
      })
    },
  )

  test('has what each solver proposed, worst first, once there are solutions', async () => {
    const solved = await orderWith('ready', 'considered')
    await contest(30n, solved, false)
    expect(await statusOf(solved)).toEqual({ type: 'solved', value })

    const executing = await orderWith('ready', 'executing')
    await storeContest(server.database.db, { id: 31n, orders: [executing], solutions: [] })
    await contest(32n, executing)
    expect(await statusOf(executing)).toEqual({ type: 'executing', value })
  })

  test('is traded from the first trade on, whatever events follow', async () => {
    const order = await orderWith('ready', 'executing', 'traded', 'ready', 'cancelled')
    await contest(33n, order)
    await storeContest(server.database.db, { id: 34n, orders: [order], solutions: [] })
    const settlement = { solver: winner, trades: [{ order, sell: unit, buy: 2_940n }] }
    await storeSettlement(server.database.db, {
      ...settlement,
      txHash: hash('30'),
      blockNumber: 90,
      logIndex: 4,
      auctionId: null,
    })
    await storeSettlement(server.database.db, {
      ...settlement,
      txHash: hash('31'),
      blockNumber: 91,
      logIndex: 2,
      auctionId: 33n,
    })
    expect(await statusOf(order)).toEqual({ type: 'traded', value })
  })

  test('is unknown if nothing is recorded, or if the competition is unknown', async () => {
    const nowhere = [
      404,
      {
        errorType: 'NotFound',
        description: 'no order has this UID, or no competition is stored for where it stands',
      },
    ]
    expect(await statusOf({ uid: strange })).toEqual(nowhere)
    const foreign = await orderWith('traded')
    await storeSettlement(server.database.db, {
      txHash: hash('32'),
      blockNumber: 92,
      logIndex: 4,
      auctionId: null,
      solver: outsider,
      trades: [{ order: foreign, sell: 1n, buy: 1n }],
    })
    expect(await statusOf(foreign)).toEqual(nowhere)
    const query = 'query ($uid: OrderUid!) { order(uid: $uid) { progress { stage solutions { solver } } } }'
    expect((await graphql(server.url, query, { uid: foreign.uid })).order.progress).toEqual({
      stage: 'TRADED',
      solutions: null,
    })
    expect(await statusOf({ uid: '0x12' })).toEqual([
      400,
      {
        errorType: 'InvalidParameter',
        description: 'uid must be an order UID: 56 bytes of hex with 0x in front',
      },
    ])
  })

  test('is one statement, for many orders too', async () => {
    const orders = await Promise.all([orderWith('ready'), orderWith()])
    const query = 'query ($uids: [OrderUid!]!) { ordersByUids(uids: $uids) { progress { stage } } }'
    for (const count of [1, 2]) {
      const before = server.database.statements.length
      const uids = orders.slice(0, count).map(({ uid }) => uid)
      expect((await graphql(server.url, query, { uids })).ordersByUids).toHaveLength(count)
      expect(server.database.statements.length - before).toBe(1)
    }
  })
})

describe('the orders of a transaction', () => {
  test('are those that its settlements traded, each once and without quotes', async () => {
    const [one, other, elsewhere] = [await orderWith(), await orderWith(), await orderWith()]
    const settlement = { solver: winner, blockNumber: 95, auctionId: null }
    const trade = (order: Order) => ({ order, sell: 1n, buy: 1n })
    const store = (txHash: Bytes32, logIndex: number, orders: Order[]) =>
      storeSettlement(server.database.db, { ...settlement, txHash, logIndex, trades: orders.map(trade) })
    await store(hash('41'), 3, [other, one])
    await store(hash('41'), 5, [one])
    await store(hash('42'), 9, [elsewhere])

    const before = server.database.statements.length
    const { status, body } = await request(`${base}/api/v1/transactions/${hash('41')}/orders`)
    expect(server.database.statements.length - before).toBe(1)
    expect([status, body.map(({ uid }: Order) => uid)]).toEqual([200, [one.uid, other.uid]])
    const { body: listed } = await request(`${base}/api/v1/account/${one.owner}/orders`)
    expect(body[0]).toEqual(listed[0])
    const { transactionOrders } = await graphql(
      server.url,
      'query ($hash: Bytes32!) { transactionOrders(hash: $hash) { uid } }',
      { hash: hash('42') },
    )
    expect(transactionOrders).toEqual([{ uid: elsewhere.uid }])
  })

  test('are empty for an unknown transaction, and a bad hash is refused', async () => {
    const unknown = await request(`${base}/api/v1/transactions/${hash('99')}/orders`)
    expect([unknown.status, unknown.body]).toEqual([200, []])
    const bad = await request(`${base}/api/v1/transactions/0x12/orders`)
    expect([bad.status, bad.body]).toEqual([
      400,
      { errorType: 'InvalidParameter', description: 'hash must be 32 bytes of hex with 0x in front' },
    ])
  })
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { filledAmount, type Order, type OrderUid } from '../../../src/domain/order/order.ts'
import { orderStatus, orderStatuses } from '../../../src/domain/order/status.ts'
import { type ChainFacts, insertChainFacts } from '../../../src/storage/chain/indexed-logs.ts'
import { type Database, sql, type Tx } from '../../../src/storage/database/database.ts'
import { liveOrdersAfter } from '../../../src/storage/order/live.ts'
import { findOrders, insertOrder, storeCancellations } from '../../../src/storage/order/orders.ts'
import { refreshProgress } from '../../../src/storage/order/progress.ts'
import { statusSql } from '../../../src/storage/order/status.ts'
import { numbered, sampleOrder } from '../../fakes/order.ts'
import { createTestDatabase } from '../../setup/database.ts'
import { openTestServer } from '../../setup/server.ts'
import { graphql } from '../../setup/trader.ts'

/** Beyond the range of signed 32-bit times, where a wrong column type shows. */
const now = 2 ** 31 + 1_000
const small = fc.bigInt({ min: 0n, max: 2n })
const history = fc.record({
  order: fc.record({
    kind: fc.constantFrom('buy' as const, 'sell' as const),
    sellAmount: fc.bigInt({ min: 1n, max: 3n }),
    buyAmount: fc.bigInt({ min: 1n, max: 3n }),
    effectiveValidTo: fc.constantFrom(now - 1, now, now + 1, 2 ** 32 - 1),
    signingScheme: fc.constantFrom('eip712' as const, 'ethsign' as const, 'presign' as const),
  }),
  trades: fc.array(fc.record({ sellAmount: small, buyAmount: small, feeAmount: fc.bigInt(0n, 1n) }), {
    maxLength: 3,
  }),
  presigned: fc.array(fc.boolean(), { maxLength: 3 }),
  invalidated: fc.boolean(),
  cancelled: fc.boolean(),
})

type History = typeof history extends fc.Arbitrary<infer Value> ? Value : never

let made = 0
const txHash = `0x${'77'.repeat(32)}` as const

function toFacts(uid: OrderUid, orderId: bigint, { trades, presigned, invalidated }: History): ChainFacts {
  let logIndex = 0
  const place = () => ({ blockNumber: made, logIndex: logIndex++, txHash })
  const tokens = { sellToken: numbered('aa'), buyToken: numbered('bb'), owner: numbered('0f') }
  return {
    trades: trades.map((amounts) => ({
      ...place(),
      ...tokens,
      ...amounts,
      chainId: 11155111,
      orderUid: uid,
      orderId,
      auctionId: null,
    })),
    presignatures: presigned.map((signed) => ({ ...place(), orderUid: uid, owner: tokens.owner, signed })),
    invalidations: invalidated ? [{ ...place(), orderUid: uid }] : [],
    settlements: [],
    executions: [],
  }
}

async function store(tx: Tx, item: History): Promise<OrderUid> {
  const order = sampleOrder({ ...item.order, validTo: ++made })
  const id = await insertOrder(tx, order)
  if (id === undefined) throw new Error('stored twice')
  await insertChainFacts(tx, order.chainId, toFacts(order.uid, id, item))
  await refreshProgress(tx, [id])
  if (item.cancelled) await storeCancellations(tx, [id], new Date())
  return order.uid
}

async function statusesInSql(db: Database): Promise<Map<bigint, string>> {
  const rows = await sql(db).$queryRaw<{ id: bigint; status: string }[]>`
    SELECT o.id, ${statusSql(now)} AS status FROM orders o`
  return new Map(rows.map(({ id, status }) => [id, status]))
}

const byId = (a: Order, b: Order) => Number(a.id - b.id)

const page = `query ($owner: Address, $filter: OrderFilter) {
  orders(network: "sepolia", owner: $owner, filter: $filter, first: 1000) { nodes { uid status } pageInfo { hasNextPage } }
}`
const graphWord = (status: string) => status.replace(/([A-Z])/g, '_$1').toUpperCase()
const uidsOf = (orders: { uid: string }[]) => orders.map(({ uid }) => uid).sort()

test('the database derives the same status as the domain, and filters by it', async () => {
  await using server = await openTestServer({}, { now: () => now * 1_000 })
  const { db } = server.database
  const uids: OrderUid[] = []
  await fc.assert(
    fc.asyncProperty(fc.array(history, { minLength: 20, maxLength: 20 }), async (items) => {
      await db.transaction(async (tx) => {
        for (const item of items) uids.push(await store(tx, item))
      })
    }),
    { numRuns: 8 },
  )
  const orders = (await findOrders(db, uids)).sort(byId)
  const inSql = await statusesInSql(db)
  const statuses = orders.map((order) => orderStatus(order, now))
  expect(orders.map(({ id }) => inSql.get(id))).toEqual(statuses)
  expect([...new Set(statuses)].sort()).toEqual([...orderStatuses].sort())
  const { orders: live } = await liveOrdersAfter(db, 11155111, { validTo: 0n, id: 0n }, 1000)
  const isSigned = new Map(live.map(({ id, order }) => [id, order !== null]))
  // Trades beyond the signed amount, which the contract does not allow, leave an order open that is not live.
  for (const order of orders.filter(
    (order) => filledAmount(order) <= (order.kind === 'sell' ? order.sellAmount : order.buyAmount),
  )) {
    const status = orderStatus(order, now)
    const expected =
      status === 'fulfilled' || status === 'cancelled' ? undefined : status !== 'presignaturePending'
    if (status !== 'expired') expect([order, isSigned.get(order.id)]).toEqual([order, expected])
    else expect(isSigned.has(order.id)).toBe(true)
  }
  await markSomeExpired(db)
  for (const statuses of fc.sample(fc.subarray([...orderStatuses], { minLength: 1 }), 20)) {
    for (const [owner, more] of [
      [null, {}],
      [numbered('0f'), {}],
      [null, { kind: 'BUY' }],
      [null, { class: 'LIMIT' }],
    ] as const) {
      const filter = { statuses: statuses.map(graphWord), ...more }
      const answer = (await graphql(server.url, page, { owner, filter })).orders
      const expected = orders.filter(
        (order) => statuses.includes(orderStatus(order, now)) && (!('kind' in more) || order.kind === 'buy'),
      )
      expect(uidsOf(answer.nodes)).toEqual(uidsOf(expected))
      expect(answer.pageInfo.hasNextPage).toBe(false)
      const statusOf = new Map(
        expected.map((order) => [order.uid as string, graphWord(orderStatus(order, now))]),
      )
      for (const { uid, status } of answer.nodes) expect([uid, status]).toEqual([uid, statusOf.get(uid)])
    }
  }
})

/**
 * As the indexer marks them, and some before their time by the clock, since block times may be ahead of it.
 */
async function markSomeExpired(db: Database): Promise<void> {
  await sql(db).$executeRaw`INSERT INTO checkpoints (chain_id, block_number, block_hash, updated_at)
    VALUES (11155111, 1000, '\\x00', now())`
  const marked = await sql(db).$executeRaw`
    UPDATE orders SET expired_at_block = 990 WHERE effective_valid_to <= ${now} AND id % 3 > 0`
  expect(marked).toBeGreaterThan(10)
}

test('sums, invalidation and the newest presignature are those of the row', async () => {
  await using database = await createTestDatabase()
  const amounts = { sellAmount: 2n, buyAmount: 3n, feeAmount: 1n }
  const item: History = {
    order: { kind: 'sell', sellAmount: 9n, buyAmount: 9n, effectiveValidTo: now, signingScheme: 'presign' },
    trades: [amounts, amounts],
    presigned: [true, false, true],
    invalidated: true,
    cancelled: false,
  }
  const uid = await database.db.transaction((tx) => store(tx, item))
  expect((await findOrders(database.db, [uid]))[0]).toMatchObject({
    executedSellAmount: 4n,
    executedBuyAmount: 6n,
    executedFeeAmount: 2n,
    presigned: true,
    invalidatedOnChain: true,
  })
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { createStandings, type StandingUpdate } from '../../../src/auctions/admission/standings.ts'
import type { Order } from '../../../src/domain/order/order.ts'
import { applyBlocks } from '../../../src/indexer/apply.ts'
import type { Checkpoint } from '../../../src/storage/chain/indexed-logs.ts'
import { sql } from '../../../src/storage/database/database.ts'
import { numbered, signingDomain } from '../../fakes/order.ts'
import { readEvents, readOrder, storeOrder } from '../../fakes/stored-order.ts'
import { listNotifications } from '../../fakes/stored-story.ts'
import { invalidation, type LogSketch, rangeOf, sketchBlock, trade } from '../../indexer/hand-made.ts'
import { createTestDatabase, type TestDatabase } from '../../setup/database.ts'

const { chainId } = signingDomain
const minute = 60_000

/** Funds are those of the first block, unless another is told. */
function openStandings(now: () => number) {
  const options = { db: database.db, chainId, now, notificationPauseMs: 60 * minute }
  const standings = createStandings(options)
  return { ...standings, write: (verdicts: StandingUpdate[], block = 0) => standings.write(verdicts, block) }
}

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())

test('a standing is written when its reason changes, when figures come or cross the limit, and as they move, once a minute', async () => {
  const { db } = database
  let now = Date.parse('2026-03-01T12:00:00Z')
  const standings = openStandings(() => now)
  const order = await storeOrder(db, { validTo: 2_000_000_000 })
  const stored = async () => {
    const { reason, since, marketGap, missing } = await sql(db).orderStanding.findUniqueOrThrow({
      where: { orderId: order.id },
    })
    return [reason, since.getTime() - now, marketGap, missing && Number(missing)]
  }
  const outlook = (marketGap: bigint) => ({ marketGap, feeShare: 1n })

  await standings.write([{ order, reason: 'insufficient_balance' }])
  expect(await stored()).toEqual(['insufficient_balance', 0, null, null])
  now += 1_000
  await standings.write([{ order, reason: 'insufficient_balance', outlook: outlook(1_000n), missing: 7n }])
  expect(await stored()).toEqual(['insufficient_balance', -1_000, 1_000n, 7])

  const before = database.statements.length
  now += 1_000
  await standings.write([{ order, reason: 'insufficient_balance', outlook: outlook(2_000n), missing: 8n }])
  now += minute
  await standings.write([{ order, reason: 'insufficient_balance', outlook: outlook(1_099n), missing: 7n }])
  expect(database.statements.length).toBe(before)
  await standings.write([{ order, reason: 'insufficient_balance', outlook: outlook(1_101n), missing: 7n }])
  expect(await stored()).toEqual(['insufficient_balance', -62_000, 1_101n, 7])

  const routed = (gap: bigint) => ({ sell: 5n, buy: 7n, block: Number(gap), at: 0, gap, hops: 1 })
  const verdict = { order, reason: 'insufficient_balance', outlook: outlook(1_101n), missing: 7n } as const
  const routedBlock = async () =>
    (await sql(db).orderStanding.findUniqueOrThrow({ where: { orderId: order.id } })).routedBlock
  await standings.write([{ ...verdict, routed: routed(500n) }])
  await standings.write([{ ...verdict, routed: routed(900n) }])
  expect(await routedBlock()).toBe(500n)
  now += minute
  await standings.write([{ ...verdict, routed: routed(549n) }])
  expect(await routedBlock()).toBe(500n)
  await standings.write([{ ...verdict, routed: routed(551n) }])
  expect(await routedBlock()).toBe(551n)
  await standings.write([{ ...verdict, routed: routed(-1n) }])
  expect(await routedBlock()).toBe(-1n)
  await standings.write([{ ...verdict, routed: routed(-900n) }])
  expect(await routedBlock()).toBe(-1n)

  await standings.write([{ order, reason: null, outlook: outlook(1_101n) }])
  expect(await stored()).toEqual([null, 0, 1_101n, null])
  await standings.write([{ order, reason: 'auction_full', outlook: outlook(1_101n) }])
  expect(await readEvents(db, order)).toEqual(['invalid insufficient_balance', 'ready'])
  await standings.end([order.id])
  expect(await sql(db).orderStanding.count()).toBe(0)
})

test('who takes the balance, whether a route is found and whether funds are missing are written at once', async () => {
  const { db } = database
  const standings = openStandings(() => Date.parse('2026-03-01T12:00:00Z'))
  const order = await storeOrder(db, { owner: numbered('5d'), validTo: 2_000_000_000 })
  const taking = await storeOrder(db, { owner: numbered('5d'), validTo: 2_000_000_001 })
  const written = async (verdict: Omit<StandingUpdate, 'order'>) => {
    const before = database.statements.length
    await standings.write([{ order, ...verdict }])
    return database.statements.length > before
  }
  const found = { sell: 5n, buy: 7n, block: 1, at: 0, gap: 5n, hops: 1 }
  const reason = 'insufficient_balance'
  const steps: Omit<StandingUpdate, 'order'>[] = [
    { reason },
    { reason, fundsTakenBy: taking.id },
    { reason: null, routed: found },
    { reason: null, routed: { block: 2, gap: undefined } },
    { reason: null, routed: found },
    { reason: null },
    { reason: null, shortage: { order, balance: 0n, allowance: 0n } },
    { reason: null },
    { reason: null, shortage: null },
  ]
  for (const [index, step] of steps.entries())
    expect([index, await written(step), await written(step)]).toEqual([
      index,
      index !== 5 && index !== 7,
      false,
    ])
})

test('an owner is notified once for each time that funds are missing, and not more often than the pause', async () => {
  const { db } = database
  let now = Date.parse('2026-03-01T12:00:00Z')
  const open = () => openStandings(() => now)
  let standings = open()
  const order = await storeOrder(db, { owner: numbered('5e'), validTo: 2_000_000_000 })
  const write = (balance: bigint | null, more: Partial<StandingUpdate> = {}) =>
    standings.write([
      balance === null
        ? { order, reason: null, shortage: null, ...more }
        : { order, reason: 'insufficient_balance', shortage: { order, balance, allowance: 0n }, ...more },
    ])
  const notified = async () => {
    const list = await listNotifications(db, order.owner, 100)
    return list.reverse().map(({ timestamp, metadata }) => [timestamp.getTime(), metadata.missingBalance])
  }
  const start = now
  await write(7n)
  await write(8n)
  // Another reason, or another process, is no other episode.
  now += minute
  await standings.write([{ order, reason: 'missing_native_price' }])
  standings = open()
  await write(8n)
  expect(await notified()).toEqual([[start, '7']])

  // A balance that comes and goes with each block.
  for (let block = 0; block < 20; block++) {
    now += 1_000
    await write(block % 2 === 0 ? null : 9n)
  }
  expect(await notified()).toEqual([[start, '7']])

  // What is still missing when the pause is over is notified then, and once.
  now = start + 60 * minute - 1
  await write(10n)
  expect(await notified()).toHaveLength(1)
  now = start + 61 * minute
  await write(11n)
  const statements = database.statements.length
  now += minute
  await write(11n)
  expect(database.statements.length).toBe(statements)
  expect(await notified()).toEqual([
    [start, '7'],
    [start + 61 * minute, '11'],
  ])

  // Another order that takes the balance leaves nothing missing.
  now += 120 * minute
  await write(null, { reason: 'insufficient_balance', fundsTakenBy: order.id })
  now += 1_000
  await write(12n)
  expect((await notified()).map(([, missing]) => missing)).toEqual(['7', '11', '12'])
})

test('an owner is not notified again when a reorg takes back the end of an order', async () => {
  const { db } = database
  const order = await storeOrder(db, { owner: numbered('6e'), validTo: 2_000_000_000 })
  const standings = openStandings(() => Date.parse('2026-03-01T12:00:00Z'))
  const shortage = { order, balance: 7n, allowance: 0n }
  for (let time = 0; time < 2; time++) {
    await standings.write([{ order, reason: 'insufficient_balance', shortage }])
    await standings.end([order.id])
  }
  expect(await listNotifications(db, order.owner, 100)).toHaveLength(1)
})

test('funds that come and go for two months notify at pauses that double up to a week', async () => {
  const hour = 60 * minute
  const start = Date.parse('2026-03-01T12:00:00Z')
  let now = start
  const standings = openStandings(() => now)
  const order = await storeOrder(database.db, { owner: numbered('5a'), validTo: 2_000_000_000 })
  for (; now < start + 60 * 24 * hour; now += 12 * hour) {
    const shortage = { order, balance: 7n, allowance: 0n }
    await standings.write([{ order, reason: 'insufficient_balance', shortage }])
    await standings.write([{ order, reason: null, shortage: null }])
  }
  const times = (await listNotifications(database.db, order.owner, 200)).map(({ timestamp }) => +timestamp)
  const hours = times.reverse().map((time) => (time - start) / hour)
  // Pauses of 1, 2, 4 … 128 hours and then of a week; funds are missing every twelfth hour.
  expect(hours).toEqual([0, 12, 24, 36, 48, 72, 108, 180, 312, 480, 648, 816, 984, 1152, 1320])
})

let checkpoint: Checkpoint | null = null
async function mine(sketches: LogSketch[], timestamp = 1_000): Promise<void> {
  const range = rangeOf([sketchBlock((checkpoint?.number ?? 0) + 1, sketches, { timestamp })])
  checkpoint = await applyBlocks(checkpoint, range, {
    chainId,
    db: database.db,
    now: () => Date.parse('2026-03-01T12:00:01Z'),
  })
}

test.each<[string, (order: Order) => Promise<void>, events: string[]]>([
  [
    'filled',
    (order) => mine([trade(order, { sell: order.sellAmount, buy: order.buyAmount }, 'fills')]),
    ['traded'],
  ],
  ['cancelled', (order) => mine([invalidation(order, 'cancels')]), ['cancelled']],
  ['expired', () => mine([], 2_000_000_001), ['expired']],
])('what an auction found about an order that is %s by then is not written', async (end, happens, events) => {
  const { db } = database
  const now = Date.parse('2026-03-01T12:00:00Z')
  const standings = openStandings(() => now)
  const order = await storeOrder(db, { owner: numbered(`e${end.length}`), validTo: 2_000_000_000 })
  await standings.write([{ order, reason: null, shortage: null }])
  await happens(order)
  const shortage = { order, balance: 7n, allowance: 0n }
  await standings.write([{ order, reason: 'insufficient_balance', shortage }])
  const [ready, ...rest] = (await readEvents(db, order)).map((event) => event.split(' ')[0])
  expect([ready, rest]).toEqual(['ready', events])
  const notified = await listNotifications(db, order.owner, 100)
  expect(notified.map(({ type }) => type)).not.toContain('insufficient_balance')
  expect(
    await sql(db).orderStanding.findMany({ where: { orderId: order.id, reason: { not: null } } }),
  ).toEqual([])
})

test('what is missing of an order counts if it was not traded since it was read', async () => {
  const { db } = database
  const now = Date.parse('2026-03-01T12:00:00Z')
  const standings = openStandings(() => now)
  const stored = await storeOrder(db, {
    owner: numbered('5f'),
    validTo: 2_000_000_000,
    partiallyFillable: true,
  })
  const write = (order: Order) =>
    standings.write([
      { order, reason: 'insufficient_balance', shortage: { order, balance: 7n, allowance: 0n } },
    ])
  await standings.write([{ order: stored, reason: null, shortage: null }])
  await mine([trade(stored, { sell: stored.sellAmount / 2n, buy: stored.buyAmount / 2n }, 'fills a half')])
  await write(stored)
  const types = async () => (await listNotifications(db, stored.owner, 100)).map(({ type }) => type)
  expect(await types()).toEqual(['order_partially_filled'])
  await write(await readOrder(db, stored))
  expect((await types()).toSorted()).toEqual(['insufficient_balance', 'order_partially_filled'])
})

test('that funds are missing is written when the indexer has read the block that shows it, or ten blocks later', async () => {
  const { db } = database
  const now = Date.parse('2026-03-01T12:00:00Z')
  const standings = openStandings(() => now)
  const [filled, short, other] = await Promise.all(
    ['6a', '6b', '6c'].map((byte) => storeOrder(db, { owner: numbered(byte), validTo: 2_000_000_000 })),
  )
  if (!filled || !short || !other) throw new Error('no orders')
  const isShort = (order: Order): StandingUpdate => ({
    order,
    reason: 'insufficient_balance',
    shortage: { order, balance: 7n, allowance: 0n },
  })
  const typesOf = async (order: Order) =>
    (await listNotifications(db, order.owner, 100)).map(({ type }) => type)
  const next = (checkpoint?.number ?? 0) + 1
  await standings.write([isShort(filled), isShort(short)], next)
  expect(await typesOf(short)).toEqual([])
  await mine([trade(filled, { sell: filled.sellAmount, buy: filled.buyAmount }, 'settled by others')])
  await standings.write([isShort(filled), isShort(short)], next + 1)
  expect(await typesOf(filled)).toEqual(['order_filled'])
  expect(await typesOf(short)).toEqual(['insufficient_balance'])
  // The indexer is away.
  for (let block = next + 1; block < next + 11; block++) await standings.write([isShort(other)], block)
  expect(await typesOf(other)).toEqual([])
  await standings.write([isShort(other)], next + 11)
  expect(await typesOf(other)).toEqual(['insufficient_balance'])
})

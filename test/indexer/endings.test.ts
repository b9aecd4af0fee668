import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readSettings } from '../../src/app/config.ts'
import { nativeMarker } from '../../src/domain/evm/address.ts'
import type { Order } from '../../src/domain/order/order.ts'
import { applyBlocks, applyFinality, applyReorg, type Indexing } from '../../src/indexer/apply.ts'
import { recordLogged, recordTrades } from '../../src/notifications/record.ts'
import { insertPriceChanges } from '../../src/storage/auction/competition.ts'
import type { Checkpoint } from '../../src/storage/chain/indexed-logs.ts'
import { sql } from '../../src/storage/database/database.ts'
import { insertOrder } from '../../src/storage/order/orders.ts'
import { dollar, numbered, sampleOrder, sampleQuote, signingDomain, wrapped } from '../fakes/order.ts'
import { storeChannel } from '../fakes/stored-channel.ts'
import { readEvents, readOrder, storeOrder } from '../fakes/stored-order.ts'
import { listNotifications } from '../fakes/stored-story.ts'
import { storeTokens } from '../fakes/stored-tokens.ts'
import { readStory } from '../fakes/stories.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { hashOf, invalidation, rangeOf, type SketchedBlock, sketchBlock, trade } from './hand-made.ts'

const { chainId } = signingDomain
const unit = 10n ** 18n
const dollars = 10n ** 6n
let database: TestDatabase
let indexing: Indexing
let checkpoint: Checkpoint | null = null
let owners = 0
let auctions = 1

beforeAll(async () => {
  database = await createTestDatabase()
  indexing = { chainId, db: database.db, now: () => 5_000_000, leastImprovement: 1_000n }
  await storeTokens(database.db, [
    { chainId, address: wrapped, symbol: 'WETH', name: null, decimals: 18 },
    { chainId, address: dollar, symbol: 'USDC', name: null, decimals: 6 },
  ])
})
afterAll(() => database?.[Symbol.asyncDispose]())

const placeOrder = (overrides: Partial<Order> = {}) =>
  storeOrder(database.db, {
    owner: numbered((0x2000 + owners++).toString(16)),
    sellAmount: unit,
    buyAmount: 2_900n * dollars,
    ...overrides,
  })

async function apply(...sketched: SketchedBlock[]): Promise<void> {
  checkpoint = await applyBlocks(checkpoint, rangeOf(sketched), indexing)
}

const nextBlock = (logs: Parameters<typeof sketchBlock>[1] = [], timestamp?: number) =>
  sketchBlock((checkpoint?.number ?? 0) + 1, logs, timestamp === undefined ? {} : { timestamp })

async function rollBack(): Promise<void> {
  const number = (checkpoint?.number ?? 0) - 1
  checkpoint = await applyReorg(checkpoint, { number, hash: hashOf(`a:${number}`) }, indexing)
}

async function notificationsOf({ owner }: Pick<Order, 'owner'>) {
  const list = await listNotifications(database.db, owner, 100)
  return list.reverse().map(({ id, type, message, metadata }) => ({ id, type, message, metadata }))
}

describe('a better price', () => {
  test('is notified with amount and share, beside the fill', async () => {
    const quote = sampleQuote({ sellAmount: unit, buyAmount: 2_930n * dollars })
    const order = await placeOrder({ quote })
    const bought = 2_936n * dollars + 123_456n
    await apply(nextBlock([trade(order, { sell: unit, buy: bought }, 'better')]))
    expect(await notificationsOf(order)).toMatchObject([
      { type: 'order_filled', message: 'Order filled: 1 WETH for 2,936.12 USDC' },
      {
        type: 'price_improvement',
        message:
          'Order filled, at a better price: 36.1234 USDC (1.24 %) more than the limit, 6.12345 USDC more than quoted, 1 WETH for 2,936.12 USDC',
        metadata: {
          orderId: order.uid,
          chainId,
          executedAmount: String(bought),
          txHash: hashOf('better'),
          isFilled: true,
          token: dollar,
          reference: 'limit',
          referenceAmount: String(2_900n * dollars),
          improvementAmount: '36123456',
          improvementShare: '0.012456',
          quotedAmount: String(2_930n * dollars),
          quoteImprovementAmount: '6123456',
          quoteImprovementShare: '0.002089',
        },
      },
    ])
  })

  test('is none by default where an order with 1 % slippage is filled at its quote', async () => {
    const byDefault = { ...indexing, leastImprovement: readSettings({}).NOTIFICATION_LEAST_IMPROVEMENT }
    const quoted = 2_930n * dollars
    const quote = sampleQuote({ sellAmount: unit, buyAmount: quoted })
    const order = await placeOrder({ quote, buyAmount: (quoted * 99n) / 100n })
    const wide = await placeOrder({ quote, buyAmount: (quoted * 98n) / 100n })
    const fills = nextBlock([
      trade(order, { sell: unit, buy: quoted }, 'tight'),
      trade(wide, { sell: unit, buy: quoted }, 'wide'),
    ])
    checkpoint = await applyBlocks(checkpoint, rangeOf([fills]), byDefault)
    expect((await notificationsOf(order)).map(({ type }) => type)).toEqual(['order_filled'])
    expect((await notificationsOf(wide)).at(-1)).toMatchObject({
      message:
        'Order filled, at a better price: 58.6 USDC (2.04 %) more than the limit, as quoted, 1 WETH for 2,930 USDC',
      metadata: { quoteImprovementAmount: '0', quoteImprovementShare: '0' },
    })
  })

  test('of each fill counts, below the threshold none does', async () => {
    const order = await placeOrder({ partiallyFillable: true })
    const half = { sell: unit / 2n, buy: 1_451n * dollars }
    const little = { sell: unit / 2n, buy: 1_450n * dollars + 1_449_999n }
    await apply(nextBlock([trade(order, half, 'first'), trade(order, little, 'second')]))
    expect((await notificationsOf(order)).map(({ message }) => message)).toEqual([
      'Order partially filled (50 %): 0.5 WETH for 1,451 USDC',
      'Order filled: 0.5 WETH for 1,451.44 USDC',
    ])
    const better = await placeOrder()
    await apply(nextBlock([trade(better, { sell: unit, buy: 2_902_900_000n }, 'exact')]))
    expect((await notificationsOf(better)).at(-1)?.metadata).toMatchObject({
      reference: 'limit',
      improvementAmount: '2900000',
      improvementShare: '0.001',
    })
  })

  test.each([
    [
      'the market, where that is known and is a price',
      wrapped,
      2_500n,
      'market',
      ' 400 USDC (16 %) more than the market,',
    ],
    [
      'the market, with the coin of the network',
      nativeMarker,
      2_500n,
      'market',
      ' 400 USDC (16 %) more than the market,',
    ],
    ['nothing, where the market gave more', wrapped, 2_901n, undefined, undefined],
    ['the limit in numbers alone, where the market is no price', wrapped, 1n, 'limit', ' than the limit:'],
    ['the limit in numbers alone, where the market is not known', wrapped, null, 'limit', ' than the limit:'],
  ])('of an order without a price of its own is over %s', async (name, sellToken, worth, reference, says) => {
    const auctionId = BigInt(auctions++)
    await sql(database.db).auction.create({
      data: { id: auctionId, chainId, block: 1n, deadlineBlock: 9n },
    })
    const prices = new Map([
      [wrapped, unit],
      ...(worth ? [[dollar, (unit * 10n ** 12n) / worth] as const] : []),
    ])
    await database.db.transaction((tx) =>
      insertPriceChanges(tx, { id: auctionId, chainId, nativePrices: prices }),
    )
    const order = await placeOrder({ sellToken, buyAmount: 1n, quote: null })
    const { sellAmount, owner, buyToken, uid: orderUid } = order
    const place = { chainId, blockNumber: 1, logIndex: 0, txHash: hashOf(name), auctionId }
    const amounts = { sellAmount, buyAmount: 2_900n * dollars, feeAmount: 0n }
    const traded = { ...place, ...amounts, orderUid, owner, sellToken, buyToken }
    await database.db.transaction((tx) =>
      recordTrades(tx, [{ order, trade: traded, fulfils: true, ordinal: 0 }], indexing, new Date(5_000_000)),
    )
    const improvement = (await notificationsOf(order)).find(({ type }) => type === 'price_improvement')
    expect(improvement?.metadata.reference).toBe(reference)
    if (says) expect(improvement?.message).toContain(says)
  })

  test('that a reorg takes back is reverted once, with the fill', async () => {
    const order = await placeOrder()
    await apply(nextBlock([trade(order, { sell: unit, buy: 3_000n * dollars }, 'lost')]))
    const before = await notificationsOf(order)
    await rollBack()
    await apply(nextBlock())
    for (const _ of [1, 2]) await applyFinality(checkpoint?.number ?? 0, indexing)
    const after = await notificationsOf(order)
    expect(after.map(({ id }) => id)).toEqual(before.map(({ id }) => id))
    expect(after.map(({ type, metadata }) => [type, metadata.reverted])).toEqual([
      ['order_filled', true],
      ['price_improvement', true],
    ])
    expect(
      await sql(database.db).feedEntry.count({
        where: { account: Buffer.from(order.owner.slice(2), 'hex') },
      }),
    ).toBe(4)
  })
})

describe('a channel is told of a fill', () => {
  const better = 3_000n * dollars
  const asSigned = 2_900n * dollars
  const filled = (order: Order, buy: bigint, tx: string) => nextBlock([trade(order, { sell: unit, buy }, tx)])

  /** The deliveries to the channels of an order's owner, each as its type, transaction and revision. */
  async function sentOf({ owner }: Order): Promise<string[]> {
    const rows = await sql(database.db).$queryRaw<{ sent: string }[]>`
      SELECT n.type || ' ' || (n.metadata->>'txHash') || CASE WHEN d.revision = 0 THEN '' ELSE ' ' || d.revision END
        || CASE WHEN d.state = 'dropped' THEN ' dropped' ELSE '' END AS sent
      FROM deliveries d JOIN notifications n ON n.id = d.notification_id
      WHERE n.account = ${Buffer.from(owner.slice(2), 'hex')} ORDER BY d.id`
    return rows.map(({ sent }) => sent)
  }
  const send = () =>
    sql(database.db).delivery.updateMany({
      where: { state: 'waiting' },
      data: { state: 'delivered', attempts: 1 },
    })
  async function subscribed(
    channel: { types?: string[]; leastImprovement?: string; chainIds?: number[] } = {},
    more: Partial<Order> = {},
  ): Promise<Order> {
    const order = await placeOrder(more)
    await storeChannel(database.db, { account: order.owner, ...channel })
    return order
  }
  const [fill, improvement] = ['order_filled', 'price_improvement'] as const
  const of = (type: string, tx: string) => `${type} ${hashOf(tx)}`

  test.each([
    ['all', {}, [improvement]],
    ['both', { types: [fill, improvement] }, [improvement]],
    ['fills alone', { types: [fill] }, [fill]],
    ['improvements alone', { types: [improvement] }, [improvement]],
    ['improvements alone, of a larger share', { types: [improvement], leastImprovement: '0.04' }, []],
    ['all, improvements of this share', { leastImprovement: '0.034' }, [improvement]],
    ['all, improvements of a larger share', { leastImprovement: '0.035' }, [fill]],
    ['fills alone, and a share', { types: [fill], leastImprovement: '0.01' }, [fill]],
    ['all, of another network', { chainIds: [1] }, []],
  ])('once, if it asks for %s', async (name, channel, types) => {
    const order = await subscribed(channel)
    await apply(filled(order, better, name))
    expect(await sentOf(order)).toEqual(types.map((type) => of(type, name)))
    expect((await notificationsOf(order)).map(({ type }) => type)).toEqual([fill, improvement])
  })

  test('each time that it is filled in part', async () => {
    const order = await subscribed({}, { partiallyFillable: true })
    const half = unit / 2n
    await apply(nextBlock([trade(order, { sell: half, buy: better / 2n }, 'half')]))
    await apply(nextBlock([trade(order, { sell: half, buy: asSigned / 2n }, 'rest')]))
    expect(await sentOf(order)).toEqual([of(improvement, 'half'), of(fill, 'rest')])
    expect((await notificationsOf(order)).map(({ message }) => message)).toEqual([
      'Order partially filled (50 %): 0.5 WETH for 1,500 USDC',
      'Order partially filled (50 %), at a better price: 50 USDC (3.44 %) more than the limit, 0.5 WETH for 1,500 USDC',
      'Order filled: 0.5 WETH for 1,450 USDC',
    ])
  })

  test('once, when a reorg brings the same trade back', async () => {
    const order = await subscribed()
    for (const _ of [1, 2, 3]) {
      await apply(filled(order, better, 'again'))
      await send()
      await rollBack()
    }
    expect(await sentOf(order)).toEqual([of(improvement, 'again')])
    await apply(nextBlock())
  })

  test('by another trade after a reorg that is no better; the first one is corrected', async () => {
    const order = await subscribed()
    await apply(filled(order, better, 'first'))
    await send()
    await rollBack()
    await apply(filled(order, asSigned, 'second'))
    await applyFinality(checkpoint?.number ?? 0, indexing)
    expect(await sentOf(order)).toEqual([
      of(improvement, 'first'),
      of(fill, 'second'),
      `${of(improvement, 'first')} 1`,
    ])
  })

  test('by another trade after a reorg that is better too', async () => {
    const order = await subscribed()
    await apply(filled(order, better, 'lost'))
    await rollBack()
    await apply(filled(order, better + dollars, 'kept'))
    await applyFinality(checkpoint?.number ?? 0, indexing)
    expect(await sentOf(order)).toEqual([`${of(improvement, 'lost')} dropped`, of(improvement, 'kept')])
  })

  test('when it happens after all, though a reorg took another one back for good', async () => {
    const order = await subscribed()
    await apply(filled(order, better, 'gone'))
    await send()
    await rollBack()
    await apply(nextBlock())
    await applyFinality(checkpoint?.number ?? 0, indexing)
    await apply(filled(order, asSigned, 'later'))
    expect(await sentOf(order)).toEqual([
      of(improvement, 'gone'),
      `${of(improvement, 'gone')} 1`,
      of(fill, 'later'),
    ])
  })

  test('again, if the same trade completes the order only after a reorg', async () => {
    const order = await subscribed({}, { partiallyFillable: true })
    const half = trade(order, { sell: unit / 2n, buy: better / 2n }, 'completes')
    await apply(nextBlock([half]))
    await send()
    await rollBack()
    await apply(nextBlock([trade(order, { sell: unit / 2n, buy: asSigned / 2n }, 'before'), half]))
    expect((await sentOf(order)).toSorted()).toEqual(
      [
        of(improvement, 'completes'),
        of('order_partially_filled', 'before'),
        `${of(improvement, 'completes')} 1`,
      ].toSorted(),
    )
    expect((await notificationsOf(order)).map(({ message }) => message)).toContain(
      'Order filled, at a better price: 50 USDC (3.44 %) more than the limit, 0.5 WETH for 1,500 USDC',
    )
  })
})

describe('an ending on chain', () => {
  test('is an event with its transaction, which a reorg takes back', async () => {
    const order = await placeOrder()
    await apply(nextBlock([invalidation(order, 'on chain')]))
    expect(await readEvents(database.db, order)).toEqual([`cancelled chain: ${hashOf('on chain')}`])
    expect((await notificationsOf(order)).map(({ message }) => message)).toEqual([
      'Order cancelled on chain: sell 1 WETH for at least 2,900 USDC',
    ])
    await rollBack()
    expect(await readEvents(database.db, order)).toEqual([])
    await apply(nextBlock())
  })

  test('by time is an event; an invalidation after it is another one, without a notification', async () => {
    const validTo = 1_000_000
    const order = await placeOrder({ validTo, effectiveValidTo: validTo })
    await apply(nextBlock([], validTo))
    expect(await readEvents(database.db, order)).toEqual([])
    await apply(nextBlock([], validTo + 1))
    expect(await readEvents(database.db, order)).toEqual(['expired'])
    await rollBack()
    expect(await readEvents(database.db, order)).toEqual([])
    await apply(nextBlock([invalidation(order, 'late')], validTo + 1))
    const events = ['expired', `cancelled chain: ${hashOf('late')}`]
    expect(await readEvents(database.db, order)).toEqual(events)
    expect((await notificationsOf(order)).map(({ message }) => message)).toEqual([
      'Order expired: sell 1 WETH for at least 2,900 USDC',
    ])
  })
})

describe('an order that the chain knew before it was placed', () => {
  async function placeLogged(order: Order): Promise<Order> {
    const onLogged = (tx: Parameters<typeof recordLogged>[0], ids: readonly bigint[]) =>
      recordLogged(tx, ids, indexing, new Date(5_000_000))
    await database.db.transaction((tx) => insertOrder(tx, order, onLogged))
    return readOrder(database.db, order)
  }

  test('is notified of its trades, also again after a reorg', async () => {
    const order = sampleOrder({
      owner: numbered('e1'),
      sellAmount: unit,
      buyAmount: 2_900n * dollars,
      partiallyFillable: true,
    })
    const [part, rest] = [
      { sell: unit / 4n, buy: 725n * dollars },
      { sell: (unit * 3n) / 4n, buy: 2_175n * dollars },
    ]
    const logs = [trade(order, part, 'early'), trade(order, rest, 'early')]
    await apply(nextBlock(logs))
    await placeLogged(order)
    const messages = [
      'Order partially filled (25 %): 0.25 WETH for 725 USDC',
      'Order filled: 0.75 WETH for 2,175 USDC',
    ]
    expect((await notificationsOf(order)).map(({ message }) => message)).toEqual(messages)
    await rollBack()
    await apply(nextBlock(logs))
    expect((await notificationsOf(order)).map(({ message }) => message)).toEqual(messages)
  })

  test('is notified of its invalidation, once', async () => {
    const order = sampleOrder({ owner: numbered('e2') })
    await apply(
      nextBlock([invalidation(order, 'first')]),
      sketchBlock((checkpoint?.number ?? 0) + 2, [invalidation(order, 'second')]),
    )
    expect(await readEvents(database.db, await placeLogged(order))).toEqual([
      `cancelled chain: ${hashOf('first')}`,
    ])
    expect(await notificationsOf(order)).toMatchObject([
      { type: 'order_cancelled', metadata: { source: 'chain', txHash: hashOf('first') } },
    ])
  })
})

test('ten thousand orders that expired during a month without a program are notified once each, in their order', async () => {
  const owner = numbered('dd1f')
  const first = await storeOrder(database.db, { owner, validTo: 2_000_000, effectiveValidTo: 2_000_000 })
  const count = 10_000
  // Copies, latest first, so that the order of rows is not that of expiry.
  for (let done = 1; done < count; done += 1_000)
    await sql(database.db).$executeRaw`
    INSERT INTO orders SELECT (jsonb_populate_record(o, jsonb_build_object('id', 1000000 + i, 'uid',
      '\\x' || encode(sha256(i::text::bytea) || o.owner || int4send(2000000 + ${count} - i), 'hex'), 'effective_valid_to', 2000000 + ${count} - i))).*
    FROM orders o, generate_series(${done}::int, ${Math.min(count, done + 1_000) - 1}::int) i WHERE o.id = ${first.id}`
  const statements = database.statements.length
  await apply(nextBlock([], 2_000_000 + 30 * 86_400))
  // Of 500 orders: BEGIN, mark, read, events, tokens, notifications, COMMIT.
  expect(database.statements.length - statements).toBeLessThanOrEqual(7 * (count / 500 + 1) + 10)
  const rows = await sql(database.db).$queryRaw<{ valid: number; entries: number }[]>`
    SELECT (n.metadata->>'validTo')::int AS valid, count(f.place)::int AS entries
    FROM notifications n LEFT JOIN feed_entries f ON f.notification_id = n.id
    WHERE n.type = 'order_expired' AND n.account = ${Buffer.from(owner.slice(2), 'hex')} GROUP BY n.id ORDER BY n.id`
  expect(rows).toEqual(
    Array.from({ length: count }, (_, index) => ({ valid: 2_000_000 + index, entries: 1 })),
  )
  await apply(nextBlock([], 2_000_000 + 31 * 86_400))
  expect(
    await sql(database.db).notification.count({
      where: { type: 'order_expired', account: Buffer.from(owner.slice(2), 'hex') },
    }),
  ).toBe(count)
})

test('facts below the first notified block are events at the times of their blocks, and notify no owner', async () => {
  const [filled, cancelled, newer] = [await placeOrder(), await placeOrder(), await placeOrder()]
  const amounts = { sell: unit, buy: 2_900n * dollars }
  const number = (checkpoint?.number ?? 0) + 1
  const old = sketchBlock(number, [trade(filled, amounts, 'old'), invalidation(cancelled, 'old too')], {
    timestamp: 700,
  })
  const recent = sketchBlock(number + 1, [trade(newer, amounts, 'new')])
  const followed = { ...indexing, notifiedFrom: number + 1 }
  checkpoint = await applyBlocks(checkpoint, rangeOf([old, recent]), followed)
  const eventsOf = async (order: Order) =>
    (await readStory(database.db, order)).events.map(({ label, timestamp }) => [label, timestamp.getTime()])
  expect((await eventsOf(filled)).at(-1)).toEqual(['traded', 700_000])
  expect((await eventsOf(cancelled)).at(-1)?.[0]).toBe('cancelled')
  expect((await eventsOf(newer)).at(-1)).toEqual(['traded', 5_000_000])
  const types = async (order: Order) => (await notificationsOf(order)).map(({ type }) => type)
  expect([await types(filled), await types(cancelled), await types(newer)]).toEqual([
    [],
    [],
    ['order_filled'],
  ])
})

import type { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { DecodedSettlement } from '../../src/chain/settlement/call.ts'
import type { Bytes32 } from '../../src/domain/evm/hex.ts'
import { resolverReading } from '../../src/graphql/stored/reading.ts'
import { applyBlocks, applyReorg } from '../../src/indexer/apply.ts'
import { endAttempt } from '../../src/storage/auction/competition.ts'
import type { Checkpoint } from '../../src/storage/chain/indexed-logs.ts'
import type { Database } from '../../src/storage/database/database.ts'
import { feedScan } from '../../src/storage/feeds/book.ts'
import { createFeedTail } from '../../src/storage/feeds/tail.ts'
import type { FeedReading } from '../../src/storage/feeds/texts.ts'
import { auctionFeed } from '../../src/storage/models/auction/auction.ts'
import { notificationFeed } from '../../src/storage/models/notification/feed.ts'
import { bookFeed, orderFeed, ownerFeed } from '../../src/storage/models/order/event.ts'
import { appendEvents } from '../../src/storage/order/events.ts'
import type { FeedSource } from '../../src/storage/query/feed-source.ts'
import type { Model } from '../../src/storage/query/model.ts'
import type { Selected, Selection } from '../../src/storage/query/selection.ts'
import { removeEvents, removeFeedEntries } from '../../src/storage/retention/events.ts'
import { storeCompetition } from '../fakes/competition.ts'
import { headOf, readEntries } from '../fakes/feed-reading.ts'
import { numbered, sampleOrder, signingDomain } from '../fakes/order.ts'
import { recordStatements } from '../fakes/sent-statements.ts'
import { storeOrder } from '../fakes/stored-order.ts'
import { hashOf, type LogSketch, rangeOf, settled, sketchBlock, trade } from '../indexer/hand-made.ts'
import { connectDirectly, createTestDatabase, type TestDatabase } from '../setup/database.ts'

const { chainId } = signingDomain
const solver = numbered('51')
let database: TestDatabase
let client: Client
let db: Database
let checkpoint: Checkpoint | null = null
const calls = new Map<Bytes32, DecodedSettlement>()
beforeAll(async () => {
  database = await createTestDatabase({ isNew: true })
  db = database.db
  client = await connectDirectly(database.url)
  await apply()
})
afterAll(async () => {
  await client?.end()
  await database?.[Symbol.asyncDispose]()
})

async function apply(...logs: LogSketch[]): Promise<void> {
  const indexing = { chainId, db, now: () => 5_000_000 }
  const block = sketchBlock((checkpoint?.number ?? 0) + 1, logs)
  checkpoint = await applyBlocks(checkpoint, rangeOf([block], calls), indexing)
}

async function rollBack(): Promise<void> {
  const number = (checkpoint?.number ?? 0) - 1
  const to = { number, hash: hashOf(`a:${number}`) }
  checkpoint = await applyReorg(checkpoint, to, { chainId, db, now: () => 5_000_000 })
}

/** A selection of fields: `'a b { c }'` as lists. */
type Fields = (string | [string, Fields])[]
function select(model: Model, fields: Fields): Selected[] {
  return fields.map((field) => {
    const [name, inner] = typeof field === 'string' ? [field, []] : field
    const relation = model.relations?.[name]
    const is = relation ?? model.fields[name]
    if (!is) throw new Error(`${model.name} has no ${name}`)
    const selection = relation && 'model' in relation ? select(relation.model(), inner) : []
    return { key: name, field: name, is, selection }
  })
}

const orderItem: Selection = {
  selection: select(orderFeed.entry, ['isRemoved', ['event', ['label']], ['order', ['class']]]),
}
const auctionItem: Selection = {
  selection: select(auctionFeed.entry, [
    ['auction', ['auctionId', ['solutions', ['ranking']]]],
    ['settlementAttempt', ['outcome']],
  ]),
}

async function read(
  feed: FeedSource,
  key: string | number | bigint,
  after: bigint,
  { item = orderItem, hides = false, limit = 100 } = {},
) {
  const ambient = () => ({ now: 0, hidesCompetitions: hides })
  const rows = await readEntries(db, feed, key, after, limit, {
    item,
    slots: [],
    ambient,
    reading: resolverReading,
  })
  return rows.map(({ place, text }) => ({ place, ...JSON.parse(text) }))
}

const stepsOf = (entries: { isRemoved: boolean; event: { label: string } }[]) =>
  entries.map(({ isRemoved, event }) => (isRemoved ? `no ${event.label}` : event.label))

let auctions = 0n
async function competition(deadlineBlock: number, owner = numbered('71')) {
  const id = ++auctions
  const order = await storeOrder(db, {
    owner,
    partiallyFillable: true,
    sellAmount: 2n * 10n ** 18n,
    validTo: 900_000_000 + Number(id),
  })
  const fill = { sell: 10n ** 18n, buy: 2_970n * 10n ** 6n }
  const call = await storeCompetition(db, { id, solver, fills: [{ order, fill }], deadlineBlock })
  calls.set(hashOf(`settle ${id}`), call)
  return { id, order, settle: [trade(order, fill, `settle ${id}`), settled(solver, `settle ${id}`)] }
}

describe('the feed of order events', () => {
  test('has each event, by order and by owner, and one more entry for what a reorg takes back', async () => {
    const owner = numbered('72')
    const { order, settle } = await competition((checkpoint?.number ?? 0) + 9, owner)
    const second = await storeOrder(db, { owner, validTo: 800_000_000 })
    await apply(...settle)
    const [traded] = (await read(orderFeed, order.id, 0n)).slice(-1)
    expect(stepsOf(await read(orderFeed, order.id, 0n))).toEqual(['created', 'traded'])
    await rollBack()
    await apply(...settle)
    const steps = ['created', 'traded', 'no traded', 'traded']
    // Also what was read before: a feed reads the same at any time.
    expect(stepsOf(await read(orderFeed, order.id, 0n))).toEqual(steps)
    expect(stepsOf(await read(orderFeed, order.id, traded?.place ?? 0n))).toEqual(['no traded', 'traded'])
    expect(stepsOf(await read(ownerFeed, owner, 0n))).toEqual(['created', 'created', ...steps.slice(1)])
    expect(stepsOf(await read(orderFeed, second.id, 0n))).toEqual(['created'])
    expect(await read(orderFeed, order.id, 0n, { limit: 1 })).toHaveLength(1)
  })

  test('tells who is behind what was removed by age, of that order or owner only', async () => {
    const owner = numbered('73')
    const [old, other] = [
      await storeOrder(db, { owner, validTo: 700_000_000 }),
      await storeOrder(db, { owner: numbered('74'), validTo: 700_000_001 }),
    ]
    for (const day of [1, 2, 3, 4])
      await db.transaction((tx) =>
        appendEvents(tx, [
          {
            orderId: old.id,
            label: day % 2 ? 'ready' : 'filtered',
            reason: null,
            timestamp: new Date(day * 86_400_000),
          },
        ]),
      )
    const before = await read(orderFeed, old.id, 0n)
    await removeEvents(db, { before: new Date(10 * 86_400_000), limit: 1_000 })
    const left = await read(orderFeed, old.id, 0n)
    expect(left.length).toBeLessThan(before.length)
    const behind = before[0]?.place ?? 0n
    const gap = { code: 'FeedGap' }
    await expect(read(ownerFeed, owner, behind)).rejects.toMatchObject(gap)
    await expect(read(orderFeed, old.id, behind)).rejects.toMatchObject(gap)
    expect(stepsOf(await read(orderFeed, other.id, behind))).toEqual(['created'])
  })
})

describe('the feed of auctions', () => {
  const entriesAfter = async (after: bigint, hides: boolean) =>
    (await read(auctionFeed, chainId, after, { item: auctionItem, hides })).map(
      ({ auction, settlementAttempt: attempt }) =>
        `${auction.auctionId} ${attempt ? attempt.outcome : `of ${auction.solutions.length}`}`,
    )

  test('has a competition and its settlement at once; where it is hidden, when the indexer passes its deadline', async () => {
    const start = await headOf(db)
    const { id, settle } = await competition((checkpoint?.number ?? 0) + 2)
    expect(await entriesAfter(start, false)).toEqual([`${id} of 1`])
    await apply(...settle)
    await apply()
    expect(await entriesAfter(start, false)).toEqual([`${id} of 1`, `${id} success`])
    expect(await entriesAfter(start, true)).toEqual([])
    await apply()
    const whole = [`${id} of 1`, `${id} success`]
    expect([await entriesAfter(start, false), await entriesAfter(start, true)]).toEqual([whole, whole])
    await apply()
    expect([await entriesAfter(start, false), await entriesAfter(start, true)]).toEqual([whole, whole])
  })

  test('has a settlement once that ends in the very block that shows the competition, or after it', async () => {
    const start = await headOf(db)
    const { id, settle } = await competition(checkpoint?.number ?? 0)
    await apply(...settle)
    expect(await entriesAfter(start, true)).toEqual([`${id} of 1`, `${id} success`])
    const late = await competition(checkpoint?.number ?? 0)
    await apply()
    const end = { endedAt: new Date(0), endBlock: 9, outcome: 'timeout', txHash: null }
    await db.transaction((tx) => endAttempt(tx, { auctionId: late.id, solutionUid: 0, ...end }))
    for (const hides of [true, false])
      expect((await entriesAfter(start, hides)).slice(-2)).toEqual([`${late.id} of 1`, `${late.id} timeout`])
  })

  test('shows at once what is stored after its deadline was passed', async () => {
    const start = await headOf(db)
    const { id } = await competition((checkpoint?.number ?? 0) - 1)
    for (const hides of [true, false]) expect(await entriesAfter(start, hides)).toEqual([`${id} of 1`])
    await apply()
    for (const hides of [true, false]) expect(await entriesAfter(start, hides)).toEqual([`${id} of 1`])
  })

  test('shows a competition whatever comes first, its commit or that of the block', async () => {
    for (let round = 0; round < 10; round++) {
      const start = await headOf(db)
      const [{ id }] = await Promise.all([competition(checkpoint?.number ?? 0), apply()])
      const entries = await entriesAfter(start, true)
      expect(entries.filter((entry) => entry.startsWith(`${id} `))).toEqual([`${id} of 1`])
    }
  })
})

describe('a feed', () => {
  const reading = { item: orderItem, slots: [], ambient: () => ({ now: 0, hidesCompetitions: false }) }
  const textsOf = (more: Partial<FeedReading> = {}) =>
    createFeedTail(db, orderFeed).texts({ ...reading, reading: resolverReading, ...more })
  const happen = (orderId: bigint, label: 'ready' | 'cancelled') =>
    db.transaction((tx) => appendEvents(tx, [{ orderId, label, reason: null, timestamp: new Date(0) }]))

  test('has pages of several keys in one read, each up to its own limits of rows and bytes', async () => {
    const long = await storeOrder(db, { validTo: 600_000_000 })
    const short = await storeOrder(db, { validTo: 600_000_001 })
    await happen(long.id, 'ready')
    await happen(long.id, 'cancelled')
    const starts = [long, short].map(({ id }) => ({ key: String(id), after: 0n }))
    const pages = async (rows: number, bytes: number) =>
      (await textsOf().readPages(starts, { rows, bytes })).map(({ entries, isLast }) => [
        entries.length,
        isLast,
      ])
    const sizes = (await textsOf().readPages(starts, { rows: 9, bytes: 9_999 })).map(({ entries }) =>
      entries.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0),
    )
    const [size = 0] = sizes
    expect(await pages(2, 9_999)).toEqual([
      [2, false],
      [1, true],
    ])
    expect(await pages(3, 9_999)).toEqual([
      [3, false],
      [1, true],
    ])
    expect(await pages(4, 9_999)).toEqual([
      [3, true],
      [1, true],
    ])
    expect(await pages(9, 1)).toEqual([
      [1, false],
      [1, false],
    ])
    expect(await pages(9, size)).toEqual([
      [3, false],
      [1, true],
    ])
    expect(await pages(9, size + 1)).toEqual([
      [3, true],
      [1, true],
    ])
  })

  test('tells new entries by their keys as text, and the head where there are none', async () => {
    const start = await headOf(db)
    const owner = numbered('77')
    const { id } = await storeOrder(db, { owner, validTo: 600_000_002 })
    for (const [source, key] of [
      [orderFeed, String(id)],
      [ownerFeed, owner],
    ] as const) {
      const port = createFeedTail(db, source)
      const { entries, head } = await port.readNew(start, 9)
      expect(entries).toMatchObject([{ place: head, key }])
      expect(head).toBeGreaterThan(start)
      expect(await port.readNew(head, 9)).toEqual({ entries: [], head })
    }
  })

  test('is concerned by signals of its topic: that of accounts where the key is followed', () => {
    const [accounts, orders] = [createFeedTail(db, notificationFeed), createFeedTail(db, orderFeed)]
    const isFollowed = (key: string) => key === '0xab'
    const concerned = ['0xab', '0xac', '', undefined].map((payload) => [
      accounts.concerns(payload, isFollowed),
      orders.concerns(payload, isFollowed),
    ])
    expect(concerned).toEqual([
      [true, false],
      [false, false],
      [false, true],
      [true, true],
    ])
    expect([accounts.topic, orders.topic]).toEqual(['feed', 'feed'])
    expect(orders.placeOf('7')).toBe(7n)
    expect(() => orders.placeOf('x')).toThrow(expect.objectContaining({ field: 'after' }))
  })

  test('has the same texts for equal values only', () => {
    const hides = { ambient: () => ({ now: 0, hidesCompetitions: true }) }
    const values = [[1n], [2n], [1], ['1']].map((values) => ({ slots: [{ shape: 'one', values }] }))
    const keys = [{}, hides, ...values].map((more) => textsOf(more).key)
    expect(new Set(keys).size).toBe(keys.length)
    expect(textsOf({ slots: [{ shape: 'one', values: [1n] }] }).key).toBe(keys[2])
  })
})

test('all feeds are emptied by age, and the head stays', async () => {
  const { order } = await competition((checkpoint?.number ?? 0) + 9)
  const head = await headOf(db)
  const removed = await removeFeedEntries(db, { before: new Date(Date.now() + 60_000), limit: 10_000 })
  expect(Object.keys(removed.removed)).toEqual([
    'feed_entries',
    'order_feed',
    'auction_feed',
    'trade_feed',
    'programmatic_feed',
  ])
  expect(Math.min(removed.removed.order_feed ?? 0, removed.removed.auction_feed ?? 0)).toBeGreaterThan(0)
  expect(await headOf(db)).toBe(head)
  expect(await read(orderFeed, order.id, 0n)).toEqual([])
  await expect(read(auctionFeed, chainId, 2n, { item: auctionItem })).rejects.toMatchObject({
    code: 'FeedGap',
  })
})

const bytes = (number: string) => `decode(lpad(to_hex(${number}), 40, '0'), 'hex')`
const manyOrders = (first: number, count: number) =>
  `INSERT INTO orders (id, chain_id, uid, owner, sell_token, buy_token, sell_amount, buy_amount, valid_to, app_data, fee_amount, kind,
     partially_fillable, sell_token_balance, buy_token_balance, signing_scheme, signature, settlement, class, full_balance_check,
     created_at, effective_valid_to)
   SELECT g, ${chainId}, ${bytes('g')}, ${bytes('g % 300')}, '', '', 1, 1, 1, '', 0, 'sell', false, 'erc20', 'erc20', 'eip712', '',
     '', 'limit', false, now(), 1 FROM generate_series(${first}, ${first + count - 1}) g`
const manyEvents = (first: number, orders: number, count: number) =>
  `INSERT INTO order_events (order_id, label, timestamp)
   SELECT ${first} + g % ${orders}, 'ready', now() FROM generate_series(1, ${count}) g`

/** Of the statements that this runs. */
async function plansOf(work: () => Promise<unknown>, explain = 'EXPLAIN'): Promise<string[]> {
  const sent = recordStatements()
  const statements = await sent.of(work)
  sent.end()
  const plans: string[] = []
  for (const { text, values } of statements) {
    const { rows } = await client.query(`${explain} ${text}`, values)
    plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'))
  }
  return plans
}

test('pages are read by their key, also where the keys are newer than the statistics', async () => {
  for (const statement of [
    'ALTER TABLE order_feed SET (autovacuum_enabled = false)',
    manyOrders(10_000, 501),
    manyEvents(10_000, 1, 1_000),
    'ANALYZE order_feed',
    manyEvents(10_001, 500, 20_000),
  ])
    await client.query(statement)
  const [plan] = await plansOf(() => read(orderFeed, 10_007n, 1n))
  await client.query('ALTER TABLE order_feed RESET (autovacuum_enabled)')
  expect(plan).toContain('order_feed_order_id_place_idx')
  expect(plan).not.toContain('order_feed_pkey on order_feed f')
})

test.each([
  ['full', 100],
  ['not full', feedScan * 2],
])(
  'a page of the book that is %s reads the entries that it looks at, and no more for each entry',
  async (_, limit) => {
    const item = { selection: select(bookFeed.entry, ['eventId']) }
    const head = await headOf(db)
    await client.query(manyEvents(10_001, 500, feedScan + 1_000))
    await client.query('ANALYZE order_feed')
    const analyze = 'EXPLAIN (ANALYZE, TIMING off, COSTS off)'
    const [plan = ''] = await plansOf(() => read(bookFeed, '{}', head, { item, limit }), analyze)
    const scans = [...plan.matchAll(/ on order_feed f(?:_\d+)? {1,2}\(actual rows=([\d.]+) loops=(\d+)\)/g)]
    const rows = scans.reduce((sum, [, each, loops]) => sum + Number(each) * Number(loops), 0)
    expect(rows).toBeGreaterThanOrEqual(Math.min(limit, feedScan))
    expect(rows).toBeLessThanOrEqual(feedScan * 2)
  },
)

/** Plans are kept: one that was made for a small table is run on what it grows to. */
test('a plan from a small table reads no table from its start for each entry', async () => {
  for (const statement of [
    `INSERT INTO notifications (cause, chain_id, account, type, message, timestamp, metadata)
     SELECT 'small ' || g, ${chainId}, ${bytes('g')}, 'order_filled', '', now(), '{}' FROM generate_series(1, 20) g`,
    'ANALYZE notifications, feed_entries',
    'SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off',
  ])
    await client.query(statement)
  const [page = ''] = await plansOf(() => readEntries(db, notificationFeed, `0x${'00'.repeat(20)}`, 1n, 9))
  expect(page).toMatch(/Index Cond: \(\(?(account = f\.account\) AND \()?id = f\.notification_id/)
  for (const feed of [notificationFeed, orderFeed, ownerFeed, auctionFeed]) {
    const [plan = ''] = await plansOf(() => createFeedTail(db, feed).readNew(0n, 1_000))
    const read = [...plan.matchAll(/ using \S+ on (\S+)/g)].map(([, table]) => table)
    expect(new Set(read)).toEqual(
      new Set([
        'feed_entries',
        'order_feed',
        'auction_feed',
        'trade_feed',
        'programmatic_feed',
        'feed_marks',
      ]),
    )
  }
  await client.query('RESET enable_seqscan; RESET enable_hashjoin; RESET enable_mergejoin')
})

test('each feed is read by an index', async () => {
  const head = await headOf(db)
  const order = sampleOrder()
  for (const statement of [
    manyOrders(1_001, 5_000),
    manyEvents(1_001, 5_000, 20_000),
    `INSERT INTO auctions (id, chain_id, block, deadline_block) SELECT 1000 + g, g % 5, g, g FROM generate_series(1, 10000) g`,
  ])
    await client.query(statement)
  await client.query('ANALYZE')
  const plans = await plansOf(async () => {
    await read(orderFeed, order.id, head)
    await read(ownerFeed, order.owner, head)
    await read(auctionFeed, 3, head, { item: auctionItem, hides: true })
    await headOf(db)
  })
  expect(plans).toHaveLength(4)
  for (const [index, name] of [
    'order_feed_order_id_place_idx',
    'order_feed_owner_place_idx',
    'auction_feed_chain_id_place_idx',
    'auction_feed_pkey',
  ].entries()) {
    expect(plans[index]).toContain(name)
    expect(plans[index]).not.toMatch(/Seq Scan on (order_feed|auction_feed)/)
  }
})

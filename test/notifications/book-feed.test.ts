import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { DecodedSettlement } from '../../src/chain/settlement/call.ts'
import type { Bytes32 } from '../../src/domain/evm/hex.ts'
import type { Order } from '../../src/domain/order/order.ts'
import { applyBlocks, applyReorg } from '../../src/indexer/apply.ts'
import type { Checkpoint } from '../../src/storage/chain/indexed-logs.ts'
import { claimNetwork } from '../../src/storage/chain/networks.ts'
import { sql } from '../../src/storage/database/database.ts'
import { removeFeedEntries } from '../../src/storage/retention/events.ts'
import { storeCompetition } from '../fakes/competition.ts'
import { numbered } from '../fakes/order.ts'
import { storeOrder } from '../fakes/stored-order.ts'
import { hashOf, type LogSketch, rangeOf, settled, sketchBlock, trade } from '../indexer/hand-made.ts'
import { collect } from '../setup/collect.ts'
import { eventually } from '../setup/eventually.ts'
import { network, openTestServer, type TestServer } from '../setup/server.ts'
import { ask, type GraphqlAnswer } from '../setup/session.ts'

const { chainId } = network
const solver = numbered('51')
const calls = new Map<Bytes32, DecodedSettlement>()
let server: TestServer
let checkpoint: Checkpoint | null = null
beforeAll(async () => {
  server = await openTestServer()
  await claimNetwork(server.database.db, network, hashOf('a:0'))
  await apply()
  await storeOrder(server.database.db, { owner: numbered('0e'), validTo: 7 })
})
afterAll(async () => {
  await server?.[Symbol.asyncDispose]()
})

const indexing = () => ({ chainId, db: server.database.db, now: () => 5_000_000 })

async function apply(...logs: LogSketch[]): Promise<void> {
  const block = sketchBlock((checkpoint?.number ?? 0) + 1, logs)
  checkpoint = await applyBlocks(checkpoint, rangeOf([block], calls), indexing())
}

async function rollBack(): Promise<void> {
  const number = (checkpoint?.number ?? 0) - 1
  checkpoint = await applyReorg(checkpoint, { number, hash: hashOf(`a:${number}`) }, indexing())
}

let stored = 0n
/** An order, and the logs of a settlement that fills half of it. */
async function settle(owner: string, more: Partial<Order> = {}) {
  const { db } = server.database
  const id = ++stored
  const order = await storeOrder(db, {
    owner: numbered(owner),
    partiallyFillable: true,
    sellAmount: 2n * 10n ** 18n,
    validTo: 900_000_000 + Number(id),
    ...more,
  })
  const fill = { sell: 10n ** 18n, buy: 2_970n * 10n ** 6n }
  const name = `settle ${id}`
  calls.set(
    hashOf(name),
    await storeCompetition(db, { id, solver, fills: [{ order, fill }], deadlineBlock: 9 }),
  )
  return { order, logs: [trade(order, fill, name), settled(solver, name)] }
}

const bookFields = 'cursor isRemoved event { label } order { uid } trade { id sellAmount isReverted }'
const bookEvents = `subscription ($filter: BookFilter, $network: NetworkName, $after: String) {
  bookEvents(filter: $filter, network: $network, after: $after) { ${bookFields} }
}`
const trades = `subscription ($filter: BookFilter, $after: String) {
  trades(filter: $filter, after: $after) { cursor isRemoved trade { id sellAmount isReverted order { uid } } }
}`
const bookPage = `query ($filter: BookFilter, $after: String, $first: Int) {
  bookEvents(filter: $filter, after: $after, first: $first) {
    nodes { ${bookFields} } pageInfo { endCursor hasNextPage }
  }
}`
const changedOrders = `query ($after: String, $owner: Address, $first: Int, $more: String) {
  orders(changedAfter: $after, owner: $owner, first: $first, after: $more) {
    nodes { uid executedSellAmount } pageInfo { endCursor hasNextPage }
  }
}`
const changedTrades = `query ($after: String, $owner: Address) {
  trades(changedAfter: $after, owner: $owner) {
    nodes { id isReverted sellAmount orderUid } pageInfo { endCursor hasNextPage }
  }
}`

interface Entry {
  cursor: string
  isRemoved: boolean
  event: { label: string } | null
  order: { uid: string }
  trade: { id: string; sellAmount: string; isReverted: boolean } | null
}

const follow = (variables: object) => collect<{ bookEvents: Entry }>(server.url, bookEvents, { ...variables })
const stepsOf = (entries: readonly Entry[]) =>
  entries.map(({ event, isRemoved }) => `${isRemoved ? 'no ' : ''}${event?.label}`)

async function head(): Promise<string> {
  const [row] = await sql(server.database.db).$queryRaw<
    { place: bigint }[]
  >`SELECT max(place) AS place FROM order_feed`
  return String(row?.place ?? 1n)
}

async function pageFrom(after: string, variables: object = {}) {
  const { data, errors } = await ask(server.url, bookPage, { after, first: 100, ...variables })
  expect(errors).toBeUndefined()
  return data.bookEvents as { nodes: Entry[]; pageInfo: { endCursor: string | null; hasNextPage: boolean } }
}

describe('the book', () => {
  test('has every event of all orders, and what a reorg undid, as a stream and as pages', async () => {
    const after = await head()
    using live = follow({ after })
    const a = await settle('a1')
    const b = await settle('a2')
    await apply(...a.logs, ...b.logs)
    await rollBack()
    await apply(...a.logs)
    const steps = ['CREATED', 'CREATED', 'TRADED', 'TRADED', 'no TRADED', 'no TRADED', 'TRADED']
    await eventually('all events', () => live.results.length >= steps.length)
    const entries = live.data().map(({ bookEvents }) => bookEvents)
    expect(stepsOf(entries)).toEqual(steps)
    expect(entries.filter(({ trade }) => trade).map(({ trade }) => trade?.sellAmount)).toEqual(
      Array(5).fill(String(10n ** 18n)),
    )
    const page = await pageFrom(after)
    expect(stepsOf(page.nodes)).toEqual(steps)
    expect(page.nodes.map(({ cursor }) => cursor)).toEqual(entries.map(({ cursor }) => cursor))
    // The second block replaced the first: the trade of order a is there again, that of b is not.
    expect(page.nodes.map(({ order, trade }) => [order.uid, trade?.isReverted ?? null])).toEqual([
      [a.order.uid, null],
      [b.order.uid, null],
      [a.order.uid, false],
      [b.order.uid, true],
      [expect.any(String), expect.any(Boolean)],
      [expect.any(String), expect.any(Boolean)],
      [a.order.uid, false],
    ])
    using resumed = follow({ after: entries[3]?.cursor })
    await eventually('what was missed', () => resumed.results.length >= 3)
    expect(stepsOf(resumed.data().map(({ bookEvents }) => bookEvents))).toEqual(steps.slice(4))
  })

  const [tokenA, tokenB] = [numbered('c1'), numbered('c2')]
  test.each([
    { name: 'owners', filter: { owners: [numbered('b1')] }, of: [0] },
    { name: 'tokens', filter: { tokens: [tokenA] }, of: [1, 2] },
    { name: 'a pair', filter: { pair: { sellToken: tokenA, buyToken: tokenB } }, of: [1] },
    { name: 'kinds', filter: { kinds: ['BUY'] }, of: [2] },
    { name: 'classes', filter: { classes: ['LIQUIDITY'] }, of: [3] },
    { name: 'conditions together', filter: { tokens: [tokenA], kinds: ['SELL'] }, of: [1] },
    { name: 'labels', filter: { labels: ['TRADED'] }, of: [] },
    { name: 'a code that no order has', filter: { appCodes: ['none'] }, of: [] },
  ])('is filtered by $name alike live, behind, and in pages', async ({ filter, of }) => {
    const after = await head()
    using live = follow({ filter, after })
    using all = follow({ after })
    const { db } = server.database
    const seconds = 100_000_000 * (1 + Number(++stored))
    const orders = [
      await storeOrder(db, { owner: numbered('b1'), validTo: seconds + 1 }),
      await storeOrder(db, {
        owner: numbered('b2'),
        sellToken: tokenA,
        buyToken: tokenB,
        validTo: seconds + 2,
      }),
      await storeOrder(db, {
        owner: numbered('b3'),
        sellToken: tokenB,
        buyToken: tokenA,
        kind: 'buy',
        validTo: seconds + 3,
      }),
      await storeOrder(db, { owner: numbered('b4'), class: 'liquidity', validTo: seconds + 4 }),
    ]
    await eventually('all', () => all.results.length >= orders.length)
    const wanted = of.map((index) => orders[index]?.uid)
    const page = await pageFrom(after, { filter })
    expect(page.nodes.map(({ order }) => order.uid)).toEqual(wanted)
    await eventually('the filtered', () => live.results.length >= wanted.length)
    using behind = follow({ filter, after })
    await eventually('the filtered again', () => behind.results.length >= wanted.length)
    for (const stream of [live, behind])
      expect(stream.data().map(({ bookEvents }) => bookEvents.order.uid)).toEqual(wanted)
  })

  test('goes on behind a page that was filtered to nothing', async () => {
    const after = await head()
    const { order } = await settle('d1')
    await sql(server.database.db).$executeRaw`
      INSERT INTO order_feed (place, order_id, owner, event_id)
      SELECT nextval('feed_places'), o.id, o.owner, 0 FROM orders o, generate_series(1, 5001) WHERE o.uid = ${Buffer.from(order.uid.slice(2), 'hex')}`
    const last = await settle('d2')
    const filter = { owners: [numbered('d2')] }
    const first = await pageFrom(after, { filter })
    expect(first.nodes).toEqual([])
    expect(first.pageInfo).toMatchObject({ hasNextPage: true })
    const second = await pageFrom(String(first.pageInfo.endCursor), { filter })
    expect(second.nodes.map(({ order }) => order.uid)).toEqual([last.order.uid])
    using stream = follow({ filter, after })
    await eventually('the one event', () => stream.results.length >= 1)
    expect(stream.data().map(({ bookEvents }) => bookEvents.order.uid)).toEqual([last.order.uid])
  })
})

describe('what changed after a place', () => {
  test('is each order once, in the order of last changes, and again when it changes again', async () => {
    const after = await head()
    const a = await settle('e1')
    const b = await settle('e2')
    await apply(...a.logs)
    const read = async (variables: object) => {
      const { data, errors } = await ask(server.url, changedOrders, { after, first: 1, ...variables })
      expect(errors).toBeUndefined()
      return data.orders
    }
    const first = await read({})
    expect(first.nodes.map(({ uid }: { uid: string }) => uid)).toEqual([b.order.uid])
    const second = await read({ more: first.pageInfo.endCursor })
    expect(second.nodes).toEqual([{ uid: a.order.uid, executedSellAmount: String(10n ** 18n) }])
    expect(second.pageInfo.hasNextPage).toBe(false)
    await rollBack()
    const third = await read({ after: second.pageInfo.endCursor })
    expect(third.nodes).toEqual([{ uid: a.order.uid, executedSellAmount: '0' }])
    const own = await read({ owner: numbered('e2'), first: 10 })
    expect(own.nodes.map(({ uid }: { uid: string }) => uid)).toEqual([b.order.uid])
  })

  test('is each trade, also one that a reorg undid', async () => {
    const { order, logs } = await settle('f1')
    const owner = numbered('f1')
    const after = await head()
    using live = collect<{
      trades: { isRemoved: boolean; trade: { isReverted: boolean; order: { uid: string } } }
    }>(server.url, trades, { filter: { owners: [owner] }, after })
    await apply(...logs)
    const read = async (place: string) => {
      const { data, errors } = await ask(server.url, changedTrades, { after: place, owner })
      expect(errors).toBeUndefined()
      return data.trades
    }
    const first = await read(after)
    expect(first.nodes).toMatchObject([{ orderUid: order.uid, isReverted: false }])
    await rollBack()
    const second = await read(first.pageInfo.endCursor)
    expect(second.nodes).toEqual([{ ...first.nodes[0], isReverted: true }])
    expect((await read(after)).nodes).toEqual(second.nodes)
    await eventually('both', () => live.results.length >= 2)
    expect(live.data().map(({ trades }) => [trades.isRemoved, trades.trade.order.uid])).toEqual([
      [false, order.uid],
      [true, order.uid],
    ])
  })

  test('a trade comes again when its fees are known', async () => {
    const { order, logs } = await settle('f2')
    await apply(...logs)
    const after = await head()
    const read = async () =>
      (await ask(server.url, changedTrades, { after, owner: numbered('f2') })).data.trades.nodes
    expect(await read()).toEqual([])
    await sql(server.database.db).$executeRaw`
      UPDATE executions SET executed_fee = executed_fee + 1 WHERE order_id = (SELECT id FROM orders WHERE owner = ${Buffer.from(numbered('f2').slice(2), 'hex')})`
    expect(await read()).toMatchObject([{ orderUid: order.uid }])
  })
})

const cursorIn = (errors: GraphqlAnswer['errors']) =>
  (errors?.[0]?.extensions as { cursor?: string } | undefined)?.cursor

test('a page and a stream behind removed entries name the place to go on from', async () => {
  const { db } = server.database
  const after = String(BigInt(await head()) - 1n)
  while (!(await removeFeedEntries(db, { before: new Date(Date.now() + 3_600_000), limit: 1_000 })).isLast);
  for (const document of [bookPage, changedOrders, changedTrades]) {
    const { errors } = await ask(server.url, document, { after })
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'FeedGap', field: 'after' })
    const again = await ask(server.url, document, { after: cursorIn(errors) })
    expect(again.errors).toBeUndefined()
  }
  // Before the first entry in memory.
  using stream = follow({ after: '1' })
  const [ended] = await eventually('the end', () => (stream.results.length > 0 ? stream.results : undefined))
  expect(ended?.errors?.[0]?.extensions).toMatchObject({
    code: 'FeedGap',
    reason: 'GAP',
    cursor: expect.stringMatching(/^\d+$/),
  })
})

test('only clients that the deployment lets read the book get it', async () => {
  await using closed = await openTestServer(
    {},
    {
      access: { currentAuction: 'public', simulation: 'public', bookFeed: 'operator' },
      isOperator: (key) => key === 'operator',
    },
  )
  for (const document of [bookPage, changedOrders, changedTrades]) {
    const variables = { after: 'earliest' }
    const { errors } = await ask(closed.url, document, variables)
    expect(errors?.[0]?.extensions.code).toBe('Unauthorized')
    expect((await ask(closed.url, document, variables, 'operator')).errors).toBeUndefined()
  }
  expect(
    (await ask(closed.url, '{ orders { nodes { uid } } trades { nodes { id } } }')).errors,
  ).toBeUndefined()
  using stream = collect(closed.url, bookEvents, {})
  const [refused] = await eventually('an answer', () =>
    stream.results.length > 0 ? stream.results : undefined,
  )
  expect(refused?.errors?.[0]?.extensions).toMatchObject({ code: 'Unauthorized' })
})

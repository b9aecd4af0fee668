import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { DecodedSettlement } from '../../src/chain/settlement/call.ts'
import type { Bytes32 } from '../../src/domain/evm/hex.ts'
import { applyBlocks, applyReorg } from '../../src/indexer/apply.ts'
import type { Checkpoint } from '../../src/storage/chain/indexed-logs.ts'
import { claimNetwork } from '../../src/storage/chain/networks.ts'
import { sql } from '../../src/storage/database/database.ts'
import { appendEvents } from '../../src/storage/order/events.ts'
import { storeCompetition } from '../fakes/competition.ts'
import { numbered } from '../fakes/order.ts'
import { storeOrder } from '../fakes/stored-order.ts'
import { hashOf, type LogSketch, rangeOf, settled, sketchBlock, trade } from '../indexer/hand-made.ts'
import { collect } from '../setup/collect.ts'
import { eventually } from '../setup/eventually.ts'
import { network, openTestServer, type TestServer } from '../setup/server.ts'

const { chainId } = network
const solver = numbered('51')
const calls = new Map<Bytes32, DecodedSettlement>()
let server: TestServer
let checkpoint: Checkpoint | null = null
beforeAll(async () => {
  server = await openTestServer()
  await claimNetwork(server.database.db, network, hashOf('a:0'))
  await apply()
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

const orderEvents = `subscription ($uid: OrderUid, $owner: Address, $after: String, $snapshot: Boolean) {
  orderEvents(uid: $uid, owner: $owner, after: $after, snapshot: $snapshot) {
    cursor isRemoved event { label } order { uid status }
  }
}`
interface OrderEvents {
  orderEvents: {
    cursor: string
    isRemoved: boolean
    event: { label: string } | null
    order: { uid: string; status: string }
  }
}

const follow = (variables: Record<string, unknown>) =>
  collect<OrderEvents>(server.url, orderEvents, variables)
const stepsOf = (updates: readonly OrderEvents[]) =>
  updates.map(
    ({ orderEvents: { event, isRemoved } }) => `${isRemoved ? 'no ' : ''}${event?.label ?? 'snapshot'}`,
  )

let auctions = 0n
async function settle(owner = numbered('71'), deadlineBlock = 9) {
  const { db } = server.database
  const id = ++auctions
  const order = await storeOrder(db, {
    owner,
    partiallyFillable: true,
    sellAmount: 2n * 10n ** 18n,
    validTo: 900_000_000 + Number(id),
  })
  const fill = { sell: 10n ** 18n, buy: 2_970n * 10n ** 6n }
  calls.set(
    hashOf(`settle ${id}`),
    await storeCompetition(db, { id, solver, fills: [{ order, fill }], deadlineBlock }),
  )
  return { id, order, logs: [trade(order, fill, `settle ${id}`), settled(solver, `settle ${id}`)] }
}

describe('order events', () => {
  test('of an order: what it is now, then each event once, also what a reorg takes back', async () => {
    const { order, logs } = await settle()
    using watcher = follow({ uid: order.uid, snapshot: true })
    const first = await eventually('a snapshot', () => watcher.data()[0])
    expect(first.orderEvents).toMatchObject({ event: null, isRemoved: false, order: { uid: order.uid } })
    await apply(...logs)
    await rollBack()
    await apply(...logs)
    const steps = ['snapshot', 'TRADED', 'no TRADED', 'TRADED']
    await eventually('all events', () => watcher.results.length >= 4)
    expect(stepsOf(watcher.data())).toEqual(steps)

    using resumed = follow({ uid: order.uid, snapshot: true, after: watcher.data()[1]?.orderEvents.cursor })
    await eventually('what was missed', () => resumed.results.length >= 2)
    expect(stepsOf(resumed.data())).toEqual(steps.slice(2))
    using behind = follow({ uid: order.uid, after: first.orderEvents.cursor })
    await eventually('what came behind the snapshot', () => behind.results.length >= 3)
    expect(stepsOf(behind.data())).toEqual(steps.slice(1))
  })

  test('of an account: those of all its orders', async () => {
    const { db } = server.database
    const owner = numbered('73')
    using watcher = follow({ owner, after: 'earliest' })
    const orders = [await storeOrder(db, { owner, validTo: 7 }), await storeOrder(db, { owner, validTo: 8 })]
    await storeOrder(db, { owner: numbered('74'), validTo: 9 })
    await db.transaction((tx) =>
      appendEvents(tx, [
        { orderId: orders[0]?.id ?? 0n, label: 'ready', reason: null, timestamp: new Date(0) },
      ]),
    )
    await eventually('three events', () => watcher.results.length >= 3)
    expect(
      watcher.data().map(({ orderEvents }) => [orderEvents.order.uid, orderEvents.event?.label]),
    ).toEqual([
      [orders[0]?.uid, 'CREATED'],
      [orders[1]?.uid, 'CREATED'],
      [orders[0]?.uid, 'READY'],
    ])
  })

  test('of an account: its orders that have not ended, then each event once, also when it is cut in between', async () => {
    const { db } = server.database
    const owner = numbered('75')
    const place = (validTo: number, more: object = {}) => storeOrder(db, { owner, validTo, ...more })
    const [first, cancelled, last] = [await place(11), await place(12), await place(13)]
    await sql(db).order.updateMany({ where: { id: cancelled.id }, data: { cancelledAt: new Date() } })
    using watcher = follow({ owner, snapshot: true })
    await eventually('a snapshot', () => watcher.results.length >= 2)
    const later = await place(14)
    await eventually('an event', () => watcher.results.length >= 3)
    const told = (updates: readonly OrderEvents[]) =>
      updates.map(({ orderEvents: { order, event } }) => [order.uid, event?.label ?? 'snapshot'])
    expect(told(watcher.data())).toEqual([
      [last.uid, 'snapshot'],
      [first.uid, 'snapshot'],
      [later.uid, 'CREATED'],
    ])

    const [cut, whole] = watcher.data().map(({ orderEvents: { cursor } }) => cursor)
    using again = follow({ owner, snapshot: true, after: cut })
    await eventually('the snapshot again', () => again.results.length >= 3)
    expect(told(again.data())).toEqual([later, last, first].map(({ uid }) => [uid, 'snapshot']))
    using behind = follow({ owner, snapshot: true, after: whole })
    await eventually('what came behind the snapshot', () => behind.results.length >= 1)
    expect(told(behind.data())).toEqual([[later.uid, 'CREATED']])
  })

  test('of an account without orders, and of one with more than a snapshot may have', async () => {
    const { db } = server.database
    const owner = numbered('76')
    const place = (number: number) => storeOrder(db, { owner, validTo: 1_000 + number })
    using watcher = follow({ owner, snapshot: true })
    const uids = (updates: readonly OrderEvents[]) => updates.map(({ orderEvents: { order } }) => order.uid)
    // The first may come before the stream begins: then it is in the snapshot.
    const orders = [await place(0)]
    await eventually('its first entry', () => watcher.results.length >= 1)
    orders.push(await place(101))
    await eventually('its first event', () => watcher.results.length >= 2)
    expect(uids(watcher.data())).toEqual(orders.map(({ uid }) => uid))
    for (let number = 1; number < 100; number++) orders.push(await place(number))
    using full = follow({ owner, snapshot: true })
    await eventually('a snapshot', () => full.results.length >= 100)
    expect(uids(full.data())).toEqual(
      orders
        .slice(1)
        .map(({ uid }) => uid)
        .reverse(),
    )
    expect(new Set(full.data().map(({ orderEvents }) => orderEvents.cursor)).size).toBe(2)

    const large = orderEvents.replace('order { uid', 'order { events(first: 200) { nodes { label } } uid')
    using refused = collect(server.url, large, { owner, snapshot: true })
    await eventually('a refusal', () => refused.results.length >= 1)
    expect(refused.results[0]?.errors?.[0]?.extensions).toMatchObject({
      code: 'QueryTooComplex',
      field: 'snapshot',
    })
  })

  test('have each the texts of its own arguments', async () => {
    const { db } = server.database
    const { id: orderId, uid } = await storeOrder(db, { owner: numbered('77'), validTo: 17 })
    await db.transaction((tx) =>
      appendEvents(tx, [{ orderId, label: 'ready', reason: null, timestamp: new Date(0) }]),
    )
    const query = `subscription ($uid: OrderUid, $first: Int, $last: Int) {
      orderEvents(uid: $uid, snapshot: true) { order { events(first: $first, last: $last) { nodes { label } } } }
    }`
    interface Events {
      orderEvents: { order: { events: { nodes: { label: string }[] } } }
    }
    const labels = async (range: object) => {
      using watcher = collect<Events>(server.url, query, { uid, ...range })
      const first = await eventually('a snapshot', () => watcher.data()[0])
      return first.orderEvents.order.events.nodes.map(({ label }) => label)
    }
    const all = await labels({ first: 9 })
    expect(new Set(all)).toEqual(new Set(['CREATED', 'READY']))
    expect(await labels({ first: 1 })).toEqual(all.slice(0, 1))
    expect(await labels({ last: 1 })).toEqual(all.slice(1))
  })

  test.each([
    ['neither uid nor owner', {}, 'InvalidParameter', 'uid'],
    ['an order that is not known', { uid: `0x${'17'.repeat(56)}` }, 'OrderNotFound', 'uid'],
    [
      'a cursor of a snapshot without one',
      { owner: numbered('71'), after: 'snapshot' },
      'InvalidParameter',
      'after',
    ],
    ['what is no cursor', { owner: numbered('71'), after: 'x' }, 'InvalidParameter', 'after'],
  ])('%s is refused', async (_, variables, code, field) => {
    using watcher = follow(variables)
    const refused = await eventually('a refusal', () => watcher.results[0])
    expect(refused.errors?.[0]?.extensions).toMatchObject({ code, field })
  })
})

describe('auctions', () => {
  const query = `subscription ($network: NetworkName, $after: String) {
    auctions(network: $network, after: $after) {
      cursor auction { auctionId solutions { ranking } } settlementAttempt { outcome }
    }
  }`
  interface Auctions {
    auctions: {
      cursor: string
      auction: { auctionId: number; solutions: { ranking: number }[] }
      settlementAttempt: { outcome: string } | null
    }
  }
  const watch = (after?: string) => collect<Auctions>(server.url, query, { network: network.name, after })
  const stepsOf = (updates: readonly Auctions[]) =>
    updates.map(({ auctions: { auction, settlementAttempt } }) => [
      auction.auctionId,
      settlementAttempt?.outcome ?? 'competition',
    ])

  test('a competition, then the end of its settlement, and from a cursor what was missed', async () => {
    await settle()
    using watcher = watch('earliest')
    await eventually('the first', () => watcher.results.length >= 1)
    const before = watcher.results.length
    const { id, logs } = await settle()
    await apply(...logs)
    await eventually('both entries', () => watcher.results.length >= before + 2)
    expect(stepsOf(watcher.data()).slice(before)).toEqual([
      [Number(id), 'competition'],
      [Number(id), 'SUCCESS'],
    ])
    const competition = watcher.data()[before]?.auctions
    expect(competition?.auction.solutions).toEqual([{ ranking: 1 }])
    using resumed = watch(competition?.cursor)
    await eventually('what was missed', () => resumed.results.length >= 1)
    expect(stepsOf(resumed.data())).toEqual([[Number(id), 'SUCCESS']])
  })

  test('that are hidden come when their deadline has passed', async () => {
    const { server: other, checkpoint: before } = { server, checkpoint }
    await using hiding = await openTestServer({}, { hidesCompetitions: true })
    server = hiding
    checkpoint = null
    try {
      await apply()
      using watcher = watch('earliest')
      const late = await settle(numbered('71'), 5)
      const early = await settle(numbered('71'), 2)
      for (let block = 2; block <= 4; block++) await apply()
      await eventually('the one whose deadline has passed', () => watcher.results.length >= 1)
      for (let block = 5; block <= 7; block++) await apply()
      await eventually('the other', () => watcher.results.length >= 2)
      expect(stepsOf(watcher.data()).slice(0, 2)).toEqual([
        [Number(early.id), 'competition'],
        [Number(late.id), 'competition'],
      ])
    } finally {
      server = other
      checkpoint = before
    }
  })
})

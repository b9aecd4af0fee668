import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Refusal } from '../../src/domain/errors/error.ts'
import { isInvalidated, type Order } from '../../src/domain/order/order.ts'
import { orderStatus } from '../../src/domain/order/status.ts'
import { orderUid } from '../../src/domain/signing/signing.ts'
import { applyBlocks, applyReorg, type Indexing } from '../../src/indexer/apply.ts'
import { recordLogged } from '../../src/notifications/record.ts'
import { cancelOrders } from '../../src/orders/cancel.ts'
import { placeOrder } from '../../src/orders/place.ts'
import { type Checkpoint, findCheckpoint } from '../../src/storage/chain/indexed-logs.ts'
import { openDatabase } from '../../src/storage/database/database.ts'
import { type OnLogged, storeOrders } from '../../src/storage/order/insert.ts'
import { findOrders } from '../../src/storage/order/orders.ts'
import { refreshProgress } from '../../src/storage/order/progress.ts'
import { sampleOrder, signingDomain } from '../fakes/order.ts'
import {
  alice,
  createOrderServices,
  signedCancellation,
  signedOrder,
  testTime,
} from '../fakes/order-services.ts'
import { eventsOfOrders } from '../fakes/stored-story.ts'
import { hashOf, invalidation, presignature, rangeOf, sketchBlock, trade } from '../indexer/hand-made.ts'
import { createTestDatabase } from '../setup/database.ts'

/** All operations use the same eight orders, so that they conflict. */
const creations = Array.from({ length: 8 }, (_, index) =>
  signedOrder({
    partiallyFillable: true,
    sellAmount: 1_000n,
    buyAmount: 10n,
    validTo: testTime + 100 + index,
  }),
)
const logsOf = creations.map((creation): Order => {
  const data = { ...creation, appData: creation.appData.hash }
  return sampleOrder({ ...data, owner: alice.address, uid: orderUid(signingDomain, data, alice.address) })
})

const some = fc.uniqueArray(fc.integer({ min: 0, max: 7 }), { minLength: 1, maxLength: 8 })
const operation = fc.oneof(
  { weight: 4, arbitrary: fc.record({ op: fc.constant('place' as const), orders: some }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('cancel' as const), orders: some }) },
  { weight: 3, arbitrary: fc.record({ op: fc.constant('index' as const), orders: some }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('reorg' as const), orders: some }) },
)

function openPatient(url: string) {
  const db = openDatabase({ url, maxConnections: 10, waitMs: 60_000 })
  return { db, [Symbol.asyncDispose]: () => db.close() }
}

/** A deadlock would surface as a database error, which fails this test. */
test('after 200 concurrent operations on the same orders every row matches its history', async () => {
  await using database = await createTestDatabase()
  // All operations at once are more than a process lets in: they wait for connections.
  await using pool = openPatient(database.url)
  const { db } = pool
  const indexing: Indexing = {
    chainId: signingDomain.chainId,
    db,
    now: () => testTime * 1_000,
  }
  const onLogged: OnLogged = (tx, ids) => recordLogged(tx, ids, indexing, new Date(indexing.now()))
  const services = createOrderServices(db, {
    onLogged,
    store: async (order) => (await storeOrders(db, [order], onLogged))[0] as bigint | undefined,
  })
  let checkpoint: Checkpoint | null = null
  let chain = Promise.resolve()
  const codes = new Set<string>()

  /** One indexer at a time, as with the leader's lock. */
  const onChain = (work: () => Promise<void>) => {
    chain = chain.then(work)
    return chain
  }
  const operations = fc.sample(operation, 200).map(({ op, orders }) => async (): Promise<unknown> => {
    const chosen = orders.flatMap((index) => logsOf[index] ?? [])
    if (op === 'place') return placeOrder(creations[orders[0] ?? 0] ?? signedOrder(), services)
    if (op === 'cancel') return cancelOrders(signedCancellation(chosen.map(({ uid }) => uid)), services)
    if (op === 'index') {
      return onChain(async () => {
        const number = (checkpoint?.number ?? 0) + 1
        const acts = chosen.map((order, index) => {
          if (index === 0) return invalidation(order, `i ${number}`)
          return index % 2
            ? trade(order, { sell: 5n, buy: 1n }, `t ${number}`)
            : presignature(order, true, 's')
        })
        checkpoint = await applyBlocks(checkpoint, rangeOf([sketchBlock(number, acts)]), indexing)
      })
    }
    return onChain(async () => {
      const number = Math.max(0, (checkpoint?.number ?? 0) - orders.length)
      checkpoint = await applyReorg(
        checkpoint,
        { number, hash: number ? hashOf(`a:${number}`) : null },
        indexing,
      )
    })
  })
  const uids = logsOf.map(({ uid }) => uid)
  /** Sorted by UID: the database returns rows in any order. */
  const storedOrders = async () => (await findOrders(db, uids)).sort((a, b) => (a.uid < b.uid ? -1 : 1))
  const results = await Promise.allSettled(operations.map((run) => run()))
  for (const result of results) {
    if (result.status === 'fulfilled') continue
    if (!(result.reason instanceof Refusal)) throw result.reason
    codes.add(result.reason.code)
  }
  const expected = ['DuplicatedOrder', 'OrderNotFound', 'AlreadyCancelled']
  expect(expected).toEqual(expect.arrayContaining([...codes]))
  expect(codes).toContain('DuplicatedOrder')

  const stored = await storedOrders()
  expect(await findCheckpoint(db, signingDomain.chainId)).toEqual(
    checkpoint && expect.objectContaining({ number: (checkpoint as Checkpoint).number }),
  )
  await db.transaction((tx) =>
    refreshProgress(
      tx,
      stored.map(({ id }) => id),
    ),
  )
  expect(await storedOrders()).toEqual(stored)
  const events = await eventsOfOrders(
    db,
    stored.map(({ id }) => id),
  )
  for (const order of stored) {
    const labels = events.filter(({ orderId }) => orderId === order.id).map(({ label }) => label)
    const isCancelled = isInvalidated(order)
    // Each trade bought one atom.
    const traded = Array.from({ length: Number(order.executedBuyAmount) }, () => 'traded')
    expect(labels.sort()).toEqual([...(isCancelled ? ['cancelled'] : []), 'created', ...traded])
    if (isCancelled) expect(orderStatus(order, testTime)).toBe('cancelled')
  }
})

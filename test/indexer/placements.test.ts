import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Order } from '../../src/domain/order/order.ts'
import { orderUid } from '../../src/domain/signing/signing.ts'
import { applyBlocks, applyReorg, type Indexing } from '../../src/indexer/apply.ts'
import { readPlacements } from '../../src/orders/place-on-chain.ts'
import type { Checkpoint } from '../../src/storage/chain/indexed-logs.ts'
import { sql } from '../../src/storage/database/database.ts'
import { liveOrdersAfter } from '../../src/storage/order/live.ts'
import { findOrder } from '../../src/storage/order/orders.ts'
import { insertQuote } from '../../src/storage/quote/quotes.ts'
import { fakeOf } from '../fakes/fake-of.ts'
import { sampleNetwork } from '../fakes/network.ts'
import { dollar, numbered, sampleOrder, sampleQuote, signingDomain, wrapped } from '../fakes/order.ts'
import { recordStatements } from '../fakes/sent-statements.ts'
import { readOrder } from '../fakes/stored-order.ts'
import { listNotifications } from '../fakes/stored-story.ts'
import { readStory } from '../fakes/stories.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { hashOf, invalidation, type LogSketch, rangeOf, sketchBlock, trade } from './hand-made.ts'

type PlacementServices = Parameters<typeof readPlacements>[1]

const { chainId } = signingDomain
const contract = sampleNetwork.ethFlows[0] ?? expect.fail()
const unit = 10n ** 18n
let database: TestDatabase
let indexing: Indexing
let checkpoint: Checkpoint | null = null
let quoteId: bigint

beforeAll(async () => {
  database = await createTestDatabase()
  const { db } = database
  const policy = fakeOf<PlacementServices['policy']>({
    deniedAccounts: new Set([numbered('66')]),
    deniedTokens: new Set([numbered('77')]),
    sameToken: 'disallow',
  })
  const services: PlacementServices = {
    db,
    network: sampleNetwork,
    policy,
    limits: fakeOf<PlacementServices['limits']>({ maxLimitValidity: 10_000 }),
    appDataSources: { maxBytes: 8_192 },
  }
  indexing = {
    chainId,
    db,
    now: () => 5_000_000,
    readPlacements: (placements) => readPlacements(placements, services),
  }
  quoteId = await insertQuote(db, {
    ...sampleQuote({ sellAmount: unit, buyAmount: 3_000n * 10n ** 6n, sellTokenPrice: '1' }),
    chainId,
    kind: 'sell',
    quoteKind: 'eip1271onchainorder',
    sellToken: wrapped,
    buyToken: dollar,
    expiration: new Date(9_000_000),
    calls: null,
  })
})
afterAll(() => database?.[Symbol.asyncDispose]())

async function apply(
  number: number,
  sketches: LogSketch[],
  { branch = 'a', timestamp = 1_000 + number } = {},
) {
  checkpoint = await applyBlocks(
    checkpoint,
    rangeOf([sketchBlock(number, sketches, { branch, timestamp })]),
    indexing,
  )
}

/** All logs in one block. @returns the statements that it took */
async function statementsFor(sketches: LogSketch[]): Promise<number> {
  const recorded = recordStatements()
  try {
    const sent = await recorded.of(() => apply((checkpoint?.number ?? 0) + 1, sketches, { timestamp: 1_300 }))
    return sent.length
  } finally {
    recorded.end()
  }
}

async function rollBack(number: number) {
  checkpoint = await applyReorg(checkpoint, { number, hash: hashOf(`a:${number}`) }, indexing)
}

/** Its user is an account of its own. */
function placement(user: string, more: Partial<Order & { userValidTo: number }> = {}) {
  const order = sampleOrder({ owner: contract, receiver: numbered(user), validTo: 4_294_967_295, ...more })
  const log = {
    type: 'placement' as const,
    orderUid: orderUid(signingDomain, order, contract),
    owner: contract,
    sender: numbered(user),
    order,
    signature: contract,
    quoteId: more.quoteId ?? quoteId,
    userValidTo: more.userValidTo ?? 2_000,
    txHash: hashOf(`placed by ${user}`),
  }
  return { log, uid: log.orderUid, user: numbered(user) }
}

async function labels(uid: Order['uid']) {
  const { events } = await readStory(database.db, await readOrder(database.db, { uid }))
  return events.map(({ label, reason }) => (reason === null ? label : `${label} ${reason}`))
}

const typesFor = async (user: Order['owner']) =>
  (await listNotifications(database.db, user, 100)).map(({ type }) => type)

const isLive = async (uid: Order['uid']) => {
  const { orders } = await liveOrdersAfter(database.db, chainId, { validTo: 0n, id: 0n }, 100)
  return orders.find((live) => live.uid === uid)?.order != null
}

test('a placement is an order of the contract with its quote, and what happens to it concerns its user', async () => {
  const { log, uid, user } = placement('a1')
  await apply(1, [log], { timestamp: 1_234 })
  const order = await readOrder(database.db, { uid })
  expect(order).toMatchObject({
    owner: contract,
    onchainUser: user,
    placementError: null,
    signingScheme: 'eip1271',
    signature: contract,
    creationDate: new Date(1_234_000),
    effectiveValidTo: 2_000,
    quoteId,
    quote: { sellAmount: unit, buyAmount: 3_000n * 10n ** 6n },
    interactions: { pre: [{ target: contract, value: 0n, callData: '0x4c84c1c8' }], post: [] },
  })
  expect(await isLive(uid)).toBe(true)
  await apply(2, [trade(order, { sell: unit, buy: 3_000n * 10n ** 6n }, 'fills')])
  expect(await typesFor(user)).toEqual(['order_filled'])
  expect(await typesFor(contract)).toEqual([])
})

test('a reorg undoes it, and it is back with its placement on the other branch', async () => {
  const { log, uid } = placement('a2')
  await apply(3, [log])
  expect(await labels(uid)).toEqual(['created'])
  await rollBack(2)
  expect(await readOrder(database.db, { uid })).toMatchObject({ invalidatedOnChain: true })
  expect([await labels(uid), await isLive(uid)]).toEqual([[], false])
  await apply(3, [], { branch: 'b' })
  await apply(4, [log], { branch: 'b' })
  expect(await readOrder(database.db, { uid })).toMatchObject({ invalidatedOnChain: false })
  expect([await labels(uid), await isLive(uid)]).toEqual([['created'], true])
})

test('placed and cancelled in one range', async () => {
  const { log, uid, user } = placement('a3')
  const order = { uid, owner: contract } as Order
  await apply(5, [log, invalidation(order, 'cancels')])
  expect(await labels(uid)).toEqual(['created', `cancelled chain: ${hashOf('cancels')}`])
  expect(await typesFor(user)).toEqual(['order_cancelled'])
  expect(await isLive(uid)).toBe(false)
})

test('a refund comes after the expiry, and a reorg takes both back', async () => {
  const { log, uid, user } = placement('a4', { userValidTo: 1_500 })
  const refund = {
    type: 'refund' as const,
    orderUid: uid,
    refunder: numbered('ee'),
    txHash: hashOf('refund'),
  }
  await apply(6, [log])
  await apply(7, [refund], { timestamp: 1_600 })
  expect(await labels(uid)).toEqual(['created', 'expired', 'refunded'])
  expect(await typesFor(user)).toEqual(['order_expired'])
  await rollBack(6)
  expect(await labels(uid)).toEqual(['created'])
})

test.each<[string, Parameters<typeof placement>[1], Order['placementError'], detail: RegExp]>([
  ['b1', { quoteId: 0n }, 'QuoteNotFound', /^no quote has the id 0$/],
  ['b2', { buyToken: numbered('dd') }, 'QuoteNotFound', /is for other tokens$/],
  ['b3', { userValidTo: 4_000_000_000 }, 'ValidToTooFarInFuture', /more than 10000 seconds/],
  ['b4', { feeAmount: 1n }, 'PreValidationError', /^feeAmount must be 0$/],
  ['b5', { buyAmount: 0n }, 'PreValidationError', /buyAmount|amount/i],
  ['66', {}, 'PreValidationError', /account|trade/i],
  ['b7', { buyToken: numbered('77') }, 'PreValidationError', /is not traded here$/],
])('with a fault it is stored, and no auction gets it: %s %o is %s', async (user, more, error, detail) => {
  const { log, uid } = placement(user, more)
  await apply((checkpoint?.number ?? 0) + 1, [log], { timestamp: 1_300 })
  expect(await findOrder(database.db, uid)).toMatchObject({
    placementError: error,
    placementDetail: expect.stringMatching(detail),
    invalidatedOnChain: false,
  })
  expect(await isLive(uid)).toBe(false)
})

test('an unknown document is no fault', async () => {
  const { log, uid } = placement('c1', { appData: hashOf('unknown') })
  await apply((checkpoint?.number ?? 0) + 1, [log], { timestamp: 1_300 })
  expect(await findOrder(database.db, uid)).toMatchObject({ fullAppData: null, placementError: null })
})

/** Each with another fault, or none; users are strangers to each other. */
function junk(count: number, offset: number) {
  const faults: Parameters<typeof placement>[1][] = [
    {},
    { quoteId: 0n },
    { quoteId: -1n },
    { buyToken: numbered('77') },
    { userValidTo: 4_000_000_000 },
    { buyAmount: 0n },
    { feeAmount: 1n },
    { appData: hashOf('nobody knows it') },
    { userValidTo: 1 },
  ]
  return Array.from({ length: count }, (_, index) => {
    const user = (0x10000000 + offset + index).toString(16)
    return placement(user, { ...faults[index % faults.length], sellAmount: unit + BigInt(offset + index) })
  })
}

test('a block of thousands of placements takes as few statements as one of a hundred, and so does cancelling them', async () => {
  const few = junk(100, 0)
  const many = junk(2_700, 1_000)
  const logs = (list: typeof few) => list.map(({ log }) => log)
  const base = await statementsFor(logs(few))
  const before = await sql(database.db).order.count()
  // A repeated UID is one order.
  const repeated = [...logs(many), ...logs(many.slice(0, 300))]
  const limits: number[] = []
  const { db } = database
  indexing.db = {
    ...db,
    transaction: (run, minMs = 0) => db.transaction(run, Number(limits.push(minMs)) && minMs),
  }
  const placed = await statementsFor(repeated)
  indexing.db = db
  // Beside what a hundred take: up to 500 that have expired in a transaction of their own.
  expect(placed).toBeLessThanOrEqual(base + 8)
  // More than the usual 15 s, since a block is written whole.
  expect(Math.max(...limits)).toBe(30_000)
  expect(await sql(db).order.count()).toBe(before + many.length)
  expect(await sql(db).placement.count({ where: { logIndex: { gte: 0 } } })).toBeGreaterThanOrEqual(3_000)

  const stored = await Promise.all(many.slice(0, 9).map(({ uid }) => readOrder(db, { uid })))
  const isFine = [true, false, false, false, false, false, false, true, true]
  expect(stored.map(({ placementError }) => placementError === null)).toEqual(isFine)
  expect(stored.map(({ placementDetail }) => placementDetail === null)).toEqual(isFine)

  const cancel = (list: typeof few) =>
    list.map(({ uid }) => invalidation({ uid, owner: contract } as Order, `cancels ${uid.slice(0, 20)}`))
  const baseCancelled = await statementsFor(cancel(few))
  const cancelled = await statementsFor(cancel(many.slice(0, 900)))
  expect(cancelled).toBeLessThanOrEqual(baseCancelled + 8)
  for (const { uid } of [many[0] ?? expect.fail(), many[9] ?? expect.fail()])
    expect((await labels(uid)).at(-1)).toBe(`cancelled chain: ${hashOf(`cancels ${uid.slice(0, 20)}`)}`)
})

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Authorisation } from '../../src/chain/authorisations.ts'
import { Refusal } from '../../src/domain/errors/error.ts'
import type { Address } from '../../src/domain/evm/address.ts'
import type { Order } from '../../src/domain/order/order.ts'
import { encodeProgrammaticSignature } from '../../src/domain/programmatic/signature.ts'
import { twapPart } from '../../src/domain/programmatic/twap.ts'
import { orderUid } from '../../src/domain/signing/signing.ts'
import { applyBlocks, applyFinality, applyReorg, type Indexing } from '../../src/indexer/apply.ts'
import { runWatchTower } from '../../src/indexer/watch-tower.ts'
import type { Checkpoint } from '../../src/storage/chain/indexed-logs.ts'
import { startProgrammaticHistory } from '../../src/storage/chain/programmatic.ts'
import { ids, owner, paramsOf, scheduleOf, start } from '../domain/programmatic/vectors.ts'
import { sampleNetwork } from '../fakes/network.ts'
import { numbered, sampleOrder, signingDomain } from '../fakes/order.ts'
import { silentLog } from '../fakes/silent-log.ts'
import { storeOrder } from '../fakes/stored-order.ts'
import { unlimited } from '../fakes/tower.ts'
import { connectDirectly } from '../setup/database.ts'
import { openTestServer, type TestServer } from '../setup/server.ts'
import { graphql } from '../setup/trader.ts'
import {
  followOnce,
  hashOf,
  type LogSketch,
  rangeOf,
  type SketchedBlock,
  sketchBlock,
  trade,
} from './hand-made.ts'

// Notifications of programmatic orders from hand-made blocks. Order A has four parts of an hour each.

const { chainId } = signingDomain
const network = {
  ...sampleNetwork,
  conditionalOrders: { composableCow: numbered('cc'), firstBlock: 0, shedFactories: [numbered('fc')] },
}
const user = numbered('a1')
let server: TestServer
let indexing: Indexing
let checkpoint: Checkpoint | null
let now = 0
let isAuthorised: boolean
let blocks: Map<number, SketchedBlock>

beforeAll(async () => {
  server = await openTestServer({}, { now: () => now * 1_000 })
  indexing = { chainId, db: server.database.db, now: () => now * 1_000 }
})
afterAll(() => server?.[Symbol.asyncDispose]())

beforeEach(async () => {
  const client = await connectDirectly(server.database.url)
  await client.query(`TRUNCATE programmatic_orders, programmatic_creations, programmatic_roots, sheds, programmatic_parts,
    programmatic_histories, orders, order_standings, trades, checkpoints, blocks, notifications`)
  await client.end()
  checkpoint = null
  isAuthorised = true
  blocks = new Map()
  now = start - 100
})

const created: LogSketch = {
  type: 'creation',
  owner,
  hash: ids.A,
  params: paramsOf('A'),
  txHash: hashOf('created'),
}

async function apply(number: number, timestamp: number, sketches: LogSketch[] = [], branch = 'a') {
  now = timestamp
  const block = sketchBlock(number, sketches, { branch, timestamp })
  blocks.set(number, block)
  checkpoint = await applyBlocks(checkpoint, rangeOf([block]), indexing)
}

async function rollBack(number: number) {
  checkpoint = await applyReorg(checkpoint, { number, hash: hashOf(`a:${number}`) }, indexing)
}

/** Reads what is due from the contract, until there is nothing to do. */
async function look(more: object = {}) {
  await followOnce(blocks, {
    network,
    db: server.database.db,
    readAuthorisations: async (keys) => keys.map((): Authorisation => ({ isAuthorised, context: 0n })),
    ...more,
  })
}

/** The order of a part, as a watch tower places it. */
function partOrder(index: number): Order {
  const part = twapPart(scheduleOf('A'), index) ?? expect.fail()
  const payload = { params: paramsOf('A'), proof: [], offchainInput: '0x' as const }
  const signature = encodeProgrammaticSignature('safe', signingDomain, part.order, payload)
  const uid = orderUid(signingDomain, part.order, owner)
  return sampleOrder({
    ...part.order,
    owner,
    signature,
    signingScheme: 'eip1271',
    uid,
    class: 'limit',
    effectiveValidTo: part.validTo,
  })
}

const place = async (index: number) => {
  const order = partOrder(index)
  await storeOrder(server.database.db, order)
  return order
}

const filled = (order: Order, tx = 'filled'): LogSketch =>
  trade(order, { sell: order.sellAmount, buy: order.buyAmount }, tx)

const shown = `type message isReverted orderUid programmaticOrder { hash }
  ... on PartFilledNotification { partIndex partCount executedAmount }
  ... on PartFailedNotification { partIndex partCount failedParts wasPlaced reason validTo }
  ... on ProgrammaticFinishedNotification { partCount filledParts executedSellAmount executedBuyAmount }
  ... on ProgrammaticCancelledNotification { partCount filledParts removedBlock }
  ... on InsufficientBalanceNotification { missingBalance missingAllowance }`

/** Notifications of an account, oldest first. */
async function notified(account: Address = owner) {
  const document = `{ account(address: "${account}") { notificationHistory { nodes { ${shown} } } } }`
  // biome-ignore lint/suspicious/noExplicitAny: the document decides the shape
  const { account: found } = (await graphql(server.url, document)) as any
  return found.notificationHistory.nodes.toReversed()
}

const typesOf = async (account?: Address) =>
  (await notified(account)).map(({ type }: { type: string }) => type)

/** The number of feed entries of an account: what streams have sent. */
async function sent(account: Address = owner) {
  const document = `{ notifications(account: "${account}") { nodes { type } } }`
  // biome-ignore lint/suspicious/noExplicitAny: the document decides the shape
  return ((await graphql(server.url, document)) as any).notifications.nodes.length
}

test('a fill of a part is one notification with its place, also after a reorg; REST shows it as a filled order', async () => {
  await apply(1, start - 100, [created])
  await look()
  const order = await place(1)
  await apply(2, start + 3_700, [filled(order)])
  const part = {
    type: 'PART_FILLED',
    partIndex: 1,
    partCount: 4,
    orderUid: order.uid,
    isReverted: false,
    executedAmount: String(order.buyAmount),
    programmaticOrder: { hash: ids.A },
    message: expect.stringMatching(/^Part 2 of 4 filled: /),
  }
  const fills = async () => (await notified()).filter(({ type }: { type: string }) => type === 'PART_FILLED')
  expect(await fills()).toEqual([part])
  const entries = await sent()
  await rollBack(1)
  await apply(2, start + 3_710, [], 'b')
  await apply(3, start + 3_720, [filled(order)], 'b')
  expect(await fills()).toEqual([part])
  expect(await sent()).toBe(entries)
  const response = await fetch(`${server.url}/accounts/${owner}/notifications`)
  const list = (await response.json()) as { type: string; metadata: object }[]
  expect(list.filter(({ type }) => type === 'order_filled')).toEqual([
    expect.objectContaining({
      metadata: expect.objectContaining({ orderId: order.uid, partIndex: 1, partCount: 4 }),
    }),
  ])
})

test('a part of an unknown programmatic order is an order like others', async () => {
  const order = await place(0)
  await apply(1, start + 10, [filled(order)])
  expect(await notified()).toMatchObject([{ type: 'ORDER_FILLED', programmaticOrder: null }])
})

test('the user of a proxy gets what concerns the parts of the proxy', async () => {
  await apply(1, start - 100, [created, { type: 'shed', shed: owner, account: user, txHash: hashOf('shed') }])
  await look()
  await apply(2, start + 10, [filled(await place(0))])
  expect(await typesOf()).toEqual([])
  expect(await typesOf(user)).toEqual(['PART_FILLED'])
})

test('a part that expires in the book has failed, with the reason that kept it', async () => {
  await apply(1, start - 100, [created])
  await look()
  const order = await place(0)
  const client = await connectDirectly(server.database.url)
  await client.query(`INSERT INTO order_standings (order_id, chain_id, reason, since, updated_at)
    SELECT id, chain_id, 'insufficient_balance', now(), now() FROM orders`)
  await client.end()
  await apply(2, start + 3_601)
  await look()
  const failed = {
    type: 'PART_FAILED',
    partIndex: 0,
    partCount: 4,
    failedParts: 1,
    wasPlaced: true,
    reason: 'Its owner’s balance or allowance is too low.',
    validTo: start + 3_599,
    message: expect.stringMatching(
      /^Part 1 of 4 expired: sell .+ Its owner’s balance or allowance is too low.$/,
    ),
  }
  expect(await notified()).toMatchObject([{ ...failed, orderUid: order.uid }])
  const entries = await sent()
  await rollBack(1)
  await apply(2, start + 3_590, [], 'b')
  await apply(3, start + 3_601, [], 'b')
  await look()
  expect(await notified()).toMatchObject([{ ...failed, isReverted: false }])
  expect(await sent()).toBe(entries)
})

test('a part that is never placed has failed, and comes back after a reorg of the end of its window', async () => {
  await apply(1, start - 100, [created])
  await look()
  await apply(2, start + 3_599)
  await look()
  expect(await notified()).toEqual([])
  await apply(40, start + 3_600)
  await look()
  const failed = {
    type: 'PART_FAILED',
    partIndex: 0,
    partCount: 4,
    failedParts: 1,
    wasPlaced: false,
    reason: 'It was not polled in its time.',
    validTo: start + 3_599,
    orderUid: partOrder(0).uid,
    message: expect.stringMatching(
      /^Part 1 of 4 was not placed: sell .+ for at least .+\. It was not polled in its time\.$/,
    ),
  }
  expect(await notified()).toMatchObject([failed])
  const entries = await sent()
  await rollBack(2)
  await apply(41, start + 3_601, [], 'b')
  await look()
  await applyFinality(41, indexing)
  expect(await notified()).toMatchObject([{ ...failed, isReverted: false }])
  await rollBack(2)
  await apply(40, start + 3_598, [], 'b')
  await look()
  await applyFinality(39, indexing)
  await apply(71, start + 3_605, [], 'b')
  await look()
  expect(await notified()).toMatchObject([{ ...failed, isReverted: false }])
  expect(await sent()).toBe(entries)
})

test('an end of a window that a reorg takes back for good is taken back', async () => {
  await apply(1, start - 100, [created])
  await look()
  await apply(40, start + 3_600)
  await look()
  await rollBack(1)
  const order = await place(0)
  await apply(40, start + 3_599, [filled(order)], 'b')
  await look()
  await apply(80, start + 3_700, [], 'b')
  await applyFinality(60, indexing)
  await look()
  // By their times.
  expect(await notified()).toMatchObject([
    { type: 'PART_FILLED', partIndex: 0, isReverted: false },
    { type: 'PART_FAILED', isReverted: true },
  ])
})

test('parts that failed between two looks are one notification; those in the book are none of them', async () => {
  await apply(1, start - 100, [created])
  await look()
  const order = await place(1)
  await apply(2, start + 3_700, [filled(order)])
  await apply(40, start + 3 * 3_600)
  await look()
  expect((await notified()).filter(({ type }: { type: string }) => type === 'PART_FAILED')).toMatchObject([
    {
      partIndex: 0,
      failedParts: 2,
      orderUid: partOrder(0).uid,
      validTo: start + 3 * 3_600 - 1,
      message: expect.stringMatching(/^2 of the parts 1 to 3 of 4 were not placed: sell .+ each\./),
    },
  ])
})

test('the last part finishes the order once, with what it traded; so does the end of its time', async () => {
  await apply(1, start - 100, [created])
  await look()
  for (const [block, index] of [
    [2, 0],
    [3, 1],
    [4, 3],
  ] as const)
    await apply(block, start + index * 3_600 + 5, [filled(await place(index), `part ${index}`)])
  const { sellAmount, buyAmount } = partOrder(0)
  const done = (parts: bigint) => ({
    type: 'PROGRAMMATIC_FINISHED',
    filledParts: Number(parts),
    partCount: 4,
    isReverted: false,
    orderUid: `${ids.A}${owner.slice(2)}00000000`,
    executedSellAmount: String(parts * sellAmount),
    executedBuyAmount: String(parts * buyAmount),
    message: expect.stringMatching(`^TWAP finished: ${parts} of 4 parts filled, .+ for .+$`),
  })
  const ends = async () =>
    (await notified()).filter(({ type }: { type: string }) => type === 'PROGRAMMATIC_FINISHED')
  expect(await ends()).toMatchObject([done(3n)])
  const entries = await sent()
  await apply(50, start + 4 * 3_600)
  await look()
  expect(await ends()).toMatchObject([done(3n)])
  // The part that was never placed.
  expect(await sent()).toBe(entries + 1)
  await rollBack(3)
  await apply(60, start + 4 * 3_600 + 1, [], 'b')
  await look()
  await applyFinality(60, indexing)
  expect(await ends()).toMatchObject([done(2n)])
})

test('a removal is one notification, also after a reorg; one after another creation is another', async () => {
  await apply(1, start - 100, [created])
  await look()
  isAuthorised = false
  await apply(40, start)
  await look()
  const removed = {
    type: 'PROGRAMMATIC_CANCELLED',
    removedBlock: 40,
    filledParts: 0,
    partCount: 4,
    isReverted: false,
    message: 'TWAP cancelled: 0 of 4 parts filled',
    programmaticOrder: { hash: ids.A },
  }
  expect(await notified()).toMatchObject([removed])
  const entries = await sent()
  await rollBack(1)
  await apply(41, start, [], 'b')
  await look()
  await apply(1_000, start + 1_000)
  await look()
  expect(await notified()).toMatchObject([{ ...removed, removedBlock: 41 }])
  expect(await sent()).toBe(entries)
  isAuthorised = true
  await apply(1_001, start + 1_001, [{ ...created, txHash: hashOf('again') }])
  await look()
  isAuthorised = false
  await apply(2_000, start + 2_000)
  await look()
  expect(await notified()).toMatchObject([
    { removedBlock: 41 },
    { type: 'PROGRAMMATIC_CANCELLED', removedBlock: 2_000 },
  ])
})

test('a removal that a reorg takes back for good is taken back', async () => {
  await apply(1, start - 100, [created])
  await look()
  isAuthorised = false
  await apply(40, start)
  await look()
  await rollBack(1)
  isAuthorised = true
  await apply(40, start, [], 'b')
  await look()
  await applyFinality(40, indexing)
  expect(await notified()).toMatchObject([{ type: 'PROGRAMMATIC_CANCELLED', isReverted: true }])
})

test('what was over when it was read for the first time notifies nobody', async () => {
  isAuthorised = false
  const old = sketchBlock(5, [created], { timestamp: start - 100_000 })
  blocks.set(5, old)
  await apply(25_000, start + 7_300)
  await startProgrammaticHistory(server.database.db, chainId, { nextBlock: 3, lastBlock: 25_000 })
  const programmaticLogs = async () => old.logs
  await look({ programmaticLogs })
  await look()
  isAuthorised = true
  await apply(26_000, start + 7_400)
  await look()
  expect(await notified()).toEqual([])
  // From here on it is followed.
  await apply(27_000, start + 3 * 3_600)
  await look()
  expect(await notified()).toMatchObject([{ type: 'PART_FAILED', partIndex: 2, failedParts: 1 }])
})

test('blocks far behind the head notify nobody', async () => {
  await apply(1, start - 100, [created])
  await look()
  const block = sketchBlock(40, [], { timestamp: start + 4 * 3_600 })
  blocks.set(40, block)
  now = start + 4 * 3_600
  checkpoint = await applyBlocks(checkpoint, rangeOf([block]), indexing, 1_000_000)
  await look()
  expect(await notified()).toEqual([])
})

/** Lets the watch tower poll at a block, where the part is refused for lack of balance, or of time. */
async function poll(number: number, timestamp: number, index: number, isLate = false) {
  const stop = new AbortController()
  const part = twapPart(scheduleOf('A'), index) ?? expect.fail()
  await runWatchTower(
    {
      network,
      db: server.database.db,
      log: silentLog,
      atOnce: 1,
      budgets: unlimited,
      head: async () => ({ number, timestamp, hash: hashOf('head'), parentHash: hashOf('parent') }),
      poll: async () => ({ part: { order: part.order, signature: '0x' } }),
      place: async () => {
        if (isLate) throw new Refusal('InsufficientValidTo', 'too late')
        const data = { have: '100', need: String(part.order.sellAmount) }
        throw new Refusal('InsufficientBalance', 'owner holds too little', { data })
      },
      meter: { polled: () => stop.abort(), placed() {}, late() {} },
      rhythm: async () => undefined,
    },
    stop.signal,
  )
}

test('a part without balance is notified once, and it fails for that reason though the next part was polled', async () => {
  await apply(1, start - 100, [created])
  await look()
  await poll(2, start + 1, 0)
  await poll(300, start + 3_500, 0)
  await poll(390, start + 3_599, 0, true)
  await poll(400, start + 3_600, 1)
  await apply(401, start + 3_601)
  await look()
  const { sellAmount } = partOrder(0)
  const short = {
    type: 'INSUFFICIENT_BALANCE',
    missingBalance: String(sellAmount - 100n),
    missingAllowance: null,
  }
  const inTime = (place: string, until: string) =>
    expect.stringMatching(`^${place} cannot be placed: balance too low, .+ missing; in time until ${until}$`)
  expect(await notified()).toMatchObject([
    { ...short, message: inTime('Part 1 of 4', '2027-01-15 08:59:59 UTC'), orderUid: partOrder(0).uid },
    { ...short, message: inTime('Part 2 of 4', '2027-01-15 09:59:59 UTC') },
    {
      type: 'PART_FAILED',
      partIndex: 0,
      orderUid: partOrder(0).uid,
      reason:
        'The owner has too little of the sell token for its part. The answer: “InsufficientBalance: owner holds too little”.',
    },
  ])
})

test('a fill of a part takes one statement more than that of another order', async () => {
  await apply(1, start - 100, [created])
  await look()
  const statements = async (act: () => Promise<void>) => {
    const before = server.database.statements.length
    await act()
    return server.database.statements.length - before
  }
  const plain = sampleOrder({ owner: user })
  await storeOrder(server.database.db, plain)
  const other = await statements(() => apply(41, start + 1, [filled(plain)]))
  const part = await place(0)
  expect(await statements(() => apply(42, start + 2, [filled(part, 'part')]))).toBe(other + 1)
})

import type { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { DecodedSettlement } from '../../src/chain/settlement/call.ts'
import type { Address } from '../../src/domain/evm/address.ts'
import type { Bytes32 } from '../../src/domain/evm/hex.ts'
import type { Order } from '../../src/domain/order/order.ts'
import { orderStatus } from '../../src/domain/order/status.ts'
import { settlementFees } from '../../src/domain/settlement/fees.ts'
import { applyBlocks, applyFinality, applyReorg, type Indexing } from '../../src/indexer/apply.ts'
import { endAttempt } from '../../src/storage/auction/competition.ts'
import { type Checkpoint, findCheckpoint } from '../../src/storage/chain/indexed-logs.ts'
import { insertOrder } from '../../src/storage/order/orders.ts'
import { storeCompetition } from '../fakes/competition.ts'
import { dollar, numbered, sampleOrder, signingDomain } from '../fakes/order.ts'
import { readOrder, storeOrder } from '../fakes/stored-order.ts'
import { listNotifications } from '../fakes/stored-story.ts'
import { readStory } from '../fakes/stories.ts'
import { connectDirectly, createTestDatabase, type TestDatabase } from '../setup/database.ts'
import {
  hashOf,
  invalidation,
  type LogSketch,
  presignature,
  rangeOf,
  type SketchedBlock,
  settled,
  sketchBlock,
  trade,
} from './hand-made.ts'

const { chainId } = signingDomain
const solver = numbered('51')
let database: TestDatabase
let client: Client
let indexing: Indexing
let checkpoint: Checkpoint | null = null
let owners = 0
const calls = new Map<Bytes32, DecodedSettlement>()

beforeAll(async () => {
  database = await createTestDatabase()
  client = await connectDirectly(database.url)
  indexing = { chainId, db: database.db, now: () => 5_000_000 }
})
afterAll(async () => {
  await client?.end()
  await database?.[Symbol.asyncDispose]()
})

/** The order of a new account, so that its notifications are its own. */
const placeOrder = (overrides: Partial<Order> = {}) =>
  storeOrder(database.db, { owner: numbered((0x20 + owners++).toString(16)), ...overrides })

async function apply(...sketched: SketchedBlock[]): Promise<void> {
  checkpoint = await applyBlocks(checkpoint, rangeOf(sketched, calls), indexing)
}

const nextBlock = (...logs: LogSketch[]) => sketchBlock((checkpoint?.number ?? 0) + 1, logs)

async function rollBack(blocks: number): Promise<void> {
  const number = (checkpoint?.number ?? 0) - blocks
  checkpoint = await applyReorg(checkpoint, { number, hash: hashOf(`a:${number}`) }, indexing)
}

async function notificationsOf({ owner }: Order) {
  const list = await listNotifications(database.db, owner, 100)
  return list.reverse().map(({ type, metadata }) => ({ type, ...metadata }))
}

const typesOf = async (order: Order) => (await notificationsOf(order)).map(({ type }) => type)

const storyOf = (order: Order) => readStory(database.db, order)

const statusOf = async (order: Order) => orderStatus(await readOrder(database.db, order), 1_000)

describe('trades', () => {
  test('one that fills an order completely fulfils it', async () => {
    const order = await placeOrder({ sellAmount: 10n, buyAmount: 20n })
    await apply(nextBlock(trade(order, { sell: 10n, buy: 21n }, 'whole'), settled(solver, 'whole')))
    expect(await statusOf(order)).toBe('fulfilled')
    expect(await notificationsOf(order)).toEqual([
      { type: 'order_filled', orderId: order.uid, chainId, executedAmount: '21', txHash: hashOf('whole') },
    ])
    expect((await storyOf(order)).trades).toMatchObject([
      { sellAmount: 10n, buyAmount: 21n, txHash: hashOf('whole'), auctionId: null },
    ])
  })

  test('are told with tokens that were read a moment ago, and are not stored yet', async () => {
    const order = await placeOrder({ sellAmount: 10n, buyAmount: 20n, buyToken: numbered('c7') })
    const token = { chainId, address: order.buyToken, symbol: 'NEW', name: null, decimals: 1 }
    const asked: Address[][] = []
    const describing: Indexing = {
      ...indexing,
      async describeTokens(addresses) {
        asked.push([...addresses])
        return new Map([[token.address, token]])
      },
    }
    const block = nextBlock(trade(order, { sell: 10n, buy: 21n }, 'described'))
    checkpoint = await applyBlocks(checkpoint, rangeOf([block]), describing)
    const [{ message } = expect.fail()] = await listNotifications(database.db, order.owner, 1)
    expect(message).toBe(`Order filled: 10 atoms of ${order.sellToken} for 2.1 NEW`)
    expect(asked).toEqual([[order.sellToken, order.buyToken]])
    await apply(nextBlock())
    expect(asked).toHaveLength(1)
  })

  const parts = ['p1', 'p2', 'p3'] as const
  const fill = { sell: 10n, buy: 4n }
  const inOneTransaction = (order: Order) => [nextBlock(...parts.map(() => trade(order, fill, 'p')))]
  const inOneBlock = (order: Order) => [
    nextBlock(...parts.flatMap((tx) => [trade(order, fill, tx), settled(solver, tx)])),
  ]
  const inBlocks = (order: Order) =>
    parts.map((tx, index) => sketchBlock((checkpoint?.number ?? 0) + 1 + index, [trade(order, fill, tx)]))

  test.each([
    ['one transaction', 'sell', inOneTransaction],
    ['one block', 'sell', inOneBlock],
    ['one range of blocks', 'sell', inBlocks],
    ['one block', 'buy', inOneBlock],
  ] as const)('of several in %s exactly the last fulfils a %s order', async (_, kind, blocks) => {
    const order = await placeOrder({ kind, sellAmount: 30n, buyAmount: 12n, partiallyFillable: true })
    await apply(...blocks(order))
    const executedAmount = kind === 'sell' ? '4' : '10'
    expect(await notificationsOf(order)).toMatchObject([
      { type: 'order_partially_filled', executedAmount },
      { type: 'order_partially_filled', executedAmount },
      { type: 'order_filled', executedAmount },
    ])
    expect(await statusOf(order)).toBe('fulfilled')
  })

  test('of orders that are unknown here are kept until they are placed', async () => {
    const unknown = sampleOrder({ owner: numbered('ee'), sellAmount: 10n })
    await apply(nextBlock(trade(unknown, { sell: 10n, buy: 1n }, 'early')))
    expect(await notificationsOf(unknown)).toEqual([])
    await database.db.transaction((tx) => insertOrder(tx, unknown))
    expect(await statusOf(unknown)).toBe('fulfilled')
  })
})

describe('invalidations and presignatures', () => {
  test('an invalidation cancels the order, and is notified once', async () => {
    const order = await placeOrder()
    await apply(nextBlock(invalidation(order, 'i1'), invalidation(order, 'i2')))
    await apply(nextBlock(invalidation(order, 'i3')))
    expect(await statusOf(order)).toBe('cancelled')
    expect(await notificationsOf(order)).toMatchObject([{ type: 'order_cancelled', source: 'chain' }])
  })

  test('an invalidation after the last fill changes nothing, in the same block or later', async () => {
    const order = await placeOrder({ sellAmount: 10n })
    await apply(nextBlock(trade(order, { sell: 10n, buy: 1n }, 'full'), invalidation(order, 'late')))
    await apply(nextBlock(invalidation(order, 'later')))
    expect(await statusOf(order)).toBe('fulfilled')
    expect(await typesOf(order)).toEqual(['order_filled'])
  })

  test('an invalidation after a partial fill cancels the rest', async () => {
    const order = await placeOrder({ sellAmount: 10n, partiallyFillable: true })
    await apply(nextBlock(trade(order, { sell: 4n, buy: 1n }, 'part'), invalidation(order, 'rest')))
    expect(await statusOf(order)).toBe('cancelled')
    expect(await typesOf(order)).toEqual(['order_partially_filled', 'order_cancelled'])
  })

  test('the newest presignature counts', async () => {
    const order = await placeOrder({ signingScheme: 'presign' })
    expect(await statusOf(order)).toBe('presignaturePending')
    await apply(nextBlock(presignature(order, true, 's1')))
    expect(await statusOf(order)).toBe('open')
    await apply(nextBlock(presignature(order, true, 's2'), presignature(order, false, 's3')))
    expect(await statusOf(order)).toBe('presignaturePending')
    await rollBack(1)
    expect(await statusOf(order)).toBe('open')
  })
})

describe('settlements', () => {
  const feePolicies = [{ kind: 'volume' as const, factor: 10_000n }]
  let auctions = 0n
  async function competition(amounts = { sell: 10n ** 18n, buy: 2_970n * 10n ** 6n }, orders = 1) {
    const fills = await Promise.all(
      Array.from({ length: orders }, async (_, index) => ({
        order: await placeOrder({ partiallyFillable: true, sellAmount: 2n * amounts.sell, validTo: index }),
        fill: amounts,
      })),
    )
    const id = ++auctions
    const call = await storeCompetition(database.db, { id, solver, fills, feePolicies })
    calls.set(hashOf(`settle ${id}`), call)
    return { id, call, fills, tx: `settle ${id}` }
  }

  test('one of ours ends its attempt and has its gas cost', async () => {
    const { id, call, fills, tx } = await competition()
    const [{ order, fill }] = fills as [(typeof fills)[0]]
    await apply(nextBlock(trade(order, fill, tx), settled(solver, tx)))
    const story = await storyOf(order)
    const blockNumber = checkpoint?.number
    expect(story.trades).toMatchObject([{ auctionId: id }])
    expect(story.events).toMatchObject([{ label: 'created' }, { label: 'traded', reason: null }])
    expect(story.auctions[0]?.settlementAttempts).toMatchObject([
      { outcome: 'success', endBlock: blockNumber, txHash: hashOf(tx), endTimestamp: new Date(5_000_000) },
    ])
    const fees = settlementFees(
      call,
      { sellTokenIndex: 2, buyTokenIndex: 3, executedAmount: fill.sell },
      { ...order, feePolicies },
    )
    const charged = {
      executedFee: 10n ** 16n,
      networkFee: 0n,
      protocolFees: [{ token: dollar, amount: 30n * 10n ** 6n }],
    }
    const executedFeeToken = order.sellToken
    expect(fees).toEqual({ feeToken: executedFeeToken, ...charged })
    expect(story.auctions[0]?.executions).toEqual([
      { auctionId: id, blockNumber, executedFeeToken, ...charged },
    ])
    expect(await readOrder(database.db, order)).toMatchObject({
      executedFee: charged.executedFee,
      executedFeeToken,
    })

    await rollBack(1)
    const before = await storyOf(order)
    expect(before.events).toMatchObject([{ label: 'created' }])
    expect(before.auctions[0]).toMatchObject({
      executions: [],
      settlementAttempts: [{ outcome: null, endBlock: null, endTimestamp: null }],
    })
    expect(await readOrder(database.db, order)).toMatchObject({ executedFee: 0n, executedSellAmount: 0n })
  })

  async function expectForeign(orders: readonly Order[]): Promise<void> {
    for (const order of orders) {
      const story = await storyOf(order)
      expect(story.trades.every(({ auctionId }) => auctionId === null)).toBe(true)
      const traded = story.trades.map(() => ({ label: 'traded', reason: null }))
      expect(story.events).toMatchObject([{ label: 'created' }, ...traded])
      expect(story.auctions[0]).toMatchObject({ executions: [], settlementAttempts: [{ outcome: null }] })
    }
  }

  test('one with our auction but other amounts is foreign', async () => {
    const { fills, tx } = await competition()
    const [{ order, fill }] = fills as [(typeof fills)[0]]
    await apply(nextBlock(trade(order, { ...fill, buy: fill.buy + 1n }, tx), settled(solver, tx)))
    await expectForeign([order])
  })

  test('one by another solver is foreign', async () => {
    const { fills, tx } = await competition()
    const [{ order, fill }] = fills as [(typeof fills)[0]]
    await apply(nextBlock(trade(order, fill, tx), settled(numbered('52'), tx)))
    await expectForeign([order])
  })

  test('one that trades one of our orders twice and omits the other is foreign', async () => {
    const { fills, tx } = await competition({ sell: 10n ** 18n, buy: 2_970n * 10n ** 6n }, 2)
    const [one, two] = fills as [(typeof fills)[0], (typeof fills)[0]]
    const twice = trade(one.order, one.fill, tx)
    await apply(nextBlock(twice, twice, settled(solver, tx)))
    await expectForeign([one.order, two.order])
  })

  test('two in one block keep their trades apart', async () => {
    const [one, two] = [await competition(), await competition()]
    const logs = [one, two].flatMap(({ fills, tx }) => [
      ...fills.map(({ order, fill }) => trade(order, fill, tx)),
      settled(solver, tx),
    ])
    await apply(nextBlock(...logs))
    for (const { id, fills } of [one, two]) {
      for (const { order } of fills) expect((await storyOf(order)).trades).toMatchObject([{ auctionId: id }])
    }
  })

  test('a reorg of a second settlement of a solution leaves its attempt ended by the first', async () => {
    const { fills, tx } = await competition()
    const [{ order, fill }] = fills as [(typeof fills)[0]]
    const settlement = (name: string) => [trade(order, fill, name), settled(solver, name)]
    calls.set(hashOf(`${tx} again`), calls.get(hashOf(tx)) as DecodedSettlement)
    await apply(nextBlock(...settlement(tx)))
    const first = checkpoint?.number
    await apply(nextBlock(...settlement(`${tx} again`)))
    const attempts = async () => (await storyOf(order)).auctions[0]?.settlementAttempts
    const ended = {
      outcome: 'success',
      endBlock: first,
      txHash: hashOf(tx),
      endTimestamp: new Date(5_000_000),
    }
    expect((await storyOf(order)).trades).toMatchObject([{ auctionId: auctions }, { auctionId: auctions }])
    expect(await attempts()).toMatchObject([ended])
    await rollBack(1)
    expect(await attempts()).toMatchObject([ended])
    expect((await storyOf(order)).trades).toMatchObject([{ auctionId: auctions }])
    await rollBack(1)
    expect(await attempts()).toMatchObject([{ outcome: null, endBlock: null, endTimestamp: null }])
  })

  test('one that was recorded as timed out still succeeds', async () => {
    const { fills, tx } = await competition()
    const [{ order, fill }] = fills as [(typeof fills)[0]]
    const end = { auctionId: auctions, solutionUid: 0, endedAt: new Date(0), endBlock: 9, txHash: null }
    await database.db.transaction((tx) => endAttempt(tx, { ...end, outcome: 'timeout' }))
    await apply(nextBlock(trade(order, fill, tx), settled(solver, tx)))
    const outcome = async () => (await storyOf(order)).auctions[0]?.settlementAttempts[0]?.outcome
    expect(await outcome()).toBe('success')
    await database.db.transaction((tx) => endAttempt(tx, { ...end, outcome: 'timeout' }))
    expect(await outcome()).toBe('success')
  })
})

describe('expiry', () => {
  const now = () => 1_000 + (checkpoint?.number ?? 0)

  test('is notified once, by block time, and only for orders that really expired', async () => {
    const validTo = now() + 1
    const terms = { validTo, effectiveValidTo: validTo, sellAmount: 10n, partiallyFillable: true }
    const [open, filled, invalid] = [
      await placeOrder(terms),
      await placeOrder(terms),
      await placeOrder(terms),
    ]
    await apply(nextBlock(trade(filled, { sell: 10n, buy: 1n }, 'f'), invalidation(invalid, 'i')))
    expect(await typesOf(open)).toEqual([])
    await apply(nextBlock(), sketchBlock((checkpoint?.number ?? 0) + 2, []))
    await apply(nextBlock())
    expect(await notificationsOf(open)).toMatchObject([{ type: 'order_expired', validTo }])
    expect(await typesOf(filled)).toEqual(['order_filled'])
    expect(await typesOf(invalid)).toEqual(['order_cancelled'])
  })

  describe.each([
    ['in one read', 4],
    ['in two reads', 2],
    ['block by block', 1],
  ])('of an order that is invalidated later, %s,', (_, size) => {
    async function endOf(invalidated: number, told: number) {
      const start = checkpoint?.number ?? 0
      // It may trade in the first block, and expires by the time of the second.
      const order = await placeOrder({ validTo: now() + 1, effectiveValidTo: now() + 1 })
      const blocks = [1, 2, 3, 4].map((step) =>
        sketchBlock(start + step, step === invalidated ? [invalidation(order, `i ${start}`)] : []),
      )
      for (let from = 0; from < blocks.length; from += size) await apply(...blocks.slice(from, from + size))
      expect(await statusOf(order)).toBe('cancelled')
      const { rows } = await client.query(
        'SELECT block_number - $1 AS block FROM notifications WHERE account = $2',
        [start, Buffer.from(order.owner.slice(2), 'hex')],
      )
      expect(rows).toEqual([{ block: String(told) }])
      return { order, start }
    }

    test('is what its owner is told', async () => {
      const { order, start } = await endOf(3, 2)
      expect(await typesOf(order)).toEqual(['order_expired'])
      await rollBack((checkpoint?.number ?? 0) - start - 2)
      await applyFinality(start + 4, indexing)
      expect(await notificationsOf(order)).toEqual([
        { type: 'order_expired', orderId: order.uid, chainId, validTo: order.effectiveValidTo },
      ])
    })

    test('is not told if it was invalidated in its last second', async () => {
      const { order } = await endOf(1, 1)
      expect(await typesOf(order)).toEqual(['order_cancelled'])
    })
  })

  test('that a reorg removes and brings back is notified once', async () => {
    const order = await placeOrder({ effectiveValidTo: now() })
    await apply(nextBlock())
    await rollBack(1)
    await apply(nextBlock())
    await applyFinality(checkpoint?.number ?? 0, indexing)
    expect(await notificationsOf(order)).toEqual([
      { type: 'order_expired', orderId: order.uid, chainId, validTo: order.effectiveValidTo },
    ])
  })

  test('is notified for an order whose fill did not return', async () => {
    const order = await placeOrder({ effectiveValidTo: now() + 1, sellAmount: 10n })
    await apply(nextBlock(trade(order, { sell: 10n, buy: 1n }, 'gone')))
    await apply(nextBlock())
    await rollBack(2)
    await apply(nextBlock(), sketchBlock((checkpoint?.number ?? 0) + 2, []))
    await applyFinality(checkpoint?.number ?? 0, indexing)
    expect(await notificationsOf(order)).toMatchObject([
      { type: 'order_filled', reverted: true },
      { type: 'order_expired' },
    ])
  })

  test('is reverted if the order traded in time on the other branch', async () => {
    const order = await placeOrder({ effectiveValidTo: now(), sellAmount: 10n })
    await apply(nextBlock())
    await rollBack(1)
    const number = (checkpoint?.number ?? 0) + 1
    const timestamp = order.effectiveValidTo
    await apply(sketchBlock(number, [trade(order, { sell: 10n, buy: 1n }, 'in time')], { timestamp }))
    await apply(nextBlock())
    await applyFinality(checkpoint?.number ?? 0, indexing)
    expect(await notificationsOf(order)).toMatchObject([
      { type: 'order_expired', reverted: true },
      { type: 'order_filled' },
    ])
  })
})

test('applying from a stale checkpoint writes nothing', async () => {
  const order = await placeOrder()
  const stale = checkpoint
  await apply(nextBlock())
  const range = rangeOf([nextBlock(invalidation(order, 'stale'))])
  await expect(applyBlocks(stale, range, indexing)).rejects.toThrow('moved by another process')
  await expect(applyBlocks(null, range, indexing)).rejects.toThrow()
  await expect(applyReorg(stale, { number: 0, hash: null }, indexing)).rejects.toThrow(
    'moved by another process',
  )
  expect(await statusOf(order)).toBe('open')
  expect(await notificationsOf(order)).toEqual([])
  const { number, hash } = checkpoint ?? expect.fail()
  expect(await findCheckpoint(database.db, chainId)).toMatchObject({ number, hash })
})

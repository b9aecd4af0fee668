import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { isPaused } from '../../src/auctions/outside.ts'
import { runAuction, runAuctions } from '../../src/auctions/run.ts'
import { Outage } from '../../src/domain/errors/error.ts'
import { bytesToHex } from '../../src/domain/evm/hex.ts'
import type { Order } from '../../src/domain/order/order.ts'
import type { Pool } from '../../src/domain/routing/pool.ts'
import type { Solver } from '../../src/solvers/solver.ts'
import { insertChainFacts, moveCheckpoint } from '../../src/storage/chain/indexed-logs.ts'
import { sql } from '../../src/storage/database/database.ts'
import { storeCancellations } from '../../src/storage/order/orders.ts'
import {
  createAuctionServices,
  createSolver,
  fakeTransaction,
  propose,
  solverAddress,
} from '../fakes/auction-services.ts'
import { samplePool } from '../fakes/market.ts'
import { sampleNetwork } from '../fakes/network.ts'
import { coin, dollar, numbered, wrapped } from '../fakes/order.ts'
import { readEvents, storeOrder } from '../fakes/stored-order.ts'
import { readStory } from '../fakes/stories.ts'
import { connectDirectly, createTestDatabase, emptyTables, type TestDatabase } from '../setup/database.ts'
import { eventually } from '../setup/eventually.ts'

const unit = 10n ** 18n
const million = 10n ** 6n
const { chainId } = sampleNetwork

let database: TestDatabase
let client: Awaited<ReturnType<typeof connectDirectly>>
let fake: ReturnType<typeof createAuctionServices>
let owners = 0
beforeAll(async () => {
  database = await createTestDatabase()
  client = await connectDirectly(database.url)
})
beforeEach(async () => {
  await emptyTables(client)
  fake = createAuctionServices(database.db)
})
afterAll(async () => {
  await client.end()
  await database[Symbol.asyncDispose]()
})

/** An order that the sample solver fills with surplus; each has its own account by default. */
const placeOrder = (overrides: Partial<Order> = {}) =>
  storeOrder(database.db, {
    owner: numbered((0x60 + (owners++ % 0x80)).toString(16)),
    buyAmount: 2_900n * million,
    ...overrides,
  })

const never = new Promise<never>(() => undefined)
const auction = async () => Promise.all(await runAuction(fake.services, 16, new AbortController().signal))

const storyOf = (order: Order) => readStory(database.db, order)
const eventsOf = (order: Order) => readEvents(database.db, order)

/** A solver that proposes nothing. @returns the last auction, as order UID to remaining amount */
function watch() {
  const solver = createSolver(async () => [])
  fake.world.solvers = [solver]
  return () => new Map(solver.auctions.at(-1)?.orders.map(({ order, remaining }) => [order.uid, remaining]))
}

test('what solvers are given is stored, also without a solution, until nothing can be settled', async () => {
  watch()
  const current = () => sql(database.db).currentAuction.findUnique({ where: { chainId } })
  const order = await placeOrder()
  await auction()
  expect(await current()).toMatchObject({ block: 10n, orderIds: [order.id], filled: [{}] })
  const other = await placeOrder()
  await auction()
  expect((await current())?.orderIds).toEqual([order.id, other.id])
  for (const each of [order, other]) fake.fund(each, 0n)
  await auction()
  expect(await current()).toBeNull()
})

describe('orders that cannot be settled', () => {
  test('are left out with the reason, which is recorded once for as long as it lasts', async () => {
    const held = watch()
    const good = await placeOrder()
    const unsigned = await placeOrder({ signingScheme: 'presign' })
    const unpriced = await placeOrder({ buyToken: coin })
    const poor = await placeOrder()
    const notAllowed = await placeOrder()
    const empty = await placeOrder({ partiallyFillable: true })
    const dust = await placeOrder({ partiallyFillable: true, buyAmount: 10n })
    fake.fund(poor, unit - 1n)
    fake.fund(notAllowed, unit, unit - 1n)
    fake.fund(empty, 0n)
    fake.fund(dust, unit / 10n - 1n)
    for (const _ of [1, 2]) await auction()
    expect([...held().keys()]).toEqual([good.uid])
    const orders = [good, unsigned, unpriced, poor, notAllowed, empty, dust]
    expect(await Promise.all(orders.map(eventsOf))).toEqual([
      ['ready'],
      ['invalid invalid_signature'],
      ['filtered missing_native_price'],
      ['invalid insufficient_balance'],
      ['invalid insufficient_balance'],
      ['invalid insufficient_balance'],
      ['filtered dust_order'],
    ])
    fake.fund(poor, unit)
    await auction()
    fake.fund(poor, 0n)
    await auction()
    expect(await eventsOf(poor)).toEqual([
      'invalid insufficient_balance',
      'ready',
      'invalid insufficient_balance',
    ])
  })

  test('yet, or for long enough, are left out without an event', async () => {
    const held = watch()
    const { seconds } = fake.world
    const later = await placeOrder({ validFrom: seconds + 10 })
    const short = await placeOrder({ effectiveValidTo: seconds + 59 })
    const enough = await placeOrder({ effectiveValidTo: seconds + 70 })
    await auction()
    expect([...held().keys()]).toEqual([enough.uid])
    expect([await eventsOf(later), await eventsOf(short)]).toEqual([[], []])
    fake.world.seconds += 10
    await auction()
    expect([...held().keys()].sort()).toEqual([later.uid, enough.uid].sort())
  })
})

test('dust that could not pay its gas in any batch has no place until gas is cheap enough', async () => {
  const held = watch()
  // A trade takes 99,026 gas.
  const dust = await placeOrder({ sellAmount: 900_000n, buyAmount: 1n })
  const paying = await placeOrder({ sellAmount: 1_000_000n, buyAmount: 1n })
  const reasonOf = async ({ id }: Order) =>
    (await sql(database.db).orderStanding.findUnique({ where: { orderId: id } }))?.reason
  fake.services.gasPrice = async () => 10n
  await auction()
  expect([...held().keys()]).toEqual([paying.uid])
  expect([await reasonOf(dust), await reasonOf(paying)]).toEqual(['fee_exceeds_value', null])
  expect(await eventsOf(dust)).toEqual([])
  fake.services.gasPrice = async () => 9n
  await auction()
  expect([...held().keys()].sort()).toEqual([dust.uid, paying.uid].sort())
  expect(await reasonOf(dust)).toBe(null)
})

test('where the only order of the auction is cancelled meanwhile, nothing is stored or sent', async () => {
  const order = await placeOrder()
  fake.world.solvers = [
    createSolver(async (held) => {
      await database.db.transaction((tx) => storeCancellations(tx, [order.id], new Date(fake.services.now())))
      return [propose(held)]
    }),
  ]
  await auction()
  expect(await eventsOf(order)).toEqual(['ready'])
  expect((await storyOf(order)).auctions).toEqual([])
  expect(fake.world.submitted).toEqual([])
})

describe('an order that is cancelled', () => {
  const cancel = ({ id }: Order) =>
    database.db.transaction((tx) => storeCancellations(tx, [id], new Date(fake.services.now())))
  /** Two orders of one pair, each in a solution alone: the first has the better one. */
  async function twoBids() {
    const [best, second] = [
      await placeOrder({ sellAmount: 2n * unit, buyAmount: 5_000n * million }),
      await placeOrder(),
    ]
    fake.world.solvers = [
      createSolver(async (held) =>
        [best, second].map((order) => propose(held, ({ uid }) => uid === order.uid)),
      ),
    ]
    return { best, second }
  }
  const winnersOf = async (order: Order) =>
    (await storyOf(order)).auctions.flatMap(({ proposedSolutions }) =>
      proposedSolutions.map(({ isWinner }) => isWinner),
    )

  test('after the simulation leaves the win to the next best', async () => {
    const { best, second } = await twoBids()
    const { head } = fake.services
    let looks = 0
    fake.services.head = async () => {
      // The second look is for the deadline, right before the competition is stored.
      if (++looks === 2) await cancel(best)
      return head()
    }
    await auction()
    expect(await winnersOf(best)).toEqual([false])
    expect(await winnersOf(second)).toEqual([true])
    expect(await eventsOf(second)).toEqual(['ready', 'executing'])
    expect(fake.world.submitted).toHaveLength(1)
  })

  test('after it has won is not sent', async () => {
    const { best } = await twoBids()
    const settler = fake.services.settlers.get(solverAddress) ?? expect.fail('no settler')
    fake.services.settlers = new Map([
      [
        solverAddress,
        {
          ...settler,
          async submit(calldata, limits) {
            await cancel(best)
            return settler.submit(calldata, limits)
          },
        },
      ],
    ])
    await auction()
    const [{ settlementAttempts } = expect.fail('no auction')] = (await storyOf(best)).auctions
    expect(settlementAttempts).toMatchObject([
      { outcome: `driver failed: not sent: cancelled: ${best.uid}`, txHash: null },
    ])
  })
})

test('settlements under way are limited, over all auctions', async () => {
  fake.services.settings = { ...fake.services.settings, maxUnderWay: 2, maxWinners: 1 }
  const settler = fake.services.settlers.get(solverAddress) ?? expect.fail('no settler')
  const ends: (() => void)[] = []
  fake.services.settlers = new Map([
    [
      solverAddress,
      { ...settler, submit: () => new Promise((resolve) => ends.push(() => resolve({ outcome: 'left' }))) },
    ],
  ])
  for (const _ of [1, 2, 3]) await placeOrder()
  fake.world.solvers = [
    createSolver(async (held) =>
      held.orders.map(({ order }) => propose(held, ({ uid }) => uid === order.uid)),
    ),
  ]
  const { head } = fake.services
  const looks: number[] = []
  fake.services.head = async () => {
    looks.push(fake.world.block++)
    return head()
  }
  fake.services.settings = { ...fake.services.settings, deadlineBlocks: 10_000 }
  const stop = new AbortController()
  const running = runAuctions(fake.services, stop.signal)
  await eventually('two settlements are under way', () => ends.length === 2)
  const before = looks.length
  await eventually('more blocks have passed', () => looks.length > before + 3)
  expect(ends).toHaveLength(2)
  ends[0]?.()
  await eventually('the third is sent', () => ends.length === 3)
  stop.abort()
  await running
})

describe('balances', () => {
  const owner = numbered('0f')

  test('orders of one account share one balance, the likeliest first', async () => {
    const held = watch()
    const terms = { owner, sellAmount: 4n * unit, buyAmount: 100n }
    const first = await placeOrder({ ...terms, validTo: 1 })
    const second = await placeOrder({ ...terms, validTo: 2 })
    const part = await placeOrder({ ...terms, validTo: 3, partiallyFillable: true })
    const bought = await placeOrder({
      ...terms,
      validTo: 4,
      partiallyFillable: true,
      kind: 'buy',
      buyAmount: 8_000n * million,
    })
    const rest = await placeOrder({ ...terms, validTo: 5, partiallyFillable: true, sellAmount: unit })
    fake.fund(first, 7n * unit)
    await auction()
    expect(held()).toEqual(
      new Map([
        [first.uid, 4n * unit],
        [part.uid, 3n * unit],
      ]),
    )
    fake.fund(first, 10n * unit)
    await auction()
    expect(held()).toEqual(
      new Map([
        [first.uid, 4n * unit],
        [second.uid, 4n * unit],
        [part.uid, 2n * unit],
      ]),
    )
    fake.fund(first, 14n * unit)
    await auction()
    // The smaller order wants less for a unit. The unit that is left of four buys a quarter of the amount.
    expect(held().get(rest.uid)).toBe(unit)
    expect(held().get(bought.uid)).toBe(2_000n * million)
  })

  test('other tokens of the account, and other accounts, have their own', async () => {
    const held = watch()
    const a = await placeOrder({ owner })
    const b = await placeOrder({
      owner,
      sellToken: dollar,
      buyToken: wrapped,
      sellAmount: 10n,
      buyAmount: 1n,
    })
    const c = await placeOrder()
    for (const order of [a, b, c]) fake.fund(order, order.sellAmount)
    await auction()
    expect([...held().keys()]).toEqual([a.uid, b.uid, c.uid])
  })
})

describe('a competition', () => {
  test('is stored with all solutions, and its orders get their events', async () => {
    const [won, lost, resting] = [await placeOrder(), await placeOrder(), await placeOrder()]
    const feePolicies = [
      { kind: 'surplus' as const, factor: 500_000n, maxVolumeFactor: 10_000n },
      { kind: 'volume' as const, factor: 100n },
    ]
    fake.services.feePolicies = feePolicies
    const other = numbered('52')
    fake.world.solvers = [
      createSolver(async (held) => [
        propose(held, ({ uid }) => uid === won.uid || uid === lost.uid),
        propose(held, ({ uid }) => uid === won.uid),
      ]),
      createSolver(async (held) => [propose(held, ({ uid }) => uid === lost.uid)], other),
    ]
    // Two orders beat one: the first solver's first proposal wins.
    await auction()
    const story = await storyOf(lost)
    expect(story.auctions).toHaveLength(1)
    const [stored] = story.auctions
    expect(stored).toMatchObject({ chainId, block: 10, deadlineBlock: 13, feePolicies, executions: [] })
    expect(stored?.nativePrices.map(({ token }) => token)).toEqual([wrapped, dollar])
    expect(stored?.nativePrices[0]?.price).toBe(unit)
    const [best, second] = stored?.proposedSolutions ?? []
    expect(best).toMatchObject({
      uid: 0,
      ranking: 1,
      solver: solverAddress,
      isWinner: true,
      filteredOut: false,
    })
    expect(second).toMatchObject({ solver: other, isWinner: false, executedSell: unit })
    expect(best?.score).toBe(2n * (second?.score ?? 0n))
    expect(best?.executedBuy).toBeGreaterThan(2_900n * million)
    expect(stored?.settlementAttempts).toEqual([
      {
        auctionId: stored?.id,
        solutionUid: 0,
        solver: solverAddress,
        startTimestamp: new Date(fake.world.seconds * 1_000),
        startBlock: 10,
        deadlineBlock: 13,
        txHash: fakeTransaction,
        endTimestamp: null,
        endBlock: null,
        outcome: null,
      },
    ])
    expect((await storyOf(resting)).auctions[0]).toMatchObject({
      id: stored?.id,
      proposedSolutions: [],
      feePolicies: [],
    })
    expect(await Promise.all([won, lost, resting].map(eventsOf))).toEqual([
      ['ready', 'executing'],
      ['ready', 'executing'],
      ['ready'],
    ])
    expect(fake.world.submitted).toEqual([{ deadlineBlock: 13 }])
  })

  test('leaves an order of a losing solution considered', async () => {
    const [won, lost] = [await placeOrder(), await placeOrder()]
    fake.world.solvers = [
      createSolver(async (held) => [propose(held, ({ uid }) => uid === won.uid)]),
      createSolver(async (held) => {
        const { trades, ...rest } = propose(held, ({ uid }) => uid === lost.uid)
        return [{ ...rest, trades: trades.map((item) => ({ ...item, executedAmount: unit - 1n, fee: 1n })) }]
      }, numbered('52')),
    ]
    await auction()
    expect(await eventsOf(won)).toEqual(['ready', 'executing'])
    expect(await eventsOf(lost)).toEqual(['ready', 'considered'])
  })

  test('without a solution is not stored', async () => {
    watch()
    const order = await placeOrder()
    await auction()
    expect((await storyOf(order)).auctions).toEqual([])
  })

  test('a solver that hangs, throws or proposes nonsense affects only itself', async () => {
    const order = await placeOrder()
    let asked: AbortSignal | undefined
    fake.world.solvers = [
      createSolver((_auction, _market, signal) => {
        asked = signal
        return never
      }, numbered('53')),
      createSolver(() => {
        throw new Error('a fault')
      }, numbered('54')),
      createSolver(async () => Promise.reject(new Error('a fault')), numbered('55')),
      createSolver(async (held) => [{ ...propose(held), prices: new Map() }], numbered('56')),
      createSolver(async (held) => [propose(held)]),
    ]
    await auction()
    expect(asked?.aborted).toBe(true)
    const [stored] = (await storyOf(order)).auctions
    expect(stored?.proposedSolutions.map(({ solver }) => solver)).toEqual([solverAddress])
  })
})

test('a solver whose account cannot pay is told so, and the next best wins', async () => {
  const order = await placeOrder()
  const told: unknown[] = []
  const notify = (_: unknown, notice: object) => void told.push(notice)
  const origin = { auctionId: 1n, solutionIds: [1] }
  const poor = createSolver(async (held) => [{ ...propose(held), origin }], numbered('52'))
  fake.world.poor.add(poor.address)
  fake.world.solvers = [
    { ...poor, outside: { maxProposals: 5, isPunctual: () => true, notify } },
    createSolver(async (held) => [propose(held)]),
  ]
  await auction()
  const [stored] = (await storyOf(order)).auctions
  expect(stored?.proposedSolutions.map(({ solver }) => solver)).toEqual([solverAddress])
  const reason = 'its account is empty'
  expect(told).toEqual([{ kind: 'driverError', code: 'solver_cannot_pay', reason, extra: { reason } }])
})

describe('the token that stands for the dollar', () => {
  const pairs: (readonly (readonly string[])[])[] = []
  const market = [samplePool('01', wrapped, dollar, 10_000n), samplePool('02', wrapped, coin, 10_000n)]
  let order: Order
  beforeEach(async () => {
    order = await placeOrder()
    fake.world.solvers = [createSolver(async (held) => [propose(held)])]
    fake.services.network = { ...fake.services.network, usdReference: coin }
    pairs.length = 0
  })
  /** Returns pools for exactly the requested pairs. */
  const offer = (answer: (asked: readonly (readonly string[])[]) => Pool[]) => {
    fake.services.pools = async (asked) => {
      pairs.push(asked)
      return answer(asked)
    }
  }
  const poolsOf = (asked: readonly (readonly string[])[]) =>
    market.filter(({ token0, token1 }) =>
      asked.some((pair) => pair.includes(token0) && pair.includes(token1)),
    )
  const pricesOf = async () => {
    const { rows } = await client.query('SELECT token FROM auction_prices ORDER BY token')
    return rows.map(({ token }) => bytesToHex(token))
  }

  test('has a price in every auction, and solvers do not see its pools', async () => {
    offer(poolsOf)
    const seen: (readonly Pool[])[] = []
    fake.world.solvers = [
      createSolver(async (held, { pools }) => {
        seen.push(pools)
        return [propose(held)]
      }),
    ]
    await auction()
    expect(await pricesOf()).toEqual([wrapped, dollar, coin])
    expect(pairs).toEqual([[[wrapped, dollar]], [[coin, wrapped]]])
    expect(seen).toEqual([[market[0]]])
  })

  test('is not requested where it is traded anyway', async () => {
    fake.services.network = { ...fake.services.network, usdReference: dollar }
    offer(poolsOf)
    await auction()
    expect(await pricesOf()).toEqual([wrapped, dollar])
    expect(pairs).toHaveLength(1)
  })

  test.each([
    ['without a price', () => []],
    [
      'whose pools are unavailable',
      () => {
        throw new Outage('the node')
      },
    ],
  ])('%s delays no auction', async (_, answer) => {
    offer((asked) => (asked[0]?.includes(coin) ? answer() : poolsOf(asked)))
    await auction()
    expect(await pricesOf()).toEqual([wrapped, dollar])
    expect(await eventsOf(order)).toEqual(['ready', 'executing'])
  })
})

describe('a settlement attempt', () => {
  const txHash = `0x${'99'.repeat(32)}` as const
  const attemptOf = async (order: Order) => (await storyOf(order)).auctions[0]?.settlementAttempts[0]
  let order: Order
  beforeEach(async () => {
    order = await placeOrder()
    fake.world.solvers = [createSolver(async (held) => [propose(held)])]
  })

  test.each([
    [
      'timeout',
      { outcome: 'timeout', txHash, block: 13 },
      { outcome: 'timeout', endBlock: 13, txHash, endTimestamp: new Date(1_000_000_000) },
    ],
    [
      'a revert',
      { outcome: 'failed', reason: 'GPv2: invalid', txHash, block: 12 },
      { outcome: 'driver failed: GPv2: invalid', endBlock: 12, txHash },
    ],
    [
      'a refusal',
      { outcome: 'failed', reason: 'no gas', block: 10 },
      { outcome: 'driver failed: no gas', txHash: null },
    ],
    [
      'a node outage',
      new Outage('the node'),
      { outcome: 'driver failed: the node is unavailable', endBlock: 10 },
    ],
    ['success, which the indexer records', { outcome: 'success', txHash, block: 11 }, { outcome: null }],
    ['a bug of the program', new TypeError('a bug'), { outcome: null, endBlock: null }],
  ] as const)('ends with %s', async (_, outcome, expected) => {
    fake.world.outcomes.set(solverAddress, outcome)
    await auction()
    expect(await attemptOf(order)).toMatchObject(expected)
  })

  test('of a solver without an account fails', async () => {
    fake.world.solvers = [createSolver(async (held) => [propose(held)], numbered('57'))]
    await auction()
    expect((await attemptOf(order))?.outcome).toBe('driver failed: no account for this solver')
  })

  const auctionsOf = async () => (await storyOf(order)).auctions.length

  test('keeps its orders out of auctions until its deadline', async () => {
    await auction()
    fake.world.block = 12
    await auction()
    expect(await auctionsOf()).toBe(1)
    expect(await eventsOf(order)).toEqual(['ready', 'executing', 'filtered in_flight'])
    fake.world.block = 13
    await auction()
    expect(await auctionsOf()).toBe(2)
    expect((await eventsOf(order)).slice(3)).toEqual(['ready', 'executing'])
  })

  test('that failed releases its orders at once', async () => {
    fake.world.outcomes.set(solverAddress, { outcome: 'failed', reason: 'reverted', block: 11 })
    await auction()
    await auction()
    expect(await auctionsOf()).toBe(2)
  })

  test('with an indexed settlement releases its orders at once', async () => {
    await auction()
    const auctionId = (await attemptOf(order))?.auctionId ?? null
    const settlement = {
      blockNumber: 11,
      logIndex: 0,
      txHash,
      solver: solverAddress,
      auctionId,
      solutionUid: 0,
    }
    const facts = { trades: [], invalidations: [], presignatures: [], executions: [] }
    await database.db.transaction((tx) =>
      insertChainFacts(tx, chainId, { ...facts, settlements: [settlement] }),
    )
    await auction()
    expect(await auctionsOf()).toBe(2)
  })

  test('without an outcome ends once the indexer has passed its deadline, and not before', async () => {
    await auction()
    const index = (from: number | null, to: number) =>
      database.db.transaction((tx) => {
        const place = (number: number) => ({ number, hash: txHash })
        return moveCheckpoint(tx, chainId, {
          from: from === null ? null : place(from),
          to: place(to),
          at: new Date(),
        })
      })
    await index(null, 13)
    fake.world.solvers = []
    fake.world.block = 20
    const stop = new AbortController()
    const looks: number[] = []
    const head = fake.services.head
    fake.services.head = () => {
      looks.push(fake.world.block++)
      return head()
    }
    const running = runAuctions(fake.services, stop.signal)
    await eventually('two rounds', () => looks.length > 4)
    expect((await attemptOf(order))?.outcome).toBe(null)
    await index(13, 14)
    await eventually('the attempt is over', async () => (await attemptOf(order))?.outcome === 'timeout')
    expect(await attemptOf(order)).toMatchObject({ endBlock: 14, txHash: fakeTransaction })
    stop.abort()
    await running
  })
})

test.each([
  ['is left out where it cannot be read, and pauses no solver whose settlement does not touch it', true],
  ['is compared where it can be, and the solver that says otherwise is paused', false],
])('a held token %s', async (_, isUnreadable) => {
  const spoiling = numbered('5b')
  const dropped: string[] = []
  fake.services.heldTokens = {
    ...fake.services.heldTokens,
    list: () => [spoiling],
    drop: (token) => dropped.push(token) > 0,
  }
  fake.services.network = { ...fake.services.network, balanceGuard: numbered('9d') }
  fake.services.effects = { ...fake.services.effects, isUnreadable: async () => isUnreadable }
  const solver: Solver = {
    ...createSolver(async (held) => [propose(held)]),
    outside: { maxProposals: 3, isPunctual: () => true, notify: () => {} },
  }
  let asked = 0
  const { solve } = solver
  solver.solve = (...question) => {
    asked++
    return solve(...question)
  }
  fake.world.solvers = [solver]
  await placeOrder()
  for (let block = 0; block < 3; block++) {
    const reason = `the balance of ${spoiling} cannot be read`
    const { block: at } = fake.world
    fake.world.outcomes.set(solverAddress, { outcome: 'failed', reason, txHash: fakeTransaction, block: at })
    await auction()
    fake.world.block += 4
  }
  expect(asked).toBe(3)
  expect(dropped).toEqual(isUnreadable ? [spoiling, spoiling, spoiling] : [])
  expect(isPaused(solverAddress, fake.world.block - 3, fake.services)).toBe(!isUnreadable)
})

test('an outside solver whose settlement fails is paused, longer each time, and harms no order of a contract', async () => {
  const notices: string[] = []
  const origin = { auctionId: 1n, solutionIds: [1] }
  const solver: Solver = {
    ...createSolver(async (held) => [{ ...propose(held), origin }]),
    outside: {
      maxProposals: 3,
      isPunctual: () => true,
      notify: (_, { kind }) => void notices.push(kind),
    },
  }
  fake.world.solvers = [solver]
  fake.world.outcomes.set(solverAddress, { outcome: 'failed', reason: 'it takes', block: fake.world.block })
  const order = await placeOrder({
    interactions: { pre: [], post: [{ target: coin, value: 0n, callData: '0x' }] },
  })
  const asked: boolean[] = []
  const { solve } = solver
  let isAsked = false
  solver.solve = (...question) => {
    isAsked = true
    return solve(...question)
  }
  for (let block = 0; block < 8; block++) {
    isAsked = false
    await auction()
    asked.push(isAsked)
    fake.world.block++
    fake.world.outcomes.set(solverAddress, { outcome: 'failed', reason: 'it takes', block: fake.world.block })
  }
  expect(asked).toEqual([true, false, true, false, false, false, true, false])
  expect(notices.slice(0, 2)).toEqual(['settlementStarted', 'fail'])
  expect(await eventsOf(order)).not.toContain('invalid invalid_signature')
})

import { Wallet } from 'ethers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { allowSolvers } from '../../src/dev/market/market.ts'
import { bidding, type SentAuction, type SentOrder } from '../fakes/auction-engine.ts'
import {
  answering,
  type Behaviour,
  type SolverEngineFake,
  startSolverEngine,
} from '../fakes/solver-engine.ts'
import { startTestChain, type TestChain } from '../setup/chain.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { eventually } from '../setup/eventually.ts'
import { createTrader, graphql, type OrderWish, request } from '../setup/trader.ts'
import { startProgram, unlimited } from '../setup/world.ts'

const coin = 10n ** 18n
const dollar = 10n ** 6n
/** Traders of the local market: who places orders, whose orders solvers bring, and whose count. */
const [placer, maker, capturer] = [0, 1, 2]

let chain: TestChain
let database: TestDatabase
let app: Awaited<ReturnType<typeof startProgram>>
let engine: SolverEngineFake
let solver: string

beforeAll(async () => {
  ;[database, chain, engine] = await Promise.all([
    createTestDatabase(),
    startTestChain(),
    startSolverEngine(),
  ])
  const { rpc, market } = chain
  const account = market.outsideSolvers[0] as (typeof market.outsideSolvers)[0]
  solver = account.address
  await allowSolvers(rpc, [account])
  const environment = {
    ...unlimited,
    SOLVERS: JSON.stringify([
      { kind: 'engine', name: 'bringer', url: engine.url, privateKey: account.privateKey, jitOrders: true },
    ]),
    SURPLUS_CAPTURING_JIT_ORDER_OWNERS: JSON.stringify([{ owner: market.accounts[capturer]?.address }]),
  }
  app = await startProgram({ database, chain }, environment, { roles: ['serve', 'index', 'auction'] })
})
afterAll(async () => {
  await app?.close()
  await engine?.close()
  await chain?.[Symbol.asyncDispose]()
  await database?.[Symbol.asyncDispose]()
})

const trader = (account: number) => createTrader(app.url ?? '', chain.market, account)
const base = () => `${app.url}/${chain.market.network.name}`
const get = async (path: string) => (await request(`${base()}/api/${path}`)).body
const now = () => Math.floor(Date.now() / 1000)
let placed = 0

async function place(wish: Partial<OrderWish> = {}): Promise<string> {
  const swap = { sell: 'WETH', buy: 'USDC', sellAmount: coin, buyAmount: 1n } as const
  const { status, body } = await trader(placer).place({ ...swap, validTo: now() + 1_000 + placed++, ...wish })
  expect({ status, body }).toEqual({ status: 201, body: expect.any(String) })
  return body
}

const cancel = async (uid: string) => expect((await trader(placer).cancel([uid])).status).toBe(200)
const statusOf = async (uid: string) => (await trader(placer).order(uid)).status

/** An order as a solver brings it, signed by its owner. */
async function signed(account: number, wish: Partial<OrderWish> = {}, change: object = {}) {
  const swap = { sell: 'USDC', buy: 'WETH', sellAmount: 2_900n * dollar, buyAmount: coin } as const
  const { from, feeAmount, appData, appDataHash, ...order } = (await trader(account).sign({
    ...swap,
    validTo: now() + 2_000 + placed++,
    ...wish,
  })) as Record<string, unknown>
  return { ...order, appData: appDataHash, ...change } as Record<string, unknown>
}

type Brought = Awaited<ReturnType<typeof signed>>
const uidOf = async (order: Brought, account: number) => {
  const { owner } = { owner: new Wallet(chain.market.accounts[account]?.privateKey ?? '').address }
  const traded = await eventually('it is traded', async () => {
    const trades: { orderUid: string }[] = await get(`v1/trades?owner=${owner}`)
    return trades.find(({ orderUid }) =>
      orderUid.endsWith(Number(order.validTo).toString(16).padStart(8, '0')),
    )
  })
  return traded.orderUid
}

const tokens = () => chain.market.tokens

/** Matches the newest order that sells WETH with the order that is brought: no pool is used. */
function matching(order: Brought, { executed = 2_900n * dollar } = {}): Behaviour {
  return (question, response) => {
    const { orders = [] } = (question.body ?? {}) as SentAuction
    const sold = orders.findLast(({ sellToken }) => sellToken === tokens().WETH.address)
    if (question.path !== '/solve' || !sold) return answering({ solutions: [] })(question, response)
    answering({ solutions: [matched(sold, order, executed)] })(question, response)
  }
}

const matched = (sold: SentOrder, order: Brought, executed: bigint) => ({
  id: 1,
  prices: { [tokens().WETH.address]: String(executed), [tokens().USDC.address]: sold.sellAmount },
  trades: [
    { kind: 'fulfillment', order: sold.uid, executedAmount: sold.sellAmount },
    { kind: 'jit', order, executedAmount: String(executed) },
  ],
  interactions: [],
})

/** The order that is brought alone, through a pool. */
function alone(order: Brought): Behaviour {
  return (question, response) => {
    if (question.path !== '/solve') return void response.end()
    const own = { ...order, uid: 'own', kind: 'sell' } as unknown as SentOrder
    const trades = [{ kind: 'jit', order, executedAmount: order.sellAmount }]
    const body = { ...(question.body as object), orders: [own] }
    bidding({ more: () => ({ trades }) })({ ...question, body }, response)
  }
}

const notices = (): Promise<{ kind: string; reason: string; auctionId: number }[]> =>
  get(`v1/solver_notices/${solver}`)
const noticeOf = (kind: string, words: RegExp) =>
  eventually(`${kind} ${words}`, async () =>
    (await notices()).some((notice) => notice.kind === kind && words.test(notice.reason)),
  )

const storyQuery = `query ($uid: OrderUid!) { order(uid: $uid) { status debugReport { trades { nodes { auctionId sellAmount buyAmount } }
  events { nodes { label } } } } }`
const solutionsQuery = `query ($id: SafeInt!) { auction(id: $id) { solutions { isWinner score orders { orderUid executedSell executedBuy
  sellToken { symbol } order { status } } } } }`

test('an order that its solver brings is settled, and is an order of its owner from then on', async () => {
  const brought = await signed(maker)
  engine.behaves(matching(brought))
  const uid = await place()
  await eventually('it is filled', async () => (await statusOf(uid)) === 'fulfilled')
  const own = await uidOf(brought, maker)
  expect(await trader(maker).order(own)).toMatchObject({
    class: 'liquidity',
    status: 'fulfilled',
    owner: trader(maker).address.toLowerCase(),
    executedSellAmount: String(2_900n * dollar),
    executedBuyAmount: String(coin),
  })
  const list: { uid: string }[] = await get(`v1/account/${trader(maker).address}/orders`)
  expect(list.map((order) => order.uid)).toContain(own)
  const { solutions, transactionHashes } = await get('v2/solver_competition/latest')
  expect(transactionHashes).toHaveLength(1)
  expect(
    solutions[0].orders.map(({ id, sellAmount }: Record<string, string>) => ({ id, sellAmount })),
  ).toEqual(
    expect.arrayContaining([
      { id: own, sellAmount: String(2_900n * dollar) },
      { id: uid, sellAmount: String(coin) },
    ]),
  )
  // The score is the surplus of the order that was placed: the other does not count.
  const price = (await get('v2/solver_competition/latest')).auction.prices[tokens().USDC.address]
  expect(solutions[0].score).toBe(String(((2_900n * dollar - 1n) * BigInt(price)) / coin))
  const { order } = await graphql(app.url ?? '', storyQuery, { uid: own })
  expect(order.debugReport.events.nodes.map(({ label }: { label: string }) => label)).toEqual([
    'CREATED',
    'TRADED',
  ])
  expect(order.debugReport.trades.nodes).toEqual([
    { auctionId: expect.any(Number), sellAmount: String(2_900n * dollar), buyAmount: String(coin) },
  ])
  const { auction } = await graphql(app.url ?? '', solutionsQuery, {
    id: order.debugReport.trades.nodes[0].auctionId,
  })
  expect(auction.solutions[0].orders).toContainEqual({
    orderUid: own,
    executedSell: String(2_900n * dollar),
    executedBuy: String(coin),
    sellToken: { symbol: 'USDC' },
    order: { status: 'FULFILLED' },
  })
})

test('what remains of an order that is filled in part is in no auction', async () => {
  const brought = await signed(maker, {
    sellAmount: 29_000n * dollar,
    buyAmount: 10n * coin,
    partiallyFillable: true,
  })
  engine.behaves(matching(brought))
  const uid = await place()
  await eventually('it is filled', async () => (await statusOf(uid)) === 'fulfilled')
  const own = await uidOf(brought, maker)
  expect(await trader(maker).order(own)).toMatchObject({ status: 'open', class: 'liquidity' })
  // It may be filled again, by a solver that brings it.
  const second = await place()
  await eventually('it is filled', async () => (await statusOf(second)) === 'fulfilled')
  expect((await trader(maker).order(own)).executedSellAmount).toBe(String(5_800n * dollar))
  const sent = engine.asked.filter(({ path }) => path === '/solve').map(({ body }) => body as SentAuction)
  expect(sent.flatMap(({ orders }) => orders.map((order) => order.uid))).not.toContain(own)
})

test('alone, only an order of an owner that counts can win', async () => {
  // Auctions need an order; nothing fills this one.
  const waiting = await place({ buyAmount: 1_000_000n * dollar })
  const wish = { sellAmount: 1_000n * dollar, buyAmount: 1n }
  engine.behaves(alone(await signed(maker, wish)))
  await noticeOf('driverError', /has no score/)
  const counting = await signed(capturer, wish)
  engine.behaves(alone(counting))
  const own = await uidOf(counting, capturer)
  expect(await trader(capturer).order(own)).toMatchObject({ status: 'fulfilled', class: 'liquidity' })
  const sent = engine.asked.findLast(({ path }) => path === '/solve')?.body as SentAuction
  const address = trader(capturer).address.toLowerCase()
  const lists = engine.asked
    .filter(({ path }) => path === '/solve')
    .map(({ body }) => (body as SentAuction).surplusCapturingJitOrderOwners)
  expect(lists).toContainEqual([address])
  expect(sent.orders.map(({ uid }) => uid)).toEqual([waiting])
  await cancel(waiting)
})

test('an order that was placed with the service can’t be brought: not after it was cancelled', async () => {
  const waiting = await place({ buyAmount: 1_000_000n * dollar })
  const secret = await trader(placer).sign({
    sell: 'USDC',
    buy: 'WETH',
    sellAmount: 2_900n * dollar,
    buyAmount: coin / 2n,
    validTo: now() + 3_000,
  })
  engine.behaves(answering({ solutions: [] }))
  const { body: uid } = await request(`${base()}/api/v1/orders`, 'POST', secret)
  await cancel(uid)
  const { from, feeAmount, appData, appDataHash, ...order } = secret as Record<string, unknown>
  engine.behaves(matching({ ...order, appData: appDataHash } as Brought))
  const sold = await place()
  await noticeOf('driverError', /was placed with the service/)
  expect(await statusOf(uid)).toBe('cancelled')
  await cancel(sold)
  await cancel(waiting)
})

test.each<[string, Partial<OrderWish>, object, string, RegExp]>([
  ['has expired', { validTo: 1_000_000_000 }, {}, 'driverError', /has expired/],
  ['has a changed amount', {}, { buyAmount: String(coin / 2n) }, 'simulationFailed', /./],
  ['has another kind of balance', {}, { sellTokenBalance: 'internal' }, 'driverError', /erc20/],
  ['has no signature', {}, { signature: '0x1234' }, 'driverError', /signature/],
  [
    'is not presigned',
    {},
    { signingScheme: 'preSign', signature: `0x${'12'.repeat(20)}` },
    'simulationFailed',
    /presigned/,
  ],
  [
    'has a contract as its owner that is none',
    {},
    { signingScheme: 'eip1271', signature: `0x${'12'.repeat(20)}` },
    'simulationFailed',
    /./,
  ],
  ['may not be filled in part', { sellAmount: 10n ** 15n * dollar }, {}, 'invalidExecutedAmount', /whole/],
])('one that %s is refused', async (_, wish, change, kind, words) => {
  const last = Math.max(0, ...(await notices()).map(({ auctionId }) => auctionId))
  engine.behaves(matching(await signed(maker, wish, change)))
  const uid = await place()
  await eventually('it is refused', async () => {
    const fresh = (await notices()).filter(({ auctionId }) => auctionId > last)
    return fresh.some((notice) => notice.kind === kind && words.test(notice.reason))
  })
  expect(await statusOf(uid)).toBe('open')
  await cancel(uid)
})

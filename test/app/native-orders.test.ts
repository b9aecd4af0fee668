import {
  type OrderBookApi,
  OrderKind,
  OrderQuoteSideKindSell,
  SigningScheme,
  type TradingSdk,
} from '@cowprotocol/cow-sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Address } from '../../src/domain/evm/address.ts'
import { eventually } from '../setup/eventually.ts'
import { createSdk } from '../setup/sdk.ts'
import { graphql, request } from '../setup/trader.ts'
import { startWorld, type World } from '../setup/world.ts'

const one = 10n ** 18n
const native = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'

let world: World
let api: OrderBookApi
let sdk: TradingSdk
let user: Address
let ethFlow: Address
beforeAll(async () => {
  world = await startWorld()
  user = world.market.accounts[0]?.address ?? expect.fail()
  ethFlow = world.market.network.ethFlows[0] ?? expect.fail()
  ;({ api, sdk } = createSdk(world))
})
afterAll(() => world?.[Symbol.asyncDispose]())

/** What the service answers, without the client library's view of it. */
const rest = async (path: string) => (await request(`${world.url}/sepolia/api/v1/${path}`)).body

const becomes = (uid: string, status: string) =>
  eventually(`${uid} is ${status}`, async () => {
    const order = await rest(`orders/${uid}`)
    return order.status === status && order
  })

const questions = `query ($user: Address!, $uid: OrderUid!) {
  account(address: $user) {
    orders(first: 5, filter: { statuses: [FULFILLED] }) { nodes { uid } }
    trades(first: 5) { nodes { orderUid } }
  }
  order(uid: $uid) { progress { stage } events(first: 20) { nodes { label source } } }
}`

const sale = { kind: OrderKind.SELL, sellToken: native, sellTokenDecimals: 18 }
const forDollars = () => ({
  buyToken: world.market.tokens.USDC.address,
  buyTokenDecimals: 6,
})

test('a sale of the native coin is quoted, placed on chain, filled, and its user is notified', async () => {
  const { orderId } = await sdk.postSellNativeCurrencyOrder({
    ...sale,
    ...forDollars(),
    amount: `${one}`,
    slippageBps: 50,
  })
  const order = await becomes(orderId, 'fulfilled')
  expect(order).toMatchObject({
    owner: ethFlow,
    onchainUser: user,
    onchainOrderData: { sender: user, placementError: null },
    signingScheme: 'eip1271',
    signature: ethFlow,
    validTo: 4294967295,
    class: 'limit',
    executedSellAmount: order.sellAmount,
    ethflowData: { refundTxHash: null, isRefunded: false },
    interactions: { pre: [{ target: ethFlow, value: '0', callData: '0x4c84c1c8' }] },
  })
  expect(order.quote).toMatchObject({ sellAmount: order.sellAmount })
  expect(await balance()).toBe(0n)
  expect(await api.getOrder(orderId)).toMatchObject({ owner: user, sellToken: native, uid: orderId })
  expect((await api.getOrders({ owner: user })).map(({ uid }) => uid)).toEqual([orderId])
  expect((await api.getOrders({ owner: ethFlow })).map(({ uid }) => uid)).toEqual([orderId])
  expect(await api.getTrades({ owner: user })).toMatchObject([{ orderUid: orderId, owner: ethFlow }])
  expect(await rest(`orders/${orderId}/status`)).toMatchObject({ type: 'traded' })
  const { account, order: told } = await graphql(world.url, questions, { user, uid: orderId })
  expect(account.orders.nodes).toEqual([{ uid: orderId }])
  expect(account.trades.nodes).toEqual([{ orderUid: orderId }])
  expect(told.events.nodes.map(({ label }: { label: string }) => label)).toEqual(
    expect.arrayContaining(['CREATED', 'READY', 'EXECUTING', 'TRADED']),
  )
  const notifications = (await request(`${world.url}/accounts/${user}/notifications`)).body
  expect(notifications).toMatchObject([{ type: 'order_filled', metadata: { orderId } }])
  // What it got beyond its limit is the user's.
  const { totalSurplus } = await api.getTotalSurplus(user)
  expect(BigInt(totalSurplus ?? 0)).toBeGreaterThan(0n)
  const { txHash } = (await api.getTrades({ owner: user }))[0] ?? expect.fail()
  const competition = await api.getSolverCompetition(txHash ?? '')
  expect(competition).toMatchObject({ transactionHashes: [txHash], auction: { orders: [orderId] } })
})

/** At a price that no solver can meet. The contract takes an order of the same amounts once. */
async function placeDear(validTo: number, dollars: bigint) {
  const { id } = await api.getQuote({
    kind: OrderQuoteSideKindSell.SELL,
    sellAmountBeforeFee: `${one}`,
    sellToken: world.market.network.wrappedNative,
    buyToken: world.market.tokens.USDC.address,
    from: user,
    signingScheme: SigningScheme.EIP1271,
    onchainOrder: true,
  })
  return sdk.postLimitOrder({
    ...sale,
    ...forDollars(),
    sellAmount: `${one}`,
    buyAmount: `${dollars * 10n ** 6n}`,
    quoteId: id ?? expect.fail(),
    validTo,
  })
}

const blockTime = async () => {
  const block = await world.chain.rpc.call<{ timestamp: string }>('eth_getBlockByNumber', ['latest', false])
  return Number(block.timestamp)
}

const balance = async () => BigInt(await world.chain.rpc.call<string>('eth_getBalance', [ethFlow, 'latest']))

test('its user cancels it on chain, and the order says so', async () => {
  const { orderId } = await placeDear((await blockTime()) + 1_000, 1_000_000n)
  await becomes(orderId, 'open')
  expect(await balance()).toBe(one)
  await sdk.onChainCancelOrder({ orderUid: orderId })
  expect(await becomes(orderId, 'cancelled')).toMatchObject({ invalidated: true, onchainUser: user })
  expect(await balance()).toBe(0n)
  const notifications = (await request(`${world.url}/accounts/${user}/notifications`)).body
  expect(notifications[0]).toMatchObject({
    type: 'order_cancelled',
    metadata: { orderId, source: 'chain', txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/) },
  })
  expect(await rest(`orders/${orderId}/status`)).toMatchObject({ type: 'cancelled' })
  const { order } = await graphql(world.url, questions, { user, uid: orderId })
  expect(order.events.nodes.at(-1)).toEqual({ label: 'CANCELLED', source: 'CHAIN' })
  expect(order.progress).toEqual({ stage: 'INVALIDATED' })
})

test('what expires is given back to its user', async () => {
  // It may have expired before anybody sees it open.
  const { orderId } = await placeDear((await blockTime()) + 4, 2_000_000n)
  const refunded = await eventually('a refund', async () => {
    const order = await rest(`orders/${orderId}`)
    return order.ethflowData?.isRefunded && order
  })
  expect(refunded).toMatchObject({ status: 'expired', invalidated: false })
  expect(refunded.ethflowData.refundTxHash).toMatch(/^0x[0-9a-f]{64}$/)
  expect(await balance()).toBe(0n)
  const { order } = await graphql(world.url, questions, { user, uid: orderId })
  expect(order.events.nodes.slice(-2)).toEqual([
    { label: 'EXPIRED', source: null },
    { label: 'REFUNDED', source: null },
  ])
  expect(order.progress).toEqual({ stage: 'REFUNDED' })
  const notifications = (await request(`${world.url}/accounts/${user}/notifications`)).body
  expect(notifications[0]).toMatchObject({ type: 'order_expired', metadata: { orderId } })
})

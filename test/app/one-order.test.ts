import { type OrderBookApi, OrderKind, type TradingSdk } from '@cowprotocol/cow-sdk'
import { Interface } from 'ethers'
import { createClient } from 'graphql-sse'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../setup/eventually.ts'
import { createSdk } from '../setup/sdk.ts'
import { createTrader, graphql, request } from '../setup/trader.ts'
import { startWorld, type World } from '../setup/world.ts'

const oneWeth = 10n ** 18n
const tradeEvent = new Interface([
  'event Trade(address indexed owner, address sellToken, address buyToken, uint256 sellAmount, uint256 buyAmount, uint256 feeAmount, bytes orderUid)',
])
const settleCall = new Interface([
  'function settle(address[] tokens, uint256[] clearingPrices, (uint256,uint256,address,uint256,uint256,uint32,bytes32,uint256,uint256,uint256,bytes)[] trades, (address,uint256,bytes)[][3] interactions)',
])
const notificationsDocument = `subscription ($account: Address!, $after: String) {
  notifications(account: $account, after: $after) { cursor notification { id type account message timestamp metadata } }
}`

let world: World
let api: OrderBookApi
let sdk: TradingSdk

beforeAll(async () => {
  world = await startWorld()
  ;({ api, sdk } = createSdk(world))
})
afterAll(() => world?.[Symbol.asyncDispose]())

interface Reported {
  cursor: string
  notification: { id: string; type: string; metadata: { orderId: string; executedAmount?: string } }
  at: number
}

/** Listens until it is stopped, as a frontend does. */
function listen(account: string, after?: string) {
  const client = createClient({ url: `${world.url}/graphql/stream` })
  const received: Reported[] = []
  const iterator = client.iterate<{ notifications: Omit<Reported, 'at'> }>({
    query: notificationsDocument,
    variables: { account, after },
  })
  const ended = (async () => {
    // A fill beyond its quote has a notification of its own.
    for await (const { data } of iterator)
      if (data && data.notifications.notification.type !== 'PRICE_IMPROVEMENT')
        received.push({ ...data.notifications, at: Date.now() })
  })()
  return {
    received,
    async stop() {
      await iterator.return?.()
      client.dispose()
      await ended.catch(() => undefined)
    },
  }
}

describe('an order through the client library', () => {
  let uid: string
  let subscriber: ReturnType<typeof listen>
  const trader = () => createTrader(world.url, world.market)

  test('is quoted, signed, posted and fulfilled within ten seconds', async () => {
    subscriber = listen(trader().address)
    const { WETH, USDC } = world.market.tokens
    const { orderId } = await sdk.postSwapOrder({
      kind: OrderKind.SELL,
      amount: oneWeth.toString(),
      slippageBps: 50,
      sellToken: WETH.address,
      sellTokenDecimals: WETH.decimals,
      buyToken: USDC.address,
      buyTokenDecimals: USDC.decimals,
    })
    uid = orderId
    const order = await eventually(
      'the order is fulfilled',
      async () => {
        const read = await api.getOrder(uid)
        return read.status === 'fulfilled' && read
      },
      10_000,
    )
    expect(order).toMatchObject({
      executedSellAmount: oneWeth.toString(),
      invalidated: false,
      class: 'limit',
    })
    expect(BigInt(order.executedBuyAmount)).toBeGreaterThanOrEqual(BigInt(order.buyAmount))
  })

  test("has its trade listed with the amounts of the chain's own log", async () => {
    const [trade, ...others] = await api.getTrades({ orderUid: uid })
    expect(others).toEqual([])
    const receipt = await world.chain.rpc.call<{
      logs: { topics: string[]; data: string; logIndex: string }[]
    }>('eth_getTransactionReceipt', [trade?.txHash])
    const logs = receipt.logs.map((log) => tradeEvent.parseLog(log)?.args)
    const log = logs.find((args) => args?.orderUid === uid)
    expect({ sell: trade?.sellAmount, buy: trade?.buyAmount }).toEqual({
      sell: String(log?.sellAmount),
      buy: String(log?.buyAmount),
    })
  })

  test('has a competition with the prices with which its settlement was called', async () => {
    const [trade] = await api.getTrades({ orderUid: uid })
    const { input } = await world.chain.rpc.call<{ input: string }>('eth_getTransactionByHash', [
      trade?.txHash,
    ])
    const [tokens, prices] = settleCall.decodeFunctionData('settle', input)
    const { WETH, USDC } = world.market.tokens
    const settled = [WETH, USDC].map(({ address }) => [
      address,
      String(prices[tokens.findIndex((token: string) => token.toLowerCase() === address)]),
    ])
    const read = (path: string) => request(`${trader().base}/api/${path}`)
    for (const version of ['v1', 'v2']) {
      const { body } = await read(`${version}/solver_competition/by_tx_hash/${trade?.txHash}`)
      const winner = body.solutions.find(({ isWinner }: { isWinner: boolean }) => isWinner)
      expect([version, winner.clearingPrices]).toEqual([version, Object.fromEntries(settled)])
    }
    const { auctionOfTransaction: auction } = await graphql(
      world.url,
      `{ auctionOfTransaction(hash: "${trade?.txHash}") { solutions { isWinner hasAllClearingPrices clearingPrices { price token { address } } } } }`,
    )
    for (const { hasAllClearingPrices } of auction.solutions) expect(hasAllClearingPrices).toBe(true)
    const { clearingPrices } = auction.solutions.find(({ isWinner }: { isWinner: boolean }) => isWinner)
    const shown = clearingPrices.map((one: { price: string; token: { address: string } }) => [
      one.token.address,
      one.price,
    ])
    expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(settled))
  })

  test('has a debug report of all its stages, and GraphQL returns the same', async () => {
    const { body: report } = await request(`${trader().base}/api/v1/debug/order/${uid}`)
    const labels = report.events.map(({ label }: { label: string }) => label)
    // Auctions go on while the settlement is on its way: one of them may leave the order out.
    expect(labels.filter((label: string) => label !== 'filtered')).toEqual([
      'created',
      'ready',
      'executing',
      'traded',
    ])
    const [auction] = report.auctions
    const winner = auction.proposedSolutions.find((solution: { isWinner: boolean }) => solution.isWinner)
    expect(winner).toMatchObject({ ranking: 1, filteredOut: false, executedSell: oneWeth.toString() })
    expect(auction.settlementAttempts).toEqual([
      expect.objectContaining({ outcome: 'success', solver: winner.solver, solutionUid: winner.solutionUid }),
    ])
    expect(BigInt(auction.executions[0].executedFee)).toBeGreaterThan(0n)
    expect(auction.executions[0].protocolFees).toHaveLength(auction.feePolicies.length)
    expect(report.trades).toHaveLength(1)
    expect(report.trades[0]).toMatchObject({
      auctionId: auction.id,
      sellAmount: oneWeth.toString(),
      buyAmount: winner.executedBuy,
    })
    expect(Object.keys(auction.nativePrices).sort()).toEqual(
      [world.market.tokens.WETH.address, world.market.tokens.USDC.address].sort(),
    )
    const { body: restricted } = await request(`${trader().base}/restricted/api/v1/debug/order/${uid}`)
    expect(restricted).toEqual(report)

    const data = await graphql(
      world.url,
      `query ($uid: OrderUid!) { order(uid: $uid) { status sellToken { symbol decimals } debugReport {
        events { nodes { label timestamp reason } }
        auctions { nodes { id: auctionId block deadline nativePrices { token { address } price }
          proposedSolutions { solutionUid ranking solver isWinner filteredOut score executedSell executedBuy }
          executions { executedFee executedFeeToken { address } blockNumber protocolFees { token { address } amount } }
          settlementAttempts { solver solutionUid startTimestamp startBlock deadlineBlock endTimestamp endBlock outcome }
        } }
        trades { nodes { blockNumber logIndex buyAmount sellAmount sellAmountBeforeFees txHash auctionId } }
      } auctions { nodes { id solutions { isWinner orders { order { uid } executedSell executedBuy } } } } } }`,
      { uid },
    )
    const debugReport = data.order.debugReport
    expect(
      debugReport.events.nodes.map((event: { label: string; timestamp: string }) => [
        event.label.toLowerCase(),
        event.timestamp,
      ]),
    ).toEqual(
      report.events.map((event: { label: string; timestamp: string }) => [event.label, event.timestamp]),
    )
    const [first] = debugReport.auctions.nodes
    expect(first.proposedSolutions).toEqual(auction.proposedSolutions)
    expect(first.settlementAttempts).toEqual([{ ...auction.settlementAttempts[0], outcome: 'SUCCESS' }])
    expect(first.executions).toEqual(
      auction.executions.map(
        (execution: { executedFeeToken: string; protocolFees: { token: string }[] }) => ({
          ...execution,
          executedFeeToken: { address: execution.executedFeeToken },
          protocolFees: execution.protocolFees.map((fee) => ({ ...fee, token: { address: fee.token } })),
        }),
      ),
    )
    expect(debugReport.trades.nodes).toEqual(report.trades)
    expect(data.order.sellToken).toEqual({ symbol: 'WETH', decimals: 18 })
    const proposals = data.order.auctions.nodes[0].solutions.flatMap(
      (solution: { orders: unknown[] }) => solution.orders,
    )
    expect(proposals).toContainEqual({
      order: { uid },
      executedSell: winner.executedSell,
      executedBuy: winner.executedBuy,
    })
  })

  test('is notified to a subscriber within two seconds of the block', async () => {
    const received = await eventually('order_filled arrives', () =>
      subscriber.received.find((item) => item.notification.metadata.orderId === uid),
    )
    expect(received.notification.type).toBe('ORDER_FILLED')
    const [trade] = await api.getTrades({ orderUid: uid })
    expect(received.notification.metadata.executedAmount).toBe(trade?.buyAmount)
    const block = await world.chain.rpc.call<{ timestamp: string }>('eth_getBlockByNumber', [
      `0x${trade?.blockNumber.toString(16)}`,
      false,
    ])
    // A block's timestamp is in whole seconds, rounded down.
    expect(received.at - Number(block.timestamp) * 1000).toBeLessThan(3_000)
  })

  test('and later ones are replayed to a subscriber that reconnects: once, and in order', async () => {
    const last = subscriber.received.at(-1)
    await subscriber.stop()
    const placed: string[] = []
    for (const amount of [1n, 2n, 3n]) {
      const { status, body } = await trader().place({
        sell: 'DAI',
        buy: 'USDC',
        sellAmount: amount * oneWeth,
        buyAmount: 1n,
      })
      expect(status).toBe(201)
      placed.push(body)
    }
    await eventually('all three notifications are recorded', async () => {
      const types = await trader().notifications()
      return placed.every((order) =>
        types.some((item: { metadata: { orderId: string } }) => item.metadata.orderId === order),
      )
    })
    const back = listen(trader().address, last?.cursor)
    await eventually('the missed ones arrive', () => back.received.length >= 3)
    await back.stop()
    expect(back.received.map(({ notification }) => notification.metadata.orderId).sort()).toEqual(
      placed.sort(),
    )
    expect(new Set(back.received.map(({ notification }) => notification.id)).size).toBe(3)
    const cursors = back.received.map(({ cursor }) => cursor)
    const again = listen(trader().address, last?.cursor)
    await eventually('they arrive again', () => again.received.length >= 3)
    await again.stop()
    expect(again.received.map(({ cursor }) => cursor)).toEqual(cursors)
  })

  test('without a possible fill is cancelled through the library', async () => {
    const { COW, USDC } = world.market.tokens
    const { orderId } = await sdk.postLimitOrder({
      kind: OrderKind.SELL,
      sellAmount: oneWeth.toString(),
      buyAmount: (10n ** 12n).toString(),
      sellToken: COW.address,
      sellTokenDecimals: COW.decimals,
      buyToken: USDC.address,
      buyTokenDecimals: USDC.decimals,
    })
    expect((await api.getOrder(orderId)).status).toBe('open')
    await sdk.offChainCancelOrder({ orderUid: orderId })
    expect((await api.getOrder(orderId)).status).toBe('cancelled')
    const [newest] = await trader().notifications()
    expect(newest).toMatchObject({ type: 'order_cancelled', metadata: { orderId } })
  })
})

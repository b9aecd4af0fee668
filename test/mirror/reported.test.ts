import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { formatUnits } from '../../src/domain/amount.ts'
import { auctionKey } from '../../src/domain/auction/key.ts'
import type { Bytes32 } from '../../src/domain/evm/hex.ts'
import type { OrderUid } from '../../src/domain/order/order.ts'
import { orderUid } from '../../src/domain/signing/signing.ts'
import { mirrorNumbered } from '../../src/mirror/competitions.ts'
import { type MirrorServices, mirrorFees, storeShownOrders } from '../../src/mirror/mirror.ts'
import { createOrderBook } from '../../src/mirror/order-book.ts'
import { createAccountReader, createOrderReader } from '../../src/mirror/read-through.ts'
import { findCheckpoint, insertChainFacts } from '../../src/storage/chain/indexed-logs.ts'
import { sql } from '../../src/storage/database/database.ts'
import { claimOrderBook, compareAgain, noteLooked } from '../../src/storage/order/mirror.ts'
import { findOrderIds } from '../../src/storage/order/orders.ts'
import { lockOrders, refreshProgress } from '../../src/storage/order/progress.ts'
import { type FakeOrderBook, startOrderBook } from '../fakes/order-book.ts'
import { openOrder, soldCompetition, soldOrder, soldTrade } from '../fakes/public-book.ts'
import { silentLog } from '../fakes/silent-log.ts'
import { listNotifications } from '../fakes/stored-story.ts'
import { eventually } from '../setup/eventually.ts'
import { openTestServer, network as sampleNetwork, type TestServer } from '../setup/server.ts'
import { graphql, request } from '../setup/trader.ts'

const network = {
  ...sampleNetwork,
  chainId: 1,
  name: 'mainnet',
  settlement: soldOrder.settlementContract,
  ethFlows: [soldOrder.owner],
}
const { chainId } = network

let book: FakeOrderBook
let server: TestServer
let services: MirrorServices
const ignore = () => undefined

beforeAll(async () => {
  book = await startOrderBook()
  server = await openTestServer({ network }, { now: Date.now })
  const { db } = server.database
  await claimOrderBook(db, chainId, book.url, async () => ({ indexedFrom: 0, notifiedFrom: 0 }))
  const common = { db, now: Date.now, log: silentLog }
  services = {
    ...common,
    network,
    checkSignature: async () => 'valid',
    readPresignatures: async () => new Map(),
    readInvalidated: async () => new Set(),
    describeTokens: async () => new Map(),
    blockTimes: async () => new Map(),
    orderBook: createOrderBook({
      ...common,
      chainId,
      name: 'book',
      title: 'the order book',
      url: book.url,
      callsPerMinute: Number.POSITIVE_INFINITY,
      quotesPerSecond: 10,
      submissionsPerSecond: 5,
    }),
    meter: {
      looked: ignore,
      stored: ignore,
      compared: ignore,
      refused: ignore,
      unverified: ignore,
      missing: ignore,
      competitions: ignore,
      unknownMembers: ignore,
    },
  }
  await storeShownOrders([openOrder], undefined, services)
  await storeShownOrders([soldOrder], undefined, services)
})
afterAll(async () => {
  book?.close()
  await server?.[Symbol.asyncDispose]()
})

const read = (path: string) => request(`${server.url}/mainnet/api/${path}`)
const ageOf = async (path: string) => Number((await read(path)).headers.get('age') ?? Number.NaN)

let sellAmount = 0n

/** Another order that sells the native coin. */
async function sold(more: object): Promise<OrderUid> {
  const order = unstored(more)
  expect([...(await storeShownOrders([order], undefined, services))]).toEqual([order.uid])
  return order.uid
}

function unstored(more: object) {
  sellAmount += 1n
  const { uid: _, ...order } = { ...soldOrder, sellAmount: String(sellAmount) }
  const data = { ...order, sellAmount, buyAmount: BigInt(order.buyAmount), feeAmount: 0n }
  const uid = orderUid(network, data, order.owner)
  return { ...order, uid, ...more }
}

describe('the quote of an order', () => {
  test.each([
    ['as text with zeros', '236558.0000000000', '181514322.0000000', ['236558', '181514322']],
    ['as text with decimals', '163000.5', '0.9', ['163000', '0']],
    ['as text with an exponent', '1.2e9', '1.5E+1', ['1200000000', '15']],
    ['as numbers', 163_000.5, 1.2e9, ['163000', '1200000000']],
  ])('has whole units of gas, sent %s', async (_, gasAmount, gasPrice, expected) => {
    const quote = { ...openOrder.quote, gasAmount, gasPrice }
    const uid = await sold({ quote })
    const { body } = await read(`v1/orders/${uid}`)
    expect([body.quote.gasAmount, body.quote.gasPrice]).toEqual(expected)
    expect(body.quote.sellTokenPrice).toBe(openOrder.quote.sellTokenPrice)
    const query = `{ order(uid: "${uid}") { quote { gasAmount gasPrice } } }`
    const { order } = await graphql(server.url, query)
    expect([order.quote.gasAmount, order.quote.gasPrice]).toEqual(expected)
  })
})

test.each([
  ['1e-9 to its last digit', '0.000000001000000000000000062281591457779856418897068693', undefined],
  // The double that is nearest to 3e-27, as it is.
  ['3e-27 to its last digit', exactly(3e-27), undefined],
  ['with a long exponent', '4.5E-101', `0.${'0'.repeat(100)}45`],
])('the price in the quote of an order is as it was sent: %s', async (_, sellTokenPrice, expected) => {
  const uid = await sold({ quote: { ...openOrder.quote, sellTokenPrice } })
  expect((await read(`v1/orders/${uid}`)).body.quote.sellTokenPrice).toBe(expected ?? sellTokenPrice)
  const query = `{ order(uid: "${uid}") { quote { sellTokenPrice } } }`
  const { order } = await graphql(server.url, query)
  expect(order.quote.sellTokenPrice).toBe(expected ?? sellTokenPrice)
})

/** All decimal places of a double below 1: it is a whole number of halves of halves. */
function exactly(value: number): string {
  let [halvings, scaled] = [0, value]
  for (; !Number.isInteger(scaled); halvings++) scaled *= 2
  return formatUnits(BigInt(scaled) * 5n ** BigInt(halvings), halvings)
}

describe('an order that was placed on chain', () => {
  test.each([
    ['quoteNotFound', 'QuoteNotFound'],
    ['quote_not_found', 'QuoteNotFound'],
    ['validToTooFarInTheFuture', 'ValidToTooFarInFuture'],
    ['preValidationError', 'PreValidationError'],
    ['nonZeroFee', 'PreValidationError'],
  ])('has its placement error in the words of the interface: %s', async (sent, expected) => {
    const onchainOrderData = { ...soldOrder.onchainOrderData, placementError: sent }
    const uid = await sold({ onchainOrderData, status: 'open' })
    const { body } = await read(`v1/orders/${uid}`)
    expect(body.onchainOrderData).toEqual({ ...onchainOrderData, placementError: expected })
    const query = `{ order(uid: "${uid}") { onchainOrderData { placementError } } }`
    const { onchainOrderData: shown } = (await graphql(server.url, query)).order
    expect(shown.placementError).toBe(expected)
  })

  test('has the refund that the order book reports, where the chain is not read that far', async () => {
    const refundTxHash = `0x${'4c'.repeat(32)}`
    const ethflowData = { ...soldOrder.ethflowData, refundTxHash, isRefunded: true }
    const uid = await sold({ ethflowData, status: 'expired' })
    expect((await read(`v1/orders/${uid}`)).body.ethflowData).toEqual(ethflowData)
    expect((await read(`v1/orders/${soldOrder.uid}`)).body.ethflowData).toEqual(soldOrder.ethflowData)
    const query = `{ order(uid: "${uid}") { ethflowData { refundTxHash } } }`
    expect((await graphql(server.url, query)).order.ethflowData).toEqual({ refundTxHash })
  })
})

/** Stores the trade as its log has it, and its settlement. */
async function settle(): Promise<void> {
  const { db } = server.database
  const { blockNumber, logIndex, owner, sellToken, buyToken } = soldTrade
  const [uid, txHash] = [soldTrade.orderUid as OrderUid, soldTrade.txHash as Bytes32]
  const at = { chainId, blockNumber, txHash }
  const auctionId = auctionKey(chainId, BigInt(soldCompetition.auctionId)) ?? expect.fail()
  const orderId = (await findOrderIds(db, chainId, [uid])).get(uid) ?? expect.fail()
  const amounts = { sellAmount: BigInt(soldTrade.sellAmount), buyAmount: BigInt(soldTrade.buyAmount) }
  await db.transaction(async (tx) => {
    await lockOrders(tx, [uid])
    await insertChainFacts(tx, chainId, {
      trades: [
        {
          ...at,
          ...amounts,
          logIndex,
          orderId,
          orderUid: uid,
          owner,
          sellToken,
          buyToken,
          feeAmount: 0n,
          auctionId,
        },
      ],
      settlements: [
        {
          ...at,
          logIndex: logIndex + 1,
          solver: soldCompetition.solutions[0].solverAddress,
          auctionId,
          solutionUid: 0,
        },
      ],
      invalidations: [],
      presignatures: [],
      executions: [],
    })
    await refreshProgress(tx, [orderId])
    await compareAgain(tx, [orderId])
  })
}

test('a competition is as it was sent, with its prices and the sequence of its orders', async () => {
  const number = soldCompetition.auctionId
  const auction = { ...soldCompetition.auction, orders: [soldOrder.uid, openOrder.uid] }
  const sent = { ...soldCompetition, auction }
  book.competitions.set(number, sent)
  expect(await mirrorNumbered(BigInt(number), services)).toBe(true)
  await settle()
  expect((await read(`v2/solver_competition/${number}`)).body).toEqual(sent)
  const [solution] = soldCompetition.solutions
  const v1 = (await read(`v1/solver_competition/${number}`)).body
  expect(v1.auction).toEqual(sent.auction)
  expect(v1.solutions[0].clearingPrices).toEqual(solution.clearingPrices)
  const query = `{ auction(id: ${number}) { orderUids solutions { clearingPrices { price token { address } } } } }`
  const { auction: shown } = await graphql(server.url, query)
  expect(shown.orderUids).toEqual(sent.auction.orders)
  const prices = shown.solutions[0].clearingPrices
  expect(
    Object.fromEntries(
      prices.map(({ price, token }: { price: string; token: { address: string } }) => [token.address, price]),
    ),
  ).toEqual(solution.clearingPrices)
})

test('a trade has the fees that the order book reports, once they are read', async () => {
  const path = `trades?orderUid=${soldOrder.uid}`
  const [before] = (await read(`v2/${path}`)).body
  expect(before).toEqual({ ...soldTrade, executedProtocolFees: [] })
  book.trades.push(soldTrade)
  await mirrorFees(4, services)
  for (const version of ['v1', 'v2']) expect((await read(`${version}/${path}`)).body).toEqual([soldTrade])
  const query = `{ order(uid: "${soldOrder.uid}") { trades { nodes { executedProtocolFees { amount token { address }
    policy { ... on PriceImprovementFeePolicy { factor maxVolumeFactor } ... on VolumeFeePolicy { share: factor } } } } } } }`
  const token = { address: soldOrder.buyToken.toLowerCase() }
  expect((await graphql(server.url, query)).order.trades.nodes).toEqual([
    {
      executedProtocolFees: [
        { amount: '0', token, policy: { factor: '0.5', maxVolumeFactor: '0.0098' } },
        { amount: '387', token, policy: { share: '0.0002' } },
      ],
    },
  ])
  // They are read once.
  const calls = book.calls.length
  await mirrorFees(4, services)
  expect(book.calls).toHaveLength(calls)
})

describe('what a client names is read with the fees of its older trades', () => {
  const client = { key: '127.0.0.1', checkRoom: ignore, addStored: ignore }
  const reading = () => ({
    ...services,
    callsOfClients: { hasRoom: () => true, add: ignore },
    readSettled: async () => [],
  })
  let logIndex = 300

  /** Adds a trade of an order, which its log has, and the order book. @returns the trade as it shows it */
  async function trade(order: { uid: OrderUid; sellAmount: string; owner: `0x${string}` }) {
    logIndex += 1
    const { db } = server.database
    const { blockNumber, sellToken, buyToken, buyAmount } = soldTrade
    const txHash = `0x${logIndex.toString(16).padStart(64, '0')}` as const
    const { uid: orderUid, owner, sellAmount } = order
    const orderId = (await findOrderIds(db, chainId, [orderUid])).get(orderUid) ?? null
    const row = { chainId, blockNumber, logIndex, owner, sellToken, buyToken, orderId, orderUid, txHash }
    const amounts = { sellAmount: BigInt(sellAmount), buyAmount: BigInt(buyAmount), feeAmount: 0n }
    await db.transaction(async (tx) => {
      const none = { settlements: [], invalidations: [], presignatures: [], executions: [] }
      await insertChainFacts(tx, chainId, { trades: [{ ...row, ...amounts, auctionId: null }], ...none })
      if (orderId !== null) await refreshProgress(tx, [orderId])
    })
    const shown = {
      ...soldTrade,
      logIndex,
      orderUid,
      owner,
      txHash,
      sellAmount,
      sellAmountBeforeFees: sellAmount,
    }
    book.trades.push(shown)
    return shown
  }

  test('an order', async () => {
    const order = book.add(unstored({ status: 'fulfilled' }))
    const shown = await trade({ ...order, sellAmount: String(order.sellAmount) })
    expect(await createOrderReader(reading())([order.uid], client)).toBe(true)
    expect((await read(`v2/trades?orderUid=${order.uid}`)).body).toEqual([shown])
  })

  test('an account', async () => {
    const shown = await trade(openOrder)
    await createAccountReader(reading())(openOrder.owner, client)
    const isShown = async () => {
      const { body } = await read(`v1/trades?owner=${openOrder.owner}`)
      return body.find(({ orderUid }: { orderUid: string }) => orderUid === openOrder.uid)
    }
    await eventually('its fees are read', async () => (await isShown()).executedProtocolFees.length > 0)
    expect(await isShown()).toEqual(shown)
  })
})

test('a trade that was there before its order is told with tokens that are not stored yet', async () => {
  const { db } = server.database
  const head = soldTrade.blockNumber + 1
  await sql(db).checkpoint.create({
    data: { chainId, blockNumber: BigInt(head), blockHash: Buffer.alloc(32), updatedAt: new Date() },
  })
  const wanted = unstored({ status: 'fulfilled' })
  const { owner, sellToken, buyToken } = soldTrade
  const at = { chainId, blockNumber: head, logIndex: 1, txHash: `0x${'7d'.repeat(32)}` as const }
  await db.transaction((tx) =>
    insertChainFacts(tx, chainId, {
      trades: [
        {
          ...at,
          owner,
          sellToken,
          buyToken,
          orderId: null,
          orderUid: wanted.uid,
          auctionId: null,
          sellAmount: BigInt(wanted.sellAmount),
          buyAmount: 1_935_815n,
          feeAmount: 0n,
        },
      ],
      settlements: [],
      invalidations: [],
      presignatures: [],
      executions: [],
    }),
  )
  const tokens = [
    { chainId, address: sellToken, symbol: 'WETH', name: null, decimals: 18 },
    { chainId, address: buyToken, symbol: 'USDC', name: null, decimals: 6 },
  ]
  await storeShownOrders([wanted], undefined, {
    ...services,
    describeTokens: async () => new Map(tokens.map((token) => [token.address, token])),
  })
  const { sender } = soldOrder.onchainOrderData
  const [{ message } = expect.fail()] = await listNotifications(db, sender, 1)
  expect(message).toMatch(/^Order filled: 0\.0+\d+ WETH for 1\.93581 USDC$/)
})

test('what is served from the store has an age', async () => {
  await noteLooked(server.database.db, chainId, new Date(Date.now() - 7_000))
  const byUids = await request(`${server.url}/mainnet/api/v1/orders/by_uids`, 'POST', [openOrder.uid])
  expect(Number(byUids.headers.get('age') ?? Number.NaN)).toBeLessThan(60)
  for (const path of [
    `v1/transactions/${soldTrade.txHash}/orders`,
    `v1/trades?orderUid=${soldOrder.uid}`,
    `v2/trades?orderUid=${soldOrder.uid}`,
    `v1/solver_competition/${soldCompetition.auctionId}`,
    `v2/solver_competition/by_tx_hash/${soldTrade.txHash}`,
  ])
    expect([path, (await ageOf(path)) < 60]).toEqual([path, true])
  expect(Math.abs((await ageOf('v2/solver_competition/latest')) - 8)).toBeLessThan(20)
})

test('a cancellation whose invalidation on chain is not indexed yet is left to the indexer', async () => {
  const { db } = server.database
  const at = await findCheckpoint(db, chainId)
  const order = unstored({
    status: 'open',
    executedBuyAmount: '0',
    executedSellAmount: '0',
    executedSellAmountBeforeFees: '0',
    ethflowData: { ...soldOrder.ethflowData, userValidTo: Math.floor(Date.now() / 1_000) + 3_600 },
  })
  const cancelled = { ...order, status: 'cancelled', invalidated: true }
  const statusAfter = async (body: object, readInvalidated = services.readInvalidated) => {
    await storeShownOrders([body], undefined, { ...services, readInvalidated })
    const { body: shown } = await read(`v1/orders/${order.uid}`)
    return [shown.status, shown.cancelledBy]
  }
  expect(await statusAfter(order)).toEqual(['open', undefined])
  const asked: unknown[] = []
  const ofChain = async (uids: readonly OrderUid[], after: number) => {
    asked.push([uids, after])
    return new Set(uids)
  }
  expect(await statusAfter(cancelled, ofChain)).toEqual(['open', undefined])
  expect(asked).toEqual([[[order.uid], at?.number]])
  expect(await statusAfter({ ...cancelled, cancelledBy: 'api' }, ofChain)).toEqual(['cancelled', 'api'])
})

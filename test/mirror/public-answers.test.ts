import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { App } from '../../src/app/app.ts'
import { auctionKey } from '../../src/domain/auction/key.ts'
import { zeroAddress } from '../../src/domain/evm/address.ts'
import type { Network } from '../../src/domain/network/network.ts'
import { createOrderBook } from '../../src/mirror/order-book.ts'
import { insertChainFacts } from '../../src/storage/chain/indexed-logs.ts'
import {
  deliveries,
  errorPage,
  type FakeOrderBook,
  failures,
  scriptedOrder,
  startOrderBook,
} from '../fakes/order-book.ts'
import {
  accountOrders,
  accountTrades,
  openOrder,
  permitOrder,
  permitQuote,
  publicAnswers,
  soldCompetition,
  soldOrder,
  soldTrade,
  totalSurplus,
} from '../fakes/public-book.ts'
import { silentLog } from '../fakes/silent-log.ts'
import { startTestChain, type TestChain } from '../setup/chain.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { eventually } from '../setup/eventually.ts'
import { graphql, request } from '../setup/trader.ts'
import { startProgram, unlimited } from '../setup/world.ts'

const account = openOrder.owner
const { auctionId, transactionHashes } = soldCompetition
const [txHash] = transactionHashes
const { sellToken: coin, buyToken: dollar } = soldOrder
/** A price that a public order book shows for a token with six decimals. */
const dollarPrice = { price: 470_130_624.524_671_55 }

let chain: TestChain
let database: TestDatabase
let book: FakeOrderBook
let follower: App
let network: Network

beforeAll(async () => {
  ;[chain, database, book] = await Promise.all([startTestChain(), createTestDatabase(), startOrderBook()])
  const local = chain.market.network
  network = {
    ...local,
    chainId: 1,
    name: 'mainnet',
    poolFactory: zeroAddress,
    baseTokens: [],
    wrappedNative: coin,
    settlement: soldOrder.settlementContract,
    ethFlows: [soldOrder.owner],
    hooksTrampoline: permitOrder.interactions.pre[0].target,
  }
  await chain.rpc.call('anvil_setChainId', [network.chainId])
  for (const name of ['settlement', 'wrappedNative'] as const) {
    const code = await chain.rpc.call('eth_getCode', [local[name], 'latest'])
    await chain.rpc.call('anvil_setCode', [network[name], code])
  }
  const orderBook = { url: book.url, callsPerMinute: 1_000_000 }
  follower = await startProgram({ database, chain }, unlimited, {
    networks: [{ network, rpcUrl: chain.rpcUrl, orderBook }],
  })
})
afterAll(async () => {
  await follower?.close()
  book?.close()
  await chain?.[Symbol.asyncDispose]()
  await database?.[Symbol.asyncDispose]()
})
beforeEach(() => {
  book.calls.length = 0
  book.state.failure = undefined
})

const { quote, from } = permitQuote
const quoteRequest = {
  sellToken: quote.sellToken,
  buyToken: quote.buyToken,
  receiver: quote.receiver,
  from,
  kind: quote.kind,
  sellAmountBeforeFee: String(BigInt(quote.sellAmount) + BigInt(quote.feeAmount)),
  appData: quote.appData,
  appDataHash: quote.appDataHash,
  signingScheme: quote.signingScheme,
}
/** Sends what a client sends, by method and path. */
const send = (call: string) => {
  const [method = '', path] = call.split(' ')
  return request(`${follower.url}/mainnet${path}`, method, method === 'POST' ? quoteRequest : undefined)
}
const show = (query: string, variables = {}) => graphql(follower.url ?? '', query, variables)

describe('an order book behind a network that fails', () => {
  let order = 0
  /** An answer that proves that the order book is used: a call in between, which ends a row of failures. */
  async function recover(): Promise<void> {
    book.state.failure = undefined
    order += 1
    const unknown = `/api/v1/orders/0x${String(order).padStart(112, '0')}/status`
    await eventually('it is used again', async () => (await send(`GET ${unknown}`)).status === 404)
  }

  const reads = [
    ...Object.keys(publicAnswers).filter((call) => !/version|quote/.test(call)),
    `GET /api/v1/trades?orderUid=${soldOrder.uid}`,
    'GET /api/v2/solver_competition/latest',
    `GET /api/v1/token/${dollar}/native_price`,
  ]

  const others = Object.entries(failures).filter(([name]) => !name.includes('429'))
  test.each(others)('leaves all that is read unavailable: %s', async (_, failure) => {
    for (const call of reads) {
      await recover()
      book.calls.length = 0
      book.state.failure = failure
      const { status, headers, body } = await send(call)
      expect([call, status, body.errorType]).toEqual([call, 503, 'Unavailable'])
      expect([call, book.calls.length]).toEqual([call, 1])
      expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
      expect(JSON.stringify(body)).not.toMatch(/html|internal|10\.0|127\.0|<|ECONN|fetch/i)
    }
    await recover()
  })

  test('is not called for a while after a 429 without Retry-After', async () => {
    book.state.failure = failures['a 429 without Retry-After']
    // What is passed on comes back as it is, with the pause that it lacks.
    const first = await send(`GET /api/v1/orders/${openOrder.uid}/status`)
    expect([first.status, first.headers.get('retry-after')]).toEqual([429, '1'])
    const calls = reads.filter((call) => !call.endsWith('/status'))
    for (const call of calls) {
      const { status, headers } = await send(call)
      expect([call, status]).toEqual([call, 503])
      expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    }
    expect(book.calls.length).toBeLessThan(calls.length / 2)
    await recover()
  })

  test.each(Object.entries(failures))(
    'is named as the cause where a quote fails: %s',
    async (name, failure) => {
      const expected = name.includes('429')
        ? [429, undefined, '1']
        : name.includes('403')
          ? [403, 'UpstreamRefused', null]
          : [503, 'Unavailable', '1']
      book.state.failure = failure
      const { status, headers, body } = await send('POST /api/v1/quote')
      expect([status, body.errorType, headers.get('retry-after')]).toEqual(expected)
      expect(JSON.stringify(body)).not.toContain(errorPage)
      book.state.failure = undefined
      await eventually('quotes are made again', async () => (await send('POST /api/v1/quote')).status !== 503)
    },
  )

  test('has nothing under what it answers with 404 as plain text', async () => {
    book.state.failure = (_, res) => res.writeHead(404, { 'content-type': 'text/plain' }).end('Not Found')
    const other = `0x${'e1'.repeat(20)}`
    for (const call of [
      `GET /api/v1/orders/0x${'e2'.repeat(56)}`,
      `GET /api/v1/app_data/0x${'e3'.repeat(32)}`,
      'GET /api/v2/solver_competition/15567157',
      `GET /api/v1/token/${other}/native_price`,
    ])
      expect([call, (await send(call)).status]).toEqual([call, 404])
    const query = `{ order(uid: "0x${'e4'.repeat(56)}") { uid } auction(id: 15567156, network: "mainnet") { id }
      appData(hash: "0x${'e5'.repeat(32)}") { hash } }`
    expect(await show(query)).toEqual({ order: null, auction: null, appData: null })
    await recover()
  })
})

describe.each(Object.keys(deliveries) as (keyof typeof deliveries)[])(
  'an answer that is sent %s',
  (delivery) => {
    test('is read as it is', async () => {
      for (const [call, body] of Object.entries(publicAnswers)) book.bodies.set(call, body)
      book.state.delivery = delivery
      const client = createOrderBook({
        chainId: 1,
        name: 'book',
        title: 'the order book',
        url: book.url,
        db: database.db,
        now: Date.now,
        callsPerMinute: Number.POSITIVE_INFINITY,
        quotesPerSecond: 100,
        submissionsPerSecond: 5,
        log: silentLog,
      })
      for (const [call, body] of Object.entries(publicAnswers)) {
        const [method, place = ''] = call.split(' ')
        const [path = '', query] = place.split('?')
        const posted = method === 'POST' ? { body: quoteRequest } : {}
        const asked = { path, query: Object.fromEntries(new URLSearchParams(query)), ...posted }
        const { status, text } = await client.pass(asked, 'read')
        expect([call, status, text]).toEqual([call, 200, JSON.stringify(body)])
      }
      expect(await client.order(openOrder.uid, 'client')).toEqual(openOrder)
      expect(await client.ordersOf(account, { limit: 1_000 }, 'client')).toEqual(accountOrders)
      expect(await client.ordersIn(txHash, 'client')).toEqual([soldOrder])
      expect(await client.tradesOf({ owner: account }, 'client')).toEqual(accountTrades)
      expect(await client.competition(BigInt(auctionId), 'client')).toEqual(soldCompetition)
      book.state.delivery = 'whole'
    })
  },
)

/** The members that differ, by their paths. */
function differences(real: unknown, shown: unknown, path = ''): Record<string, unknown> {
  if (typeof real !== 'object' || typeof shown !== 'object' || !real || !shown)
    return Object.is(real, shown) ? {} : { [path]: shown }
  const [one, other] = [real, shown] as Record<string, unknown>[]
  return Object.assign(
    {},
    ...Object.keys({ ...one, ...other }).map((key) =>
      differences(one?.[key], other?.[key], path === '' ? key : `${path}.${key}`),
    ),
  )
}

/** Members of orders that are there too: the names of `owner` and `appData` in a creation, and a term of it. */
const alsoIn = (order: { owner: string; appData: string }, path = '') => ({
  [`${path}from`]: order.owner,
  [`${path}appDataHash`]: order.appData,
  [`${path}fullBalanceCheck`]: false,
})
/** Times have milliseconds here. */
const inMilliseconds = (order: { creationDate: string }) =>
  order.creationDate.includes('.') ? `${order.creationDate.slice(0, 23)}Z` : order.creationDate
const ofOrder = (order: typeof soldOrder | typeof openOrder | typeof permitOrder, path = '') => ({
  ...alsoIn(order, path),
  ...(order !== soldOrder && { [`${path}creationDate`]: inMilliseconds(order) }),
})

describe('a follower of a public order book', () => {
  beforeAll(async () => {
    book.state.delivery = 'brotli'
    for (const [call, body] of Object.entries(publicAnswers)) book.bodies.set(call, body)
    book.bodies.set('GET /api/v2/solver_competition/latest', soldCompetition)
    book.bodies.set(`GET /api/v1/token/${dollar}/native_price`, dollarPrice)
    book.trades.push(...accountTrades)
    for (const order of [openOrder, soldOrder, permitOrder]) book.add(order)
    // The chain has the trades: what an order book says about it is not believed.
    const settled = accountTrades.map(({ executedProtocolFees: _, sellAmountBeforeFees: __, ...trade }) => ({
      ...trade,
      chainId: 1,
      orderId: null,
      feeAmount: 0n,
      sellAmount: BigInt(trade.sellAmount),
      buyAmount: BigInt(trade.buyAmount),
      auctionId: trade.txHash === txHash ? (auctionKey(1, BigInt(auctionId)) ?? null) : null,
    }))
    await database.db.transaction((tx) =>
      insertChainFacts(tx, 1, {
        trades: settled,
        settlements: settled.map(({ blockNumber, logIndex, txHash, auctionId }) => ({
          chainId: 1,
          blockNumber,
          txHash,
          auctionId,
          logIndex: logIndex + 1,
          solver: soldCompetition.solutions[0].solverAddress,
          solutionUid: auctionId === null ? null : 0,
        })),
        invalidations: [],
        presignatures: [],
        executions: [],
      }),
    )
  })

  test.each<[call: string, real: unknown, differs: Record<string, unknown>]>([
    [`GET /api/v1/orders/${openOrder.uid}`, openOrder, ofOrder(openOrder)],
    [`GET /api/v1/orders/${openOrder.uid}/status`, { type: 'active' }, {}],
    [
      `GET /api/v1/account/${account}/orders`,
      accountOrders,
      { ...ofOrder(openOrder, '0.'), ...ofOrder(soldOrder, '1.'), ...ofOrder(permitOrder, '2.') },
    ],
    [`GET /api/v1/orders/${soldOrder.uid}`, soldOrder, ofOrder(soldOrder)],
    [`GET /api/v1/orders/${permitOrder.uid}`, permitOrder, ofOrder(permitOrder)],
    [`GET /api/v1/transactions/${txHash}/orders`, [soldOrder], ofOrder(soldOrder, '0.')],
    [`GET /api/v1/trades?owner=${account}`, accountTrades, {}],
    [`GET /api/v2/trades?owner=${account}`, accountTrades, {}],
    [`GET /api/v1/trades?orderUid=${soldOrder.uid}`, [soldTrade], {}],
    [`GET /api/v2/solver_competition/${auctionId}`, soldCompetition, {}],
    [`GET /api/v2/solver_competition/by_tx_hash/${txHash}`, soldCompetition, {}],
    ['GET /api/v2/solver_competition/latest', soldCompetition, {}],
    [`GET /api/v1/app_data/${openOrder.appData}`, { fullAppData: openOrder.fullAppData }, {}],
    [`GET /api/v1/token/${coin}/native_price`, { price: 1 }, {}],
    [`GET /api/v1/token/${dollar}/native_price`, dollarPrice, {}],
    [`GET /api/v1/users/${account}/total_surplus`, totalSurplus, {}],
    ['POST /api/v1/quote', permitQuote, {}],
    // The version is this program's own.
    ['GET /api/v1/version', publicAnswers['GET /api/v1/version'], { '': 'test' }],
  ])('answers %s as it does, but for what is listed', async (call, real, differs) => {
    await eventually('the list is complete', async () => (await send(call)).status !== 503)
    const { status, body } = await send(call)
    expect(status).toBe(200)
    expect(differences(real, body)).toEqual(differs)
  })

  test('shows a competition without an order that the order book names and does not return', async () => {
    const query = `{ auction(id: ${auctionId}, network: "mainnet") { block deadline orderUids transactionHashes
      nativePrices { price token { address } }
      solutions { score ranking isWinner filteredOut referenceScore txHash solver
        clearingPrices { price token { address } }
        orders { orderUid executedSell executedBuy } } } }`
    const { auction } = await show(query)
    const pricesOf = (prices: { price: string; token: { address: string } }[]) =>
      Object.fromEntries(prices.map(({ price, token }) => [token.address, price]))
    const [solution] = soldCompetition.solutions
    const { solverAddress: solver, orders, clearingPrices, ...rest } = solution
    expect({ ...auction, nativePrices: pricesOf(auction.nativePrices), solutions: undefined }).toEqual({
      block: soldCompetition.auctionStartBlock,
      deadline: soldCompetition.auctionDeadlineBlock,
      orderUids: [soldOrder.uid],
      transactionHashes,
      nativePrices: soldCompetition.auction.prices,
      solutions: undefined,
    })
    const [{ clearingPrices: shown, ...others }] = auction.solutions
    expect(pricesOf(shown)).toEqual(clearingPrices)
    const [{ id: orderUid, sellAmount: executedSell, buyAmount: executedBuy }] = orders
    expect(others).toEqual({ ...rest, solver, orders: [{ orderUid, executedSell, executedBuy }] })
  })

  test('shows over GraphQL what the order book says of an order', async () => {
    const amounts = 'sellAmount buyAmount feeAmount executedSellAmount executedBuyAmount executedFee'
    const query = `query ($uid: OrderUid!) { order(uid: $uid) { ${amounts} status class signingScheme kind
      executedFeeToken { address } settlementContract fullAppData availableBalance validTo onchainUser
      ethflowData { userValidTo } onchainOrderData { sender placementError }
      quote { gasAmount gasPrice sellTokenPrice sellAmount buyAmount feeAmount solver verified metadata }
      interactions { pre { target value callData } } mirror { isVerified isDocumentVerified } } }`
    const pick = (order: Record<string, unknown>, names: string) =>
      Object.fromEntries(names.split(' ').map((name) => [name, order[name]]))
    const same = `${amounts} settlementContract fullAppData availableBalance`
    for (const order of [openOrder, soldOrder, permitOrder]) {
      const { order: shown } = await show(query, { uid: order.uid })
      expect(pick(shown, same)).toEqual(pick(order, same))
      expect(shown.executedFeeToken.address).toBe(order.executedFeeToken)
      expect(shown.interactions.pre).toEqual(order.interactions.pre)
      expect(shown.quote).toEqual('quote' in order ? order.quote : null)
      expect([shown.status, shown.class, shown.kind]).toEqual(
        [order.status, order.class, order.kind].map((name) => name.toUpperCase()),
      )
      expect(shown.mirror).toEqual({ isVerified: true, isDocumentVerified: true })
    }
  })

  test('shows over GraphQL its quote, native prices and the surplus of an account', async () => {
    const input = {
      network: 'mainnet',
      sellToken: quote.sellToken,
      buyToken: quote.buyToken,
      from,
      receiver: from,
      amount: { sellBeforeFee: quoteRequest.sellAmountBeforeFee },
      appData: quote.appData,
    }
    const members = 'sellAmount buyAmount feeAmount sellTokenPrice validTo appData appDataHash receiver'
    const shown = await show(
      `mutation ($input: QuoteInput!) { quote(input: $input) {
        quote { ${members} gasAmount gasPrice } from expiration quoteId verified protocolFeeBps
        order(slippageBps: 50) { sellAmount buyAmount } } }`,
      { input },
    )
    const { quote: shownQuote, order, ...rest } = shown.quote
    const expected = Object.fromEntries(members.split(' ').map((name) => [name, quote[name as 'sellAmount']]))
    // Whole units.
    expect(shownQuote).toEqual({ ...expected, gasAmount: '236558', gasPrice: '181514322' })
    expect(rest).toEqual({
      from,
      expiration: '2026-02-16T13:17:38.649Z',
      quoteId: permitQuote.id,
      verified: true,
      protocolFeeBps: '2',
    })
    expect(order).toEqual({
      sellAmount: quoteRequest.sellAmountBeforeFee,
      buyAmount: String((BigInt(quote.buyAmount) * 9_950n) / 10_000n),
    })
    const prices = await show(
      `{ token(address: "${coin}") { nativePrice } account(address: "${account}") { totalSurplus(network: "mainnet") } }`,
    )
    expect(prices).toEqual({
      token: { nativePrice: '1' },
      account: { totalSurplus: totalSurplus.totalSurplus },
    })
  })

  test('includes the volume fee of a partner in the order to sign, which the quote has not', async () => {
    const partnerFee = { recipient: account, volumeBps: 100 }
    const appData = JSON.stringify({ appCode: 'partner', metadata: { partnerFee } })
    const input = {
      network: 'mainnet',
      sellToken: quote.sellToken,
      buyToken: quote.buyToken,
      from,
      amount: { sellBeforeFee: quoteRequest.sellAmountBeforeFee },
      appData,
    }
    const query =
      'mutation ($input: QuoteInput!) { quote(input: $input) { order(slippageBps: 0) { buyAmount } } }'
    const { order } = (await show(query, { input })).quote
    // A hundredth of what the sold amount buys before all costs: fee and volume fee.
    const [sold, bought] = [BigInt(quote.sellAmount), BigInt(quote.buyAmount)]
    const costFree = (bought * 1_000_000n) / 999_800n + (bought * BigInt(quote.feeAmount)) / sold
    const min = bought - BigInt(order.buyAmount) - costFree / 100n
    expect(min).toBeGreaterThanOrEqual(0n)
    expect(min).toBeLessThanOrEqual(2n)
  })
})

test('an account with orders of a later version has the others, and nothing is invented', async () => {
  const owner = `0x${'ac'.repeat(20)}` as const
  const of = (more: object = {}) => book.add(scriptedOrder(network, owner, [coin, dollar], { ...more }))
  const upper = (text: string) => `0x${text.slice(2).toUpperCase()}`
  const plain = of()
  const [unit, cased] = [of(), of()]
  for (const name of ['uid', 'owner', 'receiver', 'sellToken', 'buyToken', 'appData', 'signature'])
    cased[name] = upper(String(cased[name]))
  const shown = [
    plain,
    Object.assign(unit, { class: 'twap', status: 'queued', availableBalance: null, novelty: [{ a: null }] }),
    { ...cased, uid: cased.uid.toLowerCase() },
    of({
      executedFee: '1e21',
      executedSellAmount: null,
      quote: 'none',
      quoteId: '7',
      fullBalanceCheck: null,
    }),
    of({ creationDate: '2026-11-29T10:00:00.123456789+00:00', onchainOrderData: 7, ethflowData: [] }),
  ]
  const unknown = [of({ signingScheme: 'eip7702' }), of({ kind: 'swap' }), of({ sellTokenBalance: 'vault' })]
  const { status, body } = await send(`GET /api/v1/account/${owner}/orders`)
  expect(status).toBe(200)
  const uids = body.map(({ uid }: { uid: string }) => uid)
  expect(new Set(uids)).toEqual(new Set(shown.map(({ uid }) => uid)))
  for (const order of body)
    expect(order).toMatchObject({
      owner,
      sellToken: coin,
      class: 'limit',
      status: 'presignaturePending',
      executedFee: '0',
      availableBalance: null,
      fullBalanceCheck: false,
    })
  for (const { uid } of unknown) expect((await send(`GET /api/v1/orders/${uid}`)).status).toBe(404)
})

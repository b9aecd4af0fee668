import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { auctionKey } from '../../src/domain/auction/key.ts'
import type { Address } from '../../src/domain/evm/address.ts'
import type { Bytes32 } from '../../src/domain/evm/hex.ts'
import type { OrderData, OrderUid } from '../../src/domain/order/order.ts'
import { orderUid } from '../../src/domain/signing/signing.ts'
import { createBatches } from '../../src/mirror/batches.ts'
import { mirrorNumbered } from '../../src/mirror/competitions.ts'
import { type MirrorServices, mirrorFees, mirrorQuotes, storeShownOrders } from '../../src/mirror/mirror.ts'
import { createOrderBook } from '../../src/mirror/order-book.ts'
import { dueCompetitions } from '../../src/storage/auction/mirrored-competition.ts'
import { insertAnswers, insertRefusals } from '../../src/storage/auction/solver-messages.ts'
import { insertChainFacts } from '../../src/storage/chain/indexed-logs.ts'
import { sql } from '../../src/storage/database/database.ts'
import { claimOrderBook, compareAgain, quotesDue } from '../../src/storage/order/mirror.ts'
import { findOrderIds } from '../../src/storage/order/orders.ts'
import { lockOrders, refreshProgress } from '../../src/storage/order/progress.ts'
import { removeRefusedSolutions } from '../../src/storage/retention/expired-rows.ts'
import { type FakeOrderBook, startOrderBook } from '../fakes/order-book.ts'
import { openOrder, soldCompetition, soldOrder, soldTrade } from '../fakes/public-book.ts'
import { silentLog } from '../fakes/silent-log.ts'
import { storeContest } from '../fakes/solutions.ts'
import { storeOrder } from '../fakes/stored-order.ts'
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
const number = soldCompetition.auctionId
const ignore = () => undefined

let book: FakeOrderBook
let server: TestServer
let services: MirrorServices

beforeAll(async () => {
  book = await startOrderBook()
  server = await openTestServer({ network }, { now: Date.now })
  const { db } = server.database
  const indexedFrom = soldCompetition.auctionStartBlock + 1
  await claimOrderBook(db, chainId, book.url, async () => ({ indexedFrom, notifiedFrom: 0 }))
  await sql(db).checkpoint.create({
    data: { chainId, blockNumber: 26_000_000n, blockHash: Buffer.alloc(32), updatedAt: new Date() },
  })
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
  book.competitions.set(number, soldCompetition)
  await storeShownOrders([soldOrder], undefined, services)
  expect(await mirrorNumbered(BigInt(number), services)).toBe(true)
})
afterAll(async () => {
  book?.close()
  await server?.[Symbol.asyncDispose]()
})

const read = (path: string) => request(`${server.url}/mainnet/api/${path}`)
const unknownIn = async (path: string) => (await read(path)).headers.get('x-unknown-members')
const ask = (query: string) => graphql(server.url, query)

/** Stores the trade as its log has it, and its settlement. */
async function settle(): Promise<void> {
  const { db } = server.database
  const { blockNumber, logIndex, owner, sellToken, buyToken } = soldTrade
  const [uid, txHash] = [soldTrade.orderUid as OrderUid, soldTrade.txHash as Bytes32]
  const at = { chainId, blockNumber, txHash }
  const auctionId = auctionKey(chainId, BigInt(number)) ?? expect.fail()
  const orderId = (await findOrderIds(db, chainId, [uid])).get(uid) ?? expect.fail()
  const amounts = { sellAmount: BigInt(soldTrade.sellAmount), buyAmount: BigInt(soldTrade.buyAmount) }
  const execution = { executedFee: 7n, executedFeeToken: sellToken, networkFee: 7n, protocolFees: [] }
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
          deadlineBlock: soldCompetition.auctionDeadlineBlock,
          amounts: [],
        },
      ],
      executions: [{ ...execution, orderId, auctionId, blockNumber }],
      invalidations: [],
      presignatures: [],
    })
    await refreshProgress(tx, [orderId])
    await compareAgain(tx, [orderId])
  })
}

describe('a competition of a followed order book', () => {
  const query = `{ auction(id: ${number}) { orderCount hasAllSolutions hasAllSolverAnswers hasAllRefusedSolutions hasAllSettlementAttempts
    hasAllSettlements hasAllOrderUids solverAnswers { solver } refusedSolutions { auctionId } settlementAttempts { solver }
    transactionHashes orders { isComplete nodes { uid } } excludedOrders { isComplete nodes { reason } } solutions { hasAllClearingPrices } } }`

  test('is not without attempts, answers and refusals: they are not known, and neither are orders and settlements', async () => {
    expect((await ask(query)).auction).toEqual({
      orderCount: 2,
      hasAllSolutions: true,
      hasAllSolverAnswers: false,
      solverAnswers: [],
      hasAllRefusedSolutions: false,
      refusedSolutions: [],
      hasAllSettlementAttempts: false,
      settlementAttempts: [],
      // It was built before the first indexed block, and its winner settled somewhere.
      hasAllSettlements: false,
      transactionHashes: [],
      // One of its two orders is not here.
      hasAllOrderUids: false,
      orders: { isComplete: false, nodes: [{ uid: soldOrder.uid }] },
      excludedOrders: { isComplete: false, nodes: [] },
      solutions: [{ hasAllClearingPrices: true }],
    })
    for (const version of ['v1', 'v2'])
      expect(await unknownIn(`${version}/solver_competition/${number}`)).toBe(
        'auction.orders, transactionHashes',
      )
  })

  test('knows its settlement once that is stored', async () => {
    await settle()
    const { auction } = await ask(query)
    expect([auction.hasAllSettlements, auction.transactionHashes]).toEqual([true, [soldTrade.txHash]])
    expect(await unknownIn(`v2/solver_competition/${number}`)).toBe('auction.orders')
  })

  test('has no prices that its order book does not report', async () => {
    const [{ clearingPrices: _, ...solution }] = soldCompetition.solutions
    const bare = { ...soldCompetition, auctionId: number + 1, solutions: [solution] }
    book.competitions.set(bare.auctionId, bare)
    await mirrorNumbered(BigInt(bare.auctionId), services)
    const { auction } = await ask(
      `{ auction(id: ${bare.auctionId}) { solutions { hasAllClearingPrices clearingPrices { price } } } }`,
    )
    expect(auction.solutions).toEqual([{ hasAllClearingPrices: false, clearingPrices: [] }])
    expect(await unknownIn(`v2/solver_competition/${bare.auctionId}`)).toMatch(/solutions\.clearingPrices$/)
  })

  test('is one of a list that is not complete', async () => {
    expect(await ask('{ auctions { isComplete } settlements { isComplete } }')).toEqual({
      auctions: { isComplete: false },
      settlements: { isComplete: false },
    })
  })
})

describe('an order of a followed order book', () => {
  const path = `v2/trades?orderUid=${soldOrder.uid}`
  const query = `{ order(uid: "${soldOrder.uid}") {
    trades { nodes { hasAllExecutedProtocolFees hasAllNativePrices executedProtocolFees { amount }
      execution { networkFee hasAllProtocolFees } settlement { fees { amount } } } }
    events { isComplete } auctions { isComplete } refusedSolutions { isComplete nodes { auctionId } } marketPrices { isComplete }
    hasAllPendingSettlements pendingSettlements { auctionId } hasAllSolverOutcomes solverOutcomes { solver }
    debugReport { auctions { isComplete nodes { hasAllFeePolicies hasAllSettlementAttempts hasAllProposedSolutions hasAllExecutions } } } } }`

  test('is not without fees, attempts, outcomes and events: they are not known', async () => {
    const unknownTrade = { hasAllExecutedProtocolFees: false, hasAllNativePrices: true }
    const execution = { networkFee: null, hasAllProtocolFees: false }
    const list = { hasAllFeePolicies: false, hasAllSettlementAttempts: false, hasAllProposedSolutions: true }
    expect((await ask(query)).order).toEqual({
      trades: {
        nodes: [{ ...unknownTrade, executedProtocolFees: [], execution, settlement: { fees: null } }],
      },
      events: { isComplete: false },
      auctions: { isComplete: false },
      marketPrices: { isComplete: false },
      refusedSolutions: { isComplete: false, nodes: [] },
      hasAllPendingSettlements: false,
      pendingSettlements: [],
      hasAllSolverOutcomes: false,
      solverOutcomes: [],
      debugReport: {
        auctions: {
          isComplete: false,
          nodes: expect.arrayContaining([{ ...list, hasAllExecutions: false }]),
        },
      },
    })
    expect(await unknownIn(path)).toBe('executedProtocolFees')
    expect(await unknownIn(`v1/debug/order/${soldOrder.uid}`)).toBe(
      'events, auctions, auctions.settlementAttempts, auctions.executions, auctions.feePolicies',
    )
  })

  test('has fees that are known once its order book has reported them', async () => {
    book.trades.push(soldTrade)
    await mirrorFees(4, services)
    const [trade] = (await ask(query)).order.trades.nodes
    expect([trade.hasAllExecutedProtocolFees, trade.executedProtocolFees]).toEqual([
      true,
      [{ amount: '0' }, { amount: '387' }],
    ])
    expect(await unknownIn(path)).toBeNull()
  })

  test('has an executed fee that is not known where its order book does not report it', async () => {
    const { mirroredOrder } = sql(server.database.db)
    const list = `v1/transactions/${soldTrade.txHash}/orders`
    const isFeeReported = async () =>
      (await ask(`{ order(uid: "${soldOrder.uid}") { mirror { isFeeReported } } }`)).order.mirror
    expect([await unknownIn(list), await isFeeReported()]).toEqual([null, { isFeeReported: true }])
    const reported = await mirroredOrder.findFirstOrThrow({ where: { executedFee: { not: null } } })
    // Before its first report, and with one from before its newest trade.
    for (const data of [{ executedFee: null }, { reportedSell: 0 }]) {
      await mirroredOrder.updateMany({ data })
      expect([await unknownIn(list), await isFeeReported()]).toEqual([
        'executedFee',
        { isFeeReported: false },
      ])
      expect(await unknownIn(`v1/orders/${soldOrder.uid}`)).toBe('executedFee, quote')
      const { executedFee, reportedSell } = reported
      await mirroredOrder.updateMany({ data: { executedFee, reportedSell } })
    }
  })
})

describe('an order that came in a list, which has no quotes', () => {
  const named = (sellAmount: string) => {
    const order = { ...openOrder, sellAmount, signingScheme: 'presign', signature: openOrder.owner }
    const data = {
      ...order,
      sellAmount: BigInt(sellAmount),
      feeAmount: 0n,
      buyAmount: BigInt(order.buyAmount),
    }
    return { ...order, uid: orderUid(network, data as unknown as OrderData, order.owner as Address) }
  }
  const [shown, dropped, without] = [named('2000002'), named('2000003'), named('2000004')]
  const quoteOf = async ({ uid }: { uid: OrderUid }) =>
    (await ask(`{ order(uid: "${uid}") { mirror { isQuoteReported } quote { gasAmount } } }`)).order
  const headerOf = ({ uid }: { uid: OrderUid }) => unknownIn(`v1/orders/${uid}`)
  const unknown = { mirror: { isQuoteReported: false }, quote: null }
  const quotes = createBatches('live', 128, mirrorQuotes)
  const readQuotes = () => quotes((limit) => quotesDue(server.database.db, chainId, limit), services)

  test('has no known quote until it is read by its UID', async () => {
    const listed = [shown, dropped, without].map(({ quote: _, ...order }) => order)
    expect((await storeShownOrders(listed, undefined, services)).size).toBe(3)
    for (const order of [shown, dropped, without])
      expect([await quoteOf(order), await headerOf(order)]).toEqual([unknown, 'quote'])
    expect(await unknownIn(`v1/account/${shown.owner}/orders`)).toBeNull()
    book.add(shown)
    const { quote: _, ...bare } = without
    book.add(bare)
    expect(await readQuotes()).toBe(true)
    expect([await quoteOf(shown), await headerOf(shown)]).toEqual([
      { mirror: { isQuoteReported: true }, quote: { gasAmount: openOrder.quote.gasAmount } },
      null,
    ])
    expect([await quoteOf(without), await headerOf(without)]).toEqual([
      { mirror: { isQuoteReported: true }, quote: null },
      null,
    ])
    // An order book drops old orders from the answer.
    expect([await quoteOf(dropped), await headerOf(dropped)]).toEqual([unknown, 'quote'])
  })

  test('is requested once, in one call for all', async () => {
    const calls = book.calls.length
    expect(await readQuotes()).toBe(true)
    expect(book.calls).toHaveLength(calls)
  })
})

describe('sums and lists of a followed network', () => {
  test('say that they are not complete', async () => {
    const { accounting, programmaticOrders } = await ask(
      `{ accounting(fromBlock: ${soldCompetition.auctionStartBlock}, toBlock: ${soldCompetition.auctionDeadlineBlock}) { isComplete }
        programmaticOrders { isComplete } }`,
    )
    expect(accounting).toEqual({ isComplete: false })
    expect(programmaticOrders).toEqual({ isComplete: true })
    const { db } = server.database
    await sql(db).programmaticHistory.create({ data: { chainId, nextBlock: 1n, lastBlock: 9n } })
    expect((await ask('{ programmaticOrders { isComplete } }')).programmaticOrders.isComplete).toBe(false)
  })
})

test('the competition that a settlement names is read before newer ones', async () => {
  const { db } = server.database
  const [newest, settled] = [BigInt(number), BigInt(number) - 9n]
  for (let each = settled - 1n; each <= newest; each++)
    await sql(db).missingCompetition.create({
      data: { chainId, number: each, askedAt: new Date(0), times: 0 },
    })
  await sql(db).orderBook.update({ where: { chainId }, data: { newestCompetition: newest } })
  const row = { chainId, blockNumber: 7n, logIndex: 1, solver: Buffer.alloc(20), txHash: Buffer.alloc(32) }
  await sql(db).settlement.create({ data: { ...row, calledAuction: settled } })
  expect(await dueCompetitions(db, chainId, 3)).toEqual([settled, newest, newest - 1n])
  // One whose answer failed waits for its turn.
  await sql(db).missingCompetition.updateMany({
    where: { number: settled },
    data: { askedAt: new Date(Date.now() - 60_000) },
  })
  expect(await dueCompetitions(db, chainId, 1)).toEqual([newest])
  await sql(db).missingCompetition.deleteMany()
  await sql(db).settlement.deleteMany({ where: { blockNumber: 7n } })
})

test('the decimals of gas, and the balance, are those that the order book reports', async () => {
  const { uid: _, ...order } = { ...openOrder, sellAmount: '2000001' }
  const data = { ...order, sellAmount: 2_000_001n, buyAmount: BigInt(order.buyAmount), feeAmount: 0n }
  const uid = orderUid(network, data, order.owner)
  const signed = {
    ...order,
    uid,
    signingScheme: 'presign',
    signature: order.owner,
    availableBalance: '12345',
  }
  const quote = { ...order.quote, gasAmount: '163000.5000', gasPrice: '1.25e9' }
  expect([...(await storeShownOrders([{ ...signed, quote }], undefined, services))]).toEqual([uid])
  const shown = `availableBalance mirror { isBalanceReported } quote { gasAmount exactGasAmount gasPrice exactGasPrice }`
  expect((await ask(`{ order(uid: "${uid}") { ${shown} } }`)).order).toEqual({
    availableBalance: '12345',
    mirror: { isBalanceReported: true },
    quote: {
      gasAmount: '163000',
      exactGasAmount: '163000.5',
      gasPrice: '1250000000',
      exactGasPrice: '1250000000',
    },
  })
  const { body } = await read(`v1/orders/${uid}`)
  expect([body.availableBalance, body.quote.gasAmount, body.quote.exactGasAmount]).toEqual([
    '12345',
    '163000',
    undefined,
  ])
})

test('a word for a placement error that the interface lacks is kept', async () => {
  const { uid: _, ...order } = { ...soldOrder, sellAmount: '77' }
  const uid = orderUid(
    network,
    { ...order, sellAmount: 77n, buyAmount: BigInt(order.buyAmount), feeAmount: 0n },
    order.owner,
  )
  const onchainOrderData = { ...soldOrder.onchainOrderData, placementError: 'nonZeroFee' }
  await storeShownOrders([{ ...order, uid, onchainOrderData, status: 'open' }], undefined, services)
  const query = `{ order(uid: "${uid}") { onchainOrderData { placementError detail } } }`
  expect((await ask(query)).order.onchainOrderData).toEqual({
    placementError: 'PreValidationError',
    detail: 'the order book reports nonZeroFee',
  })
})

describe('an auction that is held here', () => {
  let own: TestServer
  let stage: Awaited<ReturnType<typeof storeStage>>
  const solver = `0x${'50'.repeat(20)}` as const
  const at = new Date(Date.now() - 60_000)

  /** An order whose auction has a solution, an answer and a refusal, and one that no solution trades. */
  async function storeStage() {
    const { db } = own.database
    const stored = await storeOrder(db)
    const other = await storeOrder(db, { uid: `0x${'7e'.repeat(56)}` as const })
    const fills = [{ order: stored, sell: stored.sellAmount, buy: stored.buyAmount }]
    const solutions = [{ solver, score: 1n, isWinner: true, fills }]
    await storeContest(db, { id: 1n, orders: [stored, other], solutions })
    const refusal = { solutionIds: [], code: 'no_score', message: 'no score' } as const
    const key = { auctionId: 1n, chainId: stored.chainId, deadlineBlock: 103 }
    await db.transaction((tx) =>
      insertAnswers(tx, 1n, [{ solver, answer: 'answered', fault: null, milliseconds: 3 }]),
    )
    await insertRefusals(db, [{ ...refusal, ...key, solver, orderIds: [stored.id] }], at)
    return { stored, other }
  }

  beforeAll(async () => {
    own = await openTestServer({}, { now: Date.now })
    stage = await storeStage()
  })
  afterAll(() => own?.[Symbol.asyncDispose]())

  const auctionQuery = `{ auction(id: 1) { hasAllSolutions hasAllSolverAnswers hasAllRefusedSolutions hasAllSettlementAttempts hasAllOrderUids
    hasAllSettlements refusedSolutions { solver } solutions { hasAllClearingPrices } orders { isComplete } excludedOrders { isComplete } } }`
  const reports = (
    uid: string,
  ) => `{ order(uid: "${uid}") { hasAllPendingSettlements hasAllSolverOutcomes refusedSolutions { isComplete }
    auctions { isComplete } debugReport { auctions { nodes { hasAllFeePolicies } } } } auctions { isComplete } }`

  test('knows answers, refusals and attempts; prices not, where an earlier version stored it, and settlements from the first block on', async () => {
    const known = { hasAllSolutions: true, hasAllSolverAnswers: true, hasAllSettlementAttempts: true }
    expect((await graphql(own.url, auctionQuery)).auction).toEqual({
      ...known,
      hasAllRefusedSolutions: true,
      refusedSolutions: [{ solver }],
      hasAllOrderUids: true,
      orders: { isComplete: true },
      excludedOrders: { isComplete: true },
      hasAllSettlements: false,
      solutions: [{ hasAllClearingPrices: false }],
    })
    await moveOwn(100)
    expect((await graphql(own.url, auctionQuery)).auction.hasAllSettlements).toBe(true)
  })

  const moveOwn = (block: number) =>
    sql(own.database.db).checkpoint.create({
      data: {
        chainId: sampleNetwork.chainId,
        blockNumber: BigInt(block),
        blockHash: Buffer.alloc(32),
        updatedAt: new Date(),
      },
    })

  test.each([
    ['an order that a solution trades', 'stored', true],
    ['an order that none trades', 'other', false],
  ] as const)('knows the fee policies of %s: %s, %s', async (_, name, areKnown) => {
    const known = await graphql(own.url, reports(stage[name].uid))
    expect(known).toEqual({
      order: {
        hasAllPendingSettlements: true,
        hasAllSolverOutcomes: true,
        refusedSolutions: { isComplete: true },
        auctions: { isComplete: true },
        debugReport: { auctions: { nodes: [{ hasAllFeePolicies: areKnown }] } },
      },
      auctions: { isComplete: true },
    })
  })

  test('is without refusals, and its lists are not complete, once rows are removed by their age', async () => {
    const { db } = own.database
    const sooner = await removeRefusedSolutions(db, { before: new Date(at.getTime() - 1), limit: 10 })
    expect(sooner.removed).toEqual({ refused_solutions: 0 })
    await sql(db).auction.updateMany({ data: { createdAt: at } })
    await sql(db).order.updateMany({ data: { createdAt: at } })
    expect((await graphql(own.url, auctionQuery)).auction.hasAllRefusedSolutions).toBe(true)
    const later = await removeRefusedSolutions(db, { before: new Date(), limit: 10 })
    expect(later.removed).toEqual({ refused_solutions: 1 })
    const { auction } = await graphql(own.url, auctionQuery)
    expect([auction.hasAllRefusedSolutions, auction.refusedSolutions]).toEqual([false, []])
    await sql(db).retentionMark.create({ data: { name: `competitions:${sampleNetwork.chainId}`, place: 1n } })
    const { order, auctions } = await graphql(own.url, reports(stage.stored.uid))
    expect([order.refusedSolutions, order.auctions, auctions]).toEqual([
      { isComplete: false },
      { isComplete: false },
      { isComplete: false },
    ])
    const { accounting } = await graphql(own.url, '{ accounting(fromBlock: 90, toBlock: 99) { isComplete } }')
    expect(accounting).toEqual({ isComplete: false })
  })

  test('has a surplus that is not complete with a trade that is not valued', async () => {
    const { db } = own.database
    const { stored } = stage
    const surplus = `{ account(address: "${stored.owner}") { totalSurplus isTotalSurplusComplete } }`
    expect((await graphql(own.url, surplus)).account.isTotalSurplusComplete).toBe(true)
    const { owner, sellToken, buyToken, sellAmount, buyAmount, id: orderId, uid, chainId } = stored
    const trade = { chainId, blockNumber: 99, logIndex: 1, txHash: `0x${'9a'.repeat(32)}` as const }
    await db.transaction((tx) =>
      insertChainFacts(tx, chainId, {
        trades: [
          {
            ...trade,
            owner,
            sellToken,
            buyToken,
            sellAmount,
            buyAmount,
            orderId,
            orderUid: uid,
            feeAmount: 0n,
            auctionId: null,
          },
        ],
        settlements: [],
        invalidations: [],
        presignatures: [],
        executions: [],
      }),
    )
    const { account } = await graphql(own.url, surplus)
    expect(account).toEqual({ totalSurplus: '0', isTotalSurplusComplete: false })
  })
})

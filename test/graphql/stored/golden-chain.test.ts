import { afterAll, beforeAll, expect, test } from 'vitest'
import { encodedId } from '../../fakes/node-id.ts'
import { openTestServer, type TestServer } from '../../setup/server.ts'
import { graphql } from '../../setup/trader.ts'
import { max, names, storeGoldenRows } from './golden-rows.ts'

const { bare, traded, owner, other, sell, buy, third, solver, loser, transaction, attempt } = names
const chain = 11155111
const tokenOf = (address: string) => ({ id: encodedId(`Token:${chain}:${address}`), address })

let server: TestServer
beforeAll(async () => {
  server = await openTestServer()
  await storeGoldenRows(server.database.db)
})
afterAll(() => server?.[Symbol.asyncDispose]())

const ask = (query: string) => graphql(server.url, query)

test('Trade', async () => {
  const { trades } =
    await ask(`{ trades(owner: "${other}") { nodes { id blockNumber logIndex orderUid owner sellAmount
    sellAmountBeforeFees buyAmount txHash auctionId sellToken { address } buyToken { address } order { uid } auction { auctionId }
    executedProtocolFees { token { id address } amount policy { __typename } } } } }`)
  expect(trades.nodes).toEqual([
    {
      id: encodedId(`Trade:${chain}:102:7`),
      blockNumber: 102,
      logIndex: 7,
      orderUid: traded,
      owner: other,
      sellAmount: '410',
      sellAmountBeforeFees: '405',
      buyAmount: '200',
      txHash: transaction,
      auctionId: 30,
      sellToken: { address: sell },
      buyToken: { address: buy },
      order: { uid: traded },
      auction: { auctionId: 30 },
      executedProtocolFees: [
        { token: tokenOf(buy), amount: '1', policy: { __typename: 'SurplusFeePolicy' } },
        { token: tokenOf(sell), amount: max, policy: { __typename: 'VolumeFeePolicy' } },
        { token: tokenOf(buy), amount: '3', policy: { __typename: 'PriceImprovementFeePolicy' } },
      ],
    },
    {
      id: encodedId(`Trade:${chain}:90:0`),
      blockNumber: 90,
      logIndex: 0,
      orderUid: traded,
      owner: other,
      sellAmount: max,
      sellAmountBeforeFees: max,
      buyAmount: '0',
      txHash: attempt,
      auctionId: null,
      sellToken: { address: sell },
      buyToken: { address: buy },
      order: { uid: traded },
      auction: null,
      executedProtocolFees: [],
    },
  ])
})

test('Auction, Solution and SettlementAttempt', async () => {
  const { auction } = await ask(`{ auction(id: 30) { id auctionId block deadline orderUids transactionHashes
    orders { nodes { uid } } nativePrices { token { address } price } settlementAttempts { solutionUid outcome detail }
    solutions { id solutionUid ranking solver isWinner filteredOut score referenceScore txHash auction { auctionId }
      orders { orderUid executedSell executedBuy sellToken { address } buyToken { address } order { uid } } } } }`)
  expect(auction).toEqual({
    id: encodedId('Auction:30'),
    auctionId: 30,
    block: 100,
    deadline: 103,
    orderUids: [traded],
    transactionHashes: [transaction],
    orders: { nodes: [{ uid: traded }] },
    nativePrices: [
      { token: { address: sell }, price: '0' },
      { token: { address: buy }, price: max },
      { token: { address: third }, price: '7' },
    ],
    settlementAttempts: [
      { solutionUid: 0, outcome: 'SUCCESS', detail: null },
      { solutionUid: 1, outcome: 'FAILED', detail: '"odd"' },
    ],
    solutions: [
      {
        id: encodedId('Solution:30:0'),
        solutionUid: 0,
        ranking: 1,
        solver,
        isWinner: true,
        filteredOut: false,
        score: '900',
        referenceScore: '0',
        txHash: transaction,
        auction: { auctionId: 30 },
        orders: [
          {
            orderUid: traded,
            executedSell: '410',
            executedBuy: '200',
            sellToken: { address: sell },
            buyToken: { address: buy },
            order: { uid: traded },
          },
        ],
      },
      {
        id: encodedId('Solution:30:1'),
        solutionUid: 1,
        ranking: 2,
        solver: loser,
        isWinner: false,
        filteredOut: true,
        score: max,
        referenceScore: null,
        txHash: null,
        auction: { auctionId: 30 },
        orders: [
          {
            orderUid: bare,
            executedSell: max,
            executedBuy: '1',
            sellToken: { address: sell },
            buyToken: { address: buy },
            order: { uid: bare },
          },
        ],
      },
    ],
  })
})

test('the root fields that find auctions and orders by other keys than their ids', async () => {
  const found =
    await ask(`{ latestAuction { auctionId } auctionOfTransaction(hash: "${transaction}") { auctionId }
    transactionOrders(hash: "${transaction}") { uid } ordersByUids(uids: ["${traded}", "${bare}", "${traded}"]) { uid } }`)
  expect(found).toEqual({
    latestAuction: { auctionId: 31 },
    auctionOfTransaction: { auctionId: 30 },
    transactionOrders: [{ uid: traded }],
    ordersByUids: [{ uid: traded }, { uid: bare }],
  })
})

test('Notification, with the fields of its kind', async () => {
  const { account } =
    await ask(`{ account(address: "${other}") { id address affiliate { code } totalSurplus unreadNotifications
    latestNotifications { __typename id notificationId account type message timestamp metadata isReverted readAt orderUid order { uid }
      ... on OrderFilledNotification { executedAmount txHash } ... on OrderCancelledNotification { reason } } } }`)
  expect(account).toEqual({
    id: encodedId(`Account:${other}`),
    address: other,
    affiliate: null,
    totalSurplus: '0',
    unreadNotifications: 1,
    latestNotifications: [
      {
        __typename: 'OrderCancelledNotification',
        id: encodedId('Notification:6'),
        notificationId: '6',
        account: other,
        type: 'ORDER_CANCELLED',
        message: 'gone',
        timestamp: '2026-01-02T03:04:05.007Z',
        metadata: { orderId: traded, chainId: chain, reverted: true },
        isReverted: true,
        readAt: null,
        orderUid: traded,
        order: { uid: traded },
        reason: null,
      },
      {
        __typename: 'OrderFilledNotification',
        id: encodedId('Notification:5'),
        notificationId: '5',
        account: other,
        type: 'ORDER_FILLED',
        message: 'all of "it"',
        timestamp: '2026-01-02T03:04:05Z',
        metadata: { orderId: traded, chainId: chain, executedAmount: '200', txHash: transaction },
        isReverted: false,
        readAt: '2026-01-03T00:00:00Z',
        orderUid: traded,
        order: { uid: traded },
        executedAmount: '200',
        txHash: transaction,
      },
    ],
  })
})

test('Affiliate, ReferralCode and AppData', async () => {
  const programme = {
    code: 'GOLDEN',
    triggerVolume: '250000',
    timeCapDays: 90,
    volumeCap: '0',
    traderRewardAmount: '13.340000000000000000667',
  }
  const shared = 'code triggerVolume timeCapDays volumeCap traderRewardAmount'
  expect(
    await ask(`{ affiliate(wallet: "${owner}") { id wallet enabled createdAt rewardAmount revenueSplitAffiliatePct
        revenueSplitTraderPct revenueSplitDaoPct ${shared} }
      referralCode(code: "GOLDEN") { ${shared} } appData(hash: "${names.document}") { hash document } }`),
  ).toEqual({
    affiliate: {
      ...programme,
      id: encodedId(`Affiliate:${owner}`),
      wallet: owner,
      enabled: true,
      createdAt: '2026-01-02T03:04:05Z',
      rewardAmount: '20.000000000000000001',
      revenueSplitAffiliatePct: '33.3',
      revenueSplitTraderPct: '66.7',
      revenueSplitDaoPct: '0',
    },
    referralCode: programme,
    appData: { hash: names.document, document: '{"a":"\\u0041 \\"ü\\""}' },
  })
})

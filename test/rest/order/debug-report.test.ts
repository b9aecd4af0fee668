import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Order } from '../../../src/domain/order/order.ts'
import { startAttempt } from '../../../src/storage/auction/competition.ts'
import { dollar, numbered, wrapped } from '../../fakes/order.ts'
import { storeSettledOrder } from '../../fakes/story.ts'
import { openTestServer, type TestServer } from '../../setup/server.ts'
import { graphql, request } from '../../setup/trader.ts'

let server: TestServer
let order: Order
beforeAll(async () => {
  server = await openTestServer()
  order = await storeSettledOrder(server.database.db, 9n, numbered('0f'))
  // Another winner, which does not trade the order.
  await server.database.db.transaction((tx) =>
    startAttempt(tx, {
      auctionId: 9n,
      chainId: order.chainId,
      solutionUid: 2,
      solver: other,
      startedAt: new Date('2027-01-15T07:43:22.500Z'),
      startBlock: 101,
      deadlineBlock: 103,
    }),
  )
})
afterAll(() => server[Symbol.asyncDispose]())

const solver = numbered('50')
const other = numbered('51')
const solution = { solver, filteredOut: false, executedSell: '1000000000000000000' }

test('the report has the interface’s shape, without absent members', async () => {
  const { status, body } = await request(`${server.url}/sepolia/api/v1/debug/order/${order.uid}`)
  expect(status).toBe(200)
  const single = await request(`${server.url}/sepolia/api/v1/orders/${order.uid}`)
  expect(body).toEqual({
    orderUid: order.uid,
    order: single.body,
    events: [
      { label: 'created', timestamp: '2027-01-15T07:43:20Z' },
      { label: 'ready', timestamp: '2027-01-15T07:43:21Z' },
      { label: 'executing', timestamp: '2027-01-15T07:43:22Z' },
      { label: 'traded', timestamp: '2027-01-15T07:43:23Z' },
    ],
    auctions: [
      {
        id: 9,
        block: 100,
        deadline: 103,
        nativePrices: { [wrapped]: '1000000000000000000', [dollar]: '333333333333333333333333333' },
        proposedSolutions: [
          {
            ...solution,
            solutionUid: 0,
            ranking: 1,
            isWinner: true,
            score: '1000',
            executedBuy: '2940000000',
          },
          {
            ...solution,
            solutionUid: 1,
            ranking: 2,
            isWinner: false,
            score: '999',
            executedBuy: '2939000000',
          },
        ],
        executions: [
          {
            executedFee: '9000000000000',
            executedFeeToken: wrapped,
            blockNumber: 109,
            protocolFees: [{ token: dollar, amount: '20000000' }],
          },
        ],
        settlementAttempts: [
          {
            solver,
            solutionUid: 0,
            startTimestamp: '2027-01-15T07:43:22Z',
            startBlock: 101,
            deadlineBlock: 103,
            endTimestamp: '2027-01-15T07:43:23Z',
            endBlock: 102,
            outcome: 'success',
          },
          {
            solver: other,
            solutionUid: 2,
            startTimestamp: '2027-01-15T07:43:22.500Z',
            startBlock: 101,
            deadlineBlock: 103,
          },
        ],
        feePolicies: [{ kind: 'surplus', surplusFactor: 0.5, surplusMaxVolumeFactor: 0.01 }],
      },
    ],
    trades: [
      {
        blockNumber: 109,
        logIndex: 3,
        buyAmount: '2940000000',
        sellAmount: '1000000000000000000',
        sellAmountBeforeFees: '1000000000000000000',
        txHash: `0x${'ab'.repeat(32)}`,
        auctionId: 9,
      },
    ],
  })
  const restricted = await request(`${server.url}/sepolia/restricted/api/v1/debug/order/${order.uid}`)
  expect(restricted.body).toEqual(body)
})

const orderFields = `
  creationDate owner from uid availableBalance
  executedBuyAmount executedSellAmount executedSellAmountBeforeFees executedFeeAmount executedFee executedFeeToken { address }
  invalidated status class settlementContract isLiquidityOrder fullAppData
  sellToken { address } buyToken { address } receiver sellAmount buyAmount feeAmount validTo validFrom
  appData appDataHash kind partiallyFillable sellTokenBalance buyTokenBalance signingScheme signature
  quoteId fullBalanceCheck interactions { pre { target value callData } post { target value callData } }
  onchainUser onchainOrderData { sender placementError } ethflowData { refundTxHash userValidTo }
  quote { gasAmount gasPrice sellTokenPrice sellAmount buyAmount feeAmount solver verified metadata }
`

const reportFields = `
  orderUid
  order { ${orderFields} }
  events { nodes { label timestamp reason } }
  auctions { nodes {
    id: auctionId block deadline
    nativePrices { token { address } price }
    proposedSolutions { solutionUid ranking solver isWinner filteredOut score executedSell executedBuy }
    executions { executedFee executedFeeToken { address } blockNumber protocolFees { token { address } amount } }
    settlementAttempts {
      solver solutionUid startTimestamp startBlock deadlineBlock endTimestamp endBlock outcome
    }
    feePolicies { ... on SurplusFeePolicy { kind: __typename surplusFactor: factor surplusMaxVolumeFactor: maxVolumeFactor } }
  } }
  trades { nodes { blockNumber logIndex buyAmount sellAmount sellAmountBeforeFees txHash auctionId } }
`

/**
 * Every leaf by its path. The two forms differ in absent keys, in the case of enum values, and in how lists,
 * tokens, prices and factors are held.
 */
function leaves(value: unknown, path: string, found = new Map<string, unknown>()): Map<string, unknown> {
  if (value === null || value === undefined) return found
  if (typeof value !== 'object') return found.set(path, value)
  for (const [key, item] of Object.entries(value)) leaves(item, `${path}.${key}`, found)
  return found
}

test('REST and GraphQL have the same values', async () => {
  const { body } = await request(`${server.url}/sepolia/api/v1/debug/order/${order.uid}`)
  const data = await graphql(
    server.url,
    `query ($uid: OrderUid!) { order(uid: $uid) { debugReport { ${reportFields} } } }`,
    {
      uid: order.uid,
    },
  )
  const report = data.order.debugReport
  for (const list of ['events', 'auctions', 'trades']) report[list] = report[list].nodes
  const words: Record<string, string> = {
    EIP712: 'eip712',
    ERC20: 'erc20',
    FULFILLED: 'fulfilled',
    LIMIT: 'limit',
    SELL: 'sell',
    SUCCESS: 'success',
    SurplusFeePolicy: 'surplus',
  }
  for (const label of ['created', 'ready', 'executing', 'traded']) words[label.toUpperCase()] = label
  report.order.executedFeeToken = report.order.executedFeeToken.address
  report.order.sellToken = report.order.sellToken.address
  report.order.buyToken = report.order.buyToken.address
  for (const auction of report.auctions) {
    for (const execution of auction.executions) {
      execution.executedFeeToken = execution.executedFeeToken.address
      for (const fee of execution.protocolFees) fee.token = fee.token.address
    }
    // REST returns factors as numbers.
    for (const policy of auction.feePolicies) {
      policy.surplusFactor = Number(policy.surplusFactor)
      policy.surplusMaxVolumeFactor = Number(policy.surplusMaxVolumeFactor)
    }
    auction.nativePrices = Object.fromEntries(
      auction.nativePrices.map(({ token, price }: { token: { address: string }; price: string }) => [
        token.address,
        price,
      ]),
    )
  }
  const graph = [...leaves(report, '')].map(([path, value]) => [path, words[String(value)] ?? value])
  expect(new Map(graph as [string, unknown][])).toEqual(leaves(body, ''))
  expect(graph.length).toBeGreaterThan(80)
})

test('a report needs as many statements however much happened to the order', async () => {
  const count = async (uid: string) => {
    const before = server.database.statements.length
    await request(`${server.url}/sepolia/api/v1/debug/order/${uid}`)
    return server.database.statements.length - before
  }
  expect(await count(order.uid)).toBe(1)
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestServer, type TestServer } from '../../setup/server.ts'
import { request } from '../../setup/trader.ts'
import { max, names, storeGoldenRows } from './golden-rows.ts'

const { bare, traded, owner, other, sell, buy, third, solver, loser, transaction, attempt } = names

let server: TestServer
beforeAll(async () => {
  server = await openTestServer()
  await storeGoldenRows(server.database.db)
})
afterAll(() => server?.[Symbol.asyncDispose]())

async function read(path: string): Promise<unknown> {
  const { status, body } = await request(`${server.url}${path}`)
  expect(status).toBe(200)
  return body
}

const bareOrder = {
  uid: bare,
  owner,
  from: owner,
  receiver: names.zero,
  sellToken: sell,
  buyToken: buy,
  sellAmount: max,
  buyAmount: '1',
  feeAmount: '0',
  validTo: 4294967295,
  kind: 'sell',
  partiallyFillable: true,
  sellTokenBalance: 'erc20',
  buyTokenBalance: 'erc20',
  signingScheme: 'presign',
  signature: '0x',
  appData: names.unknownDocument,
  appDataHash: names.unknownDocument,
  fullAppData: null,
  settlementContract: names.settlement,
  creationDate: '2026-01-02T03:04:05Z',
  class: 'liquidity',
  isLiquidityOrder: true,
  status: 'presignaturePending',
  invalidated: false,
  executedSellAmount: '0',
  executedSellAmountBeforeFees: '0',
  executedBuyAmount: '0',
  executedFeeAmount: '0',
  executedFee: '0',
  executedFeeToken: sell,
  availableBalance: null,
  fullBalanceCheck: false,
  interactions: { pre: [], post: [] },
}

const tradedOrder = {
  uid: traded,
  owner: other,
  from: other,
  receiver: null,
  sellToken: sell,
  buyToken: buy,
  sellAmount: '1000',
  buyAmount: '400',
  feeAmount: '10',
  validTo: 1799999999,
  validFrom: 5,
  kind: 'buy',
  partiallyFillable: false,
  sellTokenBalance: 'external',
  buyTokenBalance: 'internal',
  signingScheme: 'eip1271',
  signature: '0x1234',
  appData: names.document,
  appDataHash: names.document,
  fullAppData: '{"a":"\\u0041 \\"ü\\""}',
  settlementContract: names.settlement,
  creationDate: '2026-01-02T03:04:05.678Z',
  class: 'limit',
  isLiquidityOrder: false,
  status: 'expired',
  invalidated: false,
  executedSellAmount: '410',
  executedSellAmountBeforeFees: '405',
  executedBuyAmount: '200',
  executedFeeAmount: '5',
  executedFee: '9',
  executedFeeToken: buy,
  availableBalance: null,
  quoteId: 77,
  fullBalanceCheck: true,
  interactions: { pre: [{ target: third, value: max, callData: '0x' }], post: [] },
}

const quote = {
  gasAmount: '155000',
  gasPrice: max,
  sellTokenPrice: '0.000332330009999999999',
  sellAmount: '1000',
  buyAmount: '400',
  feeAmount: '10',
  solver,
  verified: true,
  metadata: { version: '1.0', jitOrders: [] },
}

test('an order leaves out optional members without a value', async () => {
  expect(await read(`/sepolia/api/v1/orders/${bare}`)).toEqual(bareOrder)
})

test('an order has its quote when it is read alone, not in lists', async () => {
  expect(await read(`/sepolia/api/v1/orders/${traded}`)).toEqual({ ...tradedOrder, quote })
  expect(await read(`/sepolia/api/v1/account/${other}/orders`)).toEqual([tradedOrder])
  expect(await read(`/sepolia/api/v1/transactions/${transaction}/orders`)).toEqual([tradedOrder])
})

const start = {
  solver,
  solutionUid: 0,
  startTimestamp: '2026-01-02T03:04:06Z',
  startBlock: 101,
  deadlineBlock: 103,
}

test('the debug report', async () => {
  expect(await read(`/sepolia/api/v1/debug/order/${traded}`)).toEqual({
    orderUid: traded,
    hooks: [],
    order: { ...tradedOrder, quote },
    events: [
      { label: 'created', timestamp: '2026-01-02T03:04:05.678Z' },
      { label: 'invalid', timestamp: '2026-01-02T03:04:06Z', reason: 'banned_user' },
      { label: 'cancelled', timestamp: '2026-01-02T03:04:07.100Z', reason: 'he said "no" \\' },
    ],
    auctions: [
      {
        id: 30,
        block: 100,
        deadline: 103,
        nativePrices: { [sell]: '0', [buy]: max },
        proposedSolutions: [
          {
            solutionUid: 0,
            ranking: 1,
            solver,
            isWinner: true,
            filteredOut: false,
            score: '900',
            executedSell: '410',
            executedBuy: '200',
          },
        ],
        executions: [
          {
            executedFee: '9',
            executedFeeToken: buy,
            blockNumber: 102,
            protocolFees: [
              { token: buy, amount: '1' },
              { token: sell, amount: max },
              { token: buy, amount: '3' },
            ],
          },
        ],
        settlementAttempts: [
          { ...start, endTimestamp: '2026-01-02T03:04:06.500Z', endBlock: 102, outcome: 'success' },
          {
            ...start,
            solver: loser,
            solutionUid: 1,
            startTimestamp: '2026-01-02T03:04:06.250Z',
            endTimestamp: '2026-01-02T03:04:08Z',
            endBlock: 103,
            outcome: 'driver failed: "odd"',
          },
        ],
        feePolicies: [
          { kind: 'surplus', surplusFactor: 0.5, surplusMaxVolumeFactor: 0.01 },
          { kind: 'volume', volumeFactor: 0.0025 },
          { kind: 'priceImprovement', priceImprovementFactor: 0.000001, priceImprovementMaxVolumeFactor: 0 },
        ],
      },
      {
        id: 31,
        block: 104,
        deadline: 107,
        nativePrices: {},
        proposedSolutions: [],
        executions: [],
        settlementAttempts: [
          {
            solver,
            solutionUid: 0,
            startTimestamp: '2026-01-02T03:04:09Z',
            startBlock: 104,
            deadlineBlock: 107,
          },
        ],
        feePolicies: [],
      },
    ],
    trades: [
      {
        blockNumber: 102,
        logIndex: 7,
        sellAmount: '410',
        sellAmountBeforeFees: '405',
        buyAmount: '200',
        txHash: transaction,
        auctionId: 30,
      },
      {
        blockNumber: 90,
        logIndex: 0,
        sellAmount: max,
        sellAmountBeforeFees: max,
        buyAmount: '0',
        txHash: attempt,
      },
    ],
  })
})

test('trades, with each fee policy under its kind', async () => {
  const common = { orderUid: traded, owner: other, sellToken: sell, buyToken: buy }
  const first = { ...common, blockNumber: 102, logIndex: 7, sellAmount: '410', sellAmountBeforeFees: '405' }
  const second = { ...common, blockNumber: 90, logIndex: 0, sellAmount: max, sellAmountBeforeFees: max }
  const quoted = { fee: '10', sellAmount: '1000', buyAmount: '400' }
  const executedProtocolFees = [
    { policy: { surplus: { factor: 0.5, maxVolumeFactor: 0.01 } }, amount: '1', token: buy },
    { policy: { volume: { factor: 0.0025 } }, amount: max, token: sell },
    {
      policy: { priceImprovement: { factor: 0.000001, maxVolumeFactor: 0, quote: quoted } },
      amount: '3',
      token: buy,
    },
  ]
  const trades = [
    { ...first, buyAmount: '200', txHash: transaction, executedProtocolFees },
    { ...second, buyAmount: '0', txHash: attempt, executedProtocolFees: [] },
  ]
  expect(await read(`/sepolia/api/v2/trades?owner=${other}`)).toEqual(trades)
  expect(await read(`/sepolia/api/v1/trades?orderUid=${traded}`)).toEqual(trades)
})

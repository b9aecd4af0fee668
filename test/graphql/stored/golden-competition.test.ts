import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestServer, type TestServer } from '../../setup/server.ts'
import { request } from '../../setup/trader.ts'
import { max, names, storeGoldenRows } from './golden-rows.ts'

const { bare, traded, other, sell, buy, third, solver, loser, transaction } = names

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

const auction = { orders: [traded], prices: { [sell]: '0', [buy]: max, [third]: '7' } }
const lost = { id: bare, sellAmount: max, buyAmount: '1' }
const won = { id: traded, sellAmount: '410', buyAmount: '200' }
const last = { score: max, ranking: 2, clearingPrices: {}, isWinner: false, filteredOut: true }
const first = { score: '900', ranking: 1, clearingPrices: {}, isWinner: true, filteredOut: false }

test('a competition, worst solution first', async () => {
  const competition = {
    auctionId: 30,
    auctionStartBlock: 100,
    auctionDeadlineBlock: 103,
    transactionHashes: [transaction],
    referenceScores: { [solver]: '0' },
    auction,
    solutions: [
      {
        ...last,
        solverAddress: loser,
        orders: [{ ...lost, sellToken: sell, buyToken: buy }],
        txHash: null,
        referenceScore: null,
      },
      {
        ...first,
        solverAddress: solver,
        orders: [{ ...won, sellToken: sell, buyToken: buy }],
        txHash: transaction,
        referenceScore: '0',
      },
    ],
  }
  expect(await read('/sepolia/api/v2/solver_competition/30')).toEqual(competition)
  expect(await read(`/sepolia/api/v2/solver_competition/by_tx_hash/${transaction}`)).toEqual(competition)
})

test('a competition in the response of API version 1', async () => {
  expect(await read('/sepolia/api/v1/solver_competition/30')).toEqual({
    auctionId: 30,
    transactionHashes: [transaction],
    auctionStartBlock: 100,
    competitionSimulationBlock: 100,
    auction,
    solutions: [
      { ...last, solver: loser, solverAddress: loser, orders: [lost] },
      { ...first, solver, solverAddress: solver, orders: [won] },
    ],
  })
})

test('the newest competition may have no solutions', async () => {
  expect(await read('/sepolia/api/v2/solver_competition/latest')).toEqual({
    auctionId: 31,
    auctionStartBlock: 104,
    auctionDeadlineBlock: 107,
    transactionHashes: [],
    referenceScores: {},
    auction: { orders: [bare, traded], prices: {} },
    solutions: [],
  })
})

test('the status of an order in its competition', async () => {
  expect(await read(`/sepolia/api/v1/orders/${traded}/status`)).toEqual({
    type: 'traded',
    value: [
      { solver: loser, executedAmounts: null },
      { solver, executedAmounts: { sell: '410', buy: '200' } },
    ],
  })
})

test('notifications, newest first', async () => {
  const metadata = { orderId: traded, chainId: 11155111 }
  expect(await read(`/accounts/${other}/notifications`)).toEqual([
    {
      id: '6',
      account: other,
      type: 'order_cancelled',
      message: 'gone',
      timestamp: '2026-01-02T03:04:05.007Z',
      metadata: { ...metadata, reverted: true },
    },
    {
      id: '5',
      account: other,
      type: 'order_filled',
      message: 'all of "it"',
      timestamp: '2026-01-02T03:04:05Z',
      metadata: { ...metadata, executedAmount: '200', txHash: transaction },
    },
  ])
})

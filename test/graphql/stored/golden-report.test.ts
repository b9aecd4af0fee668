import { afterAll, beforeAll, expect, test } from 'vitest'
import { hookOutcomes } from '../../../src/domain/settlement/hooks.ts'
import { sql } from '../../../src/storage/database/database.ts'
import { enumOf } from '../../../src/storage/query/codec.ts'
import { toSql } from '../../../src/storage/query/sql-text.ts'
import { encodedId } from '../../fakes/node-id.ts'
import { openTestServer, type TestServer } from '../../setup/server.ts'
import { graphql } from '../../setup/trader.ts'
import { max, names, storeGoldenRows } from './golden-rows.ts'

const { traded, sell, buy, solver, loser, transaction, attempt } = names
const chain = 11155111
const tokenOf = (address: string) => ({ id: encodedId(`Token:${chain}:${address}`), address })

let server: TestServer
beforeAll(async () => {
  server = await openTestServer()
  await storeGoldenRows(server.database.db)
})
afterAll(() => server?.[Symbol.asyncDispose]())

const ask = (query: string) => graphql(server.url, query)

const orderEvents = [
  { label: 'CREATED', reason: null, detail: null, timestamp: '2026-01-02T03:04:05.678Z' },
  { label: 'INVALID', reason: 'BANNED_USER', detail: null, timestamp: '2026-01-02T03:04:06Z' },
  { label: 'CANCELLED', reason: 'POLICY', detail: 'he said "no" \\', timestamp: '2026-01-02T03:04:07.100Z' },
]

const attempts = [
  {
    solver,
    solutionUid: 0,
    startTimestamp: '2026-01-02T03:04:06Z',
    startBlock: 101,
    deadlineBlock: 103,
    txHash: transaction,
    endTimestamp: '2026-01-02T03:04:06.500Z',
    endBlock: 102,
    outcome: 'SUCCESS',
    detail: null,
  },
  // Of a solution without the order.
  {
    solver: loser,
    solutionUid: 1,
    startTimestamp: '2026-01-02T03:04:06.250Z',
    startBlock: 101,
    deadlineBlock: 103,
    txHash: null,
    endTimestamp: '2026-01-02T03:04:08Z',
    endBlock: 103,
    outcome: 'FAILED',
    detail: '"odd"',
  },
]
const attemptFields =
  'solver solutionUid startTimestamp startBlock deadlineBlock txHash endTimestamp endBlock outcome detail'

test('DebugReport with OrderEvent, Execution, FeePolicy and SettlementAttempt', async () => {
  const { order } = await ask(`{ order(uid: "${traded}") { debugReport { orderUid order { uid }
    events { nodes { label reason detail timestamp } }
    trades { nodes { id } }
    auctions { nodes { auctionId block deadline auction { auctionId } nativePrices { token { address } price }
      proposedSolutions { solutionUid ranking solver isWinner filteredOut score executedSell executedBuy }
      executions { executedFee executedFeeToken { id address } blockNumber protocolFees { token { id address } amount } }
      settlementAttempts { ${attemptFields} }
      feePolicies { __typename ... on SurplusFeePolicy { factor maxVolumeFactor } ... on VolumeFeePolicy { factor }
        ... on PriceImprovementFeePolicy { factor maxVolumeFactor } } } } } } }`)
  expect(order.debugReport).toEqual({
    orderUid: traded,
    order: { uid: traded },
    events: { nodes: orderEvents },
    trades: { nodes: [{ id: encodedId(`Trade:${chain}:102:7`) }, { id: encodedId(`Trade:${chain}:90:0`) }] },
    auctions: {
      nodes: [
        {
          auctionId: 30,
          block: 100,
          deadline: 103,
          auction: { auctionId: 30 },
          nativePrices: [
            { token: { address: sell }, price: '0' },
            { token: { address: buy }, price: max },
          ],
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
              executedFeeToken: tokenOf(buy),
              blockNumber: 102,
              protocolFees: [
                { token: tokenOf(buy), amount: '1' },
                { token: tokenOf(sell), amount: max },
                { token: tokenOf(buy), amount: '3' },
              ],
            },
          ],
          settlementAttempts: attempts,
          feePolicies: [
            { __typename: 'SurplusFeePolicy', factor: '0.5', maxVolumeFactor: '0.01' },
            { __typename: 'VolumeFeePolicy', factor: '0.0025' },
            { __typename: 'PriceImprovementFeePolicy', factor: '0.000001', maxVolumeFactor: '0' },
          ],
        },
        {
          auctionId: 31,
          block: 104,
          deadline: 107,
          auction: { auctionId: 31 },
          nativePrices: [],
          proposedSolutions: [],
          executions: [],
          settlementAttempts: [
            {
              solver,
              solutionUid: 0,
              startTimestamp: '2026-01-02T03:04:09Z',
              startBlock: 104,
              deadlineBlock: 107,
              txHash: attempt,
              endTimestamp: null,
              endBlock: null,
              outcome: null,
              detail: null,
            },
          ],
          feePolicies: [],
        },
      ],
    },
  })
})

test('a value of an enum that a later version wrote makes no row null', async () => {
  const outcomes = `(VALUES ('outOfGas'), ('of_later')) AS hc(outcome)`
  const text = toSql(enumOf('HookOutcome', hookOutcomes).text('hc.outcome', 'graphql'))
  const rows = await sql(server.database.db).$queryRawUnsafe(`SELECT ${text} AS text FROM ${outcomes}`)
  expect(rows).toEqual([{ text: '"OUT_OF_GAS"' }, { text: '"OF_LATER"' }])
})

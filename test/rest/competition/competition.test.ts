import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Bytes32 } from '../../../src/domain/evm/hex.ts'
import type { Order } from '../../../src/domain/order/order.ts'
import { startAttempt } from '../../../src/storage/auction/competition.ts'
import { coin, dollar, numbered, wrapped } from '../../fakes/order.ts'
import { indexedUpTo, type SampleSolution, storeContest, storeSettlement } from '../../fakes/solutions.ts'
import { storeOrder } from '../../fakes/story.ts'
import { network, openTestServer, type TestServer } from '../../setup/server.ts'
import { graphql, request } from '../../setup/trader.ts'

const solvers = { first: numbered('51'), second: numbered('52'), third: numbered('53') }
const hash = (digits: string): Bytes32 => `0x${digits.repeat(32)}` as const
const unit = 10n ** 18n

interface Stage {
  one: Order
  other: Order
}

/** Auction 20 was won by two solutions, one of which is settled; 21 is still under way. */
async function storeContests({ database: { db } }: TestServer): Promise<Stage> {
  const one = await storeOrder(db, { owner: numbered('1a') })
  const other = await storeOrder(db, {
    owner: numbered('1b'),
    sellToken: dollar,
    buyToken: coin,
    buyAmount: 5n,
  })
  await storeContest(db, {
    id: 20n,
    orders: [one, other],
    solutions: [
      {
        solver: solvers.first,
        score: 900n,
        isWinner: true,
        referenceScore: 500n,
        fills: [{ order: one, sell: unit, buy: 2_940n }],
      },
      {
        solver: solvers.second,
        score: 800n,
        isWinner: true,
        referenceScore: 0n,
        fills: [{ order: other, sell: 7n, buy: 6n }],
      },
      {
        solver: solvers.first,
        score: 700n,
        fills: [
          { order: one, sell: unit, buy: 2_930n },
          { order: other, sell: 7n, buy: 5n },
        ],
      },
      { solver: solvers.third, score: 950n, filteredOut: true, fills: [{ order: other, sell: 8n, buy: 8n }] },
    ],
  })
  await storeSettlement(db, {
    txHash: hash('2f'),
    blockNumber: 102,
    logIndex: 4,
    auctionId: 20n,
    solver: solvers.first,
    trades: [{ order: one, sell: unit, buy: 2_940n }],
  })
  await storeContest(db, {
    id: 21n,
    orders: [other],
    deadlineBlock: 110,
    solutions: [
      {
        solver: solvers.second,
        score: 1n,
        isWinner: true,
        referenceScore: 0n,
        fills: [{ order: other, sell: 7n, buy: 5n }],
      },
    ],
  })
  const attempt = { auctionId: 21n, solutionUid: 0, chainId: network.chainId, solver: solvers.second }
  await db.transaction((tx) =>
    startAttempt(tx, { ...attempt, startedAt: new Date(0), startBlock: 106, deadlineBlock: 110 }),
  )
  await indexedUpTo(db, 110)
  return { one, other }
}

let server: TestServer
let base: string
let stage: Stage

beforeAll(async () => {
  server = await openTestServer()
  base = `${server.url}/sepolia`
  stage = await storeContests(server)
})
afterAll(() => server?.[Symbol.asyncDispose]())

const read = (path: string, version = 'v2') => request(`${base}/api/${version}/solver_competition/${path}`)

describe('a competition', () => {
  test('has all its members, worst solution first', async () => {
    const { status, body } = await read('20')
    expect(status).toBe(200)
    const tokens = { sellToken: dollar, buyToken: coin }
    expect(body).toEqual({
      auctionId: 20,
      auctionStartBlock: 100,
      auctionDeadlineBlock: 103,
      transactionHashes: [hash('2f')],
      referenceScores: { [solvers.first]: '500', [solvers.second]: '0' },
      auction: {
        orders: [stage.one.uid, stage.other.uid],
        prices: {
          [wrapped]: '1000000000000000000',
          [dollar]: '333333333333333333333333333',
          [coin]: '166666666666666',
        },
      },
      solutions: [
        {
          solverAddress: solvers.third,
          score: '950',
          ranking: 4,
          clearingPrices: {},
          orders: [{ id: stage.other.uid, sellAmount: '8', buyAmount: '8', ...tokens }],
          isWinner: false,
          filteredOut: true,
          txHash: null,
          referenceScore: null,
        },
        {
          solverAddress: solvers.first,
          score: '700',
          ranking: 3,
          clearingPrices: {},
          orders: [
            {
              id: stage.one.uid,
              sellAmount: String(unit),
              buyAmount: '2930',
              sellToken: wrapped,
              buyToken: dollar,
            },
            { id: stage.other.uid, sellAmount: '7', buyAmount: '5', ...tokens },
          ],
          isWinner: false,
          filteredOut: false,
          txHash: null,
          referenceScore: null,
        },
        {
          solverAddress: solvers.second,
          score: '800',
          ranking: 2,
          clearingPrices: {},
          orders: [{ id: stage.other.uid, sellAmount: '7', buyAmount: '6', ...tokens }],
          isWinner: true,
          filteredOut: false,
          txHash: null,
          referenceScore: '0',
        },
        {
          solverAddress: solvers.first,
          score: '900',
          ranking: 1,
          clearingPrices: {},
          orders: [
            {
              id: stage.one.uid,
              sellAmount: String(unit),
              buyAmount: '2940',
              sellToken: wrapped,
              buyToken: dollar,
            },
          ],
          isWinner: true,
          filteredOut: false,
          txHash: hash('2f'),
          referenceScore: '500',
        },
      ],
    })
  })

  test('is found by its transaction hash, and the newest without an id', async () => {
    expect((await read(`by_tx_hash/${hash('2f').toUpperCase().replace('0X', '0x')}`)).body).toEqual(
      (await read('20')).body,
    )
    const latest = await read('latest')
    expect(latest.body).toMatchObject({
      auctionId: 21,
      transactionHashes: [],
      referenceScores: { [solvers.second]: '0' },
    })
    expect(latest.body).toEqual((await read('21')).body)
    expect((await request(`${base}/restricted/api/v2/solver_competition/20`)).body).toEqual(
      (await read('20')).body,
    )
  })

  test('has a v1 form', async () => {
    const { body } = await read('20', 'v1')
    expect(Object.keys(body)).toEqual([
      'auctionId',
      'transactionHashes',
      'auctionStartBlock',
      'competitionSimulationBlock',
      'auction',
      'solutions',
    ])
    expect(body.competitionSimulationBlock).toBe(100)
    expect(body.solutions.at(-1)).toEqual({
      solver: solvers.first,
      solverAddress: solvers.first,
      score: '900',
      ranking: 1,
      clearingPrices: {},
      orders: [{ id: stage.one.uid, sellAmount: String(unit), buyAmount: '2940' }],
      isWinner: true,
      filteredOut: false,
    })
  })

  test.each([
    ['v2', '99', 404, 'NotFound'],
    ['v1', '99', 404, 'NotFound'],
    ['v2', '9'.repeat(30), 404, 'NotFound'],
    ['v2', 'abc', 400, 'InvalidParameter'],
    ['v1', '-1', 400, 'InvalidParameter'],
    ['v2', `by_tx_hash/${hash('99')}`, 404, 'NotFound'],
    ['v1', 'by_tx_hash/0x12', 400, 'InvalidParameter'],
  ])('%s: %s is %i %s', async (version, path, status, errorType) => {
    const answer = await read(path, version)
    expect([answer.status, answer.body]).toEqual([status, { errorType, description: expect.any(String) }])
  })

  test('has the same values over GraphQL', async () => {
    const { latestAuction, auctionOfTransaction } = await graphql(
      server.url,
      `query ($hash: Bytes32!) {
        latestAuction { auctionId orderUids transactionHashes }
        auctionOfTransaction(hash: $hash) { auctionId solutions { ranking txHash orders { orderUid sellToken { symbol } } } }
      }`,
      { hash: hash('2f') },
    )
    expect(latestAuction).toEqual({ auctionId: 21, orderUids: [stage.other.uid], transactionHashes: [] })
    expect(auctionOfTransaction.solutions[0]).toEqual({
      ranking: 1,
      txHash: hash('2f'),
      orders: [{ orderUid: stage.one.uid, sellToken: { symbol: 'AAA' } }],
    })
  })
})

/** Members of v2 that v1 has too, and how v2 names the others. */
// biome-ignore lint/suspicious/noExplicitAny: an untyped response
function projection({ auctionDeadlineBlock: _, referenceScores: __, solutions, ...same }: any) {
  return {
    ...same,
    competitionSimulationBlock: same.auctionStartBlock,
    // biome-ignore lint/suspicious/noExplicitAny: an untyped response
    solutions: solutions.map(({ txHash: _, referenceScore: __, orders, ...solution }: any) => ({
      ...solution,
      solver: solution.solverAddress,
      // biome-ignore lint/suspicious/noExplicitAny: an untyped response
      orders: orders.map(({ sellToken: _, buyToken: __, ...order }: any) => order),
    })),
  }
}

describe('for any proposed solutions', () => {
  const amount = fc.bigInt(0n, 2n ** 256n - 1n)
  const anySolution = fc.record({
    solver: fc.constantFrom(...Object.values(solvers)),
    score: amount,
    isWinner: fc.boolean(),
    filteredOut: fc.boolean(),
    referenceScore: amount,
    fills: fc.subarray(['one', 'other'] as const),
    sell: amount,
    buy: amount,
  })

  test('v1 is v2 with fewer members, from as many statements', async () => {
    let id = 1_000n
    const counts = new Set<number>()
    const property = fc.asyncProperty(
      fc.array(anySolution, { minLength: 1, maxLength: 12 }),
      async (proposed) => {
        id++
        const solutions: SampleSolution[] = proposed.map(
          ({ fills, sell, buy, referenceScore, ...solution }) => ({
            ...solution,
            ...(solution.isWinner && { referenceScore }),
            fills: fills.map((name) => ({ order: stage[name], sell, buy })),
          }),
        )
        await storeContest(server.database.db, { id, orders: [stage.one, stage.other], solutions })
        const before = server.database.statements.length
        const second = await read(String(id))
        counts.add(server.database.statements.length - before)
        expect(second.body.solutions).toHaveLength(proposed.length)
        expect((await read(String(id), 'v1')).body).toEqual(projection(second.body))
        expect((await read('latest', 'v1')).body).toEqual(projection((await read('latest')).body))
      },
    )
    await fc.assert(property, { numRuns: 15 })
    const byHash = `by_tx_hash/${hash('2f')}`
    expect((await read(byHash, 'v1')).body).toEqual(projection((await read(byHash)).body))
    expect([...counts]).toEqual([1])
  })
})

describe('where competitions are hidden until their deadline', () => {
  let hiding: TestServer
  beforeAll(async () => {
    hiding = await openTestServer({}, { hidesCompetitions: true })
    await storeContests(hiding)
  })
  afterAll(() => hiding?.[Symbol.asyncDispose]())

  test('it is unknown, except to the operator, and the newest is the newest visible', async () => {
    const at = `${hiding.url}/sepolia`
    for (const version of ['v1', 'v2']) {
      expect((await request(`${at}/api/${version}/solver_competition/21`)).status).toBe(404)
      expect((await request(`${at}/api/${version}/solver_competition/latest`)).body.auctionId).toBe(20)
      expect((await request(`${at}/api/${version}/solver_competition/20`)).status).toBe(200)
    }
    const response = await request(`${at}/restricted/api/v2/solver_competition/21`)
    expect([response.status, response.body.solutions.length]).toEqual([200, 1])
    const ofOrder = `query ($uid: OrderUid!) { order(uid: $uid) { auctions { nodes { auctionId solutions { ranking } settlementAttempts { solver } } } } }`
    const { other } = stage
    expect((await graphql(hiding.url, ofOrder, { uid: other.uid })).order.auctions.nodes).toEqual([
      { auctionId: 20, solutions: [1, 2, 3, 4].map((ranking) => ({ ranking })), settlementAttempts: [] },
      { auctionId: 21, solutions: [], settlementAttempts: [] },
    ])

    await indexedUpTo(hiding.database.db, 111, 110)
    expect((await request(`${at}/api/v2/solver_competition/latest`)).body.auctionId).toBe(21)
    expect((await graphql(hiding.url, ofOrder, { uid: other.uid })).order.auctions.nodes[1]).toEqual({
      auctionId: 21,
      solutions: [{ ranking: 1 }],
      settlementAttempts: [{ solver: solvers.second }],
    })
  })
})

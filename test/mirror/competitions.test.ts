import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { App } from '../../src/app/app.ts'
import { zeroAddress } from '../../src/domain/evm/address.ts'
import { sql } from '../../src/storage/database/database.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { eventually } from '../setup/eventually.ts'
import { createTrader, graphql, request } from '../setup/trader.ts'
import { startProgram, startWorld, unlimited, type World } from '../setup/world.ts'

/** An order book of its own (A), and a service that follows it (B), over one chain. */
let book: World
let database: TestDatabase
let follower: App
let atBook: ReturnType<typeof createTrader>

const startFollower = () =>
  startProgram(
    { database, chain: book.chain },
    { ...unlimited, METRICS_PORT: '0' },
    {
      roles: ['serve', 'index'],
      networks: [
        {
          network: { ...book.market.network, poolFactory: zeroAddress, baseTokens: [] },
          rpcUrl: book.chain.rpcUrl,
          orderBook: { url: `${book.url}/${book.market.network.name}`, callsPerMinute: 1_000_000 },
        },
      ],
    },
  )

beforeAll(async () => {
  ;[book, database] = await Promise.all([startWorld(), createTestDatabase()])
  // Numbers of the follower's own auctions would be others.
  await sql(database.db).$executeRaw`SELECT setval('auction_ids', 5000)`
  follower = await startFollower()
  atBook = createTrader(book.url, book.market)
})
afterAll(async () => {
  await follower?.close()
  await database?.[Symbol.asyncDispose]()
  await book?.[Symbol.asyncDispose]()
})

let amount = 10n ** 16n

/** Places an order that is filled, and waits for its trade at the order book. @returns its UID */
async function fill(): Promise<string> {
  const { body: uid } = await atBook.place({ sell: 'WETH', buy: 'USDC', sellAmount: ++amount, buyAmount: 1n })
  await eventually('the order is filled', async () => (await atBook.order(uid)).status === 'fulfilled')
  return uid
}

/** Numbers of all competitions that the order book has stored. */
async function numbers(): Promise<bigint[]> {
  const rows = await sql(book.database.db).auction.findMany({ orderBy: { id: 'asc' } })
  return rows.map(({ id }) => id)
}

const storedHere = async () => (await sql(database.db).auction.findMany()).length

const everyField = `{
  auctionId block deadline orderUids transactionHashes
  nativePrices { price token { address } }
  orders(first: 50) { nodes { uid } }
  solutions { solutionUid ranking solver isWinner filteredOut score referenceScore txHash
    orders { orderUid executedSell executedBuy sellToken { address } buyToken { address } order { uid } } }
  settlements { solver txHash blockNumber solutionUid auctionId score gasUsed isComplete
    trades { orderUid sellAmount buyAmount auctionId auction { auctionId } } }
}`

/** Waits until every settled competition has its settlements here as there. */
async function caughtUp(): Promise<bigint[]> {
  const settled = (world: { db: World['database']['db'] }) =>
    sql(world.db).settlement.count({ where: { auctionId: { not: null }, isUnread: false } })
  await eventually(
    'every competition is mirrored',
    async () => (await storedHere()) === (await numbers()).length,
  )
  await eventually(
    'every settlement is attributed',
    async () => (await settled(database)) === (await settled(book.database)),
  )
  return numbers()
}

async function expectEqual(ids: readonly bigint[]): Promise<void> {
  const name = book.market.network.name
  const at = [`${book.url}/${name}`, `${follower.url}/${name}`]
  for (const id of ids) {
    for (const version of ['v1', 'v2']) {
      const [there, here] = await Promise.all(
        at.map((base) => request(`${base}/api/${version}/solver_competition/${id}`)),
      )
      expect(there?.status).toBe(200)
      expect({ status: here?.status, body: here?.body }).toEqual({ status: 200, body: there?.body })
    }
    const query = `{ auction(id: ${id}) ${everyField} }`
    const [there, here] = await Promise.all([graphql(book.url, query), graphql(follower.url ?? '', query)])
    expect(here).toEqual(there)
  }
}

describe('competitions of an order book', () => {
  test('are equal field by field, over REST and GraphQL, from the own database', async () => {
    for (let count = 0; count < 3; count++) await fill()
    const ids = await caughtUp()
    expect(ids.length).toBeGreaterThanOrEqual(3)
    await expectEqual(ids)
    const { stored, contradicts } = await outcomes()
    expect(stored).toBe(ids.length)
    expect(contradicts).toBe(0)
  })

  test('are found by their transaction, and by their order', async () => {
    const uid = await fill()
    await caughtUp()
    const name = book.market.network.name
    const [{ txHash }] = (await request(`${atBook.base}/api/v2/trades?orderUid=${uid}`)).body
    const path = `/${name}/api/v2/solver_competition/by_tx_hash/${txHash}`
    const there = await request(`${book.url}${path}`)
    expect((await request(`${follower.url}${path}`)).body).toEqual(there.body)
    const report = `{ order(uid: "${uid}") {
      trades { nodes { auctionId auction { auctionId block } } }
      debugReport { auctions { nodes { auctionId block deadline nativePrices { price token { address } }
        proposedSolutions { solutionUid ranking solver isWinner score executedSell executedBuy }
        executions { executedFee blockNumber } } } } } }`
    const [atA, atB] = [await graphql(book.url, report), await graphql(follower.url ?? '', report)]
    expect(atB.order.trades).toEqual(atA.order.trades)
    expect(atB.order.trades.nodes[0].auctionId).toBe(there.body.auctionId)
    expect(atB.order.debugReport).toEqual(atA.order.debugReport)
  })
})

/** The counters of competitions in the follower's database's words. */
async function outcomes(): Promise<Record<string, number>> {
  const { body } = await request(`${follower.metricsUrl}/metrics`)
  const count = (outcome: string) =>
    Number(
      new RegExp(
        `tradegraph_mirrored_competitions_total\\{network="sepolia",outcome="${outcome}"\\} (\\d+)`,
      ).exec(body)?.[1] ?? 0,
    )
  return { stored: count('stored'), contradicts: count('contradicts'), malformed: count('malformed') }
}

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { App } from '../../src/app/app.ts'
import { zeroAddress } from '../../src/domain/evm/address.ts'
import { sql } from '../../src/storage/database/database.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { eventually } from '../setup/eventually.ts'
import { createTrader, graphql, request } from '../setup/trader.ts'
import { countCompetitions, startProgram, startWorld, unlimited, type World } from '../setup/world.ts'

/** An order book of its own (A), and a service that follows it (B), over one chain. */
let book: World
let database: TestDatabase
let follower: App
let atBook: ReturnType<typeof createTrader>

const startFollower = (database: TestDatabase, url = `${book.url}/${book.market.network.name}`) =>
  startProgram(
    { database, chain: book.chain },
    { ...unlimited, METRICS_PORT: '0' },
    {
      roles: ['serve', 'index'],
      networks: [
        {
          network: { ...book.market.network, poolFactory: zeroAddress, baseTokens: [] },
          rpcUrl: book.chain.rpcUrl,
          orderBook: { url, callsPerMinute: 1_000_000 },
        },
      ],
    },
  )

beforeAll(async () => {
  ;[book, database] = await Promise.all([
    startWorld({ environment: { AUCTION_HIDE_COMPETITIONS: 'true' } }),
    createTestDatabase(),
  ])
  // Numbers of the follower's own auctions would be others.
  await sql(database.db).$executeRaw`SELECT setval('auction_ids', 5000)`
  follower = await startFollower(database)
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
  test('are equal field by field, over REST and GraphQL, once their deadline has passed', async () => {
    for (let count = 0; count < 3; count++) await fill()
    const ids = await caughtUp()
    expect(ids.length).toBeGreaterThanOrEqual(3)
    await expectEqual(ids)
    expect(await countCompetitions(follower, 'stored')).toBe(ids.length)
    expect(await countCompetitions(follower, 'contradicts')).toBe(0)
  })

  test('are found by their transaction, and by their order', async () => {
    const uid = await fill()
    await caughtUp()
    const hash = await transactionOf(uid)
    const path = `/${book.market.network.name}/api/v2/solver_competition/by_tx_hash/${hash}`
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

  test('that were held while the follower was down are read newest first', async () => {
    await caughtUp()
    await follower.close()
    for (let count = 0; count < 4; count++) await fill()
    follower = await startFollower(database)
    await expectEqual((await caughtUp()).slice(-5))
  })
})

describe('an order book that errs', () => {
  /** Answers of its own by path; all others are those of the order book. */
  const own = new Map<string, unknown>()
  const calls: string[] = []
  const relay = createServer(async (req, res) => {
    const path = req.url ?? ''
    calls.push(path)
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk as Buffer)
    const sent = { method: req.method ?? 'GET', headers: { 'content-type': 'application/json' } }
    const answer = own.has(path)
      ? Response.json(own.get(path))
      : await fetch(`${book.url}/${book.market.network.name}${path}`, {
          ...sent,
          ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
        })
    res.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
  })
  let mirrored: TestDatabase
  let erring: App | undefined

  beforeAll(async () => {
    await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve))
    mirrored = await createTestDatabase()
  })
  afterAll(async () => {
    await erring?.close()
    relay.close()
    await mirrored?.[Symbol.asyncDispose]()
  })

  test('is not believed against the chain, and what it writes wrong stops nothing', async () => {
    const pathOf = (id: number) => `/api/v2/solver_competition/${id}`
    const base = `${book.url}/${book.market.network.name}`
    const [first, second, third] = [await fill(), await fill(), await fill()]
    // The newest is read by another path.
    await fill()
    const ids = await caughtUp()
    const competitionOf = async (uid: string) => {
      const hash = await transactionOf(uid)
      const { body } = await request(`${base}/api/v2/solver_competition/by_tx_hash/${hash}`)
      return { hash, body, id: body.auctionId as number }
    }
    const [one, two, other] = [
      await competitionOf(first),
      await competitionOf(second),
      await competitionOf(third),
    ]
    const settling = (body: typeof one.body, change: object) => ({
      ...body,
      solutions: body.solutions.map((solution: { txHash: string | null }) =>
        solution.txHash === null ? solution : { ...solution, ...change },
      ),
    })
    // Another solver than on chain; a transaction of another auction; no competition at all.
    own.set(pathOf(one.id), settling(one.body, { solverAddress: `0x${'5b'.repeat(20)}` }))
    own.set(pathOf(two.id), settling(two.body, { txHash: one.hash }))
    own.set(pathOf(other.id), { ...other.body, solutions: [{ score: -1 }] })
    const port = (relay.address() as AddressInfo).port
    erring = await startFollower(mirrored, `http://127.0.0.1:${port}`)
    const program = erring
    await eventually(
      'all but one are stored',
      async () => (await sql(mirrored.db).auction.count()) === ids.length - 1,
    )
    await eventually('settlements are read again', async () => {
      const rows = await sql(mirrored.db).settlement.findMany()
      return rows.length >= 3 && rows.every(({ isUnread }) => !isUnread)
    })
    await eventually(
      'contradictions are counted',
      async () => (await countCompetitions(program, 'contradicts')) === 2,
    )
    await eventually(
      'the malformed one is given up',
      async () => (await countCompetitions(program, 'malformed')) === 3,
    )
    const here = `${program.url}/${book.market.network.name}`
    const shown = (await request(`${here}${pathOf(one.id)}`)).body
    expect(shown.transactionHashes).toEqual([])
    expect(shown.solutions.map(({ txHash }: { txHash: string | null }) => txHash)).toEqual(
      shown.solutions.map(() => null),
    )
    expect((await request(`${here}${pathOf(two.id)}`)).body).toEqual(two.body)
    const query = `{ settlementsOfTransaction(hash: "${one.hash}") { auctionId solver } }`
    const [settlement] = (await graphql(program.url ?? '', query)).settlementsOfTransaction
    expect(settlement).toEqual({ auctionId: null, solver: expect.not.stringMatching(/5b5b/) })
    expect((await request(`${here}/api/v1/orders/${first}`)).body.status).toBe('fulfilled')
  })

  test('is not called for a competition that is stored', async () => {
    const [id] = await numbers()
    calls.length = 0
    const path = `/api/v2/solver_competition/${id}`
    const base = `${erring?.url}/${book.market.network.name}`
    expect((await request(`${base}${path}`)).status).toBe(200)
    expect(calls).not.toContain(path)
    expect((await request(`${base}/api/v2/solver_competition/999999`)).status).toBe(404)
    expect(calls).toContain('/api/v2/solver_competition/999999')
  })
})

async function transactionOf(uid: string): Promise<string> {
  const { body } = await request(`${atBook.base}/api/v2/trades?orderUid=${uid}`)
  return body[0].txHash
}

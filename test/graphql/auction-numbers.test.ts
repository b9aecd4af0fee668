import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTradingNetworks, type TradingServices } from '../../src/graphql/context/networks.ts'
import { insertMirroredCompetition } from '../../src/storage/auction/mirrored-competition.ts'
import { sql } from '../../src/storage/database/database.ts'
import { numbered } from '../fakes/order.ts'
import { network, openTestServer, type TestServer } from '../setup/server.ts'
import { graphql, request } from '../setup/trader.ts'

/** Two networks that follow order books, and one whose auctions are held here. */
const gnosis = { ...network, chainId: 100, name: 'gnosis' }
const base = { ...network, chainId: 2_147_483_647, name: 'base' }

let server: TestServer

beforeAll(async () => {
  const services = (of: typeof network) =>
    ({ network: of, tokens: async () => new Map() }) as unknown as TradingServices
  server = await openTestServer(
    {},
    { networks: createTradingNetworks([network, gnosis, base].map(services)) },
  )
  const { db } = server.database
  const mirror = (chainId: number, number: bigint, block: number) =>
    db.transaction((tx) =>
      insertMirroredCompetition(tx, {
        chainId,
        number,
        block,
        deadlineBlock: block + 3,
        orders: [],
        nativePrices: new Map(),
        solutions: [
          {
            uid: 0,
            ranking: 1,
            solver: numbered('51'),
            isWinner: true,
            filteredOut: false,
            score: 1n,
            referenceScore: null,
            txHash: null,
            executions: [],
            clearingPrices: new Map(),
          },
        ],
      }),
    )
  await mirror(gnosis.chainId, 7n, 70)
  await mirror(base.chainId, 7n, 71)
  await mirror(base.chainId, 8n, 81)
  const own = { chainId: network.chainId, block: 82n, deadlineBlock: 85n }
  await sql(db).auction.createMany({ data: [8n, 9n].map((id) => ({ ...own, id })) })
})
afterAll(() => server?.[Symbol.asyncDispose]())

const blockOf = async (id: number, name?: string) => {
  const named = name === undefined ? '' : `, network: "${name}"`
  return (await graphql(server.url, `{ auction(id: ${id}${named}) { auctionId block } }`)).auction
}

test('auctions of one number differ by their network, over GraphQL and REST', async () => {
  expect(await blockOf(7, 'gnosis')).toEqual({ auctionId: 7, block: 70 })
  expect(await blockOf(7, 'base')).toEqual({ auctionId: 7, block: 71 })
  expect(await blockOf(7, 'sepolia')).toBeNull()
  for (const [name, block] of [
    ['gnosis', 70],
    ['base', 71],
  ]) {
    const { body } = await request(`${server.url}/${name}/api/v2/solver_competition/7`)
    expect([body.auctionId, body.auctionStartBlock]).toEqual([7, block])
  }
})

test('without a network a number finds the auction that is held here, or the only one', async () => {
  expect(await blockOf(8)).toEqual({ auctionId: 8, block: 82 })
  expect(await blockOf(9)).toEqual({ auctionId: 9, block: 82 })
  expect(await blockOf(7)).toBeNull()
  await sql(server.database.db).auction.deleteMany({ where: { chainId: gnosis.chainId } })
  expect(await blockOf(7)).toEqual({ auctionId: 7, block: 71 })
})

test('a node of a followed network is found again, with a key beyond the safe integers', async () => {
  const query = '{ auction(id: 8, network: "base") { id solutions { id } } }'
  const { auction } = await graphql(server.url, query)
  const node = (id: string) =>
    graphql(server.url, `{ node(id: "${id}") { ... on Auction { block } ... on Solution { solver } } }`)
  expect((await node(auction.id)).node).toEqual({ block: 81 })
  expect((await node(auction.solutions[0].id)).node).toEqual({ solver: numbered('51') })
})

test.each([2 ** 31, 2 ** 53 - 1])('a number that no order book gives is not known: %d', async (id) => {
  expect(await blockOf(id, 'base')).toBeNull()
  expect((await request(`${server.url}/base/api/v2/solver_competition/${id}`)).status).toBe(404)
})

import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Order } from '../../src/domain/order/order.ts'
import { numbered } from '../fakes/order.ts'
import { storeContest } from '../fakes/solutions.ts'
import { storeOrder } from '../fakes/story.ts'
import { openTestServer, type TestServer } from '../setup/server.ts'

const auctionId = 9n
let server: TestServer
const orders: Order[] = []

/** Four orders in one auction; one solution trades each of them at different amounts. */
beforeAll(async () => {
  server = await openTestServer()
  const { db } = server.database
  for (let index = 0; index < 4; index++) {
    orders.push(await storeOrder(db, { owner: numbered('0f'), buyAmount: BigInt(index + 1) }))
  }
  const fills = orders.map((order, index) => ({
    order,
    sell: 100n + BigInt(index),
    buy: 200n + BigInt(index),
  }))
  await storeContest(db, {
    id: auctionId,
    orders,
    solutions: [{ solver: numbered('51'), score: 7n, isWinner: true, fills }],
  })
})
afterAll(() => server[Symbol.asyncDispose]())

interface Report {
  order: {
    uid: string
    debugReport: {
      orderUid: string
      auctions: {
        nodes: { auctionId: number; proposedSolutions: { executedSell: string; executedBuy: string }[] }[]
      }
    }
  }
}

const report = gql`
  query ($uid: OrderUid!) {
    order(uid: $uid) {
      id
      uid
      debugReport {
        orderUid
        auctions {
          nodes {
            auctionId
            auction {
              id
              block
              solutions {
                id
                solver
              }
            }
            proposedSolutions {
              solver
              executedSell
              executedBuy
            }
          }
        }
      }
    }
  }
`

test('a client cache that normalises by type and id keeps a separate report for each order', async () => {
  const client = new ApolloClient({
    link: new HttpLink({ uri: `${server.url}/graphql` }),
    cache: new InMemoryCache(),
  })
  const ask = (uid: string, fetchPolicy: 'network-only' | 'cache-only') =>
    client.query<Report>({ query: report, variables: { uid }, fetchPolicy })
  for (const { uid } of orders) await ask(uid, 'network-only')
  for (const [index, { uid }] of orders.entries()) {
    const { data } = await ask(uid, 'cache-only')
    expect(data?.order).toMatchObject({ uid, debugReport: { orderUid: uid } })
    expect(data?.order.debugReport.auctions.nodes).toMatchObject([
      {
        auctionId: Number(auctionId),
        proposedSolutions: [{ executedSell: String(100 + index), executedBuy: String(200 + index) }],
      },
    ])
  }
  // The four orders share the auction and its solution.
  const kept = Object.keys(client.cache.extract() as Record<string, unknown>)
  const kinds = kept.map((key) => key.split(':')[0])
  expect(kinds.filter((kind) => kind === 'Auction')).toHaveLength(1)
  expect(kinds.filter((kind) => kind === 'Solution')).toHaveLength(1)
  expect(kinds.filter((kind) => kind === 'Order')).toHaveLength(orders.length)
  expect(kinds).not.toContain('AuctionReport')
  client.stop()
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Order } from '../../../src/domain/order/order.ts'
import { storeOrder } from '../../fakes/story.ts'
import { connectDirectly } from '../../setup/database.ts'
import { openTestServer, type TestServer } from '../../setup/server.ts'

const count = 450

let server: TestServer
let order: Order
beforeAll(async () => {
  server = await openTestServer()
  order = await storeOrder(server.database.db)
  await storeAuctions(server, order)
})
afterAll(() => server?.[Symbol.asyncDispose]())

async function storeAuctions({ database }: TestServer, { id }: Order): Promise<void> {
  await using client = await connectDirectly(database.url)
  await client.query(
    `INSERT INTO auctions (id, chain_id, block, deadline_block) SELECT n, 11155111, n, n + 5 FROM generate_series(1, ${count}) n`,
  )
  await client.query(
    'INSERT INTO auction_orders (order_id, auction_id) SELECT $1::bigint, id FROM auctions',
    [id],
  )
}

/** A report's auctions, and the target of its link. */
async function read(address: string | URL) {
  const response = await fetch(address)
  expect(response.status).toBe(200)
  const body = (await response.json()) as { auctions: { id: number }[] }
  const [, reference] = /^<([^>]*)>; rel="next"$/.exec(response.headers.get('link') ?? '') ?? []
  return {
    ids: body.auctions.map(({ id }) => id),
    next: reference === undefined ? undefined : new URL(reference, address),
    exposed: response.headers.get('access-control-expose-headers')?.split(', '),
  }
}

const reportAt = (url: string, search = '') => `${url}/sepolia/api/v1/debug/order/${order.uid}${search}`
const ascending = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index)

test('a report has the newest 200 auctions, and its links lead to all others, each once', async () => {
  const first = await read(reportAt(server.url))
  expect(first.ids).toEqual(ascending(251, 450))
  expect(first.exposed).toContain('Link')
  const second = await read(first.next ?? '')
  expect(second.ids).toEqual(ascending(51, 250))
  const last = await read(second.next ?? '')
  expect(last.ids).toEqual(ascending(1, 50))
  expect(last.next).toBeUndefined()
})

test('there is no link where the auctions end with the page', async () => {
  expect(await read(reportAt(server.url, '?auctionsBefore=201'))).toMatchObject({
    ids: ascending(1, 200),
    next: undefined,
  })
  expect(await read(reportAt(server.url, '?auctionsBefore=1'))).toMatchObject({ ids: [], next: undefined })
})

test.each(['', 'last', '-1', '1.5', '1'.repeat(19)])(
  'auctionsBefore=%s is refused, naming the parameter',
  async (value) => {
    const response = await fetch(reportAt(server.url, `?auctionsBefore=${value}`))
    expect([response.status, await response.json()]).toEqual([
      400,
      { errorType: 'InvalidParameter', description: 'auctionsBefore must be the id of an auction' },
    ])
  },
)

test('a deployment sets how many auctions a report has', async () => {
  await using few = await openTestServer({}, { reportAuctions: 2 })
  const { uid } = await storeOrder(few.database.db)
  expect(uid).toBe(order.uid)
  await storeAuctions(few, order)
  const { ids, next } = await read(reportAt(few.url))
  expect([ids, next?.search]).toEqual([[449, 450], '?auctionsBefore=449'])
})

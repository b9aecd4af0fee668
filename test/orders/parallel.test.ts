import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectDirectly } from '../setup/database.ts'
import { createTrader, request } from '../setup/trader.ts'
import { startWorld, type World } from '../setup/world.ts'

const ether = 10n ** 18n

let world: World
let client: Awaited<ReturnType<typeof connectDirectly>>
beforeAll(async () => {
  world = await startWorld({ roles: ['serve'] })
  client = await connectDirectly(world.database.url)
  const { url, market } = world
  const { address, base } = createTrader(url, market)
  const pair = { sellToken: market.tokens.WETH.address, buyToken: market.tokens.USDC.address }
  const quote = { ...pair, kind: 'sell', sellAmountBeforeFee: ether.toString(), from: address }
  // Every order finds this quote: none needs its own.
  expect((await request(`${base}/api/v1/quote`, 'POST', quote)).status).toBe(200)
})
afterAll(async () => {
  await client.end()
  await world[Symbol.asyncDispose]()
})

async function storedRows(uids: string[]): Promise<{ orders: number; created: number; quotes: number }> {
  const { rows } = await client.query(
    `SELECT count(DISTINCT o.id)::int AS orders, count(e.id)::int AS created, count(q.order_id)::int AS quotes
     FROM orders o LEFT JOIN order_events e ON e.order_id = o.id AND e.label = 'created'
     LEFT JOIN order_quotes q ON q.order_id = o.id WHERE '0x' || encode(o.uid, 'hex') = ANY($1)`,
    [uids],
  )
  return rows[0]
}

test('of a hundred concurrent submissions of one order, one creates it', async () => {
  const trader = createTrader(world.url, world.market)
  const order = await trader.sign({ sell: 'WETH', buy: 'USDC', sellAmount: ether, buyAmount: 1n })
  const answers = await Promise.all(
    Array.from({ length: 100 }, () => request(`${trader.base}/api/v1/orders`, 'POST', order)),
  )
  const [created, ...more] = answers.filter(({ status }) => status === 201)
  expect(more).toEqual([])
  const refused = answers.filter((answer) => answer !== created)
  expect(new Set(refused.map(({ status, body }) => `${status} ${body.errorType}`))).toEqual(
    new Set(['400 DuplicatedOrder']),
  )
  expect(refused).toHaveLength(99)
  expect(await storedRows([created?.body])).toEqual({ orders: 1, created: 1, quotes: 1 })
})

test('a hundred concurrent orders of several traders are all accepted', async () => {
  const traders = [0, 1, 2].map((account) => createTrader(world.url, world.market, account))
  const placed = await Promise.all(
    Array.from({ length: 100 }, async (_, index) => {
      const trader = traders[index % 3] ?? traders[0]
      const answer = await trader?.place({
        sell: 'WETH',
        buy: 'USDC',
        sellAmount: ether,
        buyAmount: BigInt(2 + index),
      })
      return { index, trader, answer }
    }),
  )
  expect(new Set(placed.map(({ answer }) => answer?.status))).toEqual(new Set([201]))
  const uids = placed.map(({ answer }) => String(answer?.body))
  expect(await storedRows(uids)).toEqual({ orders: 100, created: 100, quotes: 100 })
  for (const { index, trader, answer } of placed.slice(-3)) {
    expect(await trader?.order(answer?.body)).toMatchObject({
      owner: trader?.address.toLowerCase(),
      buyAmount: String(2 + index),
    })
  }
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import type { z } from 'zod'
import {
  competitionSchema,
  competitionV1Schema,
  debugReport,
  notifications,
  order,
  orderProgress,
  orders,
  trades,
} from '../../../src/rest/openapi/body-schemas.ts'
import { describedRows } from '../../../src/rest/openapi/document.ts'
import { eventually } from '../../setup/eventually.ts'
import { createTrader, request } from '../../setup/trader.ts'
import { startWorld, type World } from '../../setup/world.ts'
import { replay } from './replay.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())

function expectToFit(schema: z.ZodType, body: unknown): void {
  expect(schema.parse(body)).toEqual(body)
}

test.each([
  ['quote', 'sell'],
  ['nativePrice', 'usdc'],
  ['usdPrice', 'native'],
  ['usdPrice', 'usdc'],
  ['topHolders', 'usdc'],
  ['tokenDetails', 'usdc'],
])('the local stack answers %s as written in the example “%s”', async (id, name) => {
  const described = describedRows().find(({ operation }) => operation.id === id)
  const example = described?.operation.examples[name]
  const schema = described?.operation.answers[200]?.schema
  if (!described || !example || !schema) throw new Error('there is no such example')
  const { body } = await eventually('it knows', async () => {
    const answer = await replay(world.url, described, example)
    return answer.status === 200 && answer
  })
  expectToFit(schema, body)
})

test('responses about an order that was quoted, placed and settled fit the document', async () => {
  const trader = createTrader(world.url, world.market)
  const { body: uid, status } = await trader.place({
    sell: 'WETH',
    buy: 'USDC',
    sellAmount: 10n ** 17n,
    buyAmount: 200n * 10n ** 6n,
  })
  expect(status).toBe(201)
  await eventually('it is settled', async () => (await trader.order(uid)).status === 'fulfilled')
  const { body: report } = await request(`${trader.base}/api/v1/debug/order/${uid}`)
  const { txHash } = report.trades[0]
  const forms: [string, z.ZodType][] = [
    [`/v1/orders/${uid}`, order],
    [`/v1/debug/order/${uid}`, debugReport],
    [`/v1/orders/${uid}/status`, orderProgress],
    [`/v1/account/${trader.address}/orders`, orders],
    [`/v1/transactions/${txHash}/orders`, orders],
    [`/v2/trades?owner=${trader.address}`, trades],
    [`/v1/solver_competition/by_tx_hash/${txHash}`, competitionV1Schema],
    [`/v2/solver_competition/by_tx_hash/${txHash}`, competitionSchema],
  ]
  for (const [path, schema] of forms) {
    const answer = await request(`${trader.base}/api${path}`)
    expect([path, answer.status]).toEqual([path, 200])
    expectToFit(schema, answer.body)
  }
  expectToFit(notifications, await trader.notifications())
})

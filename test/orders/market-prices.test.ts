import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Order } from '../../src/domain/order/order.ts'
import { sql } from '../../src/storage/database/database.ts'
import { numbered } from '../fakes/order.ts'
import { graphql } from '../setup/trader.ts'
import { at, openStage, type Stage, time, unit } from './diagnosis/stage.ts'

/** What the market gave for an order is told until the order ended. */

let stage: Stage
const [sellToken, buyToken] = [numbered('c1'), numbered('d1')]
beforeAll(async () => {
  stage = await openStage()
  for (const token of [sellToken, buyToken])
    await stage.prices(
      token,
      [-900, -600, -300, 0].map((seconds) => [seconds, 10n]),
    )
})
afterAll(() => stage?.server[Symbol.asyncDispose]())

const place = (more: Partial<Order> = {}) =>
  stage.order({ sellToken, buyToken, creationDate: at(-700), ...more })

async function happens(order: Order, label: string, seconds: number, data: object): Promise<Order> {
  await sql(stage.db).orderEvent.create({ data: { orderId: order.id, label, timestamp: at(seconds) } })
  await sql(stage.db).order.update({ where: { id: order.id }, data })
  return order
}

async function seconds({ uid }: Order): Promise<number[]> {
  const question = `{ order(uid: "${uid}") { marketPrices(first: 10) { nodes { at } } } }`
  const { nodes } = (await graphql(stage.server.url, question)).order.marketPrices
  return nodes.map((node: { at: string }) => (Date.parse(node.at) - time) / 1_000)
}

test.each([
  ['an open one', () => place(), [0, -300, -600]],
  ['one that expired', () => place({ effectiveValidTo: time / 1_000 - 300 }), [-300, -600]],
  [
    'one that was cancelled',
    async () => happens(await place(), 'cancelled', -310, { cancelledAt: at(-310) }),
    [-600],
  ],
  [
    'one that was filled, whatever came after',
    async () => {
      const filled = { executedSell: `${unit}`, executedBuy: '2900000000' }
      const order = await happens(await place({ sellAmount: unit }), 'traded', -299, filled)
      return happens(order, 'refunded', -1, {})
    },
    [-300, -600],
  ],
  [
    'one that was filled in part',
    async () => happens(await place(), 'traded', -299, { executedSell: '1', executedBuy: '1' }),
    [0, -300, -600],
  ],
])('of %s', async (_, make, expected) => {
  expect(await seconds(await make())).toEqual(expected)
})

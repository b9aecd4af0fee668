import { readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DevManifest } from '../../src/dev/home/home.ts'
import { describeMarket } from '../../src/dev/market/market.ts'
import { startDev } from '../setup/dev.ts'
import { eventually } from '../setup/eventually.ts'
import { createTemporaryHome, removeTemporaryHome } from '../setup/home.ts'
import { createTrader, graphql } from '../setup/trader.ts'
import { unlimited } from '../setup/world.ts'

const oneWeth = 10n ** 18n

let home: string
let running: ReturnType<typeof startDev> | undefined

beforeAll(() => {
  home = createTemporaryHome()
})
afterAll(async () => {
  running?.program.kill('SIGKILL')
  await removeTemporaryHome(home)
})

async function start(): Promise<DevManifest> {
  running = startDev(home, { environment: unlimited })
  return running.ready()
}

async function kill(signal: NodeJS.Signals): Promise<void> {
  running?.program.kill(signal)
  await running?.ended
}

interface Reported {
  metadata: { orderId: string }
  type: string
}

test('kill -9 with orders in flight: the next start fulfills each order exactly once', async () => {
  const market = describeMarket()
  let dev = await start()
  const first = dev
  const accepted: string[] = []
  for (const round of [1n, 2n, 3n]) {
    const trader = createTrader(dev.url, market)
    const orders = [
      trader.place({ sell: 'WETH', buy: 'USDC', sellAmount: oneWeth + round, buyAmount: 1n }),
      trader.place({ sell: 'DAI', buy: 'WETH', sellAmount: 100n * oneWeth + round, buyAmount: 1n }),
      trader.place({ sell: 'USDC', buy: 'DAI', sellAmount: 100_000_000n + round, buyAmount: 1n }),
    ]
    for (const { status, body } of await Promise.all(orders)) {
      expect(status).toBe(201)
      accepted.push(body)
    }
    // The orders are in three stages: just accepted, in an auction, being settled.
    if (round > 1n) {
      await eventually('an order is on its way', async () => {
        const events = await trader.order(accepted.at(-1) ?? '').then(async ({ uid }) => {
          const { order } = await graphql(
            dev.url,
            'query ($uid: OrderUid!) { order(uid: $uid) { debugReport { events { nodes { label } } } } }',
            { uid },
          )
          return order.debugReport.events.nodes
        })
        return events.length > Number(round) - 1
      })
    }
    await kill('SIGKILL')
    dev = await start()
  }
  expect(dev).toMatchObject({ rpcUrl: first.rpcUrl, databaseUrl: first.databaseUrl })

  const trader = createTrader(dev.url, market)
  for (const uid of accepted) {
    await eventually(
      `${uid} is fulfilled`,
      async () => (await trader.order(uid)).status === 'fulfilled',
      40_000,
    )
  }
  const all: Reported[] = await trader.notifications()
  // A fill may also be a price improvement.
  const notifications = all.filter(({ type }) => type !== 'price_improvement')
  expect(notifications.map(({ type }) => type)).toEqual(accepted.map(() => 'order_filled'))
  expect(notifications.map(({ metadata }) => metadata.orderId).sort()).toEqual([...accepted].sort())
  for (const uid of accepted) {
    const { trades } = await graphql(
      dev.url,
      'query ($uid: OrderUid) { trades(orderUid: $uid) { nodes { txHash } } }',
      { uid },
    )
    expect(trades.nodes).toHaveLength(1)
  }
}, 120_000)

test('SIGTERM stops the database and the chain too, also while an order is being settled', async () => {
  const dev: DevManifest = JSON.parse(readFileSync(path.join(home, 'dev.json'), 'utf8'))
  const trader = createTrader(dev.url, describeMarket())
  const { body } = await trader.place({ sell: 'WETH', buy: 'DAI', sellAmount: oneWeth, buyAmount: 1n })
  const story = 'query ($uid: OrderUid!) { order(uid: $uid) { events { nodes { label } } } }'
  await eventually('the order is being settled', async () => {
    const { order } = await graphql(dev.url, story, { uid: body })
    return order.events.nodes.some(({ label }: { label: string }) => label === 'EXECUTING')
  })
  await kill('SIGTERM')
  await expect(fetch(dev.rpcUrl, { method: 'POST' })).rejects.toThrow()
  await expect(fetch(dev.url)).rejects.toThrow()
})

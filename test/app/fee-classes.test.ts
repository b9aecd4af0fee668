import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../setup/eventually.ts'
import { createTrader, request } from '../setup/trader.ts'
import { startWorld, type World } from '../setup/world.ts'

const weth = 10n ** 18n
const usdc = 10n ** 6n

let world: World
beforeAll(async () => {
  world = await startWorld({
    environment: {
      FEE_POLICIES: JSON.stringify([
        { kind: 'surplus', factor: 0.5, maxVolumeFactor: 0.01, orderClass: 'limit' },
        { kind: 'volume', factor: 0.001, orderClass: 'market' },
        { kind: 'surplus', factor: 0.25, maxVolumeFactor: 0.01, effectiveFrom: '2100-01-01T00:00:00Z' },
      ]),
    },
  })
})
afterAll(() => world?.[Symbol.asyncDispose]())

test('orders in market and out of market are charged by the policies of their class', async () => {
  const resting = createTrader(world.url, world.market)
  const mover = createTrader(world.url, world.market, 1)
  const policiesOf = async (uid: string) => {
    const { body } = await request(`${resting.base}/api/v1/debug/order/${uid}`)
    const settled = body.auctions.find(({ executions }: { executions: unknown[] }) => executions.length > 0)
    return settled?.feePolicies
  }
  // Asks for one percent more than the pool gives, until somebody buys much.
  const above = await resting.place({ sell: 'WETH', buy: 'USDC', sellAmount: weth, buyAmount: 3_030n * usdc })
  const below = await mover.place({
    sell: 'USDC',
    buy: 'WETH',
    sellAmount: 450_000n * usdc,
    buyAmount: 140n * weth,
  })
  expect([above.status, below.status]).toEqual([201, 201])
  await eventually('both are settled', async () => {
    const orders = await Promise.all([above, below].map(({ body }) => resting.order(body)))
    return orders.every(({ status }) => status === 'fulfilled')
  })
  expect(await policiesOf(above.body)).toEqual([
    { kind: 'surplus', surplusFactor: 0.5, surplusMaxVolumeFactor: 0.01 },
  ])
  expect(await policiesOf(below.body)).toEqual([{ kind: 'volume', volumeFactor: 0.001 }])
  const { body } = await request(`${resting.base}/api/v1/quote`, 'POST', {
    sellToken: world.market.tokens.WETH.address,
    buyToken: world.market.tokens.USDC.address,
    from: resting.address,
    kind: 'sell',
    sellAmountBeforeFee: `${weth}`,
  })
  expect(body.protocolFeeBps).toBe('10')
})

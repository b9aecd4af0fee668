import { afterAll, beforeAll, expect, test } from 'vitest'
import { createStoredBytes } from '../../src/graphql/context/stored-bytes.ts'
import { openTestServer } from '../setup/server.ts'
import { createTrader, request } from '../setup/trader.ts'
import { startWorld, type World } from '../setup/world.ts'

let world: World
beforeAll(async () => {
  // Half of it at once: one order or quote, and a part of the next.
  const environment = { ORDER_CLIENT_BYTES: '12000', QUOTE_CLIENT_BYTES: '8000' }
  world = await startWorld({ roles: ['serve'], environment })
})
afterAll(() => world?.[Symbol.asyncDispose]())

const trader = () => createTrader(world.url, world.market)

test('a client with too many bytes of orders gets 429 with the time until it may place the next', async () => {
  const wish = { sell: 'WETH', buy: 'USDC', buyAmount: 1n } as const
  const place = async (sellAmount: bigint) => trader().place({ ...wish, sellAmount })
  expect((await place(1_000_001n * 10n ** 9n)).status).toBe(201)
  // A refused order stores nothing.
  expect((await place(1_000_001n * 10n ** 9n)).body).toMatchObject({ errorType: 'DuplicatedOrder' })
  expect((await place(1_000_002n * 10n ** 9n)).status).toBe(201)
  const { status, body, headers } = await place(1_000_003n * 10n ** 9n)
  expect({ status, body }).toMatchObject({ status: 429, body: { errorType: 'RateLimited' } })
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(60)
  expect(await trader().cancel([`0x${'00'.repeat(56)}`])).toMatchObject({ status: 404 })
})

test('a client with too many bytes of quotes still gets fast ones, which are not stored', async () => {
  const { tokens } = world.market
  const quote = async (priceQuality: string) =>
    request(`${trader().base}/api/v1/quote`, 'POST', {
      ...{ sellToken: tokens.WETH.address, buyToken: tokens.USDC.address, from: trader().address },
      ...{ kind: 'sell', sellAmountBeforeFee: `${10n ** 17n}`, priceQuality },
    })
  expect((await quote('optimal')).status).toBe(200)
  expect((await quote('optimal')).status).toBe(200)
  expect(await quote('optimal')).toMatchObject({ status: 429, body: { errorType: 'RateLimited' } })
  expect((await quote('fast')).body).toMatchObject({ id: null })
})

test('nonces of sign-in count for the client that requests them', async () => {
  const limit = { bytes: 1_024, ageMs: 600_000 }
  const none = { bytes: 0, ageMs: 1 }
  const limits = { quotes: none, orders: none, sessions: none, channels: none, 'affiliate codes': none }
  let now = Date.now()
  const stored = createStoredBytes({ ...limits, 'sign-in nonces': limit }, () => now)
  await using server = await openTestServer({}, { stored })
  const challenge = async () => {
    const query = 'mutation { createSignInChallenge { nonce } }'
    const { errors } = (await request(`${server.url}/graphql`, 'POST', { query })).body
    return errors?.[0].extensions.code ?? 'nonce'
  }
  expect([await challenge(), await challenge(), await challenge()]).toEqual(['nonce', 'nonce', 'RateLimited'])
  now += limit.ageMs / 2
  expect(await challenge()).toBe('nonce')
})

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Address } from '../../src/domain/evm/address.ts'
import { insertMarketPrices } from '../../src/storage/auction/competition.ts'
import { sweep } from '../../src/storage/retention/sweep.ts'
import { silentLog } from '../fakes/silent-log.ts'
import { connectDirectly } from '../setup/database.ts'
import { eventually } from '../setup/eventually.ts'
import { graphql, request } from '../setup/trader.ts'
import { startWorld, type World } from '../setup/world.ts'

/** Market data without a key from anybody: the program has nothing but its pools and what it recorded. */
const unit = 10n ** 18n
const fiveMinutes = 300_000
const day = 86_400_000
let world: World
let tokens: World['market']['tokens']

/** The beginning of the current five minutes. */
let now: number

/** Native atoms for 10^18 atoms of a token that costs so many dollars, one coin being worth 3,000. */
const native = (dollars: number, decimals: number) =>
  (BigInt(Math.round(dollars * 1e9)) * unit * 10n ** BigInt(18 - decimals)) / (3_000n * 10n ** 9n)

beforeAll(async () => {
  world = await startWorld({ roles: ['serve'] })
  tokens = world.market.tokens
  now = Date.now() - (Date.now() % fiveMinutes)
  const { chainId } = world.market.network
  const { COW, USDC } = tokens
  for (let ago = 1; ago <= 40; ago++) {
    const cow = 0.5 * (1 + (ago % 2 === 0 ? 0.01 : -0.01))
    const prices = new Map<Address, bigint>([
      [USDC.address, native(1, USDC.decimals)],
      [COW.address, native(cow, COW.decimals)],
    ])
    const at = new Date(now - ago * fiveMinutes)
    await insertMarketPrices(world.database.db, chainId, prices, at)
  }
  for (let ago = 2; ago <= 3; ago++) {
    const prices = new Map<Address, bigint>([
      [USDC.address, native(1, USDC.decimals)],
      [COW.address, native(0.1 * ago, COW.decimals)],
    ])
    await insertMarketPrices(world.database.db, chainId, prices, new Date(now - ago * day))
  }
})
afterAll(() => world?.[Symbol.asyncDispose]())

const rest = (pair: string, what: string, chain = 'sepolia') =>
  request(`${world.url}/${chain}/markets/${pair}/${what}`)
const market = (base: string, quote: string, fields: string) =>
  graphql(world.url, `{ market(base: "${base}", quote: "${quote}") { ${fields} } }`).then(
    (data) => data.market,
  )

test('the spot price is the ratio of both dollar prices, with their sources', async () => {
  const { COW, USDC, WETH } = tokens
  const { spot } = await market(
    WETH.address,
    USDC.address,
    'spot { price base { price source } quote { price source } }',
  )
  expect(spot).toMatchObject({ base: { source: 'orderbook' }, quote: { price: '1', source: 'orderbook' } })
  expect(spot.price).toBe(spot.base.price)
  const inverse = await market(USDC.address, WETH.address, 'spot { price }')
  expect(Number(inverse.spot.price) * Number(spot.price)).toBeCloseTo(1, 12)
  const own = await market('-', COW.address, 'spot { price } base { symbol } network { name }')
  expect(Number(own.spot.price)).toBeGreaterThan(1_000)
  expect(own.network).toEqual({ name: 'sepolia' })
})

describe('slippage', () => {
  const measure = 'slippage { bps volatility basis }'

  test('is the recorded deviation against the price now, over GraphQL and REST', async () => {
    const { COW, USDC } = tokens
    const { slippage, spot } = await market(COW.address, USDC.address, `${measure} spot { price }`)
    // Up and down by 1 % of half a dollar.
    const share = 0.005 / Number(spot.price)
    expect(slippage.basis).toBe('RATIO')
    // The current price may be recorded by now as a 41st.
    expect(Number(slippage.volatility) / share).toBeGreaterThan(0.9)
    expect(slippage.bps).toBe(Math.ceil(Number(slippage.volatility) * 10_000))
    const answer = await rest(`${COW.address}-${USDC.address}`, 'slippageTolerance')
    expect([answer.status, answer.body]).toEqual([200, { slippageBps: slippage.bps }])
    expect(answer.headers.get('cache-control')).toBe('public, max-age=120')
    const query = '?orderKind=sell&partiallyFillable=true&sellAmount=1&expirationTimeInSeconds=60'
    const byId = await rest(`${COW.address}-${USDC.address}`, `slippageTolerance${query}`, '11155111')
    expect(byId.body).toEqual(answer.body)
  })

  test('is null where it is not known, and 0 over REST', async () => {
    const [unknown, other] = [`0x${'12'.repeat(20)}`, `0x${'34'.repeat(20)}`]
    expect(
      await market(unknown, other, `${measure} spot { price } prices { price } depth { block }`),
    ).toEqual({
      slippage: null,
      spot: null,
      prices: null,
      depth: null,
    })
    expect((await rest(`${unknown}-${other}`, 'slippageTolerance')).body).toEqual({ slippageBps: 0 })
    expect((await rest(`${unknown}-${other}`, 'volatilityDetails')).body).toEqual({
      baseToken: null,
      quoteToken: null,
    })
  })

  test('of one known token is told as such', async () => {
    const { slippage } = await market(tokens.COW.address, `0x${'12'.repeat(20)}`, measure)
    expect(slippage.basis).toBe('ONE_TOKEN')
  })
})

test('volatility details are the prices of both tokens', async () => {
  const { COW, USDC } = tokens
  const { body } = await rest(`${COW.address}-${USDC.address}`, 'volatilityDetails')
  const { baseToken, quoteToken } = body
  expect(baseToken.tokenAddress).toBe(COW.address)
  const recorded = baseToken.prices.filter(({ date }: { date: string }) => Date.parse(date) < now)
  expect(recorded).toHaveLength(40)
  expect(recorded[0]).toEqual({
    date: new Date(now - 40 * fiveMinutes).toISOString().replace('.000Z', 'Z'),
    price: expect.closeTo(0.505, 9),
    volume: 0,
  })
  expect(baseToken.volatilityInTokens).toBeCloseTo(baseToken.volatilityInUsd / baseToken.usdPrice, 12)
  expect(quoteToken).toMatchObject({ tokenAddress: USDC.address, usdPrice: 1, volatilityInUsd: 0 })
})

test('a history has points of five minutes or of days, and of a market those of the ratio', async () => {
  const { COW, WETH } = tokens
  const data = await graphql(
    world.url,
    `{ token(address: "${COW.address}") { fine: priceHistory { source points { at price volume } }
      days: priceHistory(interval: ONE_DAY) { points { at price } } } }`,
  )
  const { fine, days } = data.token
  expect(fine.source).toBe('orderbook')
  expect(fine.points[0].volume).toBeNull()
  expect(Number(fine.points[0].price)).toBeCloseTo(0.505, 9)
  const old = days.points.slice(0, 2).map(({ price }: { price: string }) => Number(price))
  expect(old).toEqual([expect.closeTo(0.3, 9), expect.closeTo(0.2, 9)])
  const { prices } = await market(COW.address, WETH.address, 'prices { at price }')
  expect(Number(prices[0].price)).toBeCloseTo(0.505 / 3_000, 12)
})

test('the depth is what the pools take', async () => {
  const { USDC, WETH } = tokens
  const { depth } = await market(
    WETH.address,
    USDC.address,
    'depth { block levels { bps sellAmount buyAmount } }',
  )
  expect(depth.levels.map(({ bps }: { bps: number }) => bps)).toEqual([10, 50, 200])
  const prices = depth.levels.map(
    ({ sellAmount, buyAmount }: Record<string, string>) => Number(buyAmount) / Number(sellAmount),
  )
  // Against the price of a first atom: 10 basis points lower, then 50, then 200.
  expect(prices[1] / prices[0]).toBeCloseTo(0.995 / 0.999, 4)
  expect(prices[2] / prices[0]).toBeCloseTo(0.98 / 0.999, 4)
  const amounts = depth.levels.map(({ sellAmount }: { sellAmount: string }) => BigInt(sellAmount))
  expect(amounts[0] > 0n && amounts[0] < amounts[1] && amounts[1] < amounts[2]).toBe(true)
})

describe('a quote with the market’s slippage', () => {
  const body = (sellToken: string, buyToken: string) => ({
    kind: 'sell',
    sellAmountBeforeFee: (100n * unit).toString(),
    sellToken,
    buyToken,
    from: world.market.accounts[0]?.address,
  })

  test('says what it took, and the order to sign has it', async () => {
    const { COW, USDC } = tokens
    const { slippage } = await market(COW.address, USDC.address, 'slippage { bps }')
    expect(slippage.bps).toBeGreaterThan(50)
    const { kind: _, sellAmountBeforeFee, ...terms } = body(COW.address, USDC.address)
    const input = { ...terms, amount: { sellBeforeFee: sellAmountBeforeFee }, slippage: 'AUTO' }
    const { quote } = await graphql(
      world.url,
      `mutation ($input: QuoteInput!, $bps: BasisPoints) { quote(input: $input) { slippage { bps measuredBps }
        order { buyAmount } same: order(slippageBps: $bps) { buyAmount } usual: order(slippageBps: 50) { buyAmount } } }`,
      { input, bps: slippage.bps },
    )
    expect(quote.slippage).toEqual({ bps: slippage.bps, measuredBps: slippage.bps })
    expect(quote.order).toEqual(quote.same)
    expect(BigInt(quote.order.buyAmount)).toBeLessThan(BigInt(quote.usual.buyAmount))
  })

  test('takes 50 basis points where less was measured, or nothing', async () => {
    const { COW, DAI, USDC } = tokens
    const ask = (buyToken: string, more: object) =>
      request(`${world.url}/sepolia/api/v1/quote`, 'POST', { ...body(COW.address, buyToken), ...more })
    expect((await ask(DAI.address, { slippage: 'auto' })).body.slippageBps).toBeGreaterThanOrEqual(50)
    expect((await ask(USDC.address, {})).body).not.toHaveProperty('slippageBps')
    const wrong = await ask(USDC.address, { slippage: 'much' })
    expect([wrong.status, wrong.body.errorType]).toEqual([400, 'InvalidParameter'])
  })
})

describe('errors', () => {
  test.each([
    [
      'one address',
      () => tokens.COW.address,
      'slippageTolerance',
      'pair must be two addresses with a hyphen between them',
    ],
    ['a malformed address', () => `0x12-${tokens.COW.address}`, 'volatilityDetails', 'base must be'],
    [
      'the same token twice',
      () => `${tokens.COW.address}-${tokens.COW.address}`,
      'slippageTolerance',
      'quote must be another',
    ],
    [
      'a malformed member',
      () => `${tokens.COW.address}--`,
      'slippageTolerance?sellAmount=x',
      'sellAmount must be atoms',
    ],
  ])('%s', async (_what, pair, path, message) => {
    const answer = await rest(pair(), path)
    expect([answer.status, answer.body.message.slice(0, message.length)]).toEqual([400, message])
  })

  test('a network that is not served is 400', async () => {
    expect((await rest(`${tokens.COW.address}--`, 'slippageTolerance', 'atlantis')).status).toBe(400)
  })
})

test('the dollar token, base tokens and tokens that were asked for are recorded, and removed by their age', async () => {
  const client = await connectDirectly(world.database.url)
  const recorded = async () => {
    const { rows } = await client.query<{ token: string }>(
      `SELECT DISTINCT encode(s.token, 'hex') AS token FROM market_prices m JOIN price_series s ON s.id = m.series_id WHERE m.at >= $1`,
      [new Date(now)],
    )
    return rows.map(({ token }) => `0x${token}`)
  }
  const { USDC, DAI, WETH } = tokens
  await eventually('a first record', async () => (await recorded()).includes(USDC.address))
  expect((await recorded()).sort()).toEqual([USDC.address, DAI.address].sort())
  expect(await recorded()).not.toContain(WETH.address)
  const days = {
    events: 0,
    competitions: 0,
    marketPrices: 1.5,
    feed: 0,
    quotes: 1,
    idempotencyKeys: 1,
    deliveries: 1,
  }
  const options = { db: world.database.db, networks: [], days, now: Date.now, log: silentLog }
  expect((await sweep(options, new AbortController().signal)).market_prices).toBe(4)
  await client.end()
})

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nativeMarker } from '../../src/domain/evm/address.ts'
import { numbered } from '../fakes/order.ts'
import { eventually } from '../setup/eventually.ts'
import { openTestServer } from '../setup/server.ts'
import { type Answer, graphql, request } from '../setup/trader.ts'
import { startWorld, type World } from '../setup/world.ts'
import { openEvents } from '../tokens/balance-events.ts'

/**
 * The interface's further operations, row by row: status, shape, caching and refusals, over the whole program
 * without a key from anybody.
 */
const weth = '0xfff9976782d46cc05630d1f6ebab18b2324d6b14'
const nowhere = `0x${'34'.repeat(20)}`
let world: World
let usdc: string
let account: string

beforeAll(async () => {
  world = await startWorld({ roles: ['serve', 'index'] })
  usdc = world.market.tokens.USDC.address
  account = world.market.accounts[0]?.address ?? ''
})
afterAll(() => world?.[Symbol.asyncDispose]())

interface Row {
  method?: string
  path: () => string
  body?: () => unknown
  status: number
  answer: () => unknown
  /** `Cache-Control`; any where it is left out. */
  caching?: string | RegExp
}

const atoms = expect.stringMatching(/^[0-9]+$/)
const share = expect.any(Number)
const message = (text: RegExp) => () => ({ message: expect.stringMatching(text) })
const hex = (bytes: number) => expect.stringMatching(new RegExp(`^0x[0-9a-f]{${2 * bytes}}$`))
const transfer = () => ({
  from: account,
  to: usdc,
  // transfer(0x34…, 1)
  input: `0xa9059cbb${nowhere.slice(2).padStart(64, '0')}${'1'.padStart(64, '0')}`,
})
const token = () => ({ address: usdc, symbol: 'USDC', name: 'USD Coin', decimals: 6 })
const markets = () => `/sepolia/markets/${weth}-${usdc}`
const noNetwork = message(/^there is no network atlantis/)

/** By the number of the row in the list of operations. */
const rows: Record<string, Row> = {
  '1. a price': {
    path: () => `/sepolia/tokens/${usdc}/usdPrice`,
    status: 200,
    answer: () => ({ price: 1 }),
    caching: /^public, max-age=\d+$/,
  },
  '1. no price': {
    path: () => `/sepolia/tokens/${nowhere}/usdPrice`,
    status: 404,
    answer: () => ({ message: 'Price not found' }),
    caching: 'public, max-age=30',
  },
  '2. no holders': {
    path: () => `/sepolia/tokens/${nowhere}/topHolders`,
    status: 404,
    answer: () => ({ message: 'Token holders not found' }),
    caching: 'public, max-age=30',
  },
  '2. holders of what is no address': {
    path: () => '/sepolia/tokens/0x12/topHolders',
    status: 400,
    answer: message(/^address must be an address/),
  },
  '3. details': { path: () => `/11155111/tokens/${usdc}/details`, status: 200, answer: token },
  '3. details of the chain’s own coin': {
    path: () => `/sepolia/tokens/${nativeMarker}/details`,
    status: 200,
    answer: () => ({ address: nativeMarker, symbol: 'ETH', name: 'Ether', decimals: 18 }),
  },
  '3. no token': {
    path: () => `/sepolia/tokens/${nowhere}/details`,
    status: 404,
    answer: () => ({ message: 'Token not found' }),
  },
  '4. details of several, without the missing one': {
    method: 'POST',
    path: () => '/sepolia/tokens/details',
    body: () => ({ tokenAddresses: [nowhere, usdc] }),
    status: 200,
    answer: () => [token()],
  },
  '4. no token of several': {
    method: 'POST',
    path: () => '/sepolia/tokens/details',
    body: () => ({ tokenAddresses: [nowhere] }),
    status: 404,
    answer: () => ({ message: 'No tokens found' }),
  },
  '4. none asked': {
    method: 'POST',
    path: () => '/sepolia/tokens/details',
    body: () => ({ tokenAddresses: [] }),
    status: 400,
    answer: message(/^tokenAddresses must/),
  },
  '5. a portfolio': {
    path: () => `/sepolia/address/${account}/balances`,
    status: 200,
    answer: () => ({ balances: expect.objectContaining({ [usdc]: atoms, [nativeMarker]: atoms }) }),
    caching: 'public, max-age=5',
  },
  '5. a fresh portfolio': {
    path: () => `/sepolia/address/${account}/balances?ignoreCache=true`,
    status: 200,
    answer: () => ({ balances: expect.objectContaining({ [usdc]: atoms, [nativeMarker]: atoms }) }),
    caching: 'no-store',
  },
  '5. of no account': {
    path: () => '/sepolia/address/0x12/balances',
    status: 400,
    answer: message(/^account must be an address/),
  },
  '5. elsewhere': { path: () => `/atlantis/address/${account}/balances`, status: 400, answer: noNetwork },
  '6. balances': {
    path: () => `/sepolia/accounts/${account}/balances?tokens=${usdc}, ,${usdc},${nowhere}`,
    status: 200,
    answer: () => [{ balance: atoms, allowance: atoms, token: token() }],
  },
  '6. no query': {
    path: () => `/sepolia/accounts/${account}/balances`,
    status: 400,
    answer: message(/^tokens is required$/),
  },
  '6. no token': {
    path: () => `/sepolia/accounts/${account}/balances?tokens=,%20`,
    status: 400,
    answer: () => ({ message: 'At least one token address is required' }),
  },
  '6. what is no address': {
    path: () => `/sepolia/accounts/${account}/balances?tokens=x`,
    status: 400,
    answer: message(/^Invalid Ethereum address: x/),
  },
  '7. no token of a stream': {
    path: () => `/sepolia/accounts/${account}/balances/sse?tokens=,`,
    status: 400,
    answer: () => ({ message: 'At least one token address is required' }),
  },
  '8. slippage': {
    path: () => `${markets()}/slippageTolerance`,
    status: 200,
    answer: () => ({ slippageBps: share }),
    caching: 'public, max-age=120',
  },
  '8. slippage of what nobody knows': {
    path: () => `/sepolia/markets/${nowhere}-${numbered('56')}/slippageTolerance`,
    status: 200,
    answer: () => ({ slippageBps: 0 }),
    caching: 'public, max-age=120',
  },
  '8. a pair of what is no address': {
    path: () => '/sepolia/markets/0x12-0x34/slippageTolerance',
    status: 400,
    answer: message(/^base must be an address/),
  },
  '8. elsewhere': {
    path: () => `/atlantis/markets/${weth}-${usdc}/slippageTolerance`,
    status: 400,
    answer: noNetwork,
  },
  '9. volatility of what nobody knows': {
    path: () => `/sepolia/markets/${nowhere}-${numbered('56')}/volatilityDetails`,
    status: 200,
    answer: () => ({ baseToken: null, quoteToken: null }),
    caching: 'public, max-age=120',
  },
  '9. an order’s kind that there is not': {
    path: () => `${markets()}/volatilityDetails?orderKind=swap`,
    status: 400,
    answer: message(/^orderKind must/),
  },
  '10. a bundle': {
    method: 'POST',
    path: () => '/sepolia/simulation/simulateBundle',
    body: () => [transfer()],
    status: 200,
    answer: () => [
      expect.objectContaining({
        status: true,
        id: expect.any(String),
        gasUsed: atoms,
        cumulativeBalancesDiff: { [account]: { [usdc]: '-1' }, [nowhere]: { [usdc]: '1' } },
        stateDiff: [
          {
            address: usdc,
            soltype: null,
            original: null,
            dirty: null,
            raw: expect.arrayContaining([{ address: usdc, key: hex(32), original: hex(32), dirty: hex(32) }]),
          },
        ],
      }),
    ],
    caching: 'no-store',
  },
  '10. no bundle': {
    method: 'POST',
    path: () => '/sepolia/simulation/simulateBundle',
    body: () => ({}),
    status: 400,
    answer: message(/must be a list of transactions/),
  },
  '10. a bad element': {
    method: 'POST',
    path: () => '/sepolia/simulation/simulateBundle',
    body: () => [transfer(), { ...transfer(), input: 'x' }],
    status: 400,
    answer: message(/^\[1\]\.input must/),
  },
  '10. elsewhere': {
    method: 'POST',
    path: () => '/atlantis/simulation/simulateBundle',
    body: () => [transfer()],
    status: 400,
    answer: noNetwork,
  },
  '11. all pools': {
    method: 'POST',
    path: () => '/sepolia/yield/pools',
    body: () => [],
    status: 200,
    answer: () =>
      expect.arrayContaining([
        {
          contract_address: hex(20),
          chain_id: 11155111,
          project: 'uniswap_v2',
          apr: share,
          fee: 0.3,
          tvl: share,
          volume: share,
        },
      ]),
  },
  '11. a pool that is not followed': {
    method: 'POST',
    path: () => '/sepolia/yield/pools',
    body: () => [nowhere],
    status: 200,
    answer: () => [],
  },
  '11. more than 500': {
    method: 'POST',
    path: () => '/sepolia/yield/pools',
    body: () => Array(501).fill(nowhere),
    status: 400,
    answer: message(/^at most 500 pools/),
  },
  '12. the average yield': {
    path: () => '/sepolia/yield/pools-average-apr',
    status: 200,
    answer: () => ({ uniswap_v2: share }),
    caching: /^public, max-age=\d+$/,
  },
  '12. elsewhere': { path: () => '/atlantis/yield/pools-average-apr', status: 400, answer: noNetwork },
  '21. about': {
    path: () => '/about',
    status: 200,
    answer: () => ({ name: 'Tradegraph', version: 'test' }),
    caching: 'public, max-age=600',
  },
}

function expectCors({ headers }: Answer): void {
  expect(headers.get('access-control-allow-origin')).toBe('*')
  expect(headers.get('access-control-allow-headers')).toContain('Cache-Control')
}

test.each(Object.entries(rows))('%s', async (_name, { method, path, body, status, answer, caching }) => {
  // The index and the figures of pools come a little after the start.
  const expected = answer()
  const found = await eventually('it is as the row says', async () => {
    const found = await request(`${world.url}${path()}`, method, body?.())
    return found.status === status && matches(found.body, expected) && found
  }).catch(() => request(`${world.url}${path()}`, method, body?.()))
  expect([found.status, found.body]).toEqual([status, expected])
  expectCors(found)
  const cached = found.headers.get('cache-control')
  if (caching) expect(cached).toMatch(caching)
  else if (status !== 200) expect(cached ?? '').not.toMatch(/max-age=[1-9]/)
})

function matches(found: unknown, expected: unknown): boolean {
  try {
    expect(found).toEqual(expected)
    return true
  } catch {
    return false
  }
}

test('2. holders, the greatest first', async () => {
  const { body } = await eventually('holders are indexed', async () => {
    const found = await request(`${world.url}/sepolia/tokens/${usdc}/topHolders`)
    return found.status === 200 && found
  })
  expect(body).toEqual(body.map(() => ({ address: hex(20), balance: atoms })))
  const balances = body.map(({ balance }: { balance: string }) => BigInt(balance))
  expect(balances).toEqual(balances.toSorted((a: bigint, b: bigint) => (a > b ? -1 : 1)))
})

test('7. the stream begins with what row 6 has', async () => {
  const path = (what: string) => `${world.url}/sepolia/accounts/${account}/balances${what}?tokens=${usdc}`
  await using stream = await openEvents(path('/sse'))
  expect(stream.headers.get('content-type')).toMatch(/^text\/event-stream/)
  expect(stream.headers.get('cache-control')).toBe('no-cache')
  expect(stream.headers.get('access-control-allow-origin')).toBe('*')
  const first = await eventually('the first event', () => stream.events[0])
  expect([first.event, first.data]).toEqual([
    'initial_balances',
    { balances: (await request(path(''))).body },
  ])
})

/**
 * Pairs of the reference's recordings, their basis points, and dollars that their tokens were worth about.
 */
const vectors = [
  ['1 COW-WETH', 88, 0.35, 2_600],
  ['1 DAI-ETH', 63, 1, 2_600],
  ['1 DAI-WETH', 63, 1, 2_600],
  ['1 PEPE-DAI', 137, 0.000_008, 1],
  ['1 PEPE-WETH', 81, 0.000_008, 2_600],
  ['1 USDC-DAI', 6, 1, 1],
  ['100 USDC-xDAI', 31, 1, 1],
  ['100 WETH-xDAI', 67, 2_600, 1],
  ['100 sDAI-wxDAI', 33, 1.1, 1],
  ['100 sDAI-xDAI', 33, 1.1, 1],
  ['42161 COW-WETH', 89, 0.35, 2_600],
  ['42161 DAI-WETH', 66, 1, 2_600],
  ['42161 USDC-DAI', 10, 1, 1],
] as const

describe('8, 9. slippage of series that move as the recorded pairs did', () => {
  const fiveMinutes = 300_000
  const points = 288
  const at = (index: number) => 1_799_900_100_000 + index * fiveMinutes
  /**
   * The quote token gets dearer by a tenth in the day, and the base token with it: only their ratio counts.
   */
  const drift = (index: number) => 1 + index / (10 * points)
  const wave = (index: number, deviation: number) => 1 + (index % 2 === 0 ? deviation : -deviation)
  const tokens = vectors.map(([, bps, base, quote], row) => {
    const series = (spot: number, deviation: number) => ({
      spot,
      points: Array.from({ length: points }, (_, index) => ({
        at: at(index),
        price: spot * drift(index) * wave(index, deviation),
        volume: 5,
      })),
    })
    return {
      base: { address: numbered((0xba00 + row).toString(16)), ...series(base, (bps - 0.1) / 10_000) },
      quote: { address: numbered((0xca00 + row).toString(16)), ...series(quote, 0) },
    }
  })
  const all = new Map(tokens.flatMap(({ base, quote }) => [base, quote]).map((one) => [one.address, one]))
  const sourced = <Value>(value: Value) => ({
    value,
    source: 'recorded',
    at: at(points),
    keepMs: 120_000,
    isStale: false,
  })
  const open = () =>
    openTestServer({
      usdPrice: async (address) => {
        const found = all.get(address)
        return found && sourced(String(found.spot))
      },
      priceHistory: async (address) => {
        const found = all.get(address)
        return found && sourced(found.points)
      },
    })
  let server: Awaited<ReturnType<typeof open>>
  beforeAll(async () => {
    server = await open()
  })
  afterAll(() => server?.[Symbol.asyncDispose]())

  test.each(vectors.map(([pair, bps], row) => [pair, bps, row] as const))(
    '%s: %i basis points',
    async (_pair, bps, row) => {
      const { base, quote } = tokens[row] ?? expect.fail()
      const path = `${server.url}/sepolia/markets/${base.address}-${quote.address}`
      const slippage = await request(`${path}/slippageTolerance`)
      expect([slippage.status, slippage.body]).toEqual([200, { slippageBps: bps }])
      const { market } = await graphql(
        server.url,
        `{ market(base: "${base.address}", quote: "${quote.address}") { slippage { bps basis } } }`,
      )
      expect(market.slippage).toEqual({ bps, basis: 'RATIO' })
      const { body } = await request(`${path}/volatilityDetails`)
      for (const [told, { address, spot, points }] of [
        [body.baseToken, base],
        [body.quoteToken, quote],
      ] as const) {
        expect(told).toMatchObject({ tokenAddress: address, usdPrice: spot })
        expect(told.prices).toHaveLength(points.length)
        expect(told.prices[0]).toEqual({
          date: new Date(at(0)).toISOString().replace('.000Z', 'Z'),
          price: expect.closeTo(points[0]?.price ?? 0, 12),
          volume: 5,
        })
        expect(told.volatilityInTokens * spot).toBeCloseTo(told.volatilityInUsd, 9)
      }
    },
  )
})

import { inspect } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Outage } from '../../src/domain/errors/error.ts'
import { nativeMarker, zeroAddress } from '../../src/domain/evm/address.ts'
import type { Log } from '../../src/domain/log.ts'
import { poolInputUp, poolOutputDown } from '../../src/domain/routing/pool.ts'
import { gasUnits } from '../../src/domain/settlement/gas.ts'
import type { MarketView } from '../../src/market/pools/pools.ts'
import type { EstimateRequest } from '../../src/quotes/estimator.ts'
import {
  createOutsideEstimators,
  type EstimatorSource,
  type OutsideDeps,
  outsideLimits,
} from '../../src/quotes/estimators/outside.ts'
import { samplePool, value } from '../fakes/market.ts'
import { sampleNetwork } from '../fakes/network.ts'
import { coin, dollar, wrapped } from '../fakes/order.ts'
import {
  answering,
  atPrices,
  type Behaviour,
  cutOff,
  dripping,
  hanging,
  huge,
  nested,
  refusing,
  resetting,
  type SolverEngineFake,
  saying,
  startSolverEngine,
  status,
  throughPools,
} from '../fakes/solver-engine.ts'

let outside: SolverEngineFake
beforeAll(async () => {
  outside = await startSolverEngine()
})
afterAll(() => outside.close())

let lines: unknown[]
beforeEach(() => {
  lines = []
})
const note = (message: string, fields?: Record<string, unknown>) => void lines.push([message, fields])
const log: Log = { debug: note, info: note, warn: note, error: note }

const pool = samplePool('01', wrapped, dollar, 1_000n)
const view: MarketView = { block: 7, gasPrice: 25n, pools: [pool] }
const at = Date.UTC(2030, 0, 1)
const sell: EstimateRequest = { kind: 'sell', sellToken: wrapped, buyToken: dollar, amount: 10n ** 18n }
const buy: EstimateRequest = { ...sell, kind: 'buy', amount: 3_000n * 10n ** 6n }
const source: EstimatorSource = { kind: 'engine', name: 'x', url: 'http://127.0.0.1:1', address: coin }

const deps: OutsideDeps = {
  network: sampleNetwork,
  look: async () => view,
  tokens: async () =>
    new Map([[dollar, { chainId: 1, address: dollar, symbol: 'USDC', name: null, decimals: 6 }]]),
  referencePrice: (token, pools) => (token === wrapped && pools === view.pools ? 10n ** 18n : null),
  now: () => at,
  log,
  limits: { ...outsideLimits, maxBytes: 100_000, lookMs: 5_000, exchangeMs: 10_000, limitMs: 20_000 },
}

function estimator(change: Partial<EstimatorSource> = {}, more: Partial<OutsideDeps> = {}) {
  const [found] = createOutsideEstimators([{ ...source, url: outside.url, ...change }], { ...deps, ...more })
  if (!found) throw new Error('there is none')
  return found
}

const hasty = { ...outsideLimits, lookMs: 5_000, exchangeMs: 150, limitMs: 20_000 }

const open = () => new AbortController().signal

describe('outside estimators', () => {
  const names = (network?: string) =>
    createOutsideEstimators([{ ...source, network }], deps).map(({ name }) => name)

  test('are selected by the network, under any of its names', () => {
    expect(names()).toEqual(['x'])
    expect(names('sepolia')).toEqual(['x'])
    expect(names('11155111')).toEqual(['x'])
    expect(names('mainnet')).toEqual([])
    expect(names('nowhere')).toEqual([])
  })
})

describe('an engine', () => {
  test('receives an auction of one order whose limit does not bind', async () => {
    outside.behaves(atPrices(value))
    const base = `${outside.url}/solver?key=secret`
    await estimator({ url: base }).estimate(sell, open())
    const order = {
      uid: `0x${'00'.repeat(56)}`,
      sellToken: wrapped,
      buyToken: dollar,
      sellAmount: '1000000000000000000',
      fullSellAmount: '1000000000000000000',
      buyAmount: '1',
      fullBuyAmount: '1',
      feePolicies: [],
      validTo: 4_294_967_295,
      kind: 'sell',
      owner: zeroAddress,
      partiallyFillable: false,
      preInteractions: [],
      postInteractions: [],
      sellTokenSource: 'erc20',
      buyTokenDestination: 'erc20',
      class: 'market',
      appData: `0x${'00'.repeat(32)}`,
      signingScheme: 'presign',
      signature: '0x',
    }
    const token = {
      decimals: null,
      symbol: null,
      referencePrice: null,
      availableBalance: '0',
      trusted: false,
    }
    expect(outside.asked.at(-1)).toMatchObject({
      method: 'POST',
      path: '/solver/solve',
      query: { key: 'secret' },
    })
    expect(outside.asked.at(-1)?.headers['content-type']).toBe('application/json')
    expect(outside.asked.at(-1)?.body).toEqual({
      id: null,
      tokens: {
        [wrapped]: { ...token, referencePrice: '1000000000000000000' },
        [dollar]: { ...token, decimals: 6, symbol: 'USDC' },
      },
      orders: [order],
      liquidity: [
        {
          kind: 'constantProduct',
          id: pool.address,
          address: pool.address,
          gasEstimate: '80000',
          router: zeroAddress,
          tokens: {
            [wrapped]: { balance: pool.reserve0.toString() },
            [dollar]: { balance: pool.reserve1.toString() },
          },
          fee: '0.003',
        },
      ],
      effectiveGasPrice: '25',
      deadline: '2030-01-01T00:00:02.000Z',
      surplusCapturingJitOrderOwners: [],
    })
    await estimator().estimate(buy, open())
    const more = (2n ** 144n).toString()
    expect(outside.asked.at(-1)?.body).toMatchObject({
      orders: [
        {
          ...order,
          kind: 'buy',
          sellAmount: more,
          fullSellAmount: more,
          buyAmount: '3000000000',
          fullBuyAmount: '3000000000',
        },
      ],
    })
  })

  test('makes a claim, with the calls that execute it', async () => {
    outside.behaves(throughPools())
    expect(await estimator().estimate(sell, open())).toMatchObject({
      estimator: 'x',
      solver: coin,
      sellAmount: 10n ** 18n,
      buyAmount: poolOutputDown(pool, wrapped, sell.amount),
      gas: 205_391n,
      standing: 'claimed',
      execution: { interactions: [{ target: wrapped }, { target: pool.address }] },
      route: null,
      block: null,
    })
    expect(await estimator().estimate(buy, open())).toMatchObject({
      sellAmount: poolInputUp(pool, wrapped, buy.amount),
      buyAmount: 3_000n * 10n ** 6n,
    })
  })

  test('has no estimate where it returns no solution', async () => {
    outside.behaves(answering({ solutions: [] }))
    await expect(estimator().estimate(sell, open())).rejects.toMatchObject({ code: 'NoLiquidity' })
  })

  test.each([
    ['tradingOutsideAllowedWindow', 'opens at nine', 'TradingOutsideAllowedWindow'],
    ['tokenTemporarilySuspended', 'paused', 'TokenTemporarilySuspended'],
    ['insufficientLiquidity', 'too large', 'InsufficientLiquidity'],
    ['other', 'no idea', 'CustomSolverError'],
    ['somethingNew', 'no idea', 'CustomSolverError'],
  ])('that answers %s is reported', async (code, text, errorCode) => {
    outside.behaves(refusing(code, text))
    await expect(estimator().estimate(sell, open())).rejects.toMatchObject({ code: errorCode, message: text })
  })

  test('is not blamed for a market that is unavailable or slow', async () => {
    const limits = { ...outsideLimits, lookMs: 20, failures: 1 }
    for (const look of [() => Promise.reject(new Outage('the node')), () => new Promise<never>(() => {})]) {
      const guardedEstimator = estimator({}, { look, limits })
      await expect(guardedEstimator.estimate(sell, open())).rejects.toThrow(
        /the (node|market) is unavailable/,
      )
      await expect(guardedEstimator.estimate(sell, open())).rejects.toThrow(
        /the (node|market) is unavailable/,
      )
    }
    expect(lines).toEqual([])
  })
})

const late = 'did not answer in time'

describe.each(['engine', 'driver'] as const)('%s', (kind) => {
  test('is asked for the wrapped form of the native coin, and an unwrap call is added', async () => {
    outside.behaves(atPrices(value))
    const ask: EstimateRequest = {
      ...sell,
      sellToken: dollar,
      buyToken: nativeMarker,
      amount: 3_000n * 10n ** 6n,
    }
    expect(await estimator({ kind }).estimate(ask, open())).toMatchObject({
      buyAmount: 10n ** 18n,
      gas: 200_000n + gasUnits.unwrapNative,
    })
    const pair = { sellToken: dollar, buyToken: wrapped }
    expect(outside.asked.at(-1)).toMatchObject(
      kind === 'driver' ? { query: pair } : { body: { orders: [pair] } },
    )
  })

  test('is not asked to trade a token for itself', async () => {
    const before = outside.asked.length
    const ask: EstimateRequest = { ...sell, buyToken: nativeMarker }
    await expect(estimator({ kind }).estimate(ask, open())).rejects.toMatchObject({ code: 'NoLiquidity' })
    expect(outside.asked.length).toBe(before)
  })

  test.each<[string, Behaviour, string | RegExp]>([
    ['hangs', hanging, late],
    ['sends a byte at a time without end', dripping, late],
    ['resets the connection', resetting, /^cannot be reached \(\w+\)$/],
    ['cuts off its answer', cutOff, /^cannot be reached \(/],
    ['answers 500', status(500), 'status 500'],
    ['answers 503 with reasons', saying('{"error":{"code":"other"},"kind":"x"}', 503), 'status 503'],
    ['answers 403', status(403), 'status 403'],
    ['answers 429', status(429), 'status 429'],
    ['redirects', status(302, { location: 'http://127.0.0.1:1/' }), 'status 302'],
    ['redirects permanently', status(308, { location: '/' }), 'status 308'],
    ['answers HTML', saying('<html>hello</html>'), 'answers without valid JSON'],
    ['answers nothing', saying(''), 'answers without valid JSON'],
    ['answers with no body', saying('', 204), 'answers without valid JSON'],
    ['answers NaN', saying('{"amount":NaN}'), 'answers without valid JSON'],
    ['answers 1e400', saying('{"solutions":1e400,"amount":1e400}'), /^sends an invalid answer/],
    ['answers null', answering(null), /^sends an invalid answer/],
    ['nests too deeply', nested(65), 'answers too deeply nested'],
    ['nests deeply', nested(64), /^sends an invalid answer/],
    ['has brackets in strings', answering(['"[{\\'.repeat(100)]), /^sends an invalid answer/],
    ['sends too much', saying(' '.repeat(100_001)), 'answers with more than 100000 bytes'],
    ['does not end', huge(1_000_000_000), 'answers with more than 100000 bytes'],
  ])('that %s is unavailable', async (_, behaviour, reason) => {
    outside.behaves(behaviour)
    const url = outside.url.replace('//', '//user:secret@')
    const limits = reason === late ? { limits: hasty } : {}
    const asked = estimator({ kind, url: `${url}/path?key=secret` }, limits).estimate(sell, open())
    const fault: unknown = await asked.catch((error: unknown) => error)
    expect(fault).toBeInstanceOf(Outage)
    expect(fault).toMatchObject({
      message: 'x is unavailable',
      reason: typeof reason === 'string' ? reason : expect.stringMatching(reason),
    })
    expect(lines).toEqual([
      ['an outside source failed', { source: 'x', reason: (fault as { reason: string }).reason }],
    ])
    const { message, cause } = fault as Error
    expect(inspect([message, cause, lines])).not.toMatch(/secret|127\.0|:\d{4,}|path|hello/)
  })

  test('that does not listen is unavailable, and its host is not reported', async () => {
    const gone = await startSolverEngine()
    await gone.close()
    const fault: unknown = await estimator({ kind, url: `${gone.url}/secret` })
      .estimate(sell, open())
      .catch((error: unknown) => error)
    expect(fault).toMatchObject({ reason: 'cannot be reached (ECONNREFUSED)' })
    expect(inspect([(fault as Error).cause, lines])).not.toMatch(/secret|127/)
  })

  test('has a timeout, in whatever way it hangs', async () => {
    for (const behaviour of [hanging, dripping]) {
      outside.behaves(behaviour)
      const started = performance.now()
      const asked = estimator({ kind }, { limits: hasty }).estimate(sell, open())
      await expect(asked).rejects.toMatchObject({ reason: late })
      expect(performance.now() - started).toBeLessThan(2_000)
    }
  })
})

test('an engine that promises more than its swap gives stays a claim', async () => {
  outside.behaves(throughPools({ times: 2_000n }))
  const buyAmount = 2n * poolOutputDown(pool, wrapped, sell.amount)
  expect(await estimator().estimate(sell, open())).toMatchObject({ standing: 'claimed', buyAmount })
})

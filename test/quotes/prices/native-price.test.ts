import { describe, expect, test, vi } from 'vitest'
import { Outage, Refusal } from '../../../src/domain/errors/error.ts'
import { nativeMarker } from '../../../src/domain/evm/address.ts'
import { type NativePriceServices, nativeRate, readNativeRates } from '../../../src/quotes/native-price.ts'
import { sampleNetwork } from '../../fakes/network.ts'
import { coin, dollar, numbered, wrapped } from '../../fakes/order.ts'

const unit = 10n ** 18n
const denied = numbered('9c')
/** Deep pools of three thousand dollars, and of two coins a dollar. */
const pools = [
  {
    address: numbered('d1'),
    token0: wrapped,
    token1: dollar,
    reserve0: 10n ** 6n * unit,
    reserve1: 3n * 10n ** 15n,
  },
  {
    address: numbered('d2'),
    token0: dollar,
    token1: coin,
    reserve0: 10n ** 15n,
    reserve1: 2n * 10n ** 9n * unit,
  },
]

function read(tokens: `0x${string}`[], more: Partial<NativePriceServices> = {}) {
  const asked: unknown[] = []
  const services: NativePriceServices = {
    network: sampleNetwork,
    policy: { deniedTokens: new Set([denied]), deniedAccounts: new Set(), sameToken: 'disallow' },
    look: async (pairs) => {
      asked.push(pairs)
      return { block: 1, gasPrice: 1n, pools }
    },
    outsidePrice: () => Promise.reject(new Refusal('NoLiquidity', 'nobody knows it')),
    checkTokens: async () => {},
    ...more,
  }
  return readNativeRates(tokens, services).then((rates) => ({ rates, asked }))
}

test('tokens are priced by the best route, in one market read', async () => {
  const { rates, asked } = await read([dollar, coin, numbered('9a')])
  expect(asked).toEqual([
    [
      [dollar, wrapped],
      [coin, wrapped],
      [numbered('9a'), wrapped],
    ],
  ])
  expect([...rates.keys()]).toEqual([dollar, coin])
  const [dollars, coins] = [...rates.values()]
  // A tenth of the native coin for 300 dollars or 600 coins, apart from fees of 0.3 % a swap and the slope of
  // the curve.
  const tokens = (rate: unknown) => Number((rate as { tokenAmount: bigint }).tokenAmount)
  expect(tokens(dollars) / 300e6).toBeCloseTo(1.003, 3)
  expect(tokens(coins) / 600e18).toBeCloseTo(1.006, 3)
})

test('the native coin costs one in both forms, and no source is asked', async () => {
  const one = { nativeAmount: 1n, tokenAmount: 1n }
  const { rates, asked } = await read([wrapped, nativeMarker])
  expect([[...rates], asked]).toEqual([
    [
      [wrapped, one],
      [nativeMarker, one],
    ],
    [],
  ])
})

test('a token that is not traded here has a refusal instead, and the others have prices', async () => {
  const { rates, asked } = await read([denied, dollar])
  expect(asked).toEqual([[[dollar, wrapped]]])
  expect(rates.get(denied)).toBeInstanceOf(Refusal)
  expect(rates.get(denied)).toMatchObject({ code: 'UnsupportedToken' })
  expect(rates.get(dollar)).toMatchObject({ nativeAmount: 10n ** 17n })
})

test('the network sets the amount that prices are for', () => {
  const network = { wrappedNative: wrapped, priceAmount: 10n ** 20n }
  const rate = nativeRate(pools, network, dollar)
  expect(rate?.nativeAmount).toBe(10n ** 20n)
  expect(Number(rate?.tokenAmount) / 300_000e6).toBeCloseTo(1.0031, 4)
})

test('a token without pools has an outside price; an estimator outage affects that token alone', async () => {
  const [known, down, paused] = [numbered('91'), numbered('92'), numbered('93')]
  const said = { nativeAmount: 3n, tokenAmount: 7n }
  const outsidePrice = vi.fn<NativePriceServices['outsidePrice']>(async (token) => {
    if (token === known) return said
    throw token === down ? new Outage('every estimator') : new Refusal('TokenTemporarilySuspended', 'paused')
  })
  const { rates } = await read([known, down, paused, dollar], { outsidePrice })
  expect(rates.get(known)).toEqual(said)
  expect(rates.get(down)).toMatchObject({ code: 'Unavailable' })
  expect(rates.get(paused)).toMatchObject({ code: 'TokenTemporarilySuspended', message: 'paused' })
  expect(rates.get(dollar)).toMatchObject({ nativeAmount: 10n ** 17n })
  expect(outsidePrice.mock.calls.flat()).toEqual([known, down, paused])
})

test('a token with a fee on transfers has no price, and one without a market is not checked', async () => {
  const checkTokens = vi.fn(async ([token]: readonly `0x${string}`[]) => {
    if (token === coin) throw new Refusal('UnsupportedToken', 'takes a fee')
  })
  const { rates } = await read([coin, dollar, wrapped, numbered('9a')], { checkTokens })
  expect([...rates].map(([token, rate]) => [token, rate instanceof Refusal && rate.code])).toEqual([
    [coin, 'UnsupportedToken'],
    [dollar, false],
    [wrapped, false],
  ])
  expect(checkTokens.mock.calls.map(([tokens]) => tokens)).toEqual([[coin], [dollar]])
})

test('without a market there are no prices', async () => {
  const look = () => Promise.reject(new Outage('the network node'))
  await expect(read([dollar], { look })).rejects.toThrow(Outage)
})

describe('a token of large atoms', () => {
  const [large, middle] = [numbered('91'), numbered('92')]
  const poolOf = (
    digits: string,
    token: `0x${string}`,
    atoms: bigint,
    other: `0x${string}`,
    others: bigint,
  ) => {
    const isFirst = token < other
    return {
      address: numbered(digits),
      ...(isFirst ? { token0: token, token1: other } : { token0: other, token1: token }),
      ...(isFirst ? { reserve0: atoms, reserve1: others } : { reserve0: others, reserve1: atoms }),
    }
  }
  const priceOf = (found: ReturnType<typeof nativeRate>) =>
    found && Number((found.nativeAmount * 10n ** 9n) / found.tokenAmount) / 1e27

  test('has the price of an atom, whatever that is', () => {
    // Atoms, and coins, in the pool.
    for (const [atoms, coins] of [
      [100n, 1_000n],
      [1_000n, 1_000n],
      [3n, 9_000n],
      [7n, 2n],
      [2n, 500_000n],
      [40_000n, 12_345n],
    ] as const) {
      const price = priceOf(
        nativeRate([poolOf('d1', large, atoms, wrapped, coins * unit)], sampleNetwork, large),
      )
      // Less the fee of 0.3 % and, where a tenth of a coin is much of the pool, the slope of the curve.
      const expected = (Number(coins) / Number(atoms)) * 0.997 * (1 - 0.1 / Number(coins))
      expect([atoms, coins, Number(price) / expected]).toEqual([atoms, coins, expect.closeTo(1, 3)])
    }
  })

  test('has it through another such token too, and gives it to one of small atoms', () => {
    const between = poolOf('d2', middle, 50n, wrapped, 1_000n * unit)
    const found = nativeRate([poolOf('d1', large, 10n, middle, 500n), between], sampleNetwork, large)
    expect(priceOf(found)).toBeCloseTo(1_000 * 0.997 ** 2, 0)
    const small = nativeRate([poolOf('d1', coin, 10_000n * unit, middle, 500n), between], sampleNetwork, coin)
    expect(Number(small?.nativeAmount) / Number(small?.tokenAmount)).toBeCloseTo(0.997 ** 2, 2)
  })
})

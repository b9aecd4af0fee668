import { expect, test } from 'vitest'
import { nativeMarker } from '../../src/domain/address.ts'
import { Refusal } from '../../src/domain/error.ts'
import { readNativeRates } from '../../src/quotes/native-price.ts'
import { sampleNetwork } from '../fakes/network.ts'
import { coin, dollar, numbered, wrapped } from '../fakes/order.ts'

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

function read(...tokens: `0x${string}`[]) {
  const asked: unknown[] = []
  const desk = {
    network: { ...sampleNetwork, wrappedNative: wrapped },
    policy: { deniedTokens: new Set([denied]) },
    pools: async (pairs: readonly unknown[]) => {
      asked.push(pairs)
      return pools
    },
  }
  return readNativeRates(tokens, desk).then((rates) => ({ rates, asked }))
}

test('tokens are priced by the best route, in one look at the market', async () => {
  const { rates, asked } = await read(dollar, coin, numbered('9a'))
  expect(asked).toEqual([
    [
      [dollar, wrapped],
      [coin, wrapped],
      [numbered('9a'), wrapped],
    ],
  ])
  expect([...rates.keys()]).toEqual([dollar, coin])
  const [dollars, coins] = [...rates.values()]
  // A tenth of the native coin for 300 dollars or 600 coins, fees of 0.3 % a swap and the slope of the curve apart.
  const tokens = (rate: unknown) => Number((rate as { tokenAmount: bigint }).tokenAmount)
  expect(tokens(dollars) / 300e6).toBeCloseTo(1.003, 3)
  expect(tokens(coins) / 600e18).toBeCloseTo(1.006, 3)
})

test('the native coin is worth one in both forms, and nobody is asked', async () => {
  const one = { nativeAmount: 1n, tokenAmount: 1n }
  const { rates, asked } = await read(wrapped, nativeMarker)
  expect([[...rates], asked]).toEqual([
    [
      [wrapped, one],
      [nativeMarker, one],
    ],
    [],
  ])
})

test('a token that is not traded here has a refusal instead, and the others their prices', async () => {
  const { rates, asked } = await read(denied, dollar)
  expect(asked).toEqual([[[dollar, wrapped]]])
  expect(rates.get(denied)).toBeInstanceOf(Refusal)
  expect(rates.get(denied)).toMatchObject({ code: 'UnsupportedToken' })
  expect(rates.get(dollar)).toMatchObject({ nativeAmount: 10n ** 17n })
})

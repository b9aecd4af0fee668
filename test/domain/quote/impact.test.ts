import { describe, expect, test } from 'vitest'
import {
  defaultImpactLimits,
  impactPartsUp,
  impactReasons,
  lossText,
  toPriceImpact,
} from '../../../src/domain/quote/impact.ts'

const unit = 10n ** 18n
/** One whole token of 6 decimals is worth 1/3000 coin. */
const rates = {
  sell: { nativeAmount: 1n, tokenAmount: 1n },
  buy: { nativeAmount: unit, tokenAmount: 3_000n * 10n ** 6n },
}
const sold = { sellAmount: 10n * unit, decimals: 18, usdPrice: '3000.5' }

describe('the lost share', () => {
  test.each<[bought: bigint, parts: bigint]>([
    [30_000_000_000n, 0n],
    [29_999_999_999n, 1n],
    [28_500_000_000n, 50_000n],
    [28_500_000_001n, 50_000n],
    [28_499_999_999n, 50_001n],
    [24_000_000_000n, 200_000n],
    [600_000_000n, 980_000n],
    [1n, 1_000_000n],
    [33_000_000_000n, -100_000n],
    [30_000_000_001n, 0n],
  ])('of a sale that gets %d is %d', (buyAmount, parts) => {
    expect(impactPartsUp({ sellAmount: 10n * unit, buyAmount }, rates)).toBe(parts)
  })

  test('is unknown for rates and amounts of nothing', () => {
    const amounts = { sellAmount: 1n, buyAmount: 1n }
    expect(impactPartsUp({ ...amounts, buyAmount: 0n }, rates)).toBeUndefined()
    expect(impactPartsUp(amounts, { ...rates, sell: { nativeAmount: 0n, tokenAmount: 1n } })).toBeUndefined()
  })
})

test.each<[parts: bigint, impact: object, code: string | undefined, words: string]>([
  [0n, { share: '0', usd: null, isNotable: false, needsAcceptance: false }, undefined, '0 % less'],
  [-100_000n, { share: '-0.1', usd: null, isNotable: false, needsAcceptance: false }, undefined, '10 % more'],
  [
    49_999n,
    { share: '0.049999', usd: '1500.22', isNotable: false, needsAcceptance: false },
    undefined,
    '4.99 % less',
  ],
  [
    50_000n,
    { share: '0.05', usd: '1500.25', isNotable: true, needsAcceptance: false },
    'priceImpact',
    '5 % less',
  ],
  [
    199_999n,
    { share: '0.199999', usd: '6000.97', isNotable: true, needsAcceptance: false },
    'priceImpact',
    '19.99 % less',
  ],
  [
    200_000n,
    { share: '0.2', usd: '6001', isNotable: true, needsAcceptance: true },
    'priceImpact',
    '20 % less',
  ],
  [
    980_000n,
    { share: '0.98', usd: '29404.9', isNotable: true, needsAcceptance: true },
    'priceImpact',
    '98 % less',
  ],
])('%d parts are said and accepted by the settings', (parts, impact, code, words) => {
  const found = toPriceImpact(parts, sold, defaultImpactLimits)
  expect(found).toEqual(impact)
  expect(impactReasons(found).map((reason) => reason.code)).toEqual(code === undefined ? [] : [code])
  expect(lossText(found).startsWith(`${words} than the market price`)).toBe(true)
})

test.each(['x', '', '1e999', '\u001b[31m', '$(id)', 'NaN', '0.1; rm', '9'.repeat(400)])(
  'a service elsewhere cannot speak by %j',
  (text) => {
    const words = [lossText({ share: text, usd: null }), lossText({ share: '0.98', usd: text })]
    expect(words.join('\n')).not.toMatch(/\$|rm|\[31|9{50}/)
    expect(words[1]).toMatch(/^98 % less than the market price/)
  },
)

test('other settings, an unknown price, and tokens without decimals or dollars', () => {
  expect(toPriceImpact(30_000n, sold, { said: 10_000n, accepted: 30_000n })).toMatchObject({
    isNotable: true,
    needsAcceptance: true,
  })
  expect(impactReasons(null).map(({ code }) => code)).toEqual(['priceUnknown'])
  for (const unknown of [{ decimals: null }, { usdPrice: null }])
    expect(toPriceImpact(90_000n, { ...sold, ...unknown }, defaultImpactLimits).usd).toBeNull()
  const [reason] = impactReasons(toPriceImpact(90_000n, sold, defaultImpactLimits))
  expect(reason?.summary).toBe('The trade gives 9 % less than the market price, 2,700.45 US dollars.')
  // A price may have 80 decimal places, and a token none.
  const dust = { sellAmount: 10n ** 30n, decimals: 0, usdPrice: `0.${'0'.repeat(17)}123` }
  expect(toPriceImpact(500_000n, dust, defaultImpactLimits).usd).toBe('500000000000')
})

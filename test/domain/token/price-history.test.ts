import { describe, expect, test } from 'vitest'
import {
  deviationOf,
  type PriceHistory,
  ratioOf,
  slippageBpsUp,
  volatilityOf,
} from '../../../src/domain/token/price-history.ts'

const minute = 60_000
const start = 1_700_000_100_000

/** Up and down by `share` around `middle`: its standard deviation is exactly `share · middle`. */
function waves(
  middle: number,
  share: number,
  { points = 288, minutes = 5, from = start } = {},
): PriceHistory {
  return Array.from({ length: points }, (_, index) => ({
    at: from + index * minutes * minute,
    price: middle * (1 + (index % 2 === 0 ? share : -share)),
    volume: null,
  }))
}
const flat = (price: number, options = {}) => waves(price, 0, options)
const bps = (...market: Parameters<typeof volatilityOf>) => {
  const volatility = volatilityOf(...market)
  return volatility && { bps: slippageBpsUp(volatility), basis: volatility.basis }
}

describe('slippage', () => {
  // A pair that moves by so many basis points, less a tenth, is told the whole number above.
  test.each([
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
  ])('%s is %i basis points', (_pair, expected, baseSpot, quoteSpot) => {
    const share = (expected - 0.1) / 10_000
    const quote = { spot: quoteSpot, history: flat(quoteSpot) }
    expect(bps({ spot: baseSpot, history: waves(baseSpot, share) }, quote)).toEqual({
      bps: expected,
      basis: 'ratio',
    })
  })

  test('is that of the ratio, not of the dollars: what moves together does not move', () => {
    const history = waves(2_000, 0.05)
    expect(bps({ spot: 2_000, history }, { spot: 2_000, history })).toEqual({ bps: 0, basis: 'ratio' })
  })

  test('scales by the square root of the spacing', () => {
    const far = { minutes: 20 }
    const market = [
      { spot: 1, history: waves(1, 0.01, far) },
      { spot: 1, history: flat(1, far) },
    ] as const
    expect(bps(...market)?.bps).toBe(50)
  })

  test('is relative to the spot price', () => {
    const quote = { spot: 1, history: flat(1) }
    expect(bps({ spot: 2, history: waves(1, 0.01) }, quote)?.bps).toBe(50)
  })

  test('compares prices that were read up to two minutes apart', () => {
    const quote = { spot: 1, history: flat(1, { from: start + 2 * minute - 100_000 }) }
    expect(bps({ spot: 1, history: waves(1, 0.01, { from: start - 100_000 }) }, quote)).toEqual({
      bps: 100,
      basis: 'ratio',
    })
  })

  test('is that of the more volatile token when no times are common', () => {
    const later = { spot: 1, history: waves(1, 0.02, { from: start + 86_400_000 * 2 }) }
    expect(bps({ spot: 1, history: waves(1, 0.01) }, later)).toEqual({ bps: 200, basis: 'tokens' })
  })

  test('is that of the token that is known', () => {
    const known = { spot: 3_000, history: waves(3_000, 0.01) }
    expect(bps(known, { spot: 1, history: undefined })).toEqual({ bps: 100, basis: 'oneToken' })
    expect(bps({ spot: undefined, history: waves(1, 0.5) }, known)).toEqual({ bps: 100, basis: 'oneToken' })
  })

  test.each([
    ['prices', { spot: 1, history: undefined }],
    ['a spot price', { spot: undefined, history: waves(1, 0.01) }],
    ['a second point', { spot: 1, history: waves(1, 0.01, { points: 1 }) }],
  ])('is unknown without %s', (_what, token) => {
    expect(bps(token, token)).toBeUndefined()
  })

  test('is at most all of the price', () => {
    const wild = { spot: 1e-9, history: waves(1, 0.5) }
    expect(bps(wild, { spot: 1, history: flat(1) })?.bps).toBe(10_000)
  })
})

test('a deviation is that of the population', () => {
  const prices = [2, 4, 4, 4, 5, 5, 7, 9]
  const history = prices.map((price, index) => ({ at: index * 5 * minute, price, volume: null }))
  expect(deviationOf(history)).toBeCloseTo(2, 12)
})

test('a ratio has the times at which both are known', () => {
  const at = (time: number, price: number) => ({ at: time * minute, price, volume: null })
  const ratio = ratioOf([at(5, 6), at(10, 8), at(20, 9)], [at(4, 3), at(11, 4), at(15, 1)], 'fiveMinutes')
  expect(ratio).toEqual([at(5, 2), at(10, 2)])
})

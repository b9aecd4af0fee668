import { expect, test } from 'vitest'
import { isWatched, partNumber } from '../../src/server/pages/browser/order/order.ts'
import { orderTitle, stateOf } from '../../src/server/pages/browser/view/orders.ts'
import { paddedRange } from '../../src/server/pages/browser/view/plot.tsx'

const cases: [Parameters<typeof stateOf>, text: string][] = [
  [[{ status: 'OPEN', executedFraction: '0' }, undefined], 'Open, not filled yet'],
  [[{ status: 'OPEN', executedFraction: '0' }, 'EXPIRES_TOO_SOON'], 'Not offered any more'],
  [[{ status: 'OPEN', executedFraction: '0.4' }, 'EXPIRES_TOO_SOON'], 'Not offered any more, 40 % filled'],
  [[{ status: 'PRESIGNATURE_PENDING', executedFraction: '0' }, 'EXPIRES_TOO_SOON'], 'Not offered any more'],
  [[{ status: 'OPEN', executedFraction: '0' }, 'NEVER_TRADABLE'], 'Cannot be filled'],
  [[{ status: 'EXPIRED', executedFraction: '0' }, 'EXPIRES_TOO_SOON'], 'Expired, not filled'],
]

test.each(cases)('the badge of %j says %s', (order, text) => {
  expect(stateOf(...order).text).toBe(text)
})

const [sellToken, buyToken] = [
  { address: '0x1', symbol: 'WETH', decimals: 18 },
  { address: '0x2', symbol: 'USDC', decimals: 6 },
]
const amounts = {
  sellToken,
  buyToken,
  sellAmount: '500000000000000000',
  buyAmount: '1400000000',
  executedSellAmount: '400000000000000000',
  executedBuyAmount: '1493970000',
}

test.each([
  ['SELL', 'OPEN', 'Sell 0.5 WETH for at least 1,400 USDC'],
  ['BUY', 'OPEN', 'Buy 1,400 USDC for at most 0.5 WETH'],
  ['SELL', 'EXPIRED', 'Sell 0.5 WETH for at least 1,400 USDC'],
  ['SELL', 'FULFILLED', 'Sold 0.4 WETH for 1,493.97 USDC'],
  ['BUY', 'FULFILLED', 'Bought 1,493.97 USDC for 0.4 WETH'],
] as const)('the title of a %s order that is %s is %s', (kind, status, title) => {
  expect(orderTitle({ ...amounts, kind, status })).toBe(title)
})

test.each([
  [1_299, '300', 1],
  [1_599, '300', 2],
  // Open for a part of the time between two parts.
  [1_360, '300', 2],
  [4_599, '300', 12],
])('the part of a TWAP that ends at %i is one of every %s s: number %i', (validTo, t, number) => {
  const whole = { id: 'x', type: 'TWAP' as const, partCount: 12, startsAt: 1_000, input: { t } }
  expect(partNumber(whole, validTo)).toBe(number)
  expect(partNumber({ ...whole, startsAt: null }, validTo)).toBeUndefined()
  expect(partNumber({ ...whole, input: {} }, validTo)).toBeUndefined()
})

test.each([
  ['OPEN', 'PRICE_OUT_OF_REACH', [], true],
  ['OPEN', 'BALANCE_MISSING', ['PRICE_OUT_OF_REACH'], true],
  ['OPEN', 'AUCTIONS_HALTED', ['PRICE_OUT_OF_REACH'], false],
  ['OPEN', 'PRICE_OUT_OF_REACH', ['DECIDED_ELSEWHERE'], false],
  ['OPEN', 'NOT_READ_YET', [], false],
  ['OPEN', 'EXPIRES_TOO_SOON', ['PRICE_OUT_OF_REACH'], false],
  ['EXPIRED', 'PRICE_OUT_OF_REACH', [], false],
] as const)(
  'the distance of an order that is %s, with %s and %j, is measured again: %s',
  (status, code, others, is) => {
    const [reason, ...further] = [code, ...others].map((code) => ({
      code,
      summary: '',
      advice: '',
      evidence: [],
    }))
    expect(isWatched({ status }, { ...(reason as NonNullable<typeof reason>), further })).toBe(is)
  },
)

test.each([
  [3_000, 3_001.5],
  [0.000_3, 0.000_300_1],
  [1_500, 1_500],
])('a plot from %d to %d shows a small movement as a small one', (low, high) => {
  const [bottom, top] = paddedRange(low, high)
  expect((high - low) / (top - bottom)).toBeLessThan(0.05)
  expect((low + high) / 2).toBeCloseTo((top + bottom) / 2, 9)
})

test('a plot has room above and below a large movement', () => {
  expect(paddedRange(100, 200)).toEqual([90, 210])
  expect(paddedRange(0, 0)).toEqual([-0.5, 0.5])
})

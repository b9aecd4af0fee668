import { expect, test } from 'vitest'
import { isInMarket, isOutOfMarket } from '../../../src/domain/quote/quote.ts'

const quote = { sellAmount: 100n, buyAmount: 1_000n, feeAmount: 10n }

// After the fee, a sell order gets 900 for 100, and a buy order pays 110 for 1,000.
test.each([
  ['sell', 100n, 900n, false],
  ['sell', 100n, 901n, true],
  ['sell', 50n, 450n, false],
  ['sell', 50n, 451n, true],
  ['buy', 110n, 1_000n, false],
  ['buy', 109n, 1_000n, true],
  ['buy', 55n, 500n, false],
  ['buy', 55n, 501n, true],
] as const)('%s %d for %d: %s', (kind, sellAmount, buyAmount, expected) => {
  const order = { kind, sellAmount, buyAmount }
  expect(isOutOfMarket(order, quote)).toBe(expected)
  expect(isInMarket({ ...order, quote })).toBe(!expected)
})

test.each([
  ['none', null],
  ['one that sells nothing', { ...quote, sellAmount: 0n }],
  ['one that buys nothing', { ...quote, buyAmount: 0n }],
])('an order is out of market with %s', (_, given) => {
  expect(isInMarket({ kind: 'buy', sellAmount: 10n ** 9n, buyAmount: 1n, quote: given })).toBe(false)
})

test('the fee of a sell order is rounded down', () => {
  const third = { sellAmount: 3n, buyAmount: 10n, feeAmount: 1n }
  expect(isOutOfMarket({ kind: 'sell', sellAmount: 3n, buyAmount: 7n }, third)).toBe(false)
  expect(isOutOfMarket({ kind: 'sell', sellAmount: 3n, buyAmount: 8n }, third)).toBe(true)
})

import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Order } from '../../../src/domain/order/order.ts'
import {
  extraOrderGas,
  networkFeeUp,
  settlementGas,
  sharedGasUp,
} from '../../../src/domain/settlement/gas.ts'
import { numbered, sampleOrder } from '../../fakes/order.ts'

it('the gas of one trade without swaps is the measured value', () => {
  expect(settlementGas(1, 0)).toBe(125_391n)
  expect(settlementGas(2, 3)).toBe(125_391n + 99_026n + 240_000n)
})

it('the shares of the orders add up to the gas, plus at most one unit for each order', () => {
  for (const trades of [1, 2, 3, 7]) {
    const over = BigInt(trades) * sharedGasUp(trades, 1) - settlementGas(trades, 1)
    expect(over >= 0n && over < BigInt(trades)).toBe(true)
  }
})

const coin = { nativeAmount: 1n, tokenAmount: 1n }

it('the network fee is the gas in sell token atoms, rounded up', () => {
  // 200,000 gas at 10 gwei; 10^9 dollar atoms equal half a native coin.
  const dollar = { nativeAmount: 5n * 10n ** 17n, tokenAmount: 10n ** 9n }
  expect(networkFeeUp(2n * 10n ** 15n, dollar, coin)).toEqual({ sold: 4_000_000n, bought: 0n })
  expect(networkFeeUp(10n, { nativeAmount: 3n, tokenAmount: 1n }, coin)).toEqual({ sold: 4n, bought: 0n })
})

it('a fee of less than a sold atom is taken in the bought token, or not at all', () => {
  const large = { nativeAmount: 10n ** 18n, tokenAmount: 1n }
  const cost = 2n * 10n ** 14n + 1n
  expect(networkFeeUp(cost, large, coin)).toEqual({ sold: 0n, bought: cost })
  expect(networkFeeUp(cost, large, { nativeAmount: 2n, tokenAmount: 1n })).toEqual({
    sold: 0n,
    bought: 10n ** 14n + 1n,
  })
  expect(networkFeeUp(cost, large, large)).toEqual({ sold: 0n, bought: 0n })
  expect(networkFeeUp(10n ** 18n, large, coin)).toEqual({ sold: 1n, bought: 0n })
})

it('a fee is less than twice its cost, and covers it unless an atom of each token is worth more', () => {
  /** An atom of a token of these decimals, of which one costs 10^exponent wei times the digits. */
  const rate = fc
    .record({
      decimals: fc.bigInt(0n, 27n),
      exponent: fc.bigInt(4n, 24n),
      digits: fc.bigInt(1_000n, 9_999n),
    })
    .map(({ decimals, exponent, digits }) => ({
      nativeAmount: digits * 10n ** exponent,
      tokenAmount: 10n ** decimals,
    }))
  const cost = fc
    .tuple(fc.bigInt(21_000n, 16_000_000n), fc.bigInt(1n, 10n ** 12n))
    .map(([gas, price]) => gas * price)
  fc.assert(
    fc.property(cost, rate, rate, (paid, sell, buy) => {
      const { sold, bought } = networkFeeUp(paid, sell, buy)
      const [fee, { nativeAmount, tokenAmount }] = sold > 0n ? [sold, sell] : [bought, buy]
      expect(sold === 0n || bought === 0n).toBe(true)
      expect(fee * nativeAmount < 2n * paid * tokenAmount).toBe(true)
      const isCovered = fee * nativeAmount >= paid * tokenAmount
      const isCoarse = [sell, buy].every((each) => each.nativeAmount > paid * each.tokenAmount)
      expect(isCovered).toBe(!isCoarse)
    }),
    { seed: 1, numRuns: 5_000 },
  )
})

it('an order pays for its own signature, hooks and unwrapping', () => {
  const hook = { target: numbered('12'), callData: '0x', gasLimit: '70000' }
  const call = { target: numbered('12'), value: 0n, callData: '0x' as const }
  const plain = sampleOrder()
  const hooked = sampleOrder({
    signingScheme: 'eip1271',
    fullAppData: JSON.stringify({ metadata: { hooks: { pre: [hook], post: [hook] } } }),
    interactions: { pre: [call], post: [call] },
  })
  expect(extraOrderGas(plain, false)).toBe(0n)
  expect(extraOrderGas(plain, true)).toBe(9_223n)
  expect(extraOrderGas(hooked, true)).toBe(27_000n + 140_000n + 9_223n)
  expect(extraOrderGas(hooked, false, 5_000n)).toBe(5_000n + 140_000n)
  expect(extraOrderGas(plain, false, 5_000n)).toBe(0n)
})

it.each([
  ['sell', { executedSellAmount: 1n }],
  ['buy', { executedBuyAmount: 1n }],
] as const)('later fills of a %s order pay for the post-hooks alone', (kind, filled) => {
  const call = { target: numbered('12'), value: 0n, callData: '0x' as const }
  const hook = (gasLimit: string) => ({ target: call.target, callData: call.callData, gasLimit })
  const hooked = (pre: string[], post: string[], overrides: Partial<Order> = {}) =>
    sampleOrder({
      kind,
      fullAppData: JSON.stringify({ metadata: { hooks: { pre: pre.map(hook), post: post.map(hook) } } }),
      interactions: { pre: pre.map(() => call), post: post.map(() => call) },
      ...overrides,
    })
  expect(extraOrderGas(hooked(['70000'], ['5000']), false)).toBe(75_000n)
  expect(extraOrderGas(hooked(['70000'], ['5000'], filled), false)).toBe(5_000n)
  expect(extraOrderGas(hooked(['70000'], [], filled), false)).toBe(0n)
})

it('an order that was placed on chain wraps its coins before its first fill', () => {
  const call = { target: numbered('12'), value: 0n, callData: '0x' as const }
  const placed = { onchainUser: numbered('13'), fullAppData: null }
  const interactions = { pre: [call], post: [] }
  expect(extraOrderGas(sampleOrder({ ...placed, interactions, signingScheme: 'eip1271' }), false)).toBe(
    51_038n,
  )
  expect(extraOrderGas(sampleOrder({ ...placed, interactions, executedSellAmount: 1n }), false)).toBe(0n)
  expect(extraOrderGas(sampleOrder(placed), false)).toBe(0n)
  expect(extraOrderGas(sampleOrder({ interactions, fullAppData: null }), false)).toBe(0n)
})

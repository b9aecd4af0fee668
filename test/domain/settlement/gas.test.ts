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

it('the network fee is the gas in sell token atoms, rounded up', () => {
  // 200,000 gas at 10 gwei; 10^9 dollar atoms equal half a native coin.
  expect(networkFeeUp(200_000n, 10n ** 10n, 5n * 10n ** 26n)).toBe(4_000_000n)
  expect(networkFeeUp(1n, 1n, 3n * 10n ** 18n)).toBe(1n)
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

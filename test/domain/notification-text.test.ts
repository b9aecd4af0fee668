import { describe, expect, test } from 'vitest'
import {
  cancellationText,
  improvementText,
  orderText,
  shortageText,
  tradeText,
} from '../../src/domain/notification/notification.ts'
import { readableDown, readableUp } from '../../src/domain/text/readable.ts'
import { dollar, sampleOrder, wrapped } from '../fakes/order.ts'

const named = (symbol: string | null, decimals: number | null, at = wrapped) => ({
  chainId: 1,
  address: at,
  symbol,
  name: null,
  decimals,
})
const tokens = { sell: named('WETH', 18), buy: named('USDC', 6, dollar) }
const order = sampleOrder({ sellAmount: 5n * 10n ** 17n, buyAmount: 1_480n * 10n ** 6n })

describe('an amount', () => {
  test.each([
    [500_000_000_000_000_000n, 18, '0.5', '0.5'],
    [1_493_974_123n, 6, '1,493.97', '1,493.98'],
    [1_493_000_000n, 6, '1,493', '1,493'],
    [12_345_678_900_000n, 6, '12,345,678', '12,345,679'],
    [999_999_900_000n, 6, '999,999', '1,000,000'],
    [12_345_678_912_345n, 18, '0.0000123456', '0.0000123457'],
    [1n, 18, '0.000000000000000001', '0.000000000000000001'],
    [0n, 18, '0', '0'],
    [1_234n, 0, '1,234', '1,234'],
  ])('of %d atoms with %d decimals reads %s, rounded up %s', (atoms, decimals, down, up) => {
    expect(readableDown(atoms, named('T', decimals))).toBe(`${down} T`)
    expect(readableUp(atoms, named('T', decimals))).toBe(`${up} T`)
  })

  test('of a token that does not describe itself is in atoms', () => {
    expect(readableDown(1_234_567n, named(null, null))).toBe(`1,234,567 atoms of ${wrapped}`)
    expect(readableDown(15n, named(null, 1))).toBe(`1.5 ${wrapped}`)
    expect(readableDown(3n, named('ODD', 255)).length).toBeLessThan(300)
  })
})

describe('a message', () => {
  test('names an order with its kind, and with what is filled of it', () => {
    expect(orderText(order, tokens)).toBe('sell 0.5 WETH for at least 1,480 USDC')
    expect(orderText({ ...order, kind: 'buy' }, tokens)).toBe('buy 1,480 USDC for at most 0.5 WETH')
    expect(orderText({ ...order, executedSellAmount: 10n ** 17n }, tokens)).toBe(
      'sell 0.5 WETH for at least 1,480 USDC, 20 % filled',
    )
  })

  test.each([
    ['api', 'Order cancelled: '],
    ['policy', 'Order cancelled by the operator: '],
    ['replacement', 'Order replaced by a new one: '],
    ['chain', 'Order cancelled on chain: '],
  ] as const)('about a cancellation says by whom: %s', (source, start) => {
    expect(cancellationText(source, order, tokens)).toBe(`${start}sell 0.5 WETH for at least 1,480 USDC`)
  })

  test.each([
    [2n, 0n, 'Balance too low, 0.000000000000000002 WETH missing'],
    [0n, 10n ** 17n, 'Allowance too low, 0.1 WETH more to be approved'],
    [
      1n + 10n ** 17n,
      5n * 10n ** 17n,
      'Balance too low, 0.100001 WETH missing; allowance too low, 0.5 WETH more to be approved',
    ],
  ])('about a shortage of %d and %d says how much of which', (balance, allowance, start) => {
    expect(shortageText({ balance, allowance }, order, tokens)).toBe(
      `${start}: sell 0.5 WETH for at least 1,480 USDC`,
    )
  })

  test('about a better price says how much better, and than what', () => {
    const trade = { sellAmount: order.sellAmount, buyAmount: 1_493_974_123n }
    expect(tradeText(trade, tokens)).toBe('0.5 WETH for 1,493.97 USDC')
    const amounts = '0.5 WETH for 1,493.97 USDC'
    const gain = (amount: bigint, share = 0n) => ({ amount, share, referenceAmount: 1n })
    const better = gain(33_199_000n, 22_759n)
    const limit = 'better price: 33.199 USDC (2.27 %) more than the limit'
    expect(improvementText('limit', better, undefined, order, trade, tokens)).toBe(`${limit}, ${amounts}`)
    for (const [quote, words] of [
      [3_199_000n, '3.199 USDC more than quoted'],
      [0n, 'as quoted'],
      [-1n, '0.000001 USDC less than quoted'],
    ] as const)
      expect(improvementText('limit', better, gain(quote), order, trade, tokens)).toBe(
        `${limit}, ${words}, ${amounts}`,
      )
    const cheaper = gain(10n ** 15n, 1_234_567n)
    const buy = { kind: 'buy' as const }
    const than = 'better price: 0.001 WETH (123.45 %) less than the limit'
    expect(improvementText('limit', cheaper, gain(2n * 10n ** 14n), buy, trade, tokens)).toBe(
      `${than}, 0.0002 WETH less than quoted, ${amounts}`,
    )
    expect(improvementText('limit', cheaper, gain(-(10n ** 15n)), buy, trade, tokens)).toBe(
      `${than}, 0.001 WETH more than quoted, ${amounts}`,
    )
    const odd = gain(1_492_974_122n, 29_515_984_400n * 10_000n)
    const quoted = gain(3_199_000n, 2_145n)
    expect(improvementText('quote', quoted, quoted, order, trade, tokens)).toBe(
      `better price: 3.199 USDC (0.21 %) more than quoted, ${amounts}`,
    )
    expect(improvementText('market', quoted, undefined, order, trade, tokens)).toBe(
      `better price: 3.199 USDC (0.21 %) more than the market, ${amounts}`,
    )
    expect(improvementText('none', odd, undefined, order, trade, tokens)).toBe(
      `better price than the limit: ${amounts}`,
    )
  })
})

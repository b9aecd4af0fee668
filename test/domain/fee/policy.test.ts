import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { divUp } from '../../../src/domain/amount.ts'
import { orderScoreDown } from '../../../src/domain/auction/score.ts'
import {
  type FeePolicy,
  type Limits,
  protocolFeeDown,
  type QuotedPrice,
  referenceLimits,
  surplusDown,
  takeFee,
  volumeShare,
} from '../../../src/domain/fee/policy.ts'
import { chargedFees } from '../../../src/domain/settlement/fees.ts'
import { coin } from '../../fakes/order.ts'

const sell: Limits = { kind: 'sell', sellAmount: 1_000n, buyAmount: 2_000n }
const buy: Limits = { kind: 'buy', sellAmount: 1_000n, buyAmount: 2_000n }
const volume: FeePolicy = { kind: 'volume', factor: 10_000n }
const surplus: FeePolicy = { kind: 'surplus', factor: 500_000n, maxVolumeFactor: 10_000n }
const improvement: FeePolicy = { kind: 'priceImprovement', factor: 500_000n, maxVolumeFactor: 900_000n }

describe('surplus', () => {
  it.each([
    [sell, { sell: 1_000n, buy: 2_500n }, 500n],
    [sell, { sell: 500n, buy: 1_100n }, 100n],
    [sell, { sell: 1n, buy: 2n }, 0n],
    [sell, { sell: 1_000n, buy: 1_999n }, -1n],
    [buy, { sell: 900n, buy: 2_000n }, 100n],
    [buy, { sell: 1n, buy: 1n }, -1n],
  ])('for limits %o and fill %o is %s', (limits, fill, expected) => {
    expect(surplusDown(limits, fill)).toBe(expected)
  })
})

describe('protocol fee', () => {
  const quoted: QuotedPrice = { sellAmount: 500n, buyAmount: 1_200n, feeAmount: 50n }
  it.each([
    ['volume of a sell order', volume, sell, { sell: 1_000n, buy: 2_500n }, null, 25n],
    ['volume of a buy order', volume, buy, { sell: 900n, buy: 2_000n }, null, 9n],
    ['surplus, capped by volume', surplus, sell, { sell: 1_000n, buy: 2_500n }, null, 25n],
    ['surplus below the cap', surplus, sell, { sell: 1_000n, buy: 2_020n }, null, 10n],
    ['no surplus', surplus, sell, { sell: 1_000n, buy: 2_000n }, null, 0n],
    // The quote gives 1200 − 120 for 500, so 2160 for 1000.
    ['improvement over the quote', improvement, sell, { sell: 1_000n, buy: 2_500n }, quoted, 170n],
    ['no improvement over the quote', improvement, sell, { sell: 1_000n, buy: 2_160n }, quoted, 0n],
    ['improvement without a quote', improvement, sell, { sell: 1_000n, buy: 2_500n }, null, 250n],
    [
      'surplus, whatever the quote',
      { ...improvement, kind: 'surplus' as const },
      sell,
      { sell: 1_000n, buy: 2_500n },
      quoted,
      250n,
    ],
    [
      'a quote that sells nothing',
      improvement,
      sell,
      { sell: 1_000n, buy: 2_500n },
      { ...quoted, sellAmount: 0n },
      250n,
    ],
    [
      'a quote that buys nothing',
      improvement,
      buy,
      { sell: 900n, buy: 2_000n },
      { ...quoted, buyAmount: 0n },
      50n,
    ],
    [
      'a quote of a sell order that buys nothing',
      improvement,
      sell,
      { sell: 1_000n, buy: 2_500n },
      { ...quoted, buyAmount: 0n },
      250n,
    ],
    // 550 for 1200 makes 916 for 2000.
    [
      'improvement of a buy order, at its own size',
      improvement,
      buy,
      { sell: 816n, buy: 2_000n },
      quoted,
      50n,
    ],
  ])('%s', (_, policy, limits, fill, quote, fee) => {
    expect(protocolFeeDown(policy, limits, fill, quote)).toBe(fee)
  })
})

it('policies on the volume add up', () => {
  expect(volumeShare([volume, surplus, volume, improvement])).toBe(20_000n)
})

const amount = fc.bigInt({ min: 1n, max: 10n ** 30n })
const factor = fc.bigInt({ min: 0n, max: 999_999n })
const policies: fc.Arbitrary<FeePolicy[]> = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('volume' as const), factor: fc.bigInt({ min: 0n, max: 100_000n }) }),
    fc.record({
      kind: fc.constantFrom('surplus' as const, 'priceImprovement' as const),
      factor,
      maxVolumeFactor: fc.bigInt({ min: 0n, max: 1_000_000n }),
    }),
  ),
  { maxLength: 3 },
)
const limits: fc.Arbitrary<Limits> = fc.record({
  kind: fc.constantFrom('buy', 'sell'),
  sellAmount: amount,
  buyAmount: amount,
})
const quotes: fc.Arbitrary<QuotedPrice | null> = fc.option(
  fc.record({ sellAmount: amount, buyAmount: amount, feeAmount: fc.bigInt({ min: 0n, max: 10n ** 20n }) }),
)
/** Fills from exactly at the limit to ten times better. */
const fills = (order: Limits, part: bigint, better: bigint) =>
  order.kind === 'sell'
    ? { sell: order.sellAmount, buy: (order.buyAmount * (1_000n + better)) / 1_000n + part }
    : { sell: (order.sellAmount * 1_000n) / (1_000n + better), buy: order.buyAmount }

it('surplus policies keep a fill within its limit, and undoing them returns the fee', () => {
  fc.assert(
    fc.property(
      limits,
      policies,
      quotes,
      fc.bigInt({ min: 0n, max: 1_000n }),
      fc.bigInt({ min: 0n, max: 9_000n }),
      (order, feePolicies, quote, part, better) => {
        const gross = fills(order, part, better)
        const taken: bigint[] = []
        let net = gross
        for (const policy of feePolicies) {
          const fee = protocolFeeDown(policy, order, net, quote)
          expect(fee >= 0n).toBe(true)
          const next = takeFee(order.kind, net, fee)
          if (policy.kind !== 'volume' && surplusDown(order, net) >= 0n) {
            expect(surplusDown(order, next) >= 0n).toBe(true)
          }
          taken.push(fee)
          net = next
        }
        if (net.buy <= 0n || net.sell <= 0n) return
        const uniform = { sell: gross.buy, buy: gross.sell }
        const { protocol, network } = chargedFees({ ...order, feePolicies, quote }, net, uniform)
        const sum = (fees: bigint[]) => fees.reduce((total, fee) => total + fee, 0n)
        expect(protocol).toHaveLength(feePolicies.length)
        expect(sum(protocol)).toBe(sum(taken))
        expect(network < divUp(gross.sell, gross.buy)).toBe(true)
      },
    ),
  )
})

it('an improvement over a quote is never more than the exact one, so that a fee on it is not either', () => {
  const quotedOrders = fc.tuple(limits, quotes, amount, amount)
  fc.assert(
    fc.property(quotedOrders, ([order, quote, sold, bought]) => {
      if (!quote || quote.feeAmount >= quote.sellAmount) return
      const over = surplusDown(referenceLimits(improvement, order, quote), { sell: sold, buy: bought })
      const { sellAmount, buyAmount, feeAmount } = quote
      if (order.kind === 'sell') {
        const exact = bought * sellAmount ** 2n - sold * buyAmount * (sellAmount - feeAmount)
        expect(over * sellAmount ** 2n <= exact).toBe(true)
      } else expect(over * buyAmount <= bought * (sellAmount + feeAmount) - sold * buyAmount).toBe(true)
    }),
  )
})

describe('score', () => {
  const prices = new Map([[coin, 2n * 10n ** 18n]])
  it('adds protocol fees back and prices the surplus token', () => {
    const order = { ...sell, buyToken: coin }
    expect(orderScoreDown(order, { sell: 1_000n, buy: 2_400n }, [60n, 40n], prices)).toBe(1_000n)
  })

  it("converts a buy order's surplus to the buy token at the limit price", () => {
    const order = { ...buy, buyToken: coin }
    expect(orderScoreDown(order, { sell: 900n, buy: 2_000n }, [10n], prices)).toBe(440n)
  })

  it('is undefined without a price or outside the limit', () => {
    const order = { ...sell, buyToken: coin }
    expect(orderScoreDown(order, { sell: 1_000n, buy: 2_000n }, [], prices)).toBe(0n)
    expect(orderScoreDown(order, { sell: 1_000n, buy: 1_999n }, [9n], prices)).toBeUndefined()
    expect(orderScoreDown(order, { sell: 1_000n, buy: 2_400n }, [], new Map())).toBeUndefined()
  })
})

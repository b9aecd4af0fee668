import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nativeMarker } from '../../../src/domain/evm/address.ts'
import { protocolFeeDown, takeFee } from '../../../src/domain/fee/policy.ts'
import { type FeeRule, policiesFor, volumeFeesFor } from '../../../src/domain/fee/rules.ts'
import { withVolumeFees } from '../../../src/domain/quote/amounts.ts'
import { coin, dollar, numbered, sampleOrder, sampleQuote, wrapped } from '../../fakes/order.ts'

const now = 1_800_000_000
const other = numbered('dd')
const pair = { sellToken: dollar, buyToken: coin }
const order = sampleOrder({ ...pair, quote: sampleQuote({ sellAmount: 1n, buyAmount: 10n ** 30n }) })
const share = { factor: 500_000n, maxVolumeFactor: 10_000n }
const everyKind: FeeRule[] = [
  { kind: 'surplus', ...share },
  { kind: 'volume', factor: 200n },
  { kind: 'priceImprovement', ...share },
]
const fees = (rules: FeeRule[], of = pair, at = now) => volumeFeesFor(rules, of, wrapped, at)

describe('a volume fee', () => {
  test('is that of the first bucket with both tokens, else the default one', () => {
    const rule: FeeRule = {
      kind: 'volume',
      factor: 200n,
      buckets: [
        { tokens: [dollar, other], factor: 10n },
        { tokens: [coin, other, dollar], factor: 20n },
        { tokens: [coin, dollar], factor: 30n },
        { tokens: [other, numbered('ee11')], factor: 0n },
      ],
    }
    const of = (sellToken: typeof dollar, buyToken: typeof dollar) => fees([rule], { sellToken, buyToken })
    expect(of(dollar, other)).toEqual([10n])
    expect(of(dollar, coin)).toEqual([20n])
    expect(of(coin, dollar)).toEqual([20n])
    expect(of(coin, wrapped)).toEqual([200n])
    expect(of(other, numbered('ee11'))).toEqual([])
  })

  test.each([
    [[wrapped, dollar], nativeMarker],
    [[nativeMarker, dollar], wrapped],
    [[nativeMarker, dollar], nativeMarker],
  ])('treats the native coin as its wrapped token, in a bucket of %o and in an order', (tokens, buyToken) => {
    const rule: FeeRule = { kind: 'volume', factor: 200n, buckets: [{ tokens, factor: 7n }] }
    expect(fees([rule], { sellToken: dollar, buyToken })).toEqual([7n])
    expect(fees([rule], { sellToken: buyToken, buyToken: dollar })).toEqual([7n])
  })

  test.each([
    [wrapped, nativeMarker],
    [wrapped, wrapped],
    [coin, coin],
  ])('is not charged on %s for %s, unless the rule sets sameToken', (sellToken, buyToken) => {
    const buckets = [{ tokens: [wrapped, coin], factor: 7n }]
    const same = { sellToken, buyToken }
    expect(fees([{ kind: 'volume', factor: 200n, buckets }], same)).toEqual([])
    expect(fees([{ kind: 'volume', factor: 200n, buckets, sameToken: true }], same)).toEqual([7n])
  })
})

describe.each(everyKind)('a policy on $kind', (policy) => {
  const taken = (rule: FeeRule, of = order, at = now) => policiesFor([rule], of, wrapped, at)

  test('holds from effectiveFrom on', () => {
    const rule = { ...policy, effectiveFrom: now }
    expect([now - 1, now, now + 1].map((at) => taken(rule, order, at))).toEqual([[], [policy], [policy]])
    expect(fees([rule], pair, now - 1)).toEqual([])
  })

  test('is for orders in market, for others, or for all', () => {
    const asksMore = { ...order, buyAmount: 10n ** 60n }
    const unquoted = { ...order, quote: null }
    const emptyQuote = { ...order, quote: sampleQuote({}) }
    const charged = (rule: FeeRule) =>
      [order, asksMore, unquoted, emptyQuote].map((of) => taken(rule, of).length)
    expect(charged({ ...policy, orderClass: 'market' })).toEqual([1, 0, 0, 0])
    expect(charged({ ...policy, orderClass: 'limit' })).toEqual([0, 1, 1, 1])
    expect(charged({ ...policy, orderClass: 'any' })).toEqual([1, 1, 1, 1])
    expect(charged(policy)).toEqual([1, 1, 1, 1])
    expect(taken({ ...policy, orderClass: 'market' })).toEqual([policy])
  })
})

test('a quote has the fees of an order in market', () => {
  const rules = (['market', 'limit', 'any'] as const).map(
    (orderClass, index): FeeRule => ({ kind: 'volume', factor: BigInt(index) + 1n, orderClass }),
  )
  expect(fees(rules)).toEqual([1n, 3n])
})

test('policies keep the order of the rules, and other than volume rules hold for every pair', () => {
  const surplus: FeeRule = { kind: 'surplus', factor: 500_000n, maxVolumeFactor: 10_000n }
  const improvement: FeeRule = { kind: 'priceImprovement', factor: 1n, maxVolumeFactor: 2n }
  const rules: FeeRule[] = [
    surplus,
    { kind: 'volume', factor: 0n },
    { kind: 'volume', factor: 30n, buckets: [] },
    improvement,
    { kind: 'volume', factor: 40n },
  ]
  expect(policiesFor(rules, order, wrapped, now)).toEqual([
    surplus,
    { kind: 'volume', factor: 30n },
    improvement,
    { kind: 'volume', factor: 40n },
  ])
  expect(fees(rules)).toEqual([30n, 40n])
  expect(policiesFor(rules, { ...order, sellToken: coin, buyToken: coin }, wrapped, now)).toEqual([
    surplus,
    improvement,
  ])
})

const token = fc.constantFrom(wrapped, nativeMarker, dollar, coin, other)
const factor = fc.bigInt(0n, 999_999n)
const volumeRule = fc.record(
  {
    kind: fc.constant('volume' as const),
    factor,
    effectiveFrom: fc.integer({ min: now - 2, max: now + 2 }),
    orderClass: fc.constantFrom('market' as const, 'limit' as const, 'any' as const),
    buckets: fc.array(fc.record({ tokens: fc.array(token, { maxLength: 3 }), factor }), { maxLength: 3 }),
    sameToken: fc.boolean(),
  },
  { requiredKeys: ['kind', 'factor'] },
)

test('a quote shows exactly the fees that an auction takes', () => {
  const amount = fc.bigInt(1n, 10n ** 30n)
  fc.assert(
    fc.property(
      fc.array(volumeRule, { maxLength: 4 }),
      fc.record({
        sellToken: token,
        buyToken: token,
        kind: fc.constantFrom('sell' as const, 'buy' as const),
      }),
      fc.record({ sellAmount: amount, buyAmount: amount, feeAmount: amount }),
      (rules, order, quoted) => {
        const shown = withVolumeFees(order.kind, quoted, volumeFeesFor(rules, order, wrapped, now))
        // What was quoted, signed with every tolerance: in market.
        const limits = { kind: order.kind, sellAmount: 10n ** 40n, buyAmount: 1n }
        const signed = { ...order, ...limits, quote: { sellAmount: 1n, buyAmount: 2n, feeAmount: 0n } }
        let fill = { sell: quoted.sellAmount + quoted.feeAmount, buy: quoted.buyAmount }
        for (const policy of policiesFor(rules, signed, wrapped, now)) {
          fill = takeFee(order.kind, fill, protocolFeeDown(policy, limits, fill, null))
        }
        expect({ sell: shown.sellAmount + shown.feeAmount, buy: shown.buyAmount }).toEqual(fill)
        expect(shown.feeAmount).toBe(quoted.feeAmount)
      },
    ),
  )
})

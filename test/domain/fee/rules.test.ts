import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nativeMarker } from '../../../src/domain/evm/address.ts'
import { protocolFeeDown, takeFee } from '../../../src/domain/fee/policy.ts'
import { type FeeRule, policiesFor, volumeFeesFor } from '../../../src/domain/fee/rules.ts'
import { withVolumeFees } from '../../../src/domain/quote/amounts.ts'
import { coin, dollar, numbered, wrapped } from '../../fakes/order.ts'

const now = 1_800_000_000
const other = numbered('dd')
const pair = { sellToken: dollar, buyToken: coin }
const fees = (rules: FeeRule[], of = pair, at = now) => volumeFeesFor(rules, of, wrapped, at)

describe('a volume fee', () => {
  test('is charged from effectiveFrom on', () => {
    const rule: FeeRule = { kind: 'volume', factor: 200n, effectiveFrom: now }
    expect([now - 1, now, now + 1].map((at) => fees([rule], pair, at))).toEqual([[], [200n], [200n]])
  })

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
  expect(policiesFor(rules, pair, wrapped, now)).toEqual([
    surplus,
    { kind: 'volume', factor: 30n },
    improvement,
    { kind: 'volume', factor: 40n },
  ])
  expect(fees(rules)).toEqual([30n, 40n])
  expect(policiesFor(rules, { sellToken: coin, buyToken: coin }, wrapped, now)).toEqual([
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
        const limits = { kind: order.kind, sellAmount: 1n, buyAmount: 1n }
        let fill = { sell: quoted.sellAmount + quoted.feeAmount, buy: quoted.buyAmount }
        for (const policy of policiesFor(rules, order, wrapped, now)) {
          fill = takeFee(order.kind, fill, protocolFeeDown(policy, limits, fill, null))
        }
        expect({ sell: shown.sellAmount + shown.feeAmount, buy: shown.buyAmount }).toEqual(fill)
        expect(shown.feeAmount).toBe(quoted.feeAmount)
      },
    ),
  )
})

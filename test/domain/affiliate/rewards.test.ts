import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  defaultProgramme,
  earnedDown,
  leftToNext,
  rewardsOf,
  type Terms,
  termsOf,
} from '../../../src/domain/affiliate/affiliate.ts'
import {
  type Binding,
  bindingOf,
  dollarValueDown,
  isActive,
  judgeTrades,
  type Offer,
  type ReferredTrade,
} from '../../fakes/affiliate-programme.ts'
import { numbered } from '../../fakes/order.ts'

const dollar = 10n ** 18n
const day = 86_400_000
const trader = numbered('01')
const terms = termsOf({ ...defaultProgramme, triggerVolume: '100', volumeCap: '250' })
const offer = (more: Partial<Offer> = {}): Offer => ({
  wallet: numbered('0a'),
  createdAt: 1_000,
  timeCapDays: 10,
  wasEnabled: () => true,
  terms,
  ...more,
})
const trade = (code: string, time: number, value: bigint | null = 0n): ReferredTrade => ({
  code,
  time,
  isOneToken: false,
  value,
})

test('the dollar value of a trade is its sold amount at its auction’s prices, rounded down', () => {
  // One wrapped native at 3,000 dollars, against a dollar token of 6 decimals.
  const native = 10n ** 18n
  const reference = { price: (native * 10n ** 12n) / 3_000n, decimals: 6 }
  expect(dollarValueDown({ amount: native, price: native }, reference)).toBe(3_000n * dollar)
  expect(dollarValueDown({ amount: 1n, price: 1n }, { price: 3n, decimals: 0 })).toBe(dollar / 3n)
  expect(dollarValueDown({ amount: 1n, price: 1n }, { price: 10n ** 30n, decimals: 18 })).toBe(0n)
})

describe('a trader is bound to a code', () => {
  const offers = new Map([
    ['EARLY', offer()],
    ['LATER', offer({ createdAt: 5_000 })],
    ['MINE1', offer({ wallet: trader })],
    ['PAUSE', offer({ wasEnabled: (at) => at >= 3_000 })],
  ])
  const boundBy = (...trades: ReferredTrade[]) => {
    const binding = bindingOf(trader, trades, offers)
    return binding && [binding.code, binding.linkedSince, binding.rewardsEnd]
  }

  test('by the first trade with a valid code, for the days of the time cap', () => {
    expect(boundBy(trade('EARLY', 1_000), trade('LATER', 6_000))).toEqual(['EARLY', 1_000, 1_000 + 10 * day])
  })

  test.each([
    ['is unknown', trade('NOBODY', 2_000)],
    ['was registered later', trade('LATER', 4_999)],
    ['belongs to the trader', trade('MINE1', 2_000)],
    ['was disabled at the time', trade('PAUSE', 2_999)],
  ])('but not by a trade with a code that %s', (_, first) => {
    expect(boundBy(first)).toBe(undefined)
    expect(boundBy(first, trade('PAUSE', 5_000), trade('EARLY', 6_000))).toEqual([
      'PAUSE',
      5_000,
      5_000 + 10 * day,
    ])
  })
})

test('each trade has its eligibility, with the reason, and its eligible volume', () => {
  const binding: Binding = { code: 'EARLY', terms, linkedSince: 1_000, rewardsEnd: 1_000 + 10 * day }
  const trades = [
    trade('EARLY', 999, 50n * dollar),
    trade('EARLY', 1_000, 100n * dollar),
    trade('OTHER', 2_000, 100n * dollar),
    trade('EARLY', 3_000, null),
    { ...trade('EARLY', 3_500, 100n * dollar), isOneToken: true },
    trade('EARLY', 4_000, 120n * dollar),
    trade('EARLY', 5_000, 40n * dollar),
    trade('EARLY', 6_000, 1n),
    trade('EARLY', 1_000 + 10 * day, 1n),
  ]
  expect(judgeTrades(trades, binding)).toEqual([
    { eligibility: 'before_binding', eligibleVolume: 0n },
    { eligibility: 'eligible', eligibleVolume: 100n * dollar },
    { eligibility: 'other_code', eligibleVolume: 0n },
    { eligibility: 'no_dollar_value', eligibleVolume: 0n },
    { eligibility: 'same_token', eligibleVolume: 0n },
    { eligibility: 'eligible', eligibleVolume: 120n * dollar },
    { eligibility: 'eligible', eligibleVolume: 30n * dollar },
    { eligibility: 'volume_cap_reached', eligibleVolume: 0n },
    { eligibility: 'time_cap_reached', eligibleVolume: 0n },
  ])
  expect(judgeTrades(trades, undefined).map(({ eligibility }) => eligibility)).toEqual(
    trades.map(() => 'not_bound'),
  )
})

test('a trader is active until the time cap or the volume cap is reached', () => {
  const binding: Binding = { code: 'EARLY', terms, linkedSince: 0, rewardsEnd: 100 }
  expect(isActive(binding, 249n * dollar, 99)).toBe(true)
  expect(isActive(binding, 0n, 100)).toBe(false)
  expect(isActive(binding, 250n * dollar, 99)).toBe(false)
  expect(isActive({ ...binding, terms: { ...terms, volumeCap: 0n } }, 10n ** 40n, 99)).toBe(true)
})

test('the default programme pays 10 dollars for each 250,000 of volume', () => {
  const usual = termsOf(defaultProgramme)
  const earned = (volume: bigint, share: bigint) => earnedDown(rewardsOf(volume, usual), usual, share)
  expect(earned(250_000n * dollar - 1n, usual.traderShare)).toBe(0n)
  expect(earned(250_000n * dollar, usual.traderShare)).toBe(10n * dollar)
  expect(earned(760_000n * dollar, usual.affiliateShare)).toBe(30n * dollar)
  expect(leftToNext(760_000n * dollar, usual)).toBe(240_000n * dollar)
  expect(leftToNext(250_000n * dollar, usual)).toBe(250_000n * dollar)
})

test.each([
  [199n, 1n],
  [200n, 0n],
  [250n, 0n],
])('with a reward for each 100 up to 250, a volume of %d leaves %d to the next reward', (volume, left) => {
  expect(leftToNext(volume * dollar, terms)).toBe(left * dollar)
})

test('a volume cap of whole rewards can be reached exactly', () => {
  const even = { ...terms, volumeCap: 300n * dollar }
  expect(leftToNext(250n * dollar, even)).toBe(50n * dollar)
  expect(leftToNext(300n * dollar, even)).toBe(0n)
})

const amounts = fc.bigInt(0n, 10n ** 24n)
const generatedTerms: fc.Arbitrary<Terms> = fc.record({
  rewardAmount: fc.bigInt(1n, 10n ** 21n),
  triggerVolume: fc.bigInt(1n, 10n ** 24n),
  volumeCap: fc.oneof(fc.constant(0n), amounts),
  affiliateShare: fc.bigInt(0n, 10_000n),
  traderShare: fc.constant(0n),
})

test('eligible volume is the smaller of the cap and the traded volume', () => {
  const property = fc.property(generatedTerms, fc.array(amounts, { maxLength: 20 }), (terms, values) => {
    const binding = { code: 'EARLY', terms, linkedSince: 0, rewardsEnd: 1_000 }
    const judged = judgeTrades(
      values.map((value, time) => trade('EARLY', time, value)),
      binding,
    )
    const counted = judged.reduce((sum, { eligibleVolume }) => sum + eligibleVolume, 0n)
    const traded = values.reduce((sum, value) => sum + value, 0n)
    expect(counted).toBe(terms.volumeCap > 0n && traded > terms.volumeCap ? terms.volumeCap : traded)
    for (const [index, { eligibleVolume, eligibility }] of judged.entries()) {
      expect(eligibleVolume >= 0n && eligibleVolume <= (values[index] ?? 0n)).toBe(true)
      if (eligibility !== 'eligible') expect(eligibleVolume).toBe(0n)
    }
  })
  fc.assert(property)
})

test('the shares never exceed the rewards, and the volume left gives exactly one reward more', () => {
  const property = fc.property(generatedTerms, amounts, (terms, volume) => {
    const rewards = rewardsOf(volume, terms)
    const parts = [terms.affiliateShare, 10_000n - terms.affiliateShare].map((share) =>
      earnedDown(rewards, terms, share),
    )
    const sum = parts.reduce((all, part) => all + part, 0n)
    const whole = rewards * terms.rewardAmount
    expect(sum <= whole && whole - sum < 2n).toBe(true)
    const left = leftToNext(volume, { ...terms, volumeCap: 0n })
    expect(left > 0n && left <= terms.triggerVolume).toBe(true)
    const { volumeCap } = terms
    expect(leftToNext(volume, terms)).toBe(volumeCap === 0n || volume + left <= volumeCap ? left : 0n)
    expect(rewardsOf(volume + left, terms)).toBe(rewards + 1n)
    expect(rewardsOf(volume + left - 1n, terms)).toBe(rewards)
  })
  fc.assert(property)
})

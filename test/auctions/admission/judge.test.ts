import { describe, expect, test } from 'vitest'
import { admit, createFunds, rankOrders } from '../../../src/auctions/admission/admit.ts'
import { holdingKey } from '../../../src/auctions/admission/holdings.ts'
import type { OrderAnswer } from '../../../src/chain/order/order-check.ts'
import type { Order } from '../../../src/domain/order/order.ts'
import { coin, dollar, nativeMarker, numbered, sampleOrder, wrapped } from '../../fakes/order.ts'

const unit = 10n ** 18n
const usdc = (whole: bigint) => whole * 10n ** 6n
const call = { target: numbered('12'), value: 0n, callData: '0x' as const }
const price = { sell: unit, buy: 10n ** 30n / 3_000n }

let ids = 0n
/** Sells one wrapped coin for 2,900 dollars, where it is worth 3,000. */
const order = (more: Partial<Order> = {}) =>
  sampleOrder({ id: ++ids, owner: numbered(`${20n + ids}`), ...more })

const answer = (more: Partial<OrderAnswer> = {}): OrderAnswer => ({
  balance: unit,
  allowance: unit,
  transfer: 'ok',
  signature: 'valid',
  signatureGas: 9n,
  ownerHasCode: true,
  exhausted: false,
  ...more,
})

describe('the ranking of orders', () => {
  const view = (gasPrice = 10n ** 9n) => ({
    gasPrice,
    wrappedNative: wrapped,
    nativePrices: new Map([
      [wrapped, price.sell],
      [dollar, price.buy],
    ]),
  })

  test('is by what the market leaves beyond the limit after the fee, and by age', () => {
    const [far, second, first, tied] = [
      order({ buyAmount: usdc(3_300n) }),
      order({ buyAmount: usdc(2_500n) }),
      order({ buyAmount: usdc(2_000n), onchainUser: numbered('77') }),
      order({ buyAmount: usdc(2_500n) }),
    ]
    const { candidates, verdicts } = rankOrders([far, tied, second, first], view())
    expect(verdicts).toEqual([])
    expect(candidates.map((candidate) => candidate.order.id)).toEqual([first.id, second.id, tied.id, far.id])
    // A trade with one swap takes 205,391 gas: 205 millionths of a coin.
    expect(candidates[0]).toEqual({
      order: first,
      owner: numbered('77'),
      pair: `${wrapped}>${dollar}`,
      rank: 499_795n,
      outlook: { marketGap: 500_000n, feeShare: 205n },
    })
    expect(candidates[3]).toMatchObject({ owner: far.owner, outlook: { marketGap: -90_909n } })
  })

  test('has the native coin in its wrapped form', () => {
    const buysNative = order({
      sellToken: dollar,
      buyToken: nativeMarker,
      sellAmount: usdc(3_300n),
      buyAmount: unit,
    })
    const [candidate] = rankOrders([buysNative], view()).candidates
    // The price of a dollar is not a whole number.
    expect([candidate?.pair, candidate?.outlook.marketGap]).toEqual([`${dollar}>${wrapped}`, 99_999n])
  })

  test('leaves out what has no price', () => {
    const [sells, buys, both] = [
      order({ sellToken: coin }),
      order({ buyToken: coin }),
      order({ sellToken: coin, buyToken: numbered('dd') }),
    ]
    expect(rankOrders([sells, buys, both], view())).toEqual({
      candidates: [],
      verdicts: [
        { order: sells, reason: 'missing_native_price', unpriced: [coin] },
        { order: buys, reason: 'missing_native_price', unpriced: [coin] },
        { order: both, reason: 'missing_native_price', unpriced: [coin, numbered('dd')] },
      ],
    })
  })

  test('leaves out what is worth no more than its own gas', () => {
    // 99,026 gas for its trade alone.
    const [poor, rich] = [
      order({ sellAmount: 99_026n * 10n ** 9n }),
      order({ sellAmount: 99_026n * 10n ** 9n + 1n }),
    ]
    const { candidates, verdicts } = rankOrders([poor, rich], view())
    expect(candidates.map((candidate) => candidate.order)).toEqual([rich])
    expect(verdicts).toMatchObject([
      { order: poor, reason: 'fee_exceeds_value', outlook: { feeShare: 2_074_111n } },
    ])
  })
})

/** Judged in this order, with what their accounts have, and what code answered. */
function judged(
  orders: readonly Order[],
  {
    held = {},
    answers = {},
    places = 100,
  }: {
    held?: Record<string, bigint | { balance: bigint; allowance: bigint }>
    answers?: Record<string, OrderAnswer>
    places?: number
  } = {},
) {
  const candidates = orders.map((each) => ({
    order: each,
    owner: each.owner,
    pair: 'a>b',
    rank: 1n,
    outlook: { marketGap: 5n, feeShare: 4n },
  }))
  const holdings = new Map(
    orders.flatMap((each) => {
      const amount = held[`${each.id}`]
      return amount === undefined
        ? []
        : [
            [
              holdingKey(each),
              typeof amount === 'bigint' ? { balance: amount, allowance: amount } : amount,
            ] as const,
          ]
    }),
  )
  const told = new Map(Object.entries(answers).map(([id, each]) => [BigInt(id), each]))
  return admit(candidates, told, createFunds(holdings, told), places)
}
const outlook = { marketGap: 5n, feeShare: 4n }

describe('an order', () => {
  test('has a place with all that its owner can pay for', () => {
    const whole = order()
    expect(judged([whole], { held: { [`${whole.id}`]: unit } })).toEqual({
      admitted: [expect.objectContaining({ order: whole, remaining: unit, answer: undefined })],
      verdicts: [{ order: whole, outlook, reason: null, shortage: null }],
    })
  })

  test('of which the funds are not known has neither place nor verdict', () => {
    expect(judged([order()])).toEqual({ admitted: [], verdicts: [] })
    expect(judged([order({ signingScheme: 'eip1271' })], { held: {} })).toEqual({
      admitted: [],
      verdicts: [],
    })
  })

  test('that its owner cannot pay for says what is missing', () => {
    const short = order({ sellAmount: 100n, buyAmount: 100n })
    const funds = { balance: 70n, allowance: 99n }
    expect(judged([short], { held: { [`${short.id}`]: funds } })).toEqual({
      admitted: [],
      verdicts: [
        {
          order: short,
          outlook,
          reason: 'insufficient_balance',
          missing: 30n,
          held: funds,
          revert: undefined,
          fundsTakenBy: undefined,
          shortage: { balance: 30n, allowance: 1n, order: short },
        },
      ],
    })
  })

  const remaining = (more: Partial<Order>, amount: bigint) => {
    const each = order({ sellAmount: 100n, buyAmount: 300n, ...more })
    const { admitted, verdicts } = judged([each], { held: { [`${each.id}`]: amount } })
    return admitted[0]?.remaining ?? verdicts[0]?.reason
  }

  test.each([
    ['whole, of too little', {}, 99n, 'insufficient_balance'],
    ['whole', {}, 100n, 100n],
    ['whole, bought', { kind: 'buy' }, 100n, 300n],
    ['in parts', { partiallyFillable: true }, 40n, 40n],
    ['in parts, more than remains', { partiallyFillable: true, executedSellAmount: 70n }, 40n, 30n],
    ['in parts, bought', { partiallyFillable: true, kind: 'buy' }, 40n, 120n],
    [
      'in parts, bought, more than remains',
      { partiallyFillable: true, kind: 'buy', executedBuyAmount: 200n },
      40n,
      100n,
    ],
    ['in parts, of nothing', { partiallyFillable: true }, 0n, 'insufficient_balance'],
    [
      'in parts, worth nothing',
      { partiallyFillable: true, sellAmount: 300n, buyAmount: 100n },
      2n,
      'dust_order',
    ],
    ['in parts, worth an atom', { partiallyFillable: true, sellAmount: 300n, buyAmount: 100n }, 3n, 3n],
    [
      'in parts, bought, costs nothing',
      { partiallyFillable: true, kind: 'buy', executedBuyAmount: 298n },
      100n,
      'dust_order',
    ],
  ] as const)('%s', (_, more, held, expected) => {
    expect(remaining(more, held)).toBe(expected)
  })

  test('in parts lacks what remains of it where it has no atom', () => {
    const part = order({
      sellAmount: 100n,
      buyAmount: 100n,
      executedSellAmount: 40n,
      partiallyFillable: true,
    })
    const of = (balance: bigint, allowance: bigint) =>
      judged([part], { held: { [`${part.id}`]: { balance, allowance } } }).verdicts[0]?.shortage
    expect(of(5n, 0n)).toEqual({ balance: 0n, allowance: 60n, order: part })
    expect(of(0n, 1n)).toEqual({ balance: 60n, allowance: 0n, order: part })
  })

  test('shares its account with those before it', () => {
    const owner = numbered('33')
    const [first, second, third] = [
      order({ owner, sellAmount: 60n, buyAmount: 60n }),
      order({ owner, sellAmount: 60n, buyAmount: 60n }),
      order({ owner, kind: 'buy', sellAmount: 40n, buyAmount: 20n }),
    ]
    const { admitted, verdicts } = judged([first, second, third], { held: { [`${first.id}`]: 100n } })
    expect(admitted.map((each) => [each.order.id, each.remaining])).toEqual([
      [first.id, 60n],
      [third.id, 20n],
    ])
    expect(verdicts[0]).toMatchObject({ order: second, missing: 20n, fundsTakenBy: first.id, shortage: null })
    const more = [third, order({ owner, sellAmount: 61n, buyAmount: 61n })]
    const [verdict] = judged(more, { held: { [`${third.id}`]: 100n } }).verdicts
    expect(verdict).toMatchObject({
      missing: 1n,
      fundsTakenBy: third.id,
      held: { balance: 100n, allowance: 100n },
    })
    const all = [
      order({ owner, sellAmount: 90n, buyAmount: 90n }),
      first,
      order({ owner, sellAmount: 8n, buyAmount: 8n }),
    ]
    expect(judged(all, { held: { [`${first.id}`]: 95n } }).verdicts[0]).toMatchObject({
      order: first,
      missing: 55n,
    })
  })

  test('has no place in a full auction', () => {
    const [first, second] = [order(), order()]
    const held = { [`${first.id}`]: unit, [`${second.id}`]: unit }
    const { admitted, verdicts } = judged([first, second], { held, places: 1 })
    expect(admitted.map((each) => each.order)).toEqual([first])
    expect(verdicts.map((verdict) => verdict.reason)).toEqual([null, 'auction_full'])
  })
})

describe('an order whose outcome code decides', () => {
  const wallet = (more: Partial<Order> = {}) => order({ signingScheme: 'eip1271', ...more })
  const verdictOf = (each: Order, told: OrderAnswer) =>
    judged([each], { answers: { [`${each.id}`]: told }, held: { [`${each.id}`]: 5n * unit } }).verdicts[0]
  // The text of an error that a contract throws: Error("no").
  const revert =
    `0x08c379a0${'20'.padStart(64, '0')}${'2'.padStart(64, '0')}${'6e6f'.padEnd(64, '0')}` as const

  test('has the funds of its answer, after its own calls', () => {
    const each = wallet()
    const told = answer()
    expect(judged([each], { answers: { [`${each.id}`]: told } }).admitted).toEqual([
      expect.objectContaining({ order: each, remaining: unit, answer: told }),
    ])
    const hooked = order({ interactions: { pre: [call], post: [] } })
    expect(verdictOf(hooked, answer({ balance: unit - 1n }))).toMatchObject({
      reason: 'insufficient_balance',
      missing: 1n,
      revert: undefined,
      shortage: { balance: 1n, allowance: 0n, order: hooked },
    })
  })

  test.each([
    ['in its own words', { signatureRevert: revert }, 'no'],
    ['without a word', {}, undefined],
    [
      'as it used up its limits',
      { exhausted: true, signatureRevert: revert },
      'its code used up its time or gas',
    ],
  ] as const)('is refused by its owner %s', (_, more, words) => {
    const each = wallet()
    expect(verdictOf(each, answer({ signature: 'invalid', ...more }))).toEqual({
      order: each,
      outlook,
      reason: 'invalid_signature',
      revert: words,
    })
  })

  test.each([
    ['though the funds suffice', { balance: unit, allowance: unit }, 'no', 'insufficient_balance', unit],
    [
      'and the balance is too low',
      { balance: unit - 1n, allowance: unit },
      undefined,
      'insufficient_balance',
      1n,
    ],
    [
      'and the allowance is too low',
      { balance: unit, allowance: unit - 2n },
      undefined,
      'insufficient_balance',
      2n,
    ],
  ] as const)('is refused by its token %s', (_, funds, words, reason, missing) => {
    const transfer = { revert }
    expect(verdictOf(wallet(), answer({ ...funds, transfer }))).toMatchObject({
      reason,
      revert: words,
      missing,
    })
  })

  test('used up its limits, which says nothing about its funds', () => {
    const worst = answer({ balance: 0n, allowance: 0n, transfer: { revert: '0x' }, exhausted: true })
    expect(verdictOf(wallet(), worst)).toMatchObject({
      reason: 'insufficient_balance',
      missing: unit,
      held: undefined,
      shortage: undefined,
      revert: 'its code used up its time or gas',
    })
  })

  test('has no code to run once its hooks have run', () => {
    const hooked = order({
      interactions: { pre: [call], post: [] },
      partiallyFillable: true,
      executedSellAmount: 1n,
    })
    expect(judged([hooked], { held: { [`${hooked.id}`]: 7n * 10n ** 9n } }).admitted).toMatchObject([
      { remaining: 7n * 10n ** 9n, answer: undefined },
    ])
  })
})

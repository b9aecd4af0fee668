import { describe, expect, test } from 'vitest'
import { marketReasons, priceEvidence } from '../../../src/domain/diagnosis/price-reasons.ts'
import {
  at,
  judged,
  nowSeconds,
  sampleBid,
  sampleFacts,
  sampleStanding,
  solver,
  standingSince,
} from '../../fakes/diagnosis-facts.ts'
import { wrapped } from '../../fakes/order.ts'

const unit = 10n ** 18n
const usdc = (whole: bigint) => whole * 10n ** 6n
const limit = { sell: unit, buy: usdc(2_900n) }
const unknown = { best: null, at: null, block: null, solver: null, auctionId: null, dayMovement: null }
const whole = judged()
const partly = judged({ partiallyFillable: true })

const reasons = (
  standing: Parameters<typeof sampleStanding>[0],
  facts: Parameters<typeof sampleFacts>[0] = {},
) => marketReasons(sampleFacts(facts), sampleStanding(standing))
const codes = (...given: Parameters<typeof reasons>) => reasons(...given).map(({ code }) => code)

describe('the market against the limit', () => {
  test('says how far it is', () => {
    expect(reasons({ marketGap: -20_000n })).toMatchObject([
      {
        code: 'priceOutOfReach',
        since: standingSince,
        summary:
          'The order asks for a better price than the market gives. For a small amount the market is 2 % worse than the limit, before the fee of the network.',
        evidence: [
          { kind: 'price', limit, ...unknown, gap: 20_000n, gapSeenAt: at(-15), secondsNeeded: null },
        ],
      },
    ])
  })

  test('says that it was asked about the whole amount', () => {
    const [{ summary } = { summary: '' }] = reasons({ routed: near })
    expect(summary).toContain(
      'For its whole amount, 1 WETH, the market is 1 % worse than the limit, before the fee of the network.',
    )
    const [part] = reasons({ routed: near, marketGap: -4_000n }, { order: partly })
    expect(part?.summary).toContain(
      'For a small amount the market is 0.4 % worse than the limit, before the fee of the network.',
    )
  })

  test('names the fee of the network where it makes a difference', () => {
    const ending = (feeShare: bigint) => reasons({ routed: near, feeShare })[0]?.summary.slice(-44)
    expect(ending(20_700n)).toBe('the fee of the network, 2.07 % of the order.')
    expect(ending(1_000n)).toContain(', 0.1 % of the order.')
    expect(ending(999n)).toContain('before the fee of the network.')
    expect(ending(1_000_001n)).toContain(', which is more than the order sells.')
  })

  test.each([
    ['nothing is known', {}, []],
    ['it is at the limit', { marketGap: 0n }, []],
    ['it is a millionth below', { marketGap: -1n }, ['priceOutOfReach']],
    ['fees take all that it is above', { marketGap: 100n, policyShare: 100n }, []],
    ['fees take more than it is above', { marketGap: 100n, policyShare: 101n }, ['priceOutOfReach']],
  ])('where %s', (_, standing, expected) => {
    expect(codes(standing)).toEqual(expected)
  })

  const near = { sell: unit, buy: usdc(2_871n), block: 99 }
  const good = { sell: unit, buy: usdc(2_929n), block: 99 }
  test.each([
    ['a route counts more than the market', whole, { routed: near, marketGap: 5_000n }, 10_000n],
    ['a part of it gets the price of the market', partly, { routed: near, marketGap: -4_000n }, 4_000n],
    ['a part of it has no market', partly, { routed: near, marketGap: null }, 10_000n],
    [
      'a part of it needs no better price than its route',
      partly,
      { routed: good, marketGap: -4_000n },
      -10_000n,
    ],
    ['no route is no distance', whole, { routed: 'none' as const, marketGap: -4_000n }, null],
    ['neither is known', whole, {}, null],
  ])('%s', (_, order, standing, gap) => {
    expect(priceEvidence(sampleFacts({ order }), sampleStanding(standing)).gap).toBe(gap)
  })

  test('has no way from one token to the other', () => {
    expect(reasons({ routed: 'none', marketGap: 9n })).toMatchObject([
      {
        code: 'noLiquidity',
        since: standingSince,
        summary: 'No market leads from one token to the other for this amount.',
        evidence: [{ kind: 'price', limit, ...unknown, gap: null, gapSeenAt: null, secondsNeeded: null }],
      },
    ])
  })
})

describe('the best price that was seen', () => {
  const routed = { sell: unit, buy: usdc(2_880n), block: 98, at: at(-50) }
  const of = (bestBid: ReturnType<typeof sampleBid> | null, best: typeof routed | null) =>
    priceEvidence(sampleFacts({ bestBid }), sampleStanding({ best }))

  test('is that of the router, unless a solver has a better one', () => {
    const byRouter = {
      best: { sell: unit, buy: usdc(2_880n) },
      at: at(-50),
      block: 98,
      solver: null,
      auctionId: null,
    }
    expect(of(null, routed)).toMatchObject(byRouter)
    expect(of(sampleBid({ sell: 2n * unit, buy: usdc(5_760n) }), routed)).toMatchObject(byRouter)
    const bySolver = { at: at(-100), block: 95, solver, auctionId: 5n }
    expect(of(sampleBid({ sell: 2n * unit, buy: usdc(5_760n) + 1n }), routed)).toMatchObject({
      best: { sell: 2n * unit, buy: usdc(5_760n) + 1n },
      ...bySolver,
    })
    expect(of(sampleBid(), null)).toMatchObject({ best: { sell: unit, buy: usdc(2_850n) }, ...bySolver })
  })

  test('leaves open since when the price is out of reach, if it once reached the limit', () => {
    const since = (buy: bigint) => reasons({ marketGap: -9n, best: { ...routed, buy } })[0]?.since
    expect(since(usdc(2_900n))).toBeNull()
    expect(since(usdc(2_899n))).toEqual(standingSince)
  })
})

describe('the fee of the network', () => {
  const fee = (of: bigint, left: bigint, leastAmount: bigint | null) => ({
    kind: 'fee',
    token: wrapped,
    fee: of,
    left,
    leastAmount,
  })

  test('is more than the price leaves', () => {
    expect(reasons({ marketGap: 1_000n, feeShare: 1_000n })).toMatchObject([
      {
        code: 'costsMoreThanItBrings',
        since: standingSince,
        summary:
          'The fee of the network for the order is 0.001 WETH, but its price leaves 0.000999 WETH for that. From 1.001 WETH on it would pay.',
        evidence: [fee(10n ** 15n, 999_000_999_000_999n, 1_001n * 10n ** 15n)],
      },
    ])
  })

  test('is more than the order sells: no limit makes it pay', () => {
    const small = { feeShare: 1_000_001n, reason: 'fee_exceeds_value' } as const
    const advice =
      'Trade more at once, with a limit that leaves room for the fee, or wait for lower fees: another limit alone does not help.'
    const cost =
      'The fee of the network for the order is 1.00001 WETH, more than the 1 WETH that it sells: alone, so small an order fills at no limit.'
    expect(reasons({ ...small, marketGap: 1_000_000n })).toMatchObject([
      {
        code: 'costsMoreThanItBrings',
        summary: `${cost} From 2.00001 WETH on it would pay at this limit.`,
        advice,
      },
    ])
    expect(reasons({ ...small, marketGap: -9n })).toMatchObject([
      { code: 'priceOutOfReach', advice },
      { code: 'costsMoreThanItBrings', summary: cost, advice },
    ])
    const paying = reasons({ ...small, feeShare: 1_000_000n, marketGap: -9n })
    expect(paying.map(({ advice }) => advice)).toEqual([undefined, undefined])
  })

  test('is more than an order for one atom at its limit sells', () => {
    const order = judged({ buyAmount: 1n })
    expect(codes({ marketGap: 0n, feeShare: 1_000_001n }, { order })).toEqual(['costsMoreThanItBrings'])
    expect(codes({ marketGap: 0n, feeShare: 1_000_000n }, { order })).toEqual([])
  })

  test('counts against what is left of the order', () => {
    const order = judged({ executedSellAmount: unit / 4n, partiallyFillable: true })
    expect(reasons({ marketGap: 1_000n, feeShare: 1_000n }, { order })[0]?.evidence).toEqual([
      fee(75n * 10n ** 13n, 749_250_749_250_749n, 75_075n * 10n ** 13n),
    ])
  })

  test('is paid by the least amount, rounded up', () => {
    const order = judged({ sellAmount: 7_000_000n })
    expect(
      reasons({ marketGap: 3n, feeShare: 1n, reason: 'fee_exceeds_value' }, { order })[0]?.evidence,
    ).toEqual([fee(7n, 20n, 2_333_341n)])
  })

  test.each([
    ['is as much as the price leaves', { marketGap: 1_000_000n, feeShare: 500_000n }, []],
    ['is a millionth more', { marketGap: 1_000_000n, feeShare: 500_001n }, ['costsMoreThanItBrings']],
    ['is less', { marketGap: 5_000n, feeShare: 1_000n }, []],
    [
      'is below a millionth, at exactly the limit',
      { marketGap: 0n, feeShare: 0n },
      ['costsMoreThanItBrings'],
    ],
    ['is below a millionth, within the limit', { marketGap: 1n, feeShare: 0n }, []],
    [
      'is more than the order sells, of which no market gives an atom',
      { routed: 'none' as const, feeShare: 1_000_001n },
      ['costsMoreThanItBrings'],
    ],
    [
      'is all that the order sells, without a market',
      { routed: 'none' as const, feeShare: 1_000_000n },
      ['noLiquidity'],
    ],
    ['is unknown', { marketGap: 5_000n, reason: 'fee_exceeds_value' as const }, []],
    [
      'was too much for the last auction',
      { marketGap: 5_000n, feeShare: 1_000n, reason: 'fee_exceeds_value' as const },
      ['costsMoreThanItBrings'],
    ],
    [
      'is not asked about where the price is out of reach',
      { marketGap: -1n, feeShare: 1_000n },
      ['priceOutOfReach'],
    ],
    [
      'is too much beside a price out of reach',
      { marketGap: -1n, feeShare: 1_000n, reason: 'fee_exceeds_value' as const },
      ['priceOutOfReach', 'costsMoreThanItBrings'],
    ],
  ])('%s', (_, standing, expected) => {
    expect(codes(standing)).toEqual(expected)
  })

  test('is paid by no amount at the limit itself, and is not the reason where the market meets the limit for a part only', () => {
    const summary =
      'The fee of the network for the order is 0.001 WETH, but its price leaves nothing for that.'
    expect(reasons({ marketGap: 0n, feeShare: 1_000n })).toMatchObject([
      { summary, evidence: [fee(10n ** 15n, 0n, null)] },
    ])
    const routed = { sell: unit, buy: usdc(2_871n), block: 99 }
    expect(reasons({ routed, marketGap: 5_000n, feeShare: 1_000n }, { order: partly })).toMatchObject([
      { code: 'priceOutOfReach', evidence: [{ kind: 'price', gap: 10_000n }] },
    ])
    const atLimit = { ...routed, buy: usdc(2_900n) }
    expect(reasons({ routed: atLimit, feeShare: 0n }, { order: partly })).toEqual([])
  })
})

describe('how the market moves', () => {
  const hours = 3_600
  const market = (spanSeconds: number, sell: bigint, oldest = 100n) => ({
    newest: { at: at(-10), sell, buy: 100n },
    oldest: { at: at(-10 - spanSeconds), sell: oldest, buy: 100n },
  })
  const movement = (given: ReturnType<typeof market>, marketGap: bigint | null = -20_000n) => {
    const { dayMovement, secondsNeeded } = priceEvidence(
      sampleFacts({ market: given }),
      sampleStanding({ marketGap }),
    )
    return [dayMovement, secondsNeeded]
  }

  test('gives the time that it needs, in words too', () => {
    const [reason] = reasons({ marketGap: -20_000n }, { market: market(12 * hours, 101n) })
    expect(reason?.summary).toBe(
      'The order asks for a better price than the market gives. For a small amount the market is 2 % worse than the limit, before the fee of the network. ' +
        'If it moves on as within the last day, it is there in 25 hours.',
    )
    expect(reason?.evidence).toMatchObject([{ gap: 20_000n, dayMovement: 20_000n, secondsNeeded: 88_163 }])
  })

  test('gives no time behind the expiry of the order', () => {
    const given = { market: market(12 * hours, 101n) }
    const summaries = [88_163, 88_162].map((left) => {
      const order = sampleFacts().order
      const [reason] = reasons(
        { marketGap: -20_000n },
        { ...given, order: { ...order, effectiveValidTo: nowSeconds + left } },
      )
      return reason?.summary.split('. ').slice(2).join('. ')
    })
    expect(summaries).toEqual(['If it moves on as within the last day, it is there in 25 hours.', ''])
  })

  test('is of both tokens', () => {
    const moved = {
      newest: { at: at(0), sell: 100n, buy: 80n },
      oldest: { at: at(-24 * hours), sell: 90n, buy: 90n },
    }
    expect(movement(moved)).toEqual([250_000n, 7_054])
  })

  test.each([
    ['within an hour', market(hours, 101n), -20_000n, [240_000n, null]],
    ['within less than six hours', market(6 * hours - 0.001, 101n), -20_000n, [40_000n, null]],
    ['within six hours', market(6 * hours, 101n), -20_000n, [40_000n, 44_082]],
    ['within less', market(hours - 0.001, 101n), -20_000n, [null, null]],
    ['from nothing', market(12 * hours, 101n, 0n), -20_000n, [null, null]],
    ['away', market(12 * hours, 99n), -20_000n, [-20_000n, null]],
    ['not at all', market(12 * hours, 100n), -20_000n, [0n, null]],
    ['towards an unknown limit', market(12 * hours, 101n), null, [20_000n, null]],
    ['beyond the limit', market(12 * hours, 101n), 1n, [20_000n, null]],
    ['at the limit', market(12 * hours, 101n), 0n, [20_000n, null]],
    ['until long after the expiry', market(12 * hours, 101n), -999_999n, [20_000n, null]],
    ['without an end', market(12 * hours, 101n), -1_000_000n, [20_000n, null]],
    ['for ages', market(24 * hours, 1_000_001n, 1_000_000n), -999_999n, [1n, null]],
  ])('%s', (_, given, gap, expected) => {
    expect(movement(given, gap)).toEqual(expected)
  })
})

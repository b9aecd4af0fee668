import { describe, expect, test } from 'vitest'
import { diagnosisTexts } from '../../../src/domain/diagnosis/code.ts'
import { diagnose, needsBalanceRead, needsPriceRead } from '../../../src/domain/diagnosis/diagnose.ts'
import type { DiagnosisInput } from '../../../src/domain/diagnosis/diagnosis.ts'
import { refused } from '../../../src/domain/diagnosis/end-reasons.ts'
import { Refusal } from '../../../src/domain/errors/error.ts'
import type { Address } from '../../../src/domain/evm/address.ts'
import type { Order } from '../../../src/domain/order/order.ts'
import {
  at,
  judged,
  now,
  nowSeconds,
  sampleAttempt,
  sampleBid,
  sampleFacts,
  sampleStanding,
  solver,
  standingSince,
} from '../../fakes/diagnosis-facts.ts'
import { dollar, numbered, wrapped } from '../../fakes/order.ts'

const unit = 10n ** 18n
const usdc = (whole: bigint) => whole * 10n ** 6n
const txHash = `0x${'2f'.repeat(32)}` as const
const uid = `0x${'77'.repeat(56)}` as const

const codesOf = (facts: Partial<DiagnosisInput>) => {
  const { code, further } = diagnose(sampleFacts(facts))
  return [code, ...further.map((reason) => reason.code)]
}
const standing = (...[more]: Parameters<typeof sampleStanding>) => ({ standing: sampleStanding(more) })
/** The only reason, in all words. */
const reasonOf = (facts: Partial<DiagnosisInput>) => {
  const { further, ownSummary: _, ...reason } = diagnose(sampleFacts(facts))
  expect(further).toEqual([])
  return reason
}
const amounts = (token: string, needed: bigint, available: bigint, missing: bigint) => ({
  kind: 'amounts',
  token,
  needed,
  available,
  missing,
})
const validity = (from: Date | null, until: Date) => ({
  kind: 'validity',
  from,
  until,
  offeredUntil: new Date(until.getTime() - 60_000),
})
const meaning = (code: keyof typeof diagnosisTexts) => diagnosisTexts[code].meaning

describe('own words', () => {
  const hostile = 'IGNORE \u2066ALL\u2069'
  const tokens = { sell: { symbol: hostile, decimals: 18 }, buy: { symbol: hostile, decimals: null } }

  test.each<[string, Partial<DiagnosisInput>, string]>([
    [
      'name tokens by address',
      { order: judged({ executedSellAmount: unit, executedBuyAmount: 2_950n }) },
      `The order is filled: 1 ${wrapped} for 2,950 atoms of ${dollar}.`,
    ],
    [
      'leave answers of contracts out',
      standing({ reason: 'settlement_failed', revert: hostile }),
      'A settlement of the order alone fails: see the evidence.',
    ],
    [
      'leave answers out beside a token',
      standing({ reason: 'settlement_failed', revert: hostile, failing: { kind: 'token', address: dollar } }),
      `Trades of ${dollar} fail: see the evidence.`,
    ],
    ['are all that there is without either', {}, meaning('waitingForAuction')],
  ])('%s', (_, facts, own) => {
    const { ownSummary, summary } = diagnose(sampleFacts({ tokens, ...facts }))
    expect(ownSummary).toBe(own)
    expect(summary).toBe(
      own
        .replaceAll(wrapped, 'IGNORE  ALL ')
        .replaceAll(dollar, 'IGNORE  ALL ')
        .replace('see the evidence', 'IGNORE  ALL '),
    )
  })
})

describe('how an order ended', () => {
  const lastTrade = { txHash, block: 90, at: at(-60) }
  const traded = { kind: 'transaction', txHash, block: 90 }

  test('a sell order is filled by what it sold without its signed fee', () => {
    const order = judged({
      executedSellAmount: unit + 7n,
      executedFeeAmount: 7n,
      executedBuyAmount: usdc(2_950n),
    })
    expect(reasonOf({ order, lastTrade })).toEqual({
      code: 'filled',
      summary: 'The order is filled: 1 WETH for 2,950 USDC.',
      since: at(-60),
      evidence: [traded, amounts(wrapped, unit, unit, 0n)],
    })
  })

  test('a buy order is filled by what it bought, also if nothing is known of its trade', () => {
    const order = judged({ kind: 'buy', executedSellAmount: unit - 1n, executedBuyAmount: usdc(2_900n) })
    expect(reasonOf({ order })).toEqual({
      code: 'filled',
      summary: 'The order is filled: 0.999999 WETH for 2,900 USDC.',
      since: null,
      evidence: [amounts(dollar, usdc(2_900n), usdc(2_900n), 0n)],
    })
  })

  const partly = (filled: Partial<Order>) =>
    diagnose(sampleFacts({ order: judged({ partiallyFillable: true, ...filled }), lastTrade }))

  test('a part of a sell order', () => {
    const { further, ownSummary: _, ...part } = partly({ executedSellAmount: unit / 4n })
    expect(part).toEqual({
      code: 'partlyFilled',
      since: at(-60),
      summary: '25 % is filled: 0.25 WETH of 1 WETH. 0.75 WETH is left.',
      evidence: [amounts(wrapped, unit, unit / 4n, 75n * 10n ** 16n), traded],
    })
    expect(further.map(({ code }) => code)).toEqual(['waitingForAuction'])
  })

  test('a part of a buy order', () => {
    expect(partly({ kind: 'buy', executedBuyAmount: usdc(29n), executedSellAmount: 5n })).toMatchObject({
      summary: '1 % is filled: 29 USDC of 2,900 USDC. 2,871 USDC is left.',
      evidence: [amounts(dollar, usdc(2_900n), usdc(29n), usdc(2_871n)), traded],
    })
  })

  const cancelledAt = at(-30)
  const cancelled = (cancellation: DiagnosisInput['cancellation'], more: Partial<Order> = { cancelledAt }) =>
    reasonOf({ order: judged(more), cancellation })
  const by = (source: string, detail: string | null) => ({ kind: 'cancellation', by: source, detail })

  test.each([
    ['api', null, 'Its owner cancelled the order.', [by('api', null)]],
    ['api', 'words: of it', 'Its owner cancelled the order.', [by('api', null)]],
    [
      'policy',
      'policy: a court',
      'The operator of the service cancelled the order.',
      [by('policy', 'a court')],
    ],
    ['policy', 'policy', 'The operator of the service cancelled the order.', [by('policy', null)]],
    ['policy', null, 'The operator of the service cancelled the order.', [by('policy', null)]],
    [
      ...(['replacement', `replacement: ${uid}`, 'A newer order of its owner replaced the order.'] as const),
      [by('replacement', null), { kind: 'order', uid }],
    ],
    ['replacement', null, 'A newer order of its owner replaced the order.', [by('replacement', null)]],
    [
      ...(['chain', `chain: ${txHash}`, 'The order was cancelled on chain.'] as const),
      [by('chain', null), { kind: 'transaction', txHash, block: null }],
    ],
    ['chain', null, 'The order was cancelled on chain.', [by('chain', null)]],
  ] as const)('cancelled by %s with %s', (source, detail, summary, evidence) => {
    expect(cancelled({ by: source, detail, at: cancelledAt })).toEqual({
      code: 'cancelled',
      summary,
      since: cancelledAt,
      evidence,
    })
  })

  test('cancelled, and nothing more is known', () => {
    expect(cancelled(null, { invalidatedOnChain: true })).toEqual({
      code: 'cancelled',
      summary: 'Its owner cancelled the order.',
      since: null,
      evidence: [by('api', null)],
    })
  })

  test('a cancelled order tells what was filled before, and nothing else', () => {
    const order = judged({ cancelledAt, executedSellAmount: unit / 2n, partiallyFillable: true })
    expect(codesOf({ order, look: 'away', ...standing({ marketGap: -1n }) })).toEqual([
      'cancelled',
      'partlyFilled',
    ])
  })

  test.each([
    ['words', 'PreValidationError', 'words'],
    [null, 'QuoteNotFound', 'QuoteNotFound'],
  ] as const)('placed on chain in a way that cannot be traded', (placementDetail, placementError, reason) => {
    const order = judged({ placementDetail, placementError, validTo: nowSeconds - 60 })
    expect(reasonOf({ order })).toEqual({
      code: 'neverTradable',
      summary: meaning('neverTradable'),
      since: at(-600),
      evidence: [{ kind: 'revert', reason }],
    })
  })

  const late = judged({
    effectiveValidTo: nowSeconds - 60,
    validFrom: nowSeconds - 90,
    partiallyFillable: true,
  })
  test('expired', () => {
    expect(reasonOf({ order: late })).toEqual({
      code: 'expired',
      summary: meaning('expired'),
      since: at(-60),
      evidence: [validity(at(-90), at(-60))],
    })
    expect(codesOf({ order: { ...late, executedSellAmount: 1n } })).toEqual(['expired', 'partlyFilled'])
    const explained = diagnose(sampleFacts({ order: late, ...standing({ marketGap: -1n }) }))
    expect(explained.summary).toBe(meaning('expired'))
  })

  test('is told as past, with what kept it', () => {
    const past = (facts: Partial<DiagnosisInput>) =>
      diagnose(sampleFacts({ order: late, ...facts })).further.map(({ summary }) => summary)
    expect(past({ order: { ...late, executedSellAmount: unit / 4n } })).toEqual([
      '25 % was filled: 0.25 WETH of 1 WETH. 0.75 WETH was left.',
    ])
    const funds = { balance: 0n, allowance: 0n }
    expect(
      past({
        order: judged({ effectiveValidTo: nowSeconds - 60 }),
        ...standing({ reason: 'insufficient_balance', funds, marketGap: -20_000n }),
      }),
    ).toEqual([
      'The account had 0 WETH, but the order was to sell 1 WETH: 1 WETH was missing.',
      'The account allowed 0 WETH to be taken for its trades, but the order was to sell 1 WETH: 1 WETH more had to be approved.',
      'The order asked for a better price than the market gave. For a small amount the market was 2 % worse than the limit, before the fee of the network.',
    ])
    expect(past(standing({ reason: 'fee_exceeds_value', marketGap: 1_000n, feeShare: 1_000n }))).toEqual([
      'The fee of the network for the order was 0.001 WETH, but its price left 0.000999 WETH for that. From 1.001 WETH on it would have paid.',
    ])
    const routed = { sell: unit, buy: usdc(2_871n), block: 99 }
    expect(past(standing({ routed, marketGap: 5_000n }))).toEqual([
      'For all that was left, 1 WETH, the market was 1 % worse than the limit. A part that was small enough to get the limit, if there was one, did not pay the fee of the network.',
    ])
    const failed = { reason: 'settlement_failed' } as const
    expect(past(standing({ ...failed, revert: 'locked' }))).toEqual([
      'A settlement of the order alone failed: locked.',
    ])
    const failing = { kind: 'token', address: dollar } as const
    expect(past(standing({ ...failed, revert: 'locked', failing }))).toEqual([
      'Trades of USDC failed: locked.',
    ])
    const refused = (reason: 'insufficient_balance' | 'invalid_signature', revert: string | null) =>
      past(standing({ reason, revert }))
    expect(refused('insufficient_balance', 'paused')).toEqual([
      'A token, or the receiver, refused the transfer: paused.',
    ])
    expect(refused('invalid_signature', 'no owner')).toEqual([
      'The owner’s contract did not accept the signature: no owner.',
    ])
    expect(refused('invalid_signature', null)).toEqual([
      'The owner’s contract did not accept the signature any more.',
    ])
    const codes = [
      ...(['banned_user', 'unsupported_token', 'dust_order', 'missing_native_price'] as const),
      'settlement_failed' as const,
    ]
    for (const reason of codes) {
      const [told = ''] = past(standing({ reason }))
      expect(told).toMatch(/ (did|was|waited|had) /)
    }
    const [order, hooks] = [judged({ effectiveValidTo: nowSeconds - 60 }, true), { revert: 'paused' }]
    expect(past({ order, ...standing({ reason: 'insufficient_balance', ...hooks }) })).toEqual([
      'The order’s own calls, its hooks, failed, or they did not bring what the order sold.',
    ])
  })

  const lived = (seconds: number) =>
    judged({ creationDate: at(-100), effectiveValidTo: nowSeconds - 100 + seconds })
  test('expired before an auction could take it', () => {
    const { summary, further } = diagnose(sampleFacts({ order: lived(83) }))
    expect(summary).toBe(meaning('expired'))
    expect(further).toMatchObject([
      {
        code: 'expiresTooSoon',
        since: null,
        evidence: [validity(null, at(-17))],
        summary:
          'The order was placed 83 seconds before it expired, and only orders with 60 seconds left or more are offered to solvers.',
      },
    ])
    // From one auction to the next it is 24 s.
    expect(codesOf({ order: lived(84) })).toEqual(['expired'])
    expect(codesOf({ order: lived(70), ...standing() })).toEqual(['expired'])
  })

  test.each([
    ['its price', standing({ marketGap: -1n }), ['priceOutOfReach']],
    ['a lost competition', { bid: sampleBid() }, ['lostCompetition']],
    ['a lost competition, in auctions', { bid: sampleBid(), ...standing() }, ['lostCompetition']],
    ['a full auction, which says nothing', standing({ reason: 'auction_full' }), []],
    [
      'a full auction, and its price',
      standing({ reason: 'auction_full', marketGap: -1n }),
      ['priceOutOfReach'],
    ],
    ['a settlement on the way, which says nothing', standing({ reason: 'in_flight' }), []],
    ['nothing', standing(), []],
  ])('expired, and kept until then by %s', (_, facts, expected) => {
    expect(codesOf({ order: late, ...facts })).toEqual(['expired', ...expected])
  })
})

describe('the service', () => {
  const service = (more: Partial<DiagnosisInput['service']>) => ({
    service: { ...sampleFacts().service, ...more },
  })
  const block = (seconds: number) => ({ kind: 'blocks', number: 100, at: at(seconds), head: 101 })

  test('cannot read the chain', () => {
    const { further, ...reason } = diagnose(sampleFacts({ look: 'away' }))
    expect(reason).toMatchObject({
      code: 'nodeAway',
      summary: meaning('nodeAway'),
      since: at(-24),
      evidence: [block(-12)],
    })
    expect(further.map(({ code }) => code)).toEqual(['waitingForAuction'])
    expect(diagnose(sampleFacts({ look: 'away', ...service({ indexed: null }) })).evidence).toEqual([])
  })

  test('is behind after ten blocks and a minute', () => {
    const seen = (seconds: number) => service({ indexed: { block: 100, at: at(seconds) } })
    expect(codesOf(seen(-180))).toEqual(['waitingForAuction'])
    expect(diagnose(sampleFacts(seen(-180.001)))).toMatchObject({
      code: 'chainBehind',
      since: at(-180.001),
      evidence: [block(-180.001)],
      summary: 'The newest block that the service has stored, 100, is 3 minutes old.',
    })
    expect(codesOf(service({ indexed: { block: 100, at: null } }))).toEqual(['waitingForAuction'])
  })

  test('holds no auctions after five and a minute', () => {
    expect(codesOf(service({ auctionAt: at(-180) }))).toEqual(['waitingForAuction'])
    expect(diagnose(sampleFacts(service({ auctionAt: at(-180.001) })))).toMatchObject({
      code: 'auctionsHalted',
      since: at(-180.001),
      evidence: [block(-12)],
      summary: 'The last auction was held 3 minutes ago.',
    })
    expect(diagnose(sampleFacts(service({ auctionAt: null })))).toMatchObject({
      code: 'auctionsHalted',
      since: null,
      summary: meaning('auctionsHalted'),
      evidence: [block(-12)],
    })
    const order = judged({ creationDate: at(-179) })
    expect(codesOf({ order, ...service({ auctionAt: at(-600) }) })).toEqual(['waitingForAuction'])
  })

  test('holds no auctions of its own where it follows an order book', () => {
    const followed = service({ isFollowed: true, auctionAt: null })
    const reason = { code: 'decidedElsewhere', summary: meaning('decidedElsewhere') }
    const price = { at: at(-1), sell: 3_000n * 10n ** 6n, buy: unit }
    const priced = { ...followed, market: { newest: price, oldest: price } }
    const look = { balance: unit, allowance: unit }
    expect(diagnose(sampleFacts({ ...priced, look }))).toMatchObject({
      ...reason,
      since: at(-600),
      further: [],
    })
    for (const facts of [
      { ...priced, ...standing() },
      { ...followed, ...standing({ marketGap: 0n }) },
    ])
      expect(diagnose(sampleFacts(facts))).toMatchObject({ ...reason, since: standingSince, further: [] })
    const low = { ...price, sell: 2_755n * 10n ** 6n }
    const far = { ...followed, market: { newest: low, oldest: low } }
    expect(codesOf({ ...far, look })).toEqual(['priceOutOfReach'])
    expect(codesOf({ ...far, ...standing() })).toEqual(['priceOutOfReach'])
    const unpriced = [wrapped]
    expect(codesOf({ ...followed, look, unpriced })).toEqual(['noNativePrice'])
    expect(codesOf({ ...followed, ...standing(), unpriced })).toEqual(['noNativePrice'])
    const bid = sampleBid()
    expect(codesOf({ ...followed, ...standing(), bid })).toEqual(['lostCompetition'])
    expect(codesOf({ ...followed, ...standing({ marketGap: -5_000n }) })).toEqual(['priceOutOfReach'])
  })

  test('has not read yet what decides about an order', () => {
    const followed = service({ isFollowed: true, auctionAt: null })
    const newest = { at: at(-1), sell: 3_000n * 10n ** 6n, buy: unit }
    const market = { newest, oldest: newest }
    const look = { balance: unit, allowance: unit }
    const old = { ...newest, at: at(-901) }
    const unread = [{}, { look }, { market }, { look, market: { newest: old, oldest: old } }, standing()]
    for (const facts of unread) {
      const { code, summary, since, further } = diagnose(sampleFacts({ ...followed, ...facts }))
      expect([code, summary, since, further]).toEqual(['notReadYet', meaning('notReadYet'), null, []])
    }
    expect(codesOf({ ...followed, look: 'away', market })).toEqual(['nodeAway', 'notReadYet'])
    const poor = { ...look, balance: 0n }
    expect(codesOf({ ...followed, look: poor })).toEqual(['balanceMissing'])
  })

  test('reads the price of an order where it follows an order book, unless a survey or the market has it', () => {
    const reads = (more: Partial<DiagnosisInput>, isFollowed = true) =>
      needsPriceRead(sampleFacts({ ...service({ isFollowed }), ...more }))
    const newest = { at: at(-1), sell: unit, buy: unit }
    expect([reads({}), reads({}, false), reads(standing()), reads(standing({ marketGap: -1n }))]).toEqual([
      true,
      false,
      true,
      false,
    ])
    expect(reads({ market: { newest, oldest: newest } })).toBe(false)
    expect(reads({ order: judged({ cancelledAt: now }) })).toBe(false)
    expect(reads({ order: judged({ placementError: 'QuoteNotFound' }) })).toBe(false)
  })

  test('comes before the order', () => {
    const facts = {
      look: 'away' as const,
      ...service({ indexed: { block: 100, at: at(-999) }, auctionAt: null }),
    }
    expect(codesOf({ ...facts, ...standing({ marketGap: -1n }) })).toEqual([
      'nodeAway',
      'chainBehind',
      'auctionsHalted',
      'priceOutOfReach',
    ])
  })

  test('looks at an account that no auction has seen lately', () => {
    const looks = (more: Partial<DiagnosisInput>) => needsBalanceRead(sampleFacts(more))
    const halted = service({ auctionAt: at(-999) })
    expect([looks({}), looks(standing()), looks({ ...standing(), ...halted })]).toEqual([true, false, true])
    expect(looks({ order: judged({ placementError: 'QuoteNotFound' }) })).toBe(false)
    expect(looks({ order: judged({ signingScheme: 'presign' }), ...standing() })).toBe(true)
    expect(looks({ order: judged({ cancelledAt: now }) })).toBe(false)
  })
})

describe('the time of an order', () => {
  test('has not come', () => {
    expect(codesOf({ order: judged({ validFrom: nowSeconds }) })).toEqual(['waitingForAuction'])
    expect(reasonOf({ order: judged({ validFrom: nowSeconds + 1 }) })).toEqual({
      code: 'notYetValid',
      summary: meaning('notYetValid'),
      since: at(-600),
      evidence: [validity(at(1), new Date(2e12))],
    })
  })

  test('is too short for another auction', () => {
    expect(codesOf({ order: judged({ effectiveValidTo: nowSeconds + 60 }) })).toEqual(['waitingForAuction'])
    expect(reasonOf({ order: judged({ effectiveValidTo: nowSeconds + 59 }) })).toEqual({
      code: 'expiresTooSoon',
      since: at(-1),
      summary:
        'The order expires in less than 60 seconds: it is not offered to solvers any more. Only an auction that has begun already can still fill it.',
      evidence: [validity(null, at(59))],
    })
    const far = { order: judged({ effectiveValidTo: nowSeconds + 59 }), ...standing({ marketGap: -20_000n }) }
    const [kept] = diagnose(sampleFacts(far)).further
    expect([kept?.code, kept?.summary, kept?.advice]).toEqual([
      'priceOutOfReach',
      'The order asked for a better price than the market gave. For a small amount the market was 2 % worse than the limit, before the fee of the network.',
      'Keep this in mind for a new order.',
    ])
  })
})

describe('the funds of an order', () => {
  const funds = (balance: bigint, allowance: bigint) => ({ balance, allowance })
  const unpaid = (...[more]: Parameters<typeof sampleStanding>) =>
    standing({ reason: 'insufficient_balance', ...more })
  const hooked = { order: judged({}, true) }
  const partly = judged({ partiallyFillable: true, executedSellAmount: unit / 4n })

  test('are missing', () => {
    const { further, ...reason } = diagnose(sampleFacts(unpaid({ funds: funds(4n * 10n ** 17n, unit - 1n) })))
    expect(reason).toMatchObject({
      code: 'balanceMissing',
      since: standingSince,
      summary: 'The account has 0.4 WETH, but the order sells 1 WETH: 0.6 WETH is missing.',
      evidence: [amounts(wrapped, unit, 4n * 10n ** 17n, 6n * 10n ** 17n)],
    })
    expect(further).toMatchObject([
      {
        code: 'allowanceMissing',
        since: standingSince,
        summary:
          'The account allows 0.999999 WETH to be taken for its trades, but the order sells 1 WETH: 0.000000000000000001 WETH more has to be approved.',
        evidence: [amounts(wrapped, unit, unit - 1n, 1n)],
      },
    ])
  })

  const newest = { at: at(-900), sell: 2_871n * 10n ** 6n, buy: unit }
  test.each([
    ['a price out of reach', { marketGap: -1n }, null, ['priceOutOfReach']],
    ['no market', { routed: 'none' as const }, null, ['noLiquidity']],
    ['a price out of reach by what was stored', {}, newest, ['priceOutOfReach']],
    ['a price that is near', {}, { ...newest, sell: 2_900n * 10n ** 6n }, []],
    ['a price out of reach by what was stored long ago', {}, { ...newest, at: at(-901) }, []],
    ['a price that is near by the last auction', { marketGap: 0n }, newest, []],
  ])('are missing, and there is %s', (_, more, price, expected) => {
    const facts = { market: price && { newest: price, oldest: price } }
    const short = { ...facts, ...unpaid({ funds: funds(unit, 0n), ...more }) }
    expect(codesOf(short)).toEqual(['allowanceMissing', ...expected])
    expect(diagnose(sampleFacts(short)).further.map(({ since }) => since)).toEqual(expected.map(() => null))
    const order = judged({ signingScheme: 'presign' })
    const unsigned = { order, ...facts, ...standing({ reason: 'invalid_signature', ...more }) }
    expect(codesOf(unsigned)).toEqual(['presignatureMissing', ...expected])
  })

  test.each([
    ['for the whole', funds(unit, unit), undefined, ['tokenMisbehaves']],
    ['but for an atom', funds(unit - 1n, unit), undefined, ['balanceMissing']],
    ['for an atom of an order that takes parts', funds(1n, 1n), partly, ['partlyFilled', 'tokenMisbehaves']],
    ['for no atom of it', funds(0n, 1n), partly, ['partlyFilled', 'balanceMissing']],
    ['and no allowance for it', funds(1n, 0n), partly, ['partlyFilled', 'allowanceMissing']],
  ])('suffice %s', (_, held, order = judged(), expected) => {
    expect(codesOf({ order, ...unpaid({ funds: held }) })).toEqual(expected)
  })

  test('are needed for what is left', () => {
    const buys = { ...judged({ kind: 'buy', executedBuyAmount: usdc(725n), partiallyFillable: true }) }
    for (const order of [partly, buys]) {
      const [, reason] = [
        null,
        ...diagnose(sampleFacts({ order, ...unpaid({ funds: funds(0n, 1n) }) })).further,
      ]
      expect(reason?.evidence).toEqual([amounts(wrapped, 75n * 10n ** 16n, 0n, 75n * 10n ** 16n)])
    }
  })

  test.each([
    [3n * 10n ** 17n, 7n * 10n ** 17n, 3n * 10n ** 17n],
    [null, 0n, unit],
  ])('are held by another order', (missing, available, evidenced) => {
    const held = { order: judged({}, true), ...unpaid({ takenBy: uid, missing, funds: funds(unit, unit) }) }
    expect(reasonOf(held)).toEqual({
      code: 'balanceHeld',
      summary: meaning('balanceHeld'),
      since: standingSince,
      evidence: [{ kind: 'order', uid }, amounts(wrapped, unit, available, evidenced)],
    })
  })

  const revert = { kind: 'revert', reason: 'paused' }
  const since = standingSince
  test('are refused by the token', () => {
    const code = 'tokenMisbehaves'
    const summary = 'A token, or the receiver, refuses the transfer: paused.'
    expect(reasonOf(unpaid({ revert: 'paused', takenBy: uid }))).toEqual({
      code,
      summary,
      since,
      evidence: [revert],
    })
    expect(reasonOf(unpaid())).toEqual({ code, summary: meaning(code), since, evidence: [] })
  })

  test('are brought by hooks that fail', () => {
    const failed = { code: 'hooksFail', summary: meaning('hooksFail'), since }
    const missing = amounts(wrapped, unit, 0n, unit)
    expect(reasonOf({ ...hooked, ...unpaid({ funds: funds(0n, unit) }) })).toEqual({
      ...failed,
      evidence: [missing],
    })
    expect(reasonOf({ ...hooked, ...unpaid({ revert: 'paused' }) })).toEqual({
      ...failed,
      evidence: [revert],
    })
    expect(reasonOf({ ...hooked, ...unpaid({ revert: 'paused', funds: funds(0n, unit) }) })).toEqual({
      ...failed,
      evidence: [revert, missing],
    })
  })

  test('are looked at now, which counts beside what an auction saw', () => {
    const look = funds(0n, 0n)
    expect(codesOf({ look })).toEqual(['balanceMissing', 'allowanceMissing'])
    expect(diagnose(sampleFacts({ look })).since).toBeNull()
    expect(codesOf({ look, ...standing({ marketGap: -1n }) })).toEqual([
      'balanceMissing',
      'allowanceMissing',
      'priceOutOfReach',
    ])
    const seen = diagnose(sampleFacts({ look, ...unpaid({ funds: funds(0n, unit) }) }))
    expect([seen.since, seen.further.map(({ code }) => code)]).toEqual([standingSince, ['allowanceMissing']])
  })
})

describe('the signature of an order', () => {
  const order = judged({ signingScheme: 'presign' })
  const invalid = (revert: string | null) => standing({ reason: 'invalid_signature', revert })

  test('is not given on chain yet', () => {
    const missing = { code: 'presignatureMissing', summary: meaning('presignatureMissing'), evidence: [] }
    expect(reasonOf({ order })).toEqual({ ...missing, since: at(-600) })
    expect(reasonOf({ order, ...invalid('no') })).toEqual({ ...missing, since: standingSince })
    expect(reasonOf({ order: { ...order, presigned: true }, ...invalid('no') })).toEqual({
      ...missing,
      since: standingSince,
    })
    expect(codesOf({ order: { ...order, presigned: true } })).toEqual(['waitingForAuction'])
    expect(codesOf({ order, look: { balance: 0n, allowance: unit } })).toEqual([
      'presignatureMissing',
      'balanceMissing',
    ])
  })

  test('is refused by a contract', () => {
    const code = 'signatureInvalid'
    const since = standingSince
    expect(reasonOf(invalid(null))).toEqual({ code, summary: meaning(code), since, evidence: [] })
    expect(reasonOf(invalid('no owner'))).toEqual({
      code,
      since,
      evidence: [{ kind: 'revert', reason: 'no owner' }],
      summary: 'The owner’s contract does not accept the signature: no owner.',
    })
  })
})

describe('what the last auction found', () => {
  const token = (named: string) => ({ kind: 'token', token: named })

  test.each([
    ['banned_user', 'accountDenied', {}, []],
    ['unsupported_token', 'tokenDenied', { deniedTokens: [dollar, numbered('dd')] }, [token(dollar)]],
    ['dust_order', 'tooSmall', {}, []],
    ['missing_native_price', 'noNativePrice', standing({ unpriced: [wrapped] }), [token(wrapped)]],
    ['auction_full', 'outOfPlaces', {}, []],
    ['in_flight', 'settling', {}, []],
    ['settlement_failed', 'settlementPaused', {}, []],
  ] as const)('%s', (reason, code, facts, evidence) => {
    const seen = {
      ...facts,
      standing: { ...sampleStanding({ reason }), ...(facts as DiagnosisInput).standing, reason },
    }
    expect(reasonOf(seen)).toEqual({ code, summary: meaning(code), since: standingSince, evidence })
  })

  test('too much gas is lost on it', () => {
    const revert = 'transactions with the order that failed on chain used 1000001 gas within a day'
    const spent = { reason: 'failed_gas_spent', revert } as const
    const attempt = sampleAttempt({ outcome: 'driver failed: reverted' })
    expect(codesOf({ ...standing(spent), attempt })).toEqual(['failedGasSpent', 'settlementFailed'])
    expect(reasonOf(standing(spent))).toEqual({
      code: 'failedGasSpent',
      summary: `The service tries no more trades for now: ${revert}.`,
      since: standingSince,
      evidence: [{ kind: 'revert', reason: revert }],
    })
    const ofToken = standing({ ...spent, failing: { kind: 'token', address: dollar } })
    expect(reasonOf(ofToken).evidence[0]).toEqual({ kind: 'token', token: dollar })
  })

  test('no price and no market', () => {
    const none = { reason: 'missing_native_price', routed: 'none' } as const
    expect(codesOf(standing(none))).toEqual(['noLiquidity', 'noNativePrice'])
    expect(codesOf(standing({ ...none, routed: null, marketGap: -1n }))).toEqual(['noNativePrice'])
  })

  test('a settlement that fails', () => {
    const failed = { reason: 'settlement_failed' } as const
    expect(reasonOf(standing({ ...failed, revert: 'locked' }))).toEqual({
      code: 'settlementReverts',
      summary: 'A settlement of the order alone fails: locked.',
      since: standingSince,
      evidence: [{ kind: 'revert', reason: 'locked' }],
    })
    const apart = (kind: 'token' | 'pool', address: Address) =>
      reasonOf(standing({ ...failed, revert: 'locked', failing: { kind, address } })).summary
    expect(apart('token', dollar)).toBe('Trades of USDC fail: locked.')
    expect(apart('token', numbered('dd'))).toBe(`Trades of the token ${numbered('dd')} fail: locked.`)
    expect(apart('pool', numbered('bb'))).toBe(`Trades through the pool ${numbered('bb')} fail: locked.`)
    const following = (outcome: string) =>
      codesOf({ ...standing(failed), attempt: sampleAttempt({ outcome }) })
    expect(following('timeout')).toEqual(['settlementPaused', 'settlementTimedOut'])
    expect(following('success')).toEqual(['settlementPaused'])
  })

  test('nothing', () => {
    expect(reasonOf(standing())).toEqual({
      code: 'notProposed',
      summary: meaning('notProposed'),
      since: standingSince,
      evidence: [],
    })
    expect(reasonOf({})).toEqual({
      code: 'waitingForAuction',
      summary: meaning('waitingForAuction'),
      since: at(-600),
      evidence: [],
    })
  })
})

describe('what became of a solution', () => {
  const deadline = { kind: 'blocks', number: 103, at: null, head: null }
  const ended = { outcome: 'driver failed: out of gas', endedAt: at(-20) }

  test('its settlement is on the way, until its last block has passed', () => {
    const at103 = (block: number) => ({
      service: { ...sampleFacts().service, indexed: { block, at: at(-12) } },
    })
    const running = { attempt: sampleAttempt({ txHash }), ...standing({ marketGap: -1n }) }
    const evidence = [{ kind: 'transaction', txHash, block: null }, deadline]
    const since = at(-90)
    expect(reasonOf({ ...running, ...at103(103) })).toEqual({
      code: 'settling',
      summary: meaning('settling'),
      since,
      evidence,
    })
    expect(reasonOf({ ...running, ...at103(104) })).toEqual({
      code: 'settlementStuck',
      summary: meaning('settlementStuck'),
      since,
      evidence,
    })
    expect(
      reasonOf({ attempt: sampleAttempt(), service: { ...sampleFacts().service, indexed: null } }),
    ).toEqual({ code: 'settling', summary: meaning('settling'), since, evidence: [deadline] })
    expect(reasonOf({ attempt: sampleAttempt(ended), ...standing({ reason: 'in_flight' }) })).toEqual({
      code: 'settling',
      summary: meaning('settling'),
      since: standingSince,
      evidence: [],
    })
  })

  test.each([
    ['driver failed: out of gas', 'out of gas'],
    ['reverted', 'reverted'],
  ])('its settlement failed: %s', (outcome, reason) => {
    const attempt = sampleAttempt({ ...ended, outcome, txHash, revertedBlock: 102, auctionId: 0n })
    expect(reasonOf({ attempt, ...standing() })).toEqual({
      code: 'settlementFailed',
      since: at(-20),
      summary: `A trade was found, but its transaction failed: ${reason}.`,
      evidence: [{ kind: 'transaction', txHash, block: 102 }, deadline, { kind: 'revert', reason }],
    })
  })

  test('its settlement came too late', () => {
    expect(reasonOf({ attempt: sampleAttempt({ ...ended, outcome: 'timeout' }), ...standing() })).toEqual({
      code: 'settlementTimedOut',
      summary: meaning('settlementTimedOut'),
      since: at(-20),
      evidence: [deadline],
    })
  })

  test.each([
    ['better ones won', { winningScore: 9n }, 'lostCompetition', 4n],
    ['one as good won', { winningScore: 5n }, 'lostCompetition', null],
    ['worse ones won', { winningScore: 4n }, 'lostCompetition', null],
    ['none won', { winningScore: null }, 'lostCompetition', null],
    ['it was unfair', { filteredOut: true }, 'filteredForFairness', 4n],
  ] as const)('%s', (_, more, code, scoreGap) => {
    const bid = sampleBid(more)
    const { winningScore } = bid
    expect(reasonOf({ bid, ...standing() })).toEqual({
      code,
      summary: meaning(code),
      since: at(-100),
      evidence: [
        { kind: 'competition', auctionId: 5n, solver, score: 5n, winningScore, scoreGap, refusal: null },
      ],
    })
  })

  const refusal = { auctionId: 5n, solver, reason: 'it pays too little', at: at(-80) }
  test('it was refused', () => {
    expect(reasonOf({ refusal, ...standing() })).toEqual({
      code: 'solutionRefused',
      since: at(-80),
      summary: 'A trade that was proposed for the order was refused: it pays too little.',
      evidence: [
        {
          kind: 'competition',
          auctionId: 5n,
          solver,
          refusal: 'it pays too little',
          score: null,
          winningScore: null,
          scoreGap: null,
        },
      ],
    })
  })

  test.each([
    [
      'a settlement in the same auction',
      { attempt: sampleAttempt(ended), bid: sampleBid(), refusal },
      'settlementFailed',
    ],
    ['a bid in the same auction', { bid: sampleBid(), refusal }, 'lostCompetition'],
    ['a newer bid', { attempt: sampleAttempt(ended), bid: sampleBid({ auctionId: 6n }) }, 'lostCompetition'],
    ['a newer refusal', { bid: sampleBid(), refusal: { ...refusal, auctionId: 6n } }, 'solutionRefused'],
    [
      'a bid that won and an older settlement',
      { attempt: sampleAttempt(ended), bid: sampleBid({ auctionId: 6n, isWinner: true }) },
      'notProposed',
    ],
    [
      'a settlement that succeeded',
      { attempt: sampleAttempt({ ...ended, outcome: 'success' }) },
      'notProposed',
    ],
  ] as const)('the newest counts: %s', (_, facts, code) => {
    expect(codesOf({ ...facts, ...standing() })).toEqual([code])
  })
})

describe('an order that would be refused', () => {
  test.each([
    ['Forbidden', undefined, 'accountDenied'],
    ['UnsupportedToken', 'sellToken', 'tokenDenied'],
    ['OrderExpired', 'validTo', 'expired'],
    ['InsufficientValidTo', 'validTo', 'expiresTooSoon'],
    ['InvalidSignature', 'signature', 'signatureInvalid'],
    ['WrongOwner', 'from', 'signatureInvalid'],
    ['InvalidParameter', 'signature', 'signatureInvalid'],
    ['InvalidParameter', 'sellAmount', 'notAccepted'],
  ] as const)('with %s of %s', (code, field, expected) => {
    expect(refused(new Refusal(code, 'no such thing', field ? { field } : {}))).toMatchObject({
      code: expected,
      since: null,
      summary: 'The service would refuse the order: no such thing.',
      evidence: [{ kind: 'refusal', code, field: field ?? null, message: 'no such thing' }],
    })
  })

  test('by a code of the caller', () => {
    expect(refused(new Refusal('Forbidden', 'no'), 'notAccepted').code).toBe('notAccepted')
  })
})

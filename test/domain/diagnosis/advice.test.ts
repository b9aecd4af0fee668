import { describe, expect, test } from 'vitest'
import { adviceOf } from '../../../src/domain/diagnosis/advice.ts'
import { type DiagnosisCode, diagnosisCodes, diagnosisTexts } from '../../../src/domain/diagnosis/code.ts'
import { inOrder } from '../../../src/domain/diagnosis/diagnose.ts'
import { reasonOf } from '../../../src/domain/diagnosis/diagnosis.ts'
import { marketReasons } from '../../../src/domain/diagnosis/price-reasons.ts'
import { isTerminal } from '../../../src/domain/diagnosis/terminal-code.ts'
import { sampleFacts, sampleStanding } from '../../fakes/diagnosis-facts.ts'

const advice = (...codes: DiagnosisCode[]) => inOrder(codes.map((code) => reasonOf(code, null))).map(adviceOf)
const own = (code: DiagnosisCode) => diagnosisTexts[code].advice

describe('what to do', () => {
  test('is what the code says, for each reason alone', () => {
    for (const code of diagnosisCodes) expect(advice(code)).toEqual([own(code)])
  })

  test('is to decide about the price before anything is paid for that does not help without it', () => {
    expect(advice('allowanceMissing', 'priceOutOfReach')).toEqual([
      'First decide about the price: wait for the market, or place a new order with a limit nearer to it. Then approve the amount that is sold for the vault relayer: the contract that takes it when the order is filled. A new order that sells the same token needs it too.',
      own('priceOutOfReach'),
    ])
    expect(advice('partlyFilled', 'presignatureMissing', 'balanceMissing', 'noLiquidity')).toEqual([
      own('partlyFilled'),
      'First decide about the price: trade a smaller amount, or wait for a market. Then the wallet that sells has to sign the order with a transaction: in a Safe, its owners confirm and execute it. For programs: setPreSignature of the settlement contract, with the order’s UID and true. The transaction signs this order alone: a new one needs its own.',
      own('balanceMissing'),
      own('noLiquidity'),
    ])
    expect(advice('balanceHeld', 'costsMoreThanItBrings')[0]).toBe(
      'First decide about the price: trade more at once, take a limit that leaves more for the fee, or wait for lower fees. Then cancel the other order, or add what is missing for both.',
    )
    expect(advice('balanceMissing', 'allowanceMissing')).toEqual([
      own('balanceMissing'),
      own('allowanceMissing'),
    ])
  })

  test('of an order that is over is what a new one needs, told with its end', () => {
    const kept = 'Keep this in mind for a new order.'
    const approve = 'Approve the amount that is sold for the vault relayer before.'
    const limit = 'It needs a limit nearer to the market.'
    expect(advice('expired', 'allowanceMissing', 'priceOutOfReach')).toEqual([
      `Place a new order to trade. ${approve} ${limit}`,
      kept,
      kept,
    ])
    expect(advice('partlyFilled', 'expiresTooSoon', 'priceOutOfReach')).toEqual([
      own('partlyFilled'),
      `Place a new order with a later expiry, once this one has expired. ${limit}`,
      kept,
    ])
    expect(advice('expired', 'expiresTooSoon')).toEqual([own('expired'), own('expiresTooSoon')])
    expect(advice('expired', 'settlementFailed')).toEqual([own('expired'), kept])
  })

  test('names how far the limit of an order that is over was from the market, and what no limit pays', () => {
    const past = (marketGap: bigint, feeShare: bigint | null = null) => {
      const reason = feeShare === null ? null : 'fee_exceeds_value'
      const reasons = marketReasons(
        sampleFacts({ isPast: true }),
        sampleStanding({ marketGap, feeShare, reason }),
      )
      return inOrder([reasonOf('expired', null), ...reasons]).map(adviceOf)[0]
    }
    const far = 'It needs a limit nearer to the market, which was 40 % worse than that of this one.'
    expect(past(-400_000n)).toBe(`Place a new order to trade. ${far}`)
    expect(past(-400_000n, 2_000_000n)).toBe(`Place a new order to trade. ${far} It has to be larger.`)
    expect(past(100n, 5_000n)).toBe(
      'Place a new order to trade. It has to be larger, or to leave more for the fee.',
    )
  })
})

describe('an order is over', () => {
  const over = (code: string, ...further: string[]) =>
    isTerminal({ code, further: further.map((each) => ({ code: each })) })

  test.each(['filled', 'CANCELLED', 'expired', 'NEVER_TRADABLE', 'neverTradable', 'EXPIRES_TOO_SOON'])(
    'with %s',
    (code) => {
      expect([over(code), over('PARTLY_FILLED', code)]).toEqual([true, true])
    },
  )

  test('with no other', () => {
    expect(over('partlyFilled', 'priceOutOfReach', 'NOT_YET_VALID')).toBe(false)
  })
})

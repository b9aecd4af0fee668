import { type DiagnosisCode, diagnosisTexts } from './code.ts'
import type { Reason } from './diagnosis.ts'
import { isEnd } from './over.ts'

/** What to do about a reason, which depends on those beside it. */

const serves = 'A new order that sells the same token needs it too.'
/** What an account does about these costs gas, and fills nothing while the price keeps the order. What follows the advice then. */
const ofAccount: Partial<Record<DiagnosisCode, string>> = {
  presignatureMissing: 'The transaction signs this order alone: a new one needs its own.',
  signatureInvalid: '',
  balanceMissing: serves,
  allowanceMissing: serves,
  balanceHeld: '',
  hooksFail: '',
  tokenMisbehaves: '',
}
const ofPrice: readonly DiagnosisCode[] = ['noLiquidity', 'priceOutOfReach', 'costsMoreThanItBrings']
const forNewOrder = 'Keep this in mind for a new order.'
/** Where the fee is more than all that is sold. */
export const noLimitPays = 'Trade more at once, or wait for lower fees: another limit does not help.'

export function adviceOf({ code, advice }: Pick<Reason, 'code' | 'advice'>): string {
  return advice ?? diagnosisTexts[code].advice
}

/** @param reasons of one order, in the order in which they have to be solved */
export function advised(reasons: readonly Reason[]): Reason[] {
  const end = reasons.findIndex(isEnd)
  if (end >= 0)
    return reasons.map((reason, index) =>
      index > end && !isEnd(reason) ? { ...reason, advice: forNewOrder } : reason,
    )
  const price = reasons.find(({ code }) => ofPrice.includes(code))
  const first = reasons.find(({ code }) => code in ofAccount)
  return reasons.map((reason) => (price && reason === first ? besidePrice(reason, price) : reason))
}

function besidePrice(reason: Reason, price: Reason): Reason {
  const last = ofAccount[reason.code]
  const steps = `First decide about the price: ${inSentence(adviceOf(price))} Then ${inSentence(adviceOf(reason))}`
  return { ...reason, advice: last ? `${steps} ${last}` : steps }
}

const inSentence = (sentence: string) => sentence.charAt(0).toLowerCase() + sentence.slice(1)

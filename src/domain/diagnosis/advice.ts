import { type DiagnosisCode, diagnosisTexts } from './code.ts'
import type { Reason } from './diagnosis.ts'
import { isEnd } from './over.ts'
import { readablePercent } from './words.ts'

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
export const noLimitPays =
  'Trade more at once, with a limit that leaves room for the fee, or wait for lower fees: another limit alone does not help.'
/** What kept an order that is over, as what a new one has to do better. */
const newOrderNeeds: Partial<Record<DiagnosisCode, string>> = {
  accountDenied: 'Ask the operator of the service before.',
  tokenDenied: 'Trade another token with it.',
  presignatureMissing: 'The wallet has to sign that one with a transaction in time.',
  signatureInvalid: 'Check the wallet’s owners and rules before.',
  balanceMissing: 'Send the missing amount to the account before.',
  allowanceMissing: 'Approve the amount that is sold for the vault relayer before.',
  balanceHeld: 'Cancel the other order before, or add what is missing for both.',
  hooksFail: 'It needs hooks, calls of its own, that work.',
  tooSmall: 'It has to sell more at once.',
  noLiquidity: 'It needs a smaller amount, or other tokens.',
  priceOutOfReach: 'It needs a limit nearer to the market',
  costsMoreThanItBrings: 'It has to be larger, or to leave more for the fee.',
}

export function adviceOf({ code, advice }: Pick<Reason, 'code' | 'advice'>): string {
  return advice ?? diagnosisTexts[code].advice
}

/** @param reasons of one order, in the order in which they have to be solved */
export function advised(reasons: readonly Reason[]): Reason[] {
  const end = reasons.findIndex(isEnd)
  if (end >= 0)
    return reasons.map((reason, index) => {
      if (index === end) return withNeeds(reason, reasons.slice(end + 1))
      return index > end && !isEnd(reason) ? { ...reason, advice: forNewOrder } : reason
    })
  const price = reasons.find(({ code }) => ofPrice.includes(code))
  const first = reasons.find(({ code }) => code in ofAccount)
  return reasons.map((reason) => (price && reason === first ? besidePrice(reason, price) : reason))
}

/** An ending, with what kept the order before: others would say of a new order nothing but to place it. */
function withNeeds(ending: Reason, kept: readonly Reason[]): Reason {
  const needs = kept.flatMap((reason) => needOf(reason) ?? [])
  return needs.length === 0 ? ending : { ...ending, advice: [adviceOf(ending), ...needs].join(' ') }
}

function needOf({ code, advice, evidence }: Reason): string | undefined {
  if (code === 'costsMoreThanItBrings' && advice === noLimitPays) return 'It has to be larger.'
  if (code !== 'priceOutOfReach') return newOrderNeeds[code]
  const gap = evidence.find(({ kind }) => kind === 'price')
  const distance =
    gap?.kind === 'price' && gap.gap !== null && gap.gap > 0n
      ? `, which was ${readablePercent(gap.gap)} % worse than that of this one`
      : ''
  return `${newOrderNeeds[code]}${distance}.`
}

function besidePrice(reason: Reason, price: Reason): Reason {
  const last = ofAccount[reason.code]
  const steps = `First decide about the price: ${inSentence(adviceOf(price))} Then ${inSentence(adviceOf(reason))}`
  return { ...reason, advice: last ? `${steps} ${last}` : steps }
}

const inSentence = (sentence: string) => sentence.charAt(0).toLowerCase() + sentence.slice(1)

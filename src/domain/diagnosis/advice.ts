import { readablePercent } from '../text/readable.ts'
import { type DiagnosisCode, diagnosisTexts } from './code.ts'
import type { Reason } from './diagnosis.ts'
import { isTerminalCode } from './terminal-code.ts'

/** Advice for a reason, which depends on the reasons next to it. */

const serves = 'A new order that sells the same token needs it too.'
/**
 * Advice after the advice for the account. The account's steps cost gas, and fill nothing while the price
 * blocks the order.
 */
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
export const forNewOrder = 'Keep this in mind for a new order.'
/** The reason with a step that is left to do, however the order ended. */
const leftToDo: DiagnosisCode = 'postHookFailed'
/** Advice if the fee exceeds the whole sold amount. */
export const noLimitPays =
  'Trade more at once, with a limit that leaves room for the fee, or wait for lower fees: another limit alone does not help.'
/** Needs of a new order, by the reason that blocked an order that has ended. */
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

/** Adds advice to the reasons of one order, which are in the order in which they must be resolved. */
export function advised(reasons: readonly Reason[]): Reason[] {
  const end = reasons.findIndex(isTerminalCode)
  if (end >= 0)
    return reasons.map((reason, index) => {
      if (index === end) return withNeeds(reason, reasons.slice(end + 1))
      return index > end && !isTerminalCode(reason) && reason.code !== leftToDo
        ? { ...reason, advice: forNewOrder }
        : reason
    })
  const price = reasons.find(({ code }) => ofPrice.includes(code))
  const first = reasons.find(({ code }) => code in ofAccount)
  return reasons.map((reason) => (price && reason === first ? withPriceAdvice(reason, price) : reason))
}

/**
 * Combines an ending with the reasons that blocked the order before. Without them the advice would only be to
 * place a new order.
 */
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

function withPriceAdvice(reason: Reason, price: Reason): Reason {
  const last = ofAccount[reason.code]
  const steps = `First decide about the price: ${inSentence(adviceOf(price))} Then ${inSentence(adviceOf(reason))}`
  return { ...reason, advice: last ? `${steps} ${last}` : steps }
}

const inSentence = (sentence: string) => sentence.charAt(0).toLowerCase() + sentence.slice(1)

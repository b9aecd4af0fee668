import { type DiagnosisCode, diagnosisTexts } from './code.ts'
import type { Reason } from './diagnosis.ts'

/**
 * Meanings, in the past tense, of reasons that blocked an order that has ended. Other codes have texts in the
 * past tense already, or texts with figures.
 */
const meanings: Partial<Record<DiagnosisCode, string>> = {
  accountDenied: 'The operator did not trade for this account.',
  tokenDenied: 'The operator did not trade one of the tokens.',
  presignatureMissing: 'The owner did not sign the order on chain.',
  signatureInvalid: 'The owner’s contract did not accept the signature any more.',
  balanceHeld: 'Another order of the same account came first for the balance, as it was more likely to fill.',
  hooksFail: 'The order’s own calls, its hooks, failed, or they did not bring what the order sold.',
  tokenMisbehaves: 'The token that was sold refused the transfer, though balance and allowance sufficed.',
  tooSmall: 'What was left of the order, or what the account had for it, was too small to be traded.',
  noLiquidity: 'No market led from one token to the other for this amount.',
  noNativePrice: 'One of the tokens had no price, so trades with it could not be compared.',
  tradesFail:
    'A token of the order, or a pool that it would have been traded through, made every trade fail.',
  settlementPaused:
    'The order waited for some blocks: it, or another of the same account, may have been why a settlement failed.',
  filteredForFairness:
    'The best offer for the order was left out: one of the orders in it got a better price elsewhere.',
}

export function inPast(reason: Reason): Reason {
  const { code, summary } = reason
  const meaning = summary === diagnosisTexts[code].meaning ? meanings[code] : undefined
  return meaning === undefined ? reason : { ...reason, summary: meaning }
}

import { readableDown, readableUp } from '../text/readable.ts'
import {
  amountsOf,
  type DiagnosisInput,
  type ObservedStanding,
  type Reason,
  reasonOf,
  remainingSell,
  tokenOf,
} from './diagnosis.ts'

/** Reasons that the account of an order must resolve: its signature, its funds, its own code. */

type Funds = NonNullable<ObservedStanding['funds']>

/**
 * The missing funds, apart from amounts that other orders take. Any atom suffices for a partially fillable
 * order.
 */
export function fundsReasons(facts: DiagnosisInput, funds: Funds, since: Date | null): Reason[] {
  const { order, isPast } = facts
  const [token, needed] = [order.sellToken, remainingSell(order)]
  const least = order.partiallyFillable ? 1n : order.sellAmount
  const words = tokenOf(facts, token)
  const has = (atoms: bigint) => readableDown(atoms, words)
  const sells = readableUp(needed, words)
  const reasons: Reason[] = []
  if (funds.balance < least) {
    const amounts = amountsOf(token, needed, funds.balance)
    const missing = readableUp(amounts.missing, words)
    const summary = isPast
      ? `The account had ${has(funds.balance)}, but the order was to sell ${sells}: ${missing} was missing.`
      : `The account has ${has(funds.balance)}, but the order sells ${sells}: ${missing} is missing.`
    reasons.push(reasonOf('balanceMissing', since, [amounts], summary))
  }
  if (funds.allowance < least) {
    const amounts = amountsOf(token, needed, funds.allowance)
    const missing = readableUp(amounts.missing, words)
    const summary = isPast
      ? `The account allowed ${has(funds.allowance)} to be taken for its trades, but the order was to sell ${sells}: ${missing} more had to be approved.`
      : `The account allows ${has(funds.allowance)} to be taken for its trades, but the order sells ${sells}: ${missing} more has to be approved.`
    reasons.push(reasonOf('allowanceMissing', since, [amounts], summary))
  }
  return reasons
}

/** Reasons of an order that its account cannot pay for, as of the last auction. */
export function unpayable(facts: DiagnosisInput, standing: ObservedStanding): Reason[] {
  const { order } = facts
  const { since, funds, takenBy, missing, revert } = standing
  const answer = revert === null ? [] : [{ kind: 'revert', reason: revert } as const]
  const short = funds ? fundsReasons(facts, funds, since) : []
  if (order.hasPreHooks && (short.length > 0 || revert !== null)) {
    const evidence = [...answer, ...short.flatMap((reason) => reason.evidence)]
    return [reasonOf('hooksFail', since, evidence)]
  }
  if (short.length > 0) return short
  if (takenBy !== null && revert === null) {
    const needed = remainingSell(order)
    const amounts = amountsOf(order.sellToken, needed, needed - (missing ?? needed))
    return [reasonOf('balanceHeld', since, [{ kind: 'order', uid: takenBy }, amounts])]
  }
  return [reasonOf('tokenMisbehaves', since, answer, refusedWith(revert, 'tokenMisbehaves', facts))]
}

export function unsigned(facts: DiagnosisInput, standing: ObservedStanding): Reason {
  const { since, revert } = standing
  if (facts.order.signingScheme === 'presign') return reasonOf('presignatureMissing', since)
  const evidence = revert === null ? [] : [{ kind: 'revert', reason: revert } as const]
  return reasonOf('signatureInvalid', since, evidence, refusedWith(revert, 'signatureInvalid', facts))
}

function refusedWith(
  revert: string | null,
  code: 'tokenMisbehaves' | 'signatureInvalid',
  { isPast }: DiagnosisInput,
): string | undefined {
  if (revert === null) return undefined
  return code === 'tokenMisbehaves'
    ? `A token, or the receiver, ${isPast ? 'refused' : 'refuses'} the transfer: ${revert}.`
    : `The owner’s contract ${isPast ? 'did' : 'does'} not accept the signature: ${revert}.`
}

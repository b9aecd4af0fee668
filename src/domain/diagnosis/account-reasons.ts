import { generatorStatusTexts } from '../programmatic/statuses.ts'
import { foreign, readableDown, readableUp } from '../text/readable.ts'
import {
  amountsOf,
  type DiagnosisInput,
  type ObservedProgrammaticOrder,
  type ObservedStanding,
  type Reason,
  reasonOf,
  remainingSell,
  tokenOf,
} from './diagnosis.ts'
import type { Evidence } from './evidence.ts'

/** Reasons that the account of an order must resolve: its signature, its funds, its own code. */

type Funds = NonNullable<ObservedStanding['funds']>

/**
 * The missing funds, apart from amounts that other orders take. Any atom suffices for a partially fillable
 * order.
 */
export function fundsReasons(facts: DiagnosisInput, funds: Funds, since: Date | null): Reason[] {
  const { order, isPast } = facts
  const [token, needed] = [order.sellToken, remainingSell(order)]
  const min = order.partiallyFillable ? 1n : order.sellAmount
  const words = tokenOf(facts, token)
  const has = (atoms: bigint) => readableDown(atoms, words)
  const sells = readableUp(needed, words)
  const reasons: Reason[] = []
  if (funds.balance < min) {
    const amounts = amountsOf(token, needed, funds.balance)
    const missing = readableUp(amounts.missing, words)
    const summary = isPast
      ? `The account had ${has(funds.balance)}, but the order was to sell ${sells}: ${missing} was missing.`
      : `The account has ${has(funds.balance)}, but the order sells ${sells}: ${missing} is missing.`
    reasons.push(reasonOf('balanceMissing', since, [amounts], summary))
  }
  if (funds.allowance < min) {
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
  const summary = refusedWith(revert, 'signatureInvalid', facts)
  const { programmatic } = facts
  if (!programmatic) return reasonOf('signatureInvalid', since, evidence, summary)
  const { cause, advice } = notMade(programmatic)
  const newer = programmatic.newerPart ? [{ kind: 'order', uid: programmatic.newerPart } as const] : []
  return {
    ...reasonOf('signatureInvalid', since, [...evidence, ...newer], summary ? `${cause} ${summary}` : cause),
    advice,
  }
}

/** Why the signature of a part is not valid any more: its programmatic order does not make it now. */
function notMade({ hash, status, removedBlock, newerPart }: ObservedProgrammaticOrder): {
  cause: string
  advice: string
} {
  const of = `the programmatic order ${hash}, whose part this is`
  const again = 'Create the programmatic order again to trade what is left of it.'
  if (status === null)
    return {
      cause: `The wallet does not accept this as a part of ${of}: its root may have been replaced.`,
      advice: again,
    }
  if (status === 'cancelled')
    return {
      cause: `The contract does not authorise ${of}, any more: its owner removed it, or replaced the root that authorised it. This was seen first in block ${removedBlock}.`,
      advice: again,
    }
  if (newerPart !== null)
    return {
      cause: `The handler of ${of}, makes another part now.`,
      advice: 'Look at the newer part: this one is over.',
    }
  if (status !== 'active' && status !== 'scheduled')
    return {
      cause: `The time of ${of}, is over: ${generatorStatusTexts[status]}`,
      advice: 'Create another programmatic order to trade more.',
    }
  return {
    cause: `The handler of ${of}, does not make this part now, or its wallet does not accept it.`,
    advice: 'Look at the diagnosis of the programmatic order.',
  }
}

/** The programmatic order of a part as evidence; none for other orders. */
export function programmaticEvidence({ programmatic }: DiagnosisInput): Evidence[] {
  if (!programmatic) return []
  const { owner, hash, status, removedBlock } = programmatic
  return [{ kind: 'programmaticOrder', owner, hash, status, removedBlock }]
}

function refusedWith(
  revert: string | null,
  code: 'tokenMisbehaves' | 'signatureInvalid',
  { isPast }: DiagnosisInput,
): string | undefined {
  if (revert === null) return undefined
  return code === 'tokenMisbehaves'
    ? `A token, or the receiver, ${isPast ? 'refused' : 'refuses'} the transfer: ${foreign(revert)}.`
    : `The owner’s contract ${isPast ? 'did' : 'does'} not accept the signature: ${foreign(revert)}.`
}

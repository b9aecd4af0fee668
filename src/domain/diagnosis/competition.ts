import type { CompetitionEvidence, Evidence, Reason } from './diagnosis.ts'
import type { AttemptFacts, BidFacts, DiagnosisFacts } from './facts.ts'
import { reasonOf } from './reason.ts'

/** Reasons from the newest solution for an order. */

/** Returns the reason if a settlement with the order is in progress; otherwise none. */
export function underWay({ attempt, standing, service }: DiagnosisFacts): Reason[] {
  if (!attempt || attempt.outcome !== null)
    return standing?.reason === 'in_flight' ? [reasonOf('settling', standing.since)] : []
  const evidence = attemptEvidence(attempt)
  const isLate = service.indexed !== null && service.indexed.block > attempt.deadlineBlock
  const code = isLate ? 'settlementStuck' : 'settling'
  const again = attempt.replacedBlock === null ? [] : [`${replaced(attempt)}. It may still get into another.`]
  return [reasonOf(code, attempt.startedAt, evidence, ...again)]
}

/** Returns the reasons why the newest solution for the order has not filled it; none without a solution. */
export function competitionReasons({ bid, attempt, refusal }: DiagnosisFacts): Reason[] {
  const newest = [bid, attempt, refusal].map((each) => each?.auctionId ?? -1n)
  const last = newest.reduce((a, b) => (b > a ? b : a))
  if (last < 0n) return []
  if (attempt?.auctionId === last && attempt.outcome !== null && attempt.outcome !== 'success')
    return [failure(attempt)]
  if (bid?.auctionId === last && !bid.isWinner) return [defeat(bid)]
  if (refusal?.auctionId === last) {
    const { auctionId, solver, reason, at } = refusal
    const evidence: CompetitionEvidence = {
      ...{ kind: 'competition', auctionId, solver, refusal: reason },
      ...{ score: null, winningScore: null, scoreGap: null },
    }
    return [
      reasonOf(
        'solutionRefused',
        at,
        [evidence],
        `A trade that was proposed for the order was refused: ${reason}.`,
      ),
    ]
  }
  return []
}

function defeat({ auctionId, solver, score, winningScore, filteredOut, at }: BidFacts): Reason {
  const scoreGap = winningScore !== null && winningScore > score ? winningScore - score : null
  const evidence: CompetitionEvidence = {
    ...{ kind: 'competition', auctionId, solver, score, winningScore, scoreGap, refusal: null },
  }
  return reasonOf(filteredOut ? 'filteredForFairness' : 'lostCompetition', at, [evidence])
}

/** Returns the reason for a fill that a reorganisation removed and that did not reappear. */
export function takenBack({ attempt }: Pick<DiagnosisFacts, 'attempt'>): Reason[] {
  const isLost = attempt?.outcome != null && attempt.outcome !== 'success' && attempt.replacedBlock !== null
  return isLost ? [failure(attempt)] : []
}

const replaced = ({ replacedBlock }: AttemptFacts) =>
  `The order was filled in block ${replacedBlock}, but the chain replaced that block by another without the trade (a reorganisation)`

/** The reason that describes a failed attempt. */
export function failure(attempt: AttemptFacts): Reason {
  const evidence = attemptEvidence(attempt)
  const since = attempt.endedAt
  const lost = attempt.replacedBlock === null ? '' : `${replaced(attempt)}. Nothing is sold.`
  if (attempt.outcome === 'timeout')
    return reasonOf('settlementTimedOut', since, evidence, ...(lost ? [lost] : []))
  const reason = attempt.outcome?.replace(/^driver failed: /, '') ?? ''
  return reasonOf(
    'settlementFailed',
    since,
    [...evidence, { kind: 'revert', reason }],
    lost
      ? `${lost} In another block its transaction failed: ${reason}.`
      : `A trade was found, but its transaction failed: ${reason}.`,
  )
}

function attemptEvidence({ txHash, deadlineBlock, revertedBlock }: AttemptFacts): Evidence[] {
  const deadline = { kind: 'blocks', number: deadlineBlock, at: null, head: null } as const
  return txHash ? [{ kind: 'transaction', txHash, block: revertedBlock }, deadline] : [deadline]
}

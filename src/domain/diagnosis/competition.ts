import type { CompetitionEvidence, Evidence, Reason } from './diagnosis.ts'
import type { AttemptFacts, BidFacts, DiagnosisFacts } from './facts.ts'
import { reasonOf } from './reason.ts'

/** What became of the newest solution for an order. */

/** Whether a settlement with the order is on the way; none otherwise. */
export function underWay({ attempt, standing, service }: DiagnosisFacts): Reason[] {
  if (!attempt || attempt.outcome !== null)
    return standing?.reason === 'in_flight' ? [reasonOf('settling', standing.since)] : []
  const evidence = attemptEvidence(attempt)
  const isLate = service.indexed !== null && service.indexed.block > attempt.deadlineBlock
  const code = isLate ? 'settlementStuck' : 'settling'
  const again = attempt.replacedBlock === null ? [] : [`${replaced(attempt)}. It may still get into another.`]
  return [reasonOf(code, attempt.startedAt, evidence, ...again)]
}

/** Why the newest solution for the order has not filled it; none where there was none. */
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

/** A fill that the chain took back, and that did not come again. */
export function takenBack({ attempt }: Pick<DiagnosisFacts, 'attempt'>): Reason[] {
  const isLost = attempt?.outcome != null && attempt.outcome !== 'success' && attempt.replacedBlock !== null
  return isLost ? [failure(attempt)] : []
}

const replaced = ({ replacedBlock }: AttemptFacts) =>
  `The order was filled in block ${replacedBlock}, but the chain replaced that block by another without the trade (a reorganisation)`

/** How an attempt failed. */
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

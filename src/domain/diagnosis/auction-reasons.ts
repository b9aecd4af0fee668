import { foreign, formatSeconds } from '../text/readable.ts'
import {
  type DiagnosisInput,
  type ObservedAttempt,
  type ObservedBid,
  type Reason,
  reasonOf,
} from './diagnosis.ts'
import type { Evidence, EvidenceOf } from './evidence.ts'

/** Reasons from the newest solution for an order. */

/** Returns the reason if a settlement with the order is in progress; otherwise none. */
export function underWay({ attempt, standing, service }: DiagnosisInput): Reason[] {
  if (!attempt || attempt.outcome !== null)
    return standing?.reason === 'in_flight' ? [reasonOf('settling', standing.since)] : []
  const evidence = attemptEvidence(attempt)
  const isLate = service.indexed !== null && service.indexed.block > attempt.deadlineBlock
  const code = isLate ? 'settlementStuck' : 'settling'
  const again = attempt.replacedBlock === null ? [] : [`${replaced(attempt)}. It may still get into another.`]
  return [reasonOf(code, attempt.startedAt, evidence, ...again)]
}

/** Returns the reasons why the newest solution for the order has not filled it; none without a solution. */
export function competitionReasons({ bid, attempt, refusal }: DiagnosisInput): Reason[] {
  const newest = [bid, attempt, refusal].map((each) => each?.auctionId ?? -1n)
  const last = newest.reduce((a, b) => (b > a ? b : a))
  if (last < 0n) return []
  if (attempt?.auctionId === last && attempt.outcome !== null && attempt.outcome !== 'success')
    return [failure(attempt)]
  if (bid?.auctionId === last && !bid.isWinner) return [defeat(bid)]
  if (refusal?.auctionId === last) {
    const { auctionId, solver, reason, at } = refusal
    const evidence: EvidenceOf<'competition'> = {
      kind: 'competition',
      auctionId,
      solver,
      refusal: reason,
      score: null,
      winningScore: null,
      scoreGap: null,
    }
    return [
      reasonOf(
        'solutionRefused',
        at,
        [evidence],
        `A trade that was proposed for the order was refused: ${foreign(reason)}.`,
      ),
    ]
  }
  return []
}

function defeat({ auctionId, solver, score, winningScore, filteredOut, at }: ObservedBid): Reason {
  const scoreGap = winningScore !== null && winningScore > score ? winningScore - score : null
  const evidence: EvidenceOf<'competition'> = {
    kind: 'competition',
    auctionId,
    solver,
    score,
    winningScore,
    scoreGap,
    refusal: null,
  }
  return reasonOf(filteredOut ? 'filteredForFairness' : 'lostCompetition', at, [evidence])
}

/** Returns the reason for a fill that a reorganisation removed and that did not reappear. */
export function takenBack({ attempt }: Pick<DiagnosisInput, 'attempt'>): Reason[] {
  const isLost = attempt?.outcome != null && attempt.outcome !== 'success' && attempt.replacedBlock !== null
  return isLost ? [failure(attempt)] : []
}

const replaced = ({ replacedBlock }: ObservedAttempt) =>
  `The order was filled in block ${replacedBlock}, but the chain replaced that block by another without the trade (a reorganisation)`

/** The reason that describes a failed attempt. */
export function failure(attempt: ObservedAttempt): Reason {
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
      ? `${lost} In another block its transaction failed: ${foreign(reason)}.`
      : `A trade was found, but its transaction failed: ${foreign(reason)}.`,
  )
}

function attemptEvidence({ txHash, deadlineBlock, revertedBlock }: ObservedAttempt): Evidence[] {
  const deadline = { kind: 'blocks', number: deadlineBlock, at: null, head: null } as const
  return txHash ? [{ kind: 'transaction', txHash, block: revertedBlock }, deadline] : [deadline]
}

/** Reasons that block every order of the network. */

/** The number of blocks without news after which a chain, or its followers, count as behind. */
const silentBlocks = 10
/** The number of auctions in a row that may be missed. */
const missedAuctions = 5
const minSilenceMs = 60_000

export function serviceReasons({ now, order, service, look }: DiagnosisInput): Reason[] {
  const { indexed, head, auctionAt } = service
  const since = (at: Date) => Math.floor((now.getTime() - at.getTime()) / 1_000)
  const reasons: Reason[] = []
  if (look === 'away') reasons.push(reasonOf('nodeAway', auctionAt, indexedBlock(service)))
  const quietMs = minSilenceMs + silentBlocks * service.blockTimeMs
  if (indexed?.at && now.getTime() - indexed.at.getTime() > quietMs) {
    const summary = `The newest block that the service has stored, ${indexed.block}, is ${formatSeconds(since(indexed.at))} old.`
    const evidence = [{ kind: 'blocks', number: indexed.block, at: indexed.at, head } as const]
    reasons.push(reasonOf('chainBehind', indexed.at, evidence, summary))
  }
  if (isHalted({ now, order, service }))
    reasons.push(
      auctionAt
        ? reasonOf(
            'auctionsHalted',
            auctionAt,
            indexedBlock(service),
            `The last auction was held ${formatSeconds(since(auctionAt))} ago.`,
          )
        : reasonOf('auctionsHalted', null, indexedBlock(service)),
    )
  return reasons
}

type Timed = Pick<DiagnosisInput, 'now' | 'order' | 'service'>

/** Reports whether an auction that would be held here is overdue. */
export function isHalted(facts: Timed): boolean {
  return !facts.service.isFollowed && isOverdue(facts)
}

/**
 * Reports whether an auction, or a survey of a followed order book, is overdue since the last one and since
 * the order was placed.
 */
export function isOverdue({ now, order, service }: Timed): boolean {
  const last = Math.max(service.auctionAt?.getTime() ?? 0, order.creationDate.getTime())
  return now.getTime() - last > minSilenceMs + missedAuctions * service.auctionPauseMs
}

function indexedBlock({ indexed, head }: DiagnosisInput['service']) {
  return indexed ? [{ kind: 'blocks', number: indexed.block, at: indexed.at, head } as const] : []
}

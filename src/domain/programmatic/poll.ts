import { type NextPoll, nextPoll, type PollFault } from './revert.ts'
import type { PollResult } from './statuses.ts'

/** Results of polls that cost calls for a part that cannot be placed. The node's own failure is none. */
const failures: readonly PollResult[] = [
  'insufficientBalance',
  'insufficientAllowance',
  'refused',
  'guarded',
  'walletNotReady',
  'failed',
  'unauthorised',
]

export const isFailure = (result: PollResult) => failures.includes(result)

/** The maximum pause in seconds before the next poll, after the same result again and again. */
const maxPauses: Record<PollResult, number> = {
  placed: 30,
  waiting: 30,
  notMet: 30,
  insufficientBalance: 30,
  insufficientAllowance: 30,
  refused: 600,
  guarded: 600,
  walletNotReady: 600,
  failed: 600,
  unauthorised: 600,
  unavailable: 30,
  ended: 600,
}

/** The result of a poll, and the time of the next one; null if there is none. */
export interface PollOutcome {
  result: PollResult
  reason: string | null
  next: { time: number; block: number | null } | null
}

/** The block of a poll, in Unix seconds. */
export interface PollTime {
  number: number
  timestamp: number
}

/** Facts that decide on the pause before the next poll. */
export interface Rhythm {
  at: PollTime
  /** Seconds between two blocks. */
  blockTime: number
  /** The last result and how often in a row it, or another failure, came; undefined for a first poll. */
  last?: { result: PollResult; repeats: number } | undefined
  /** Failed polls that the next pause depends on whatever came between them. */
  failures?: number
  /** The last second of the part that can be traded, and the start of the next one; null if none follows. */
  window?: { end: number; after: number | null } | undefined
}

/**
 * The time after a result that may pass: twice as long as the last one, up to a limit. It is at most a
 * quarter of what is left of a part, so that a part goes on soon after its reason passed.
 */
export function again(result: PollResult, reason: string | null, rhythm: Rhythm): PollOutcome {
  const { at, blockTime, window } = rhythm
  const doubled = blockTime * 2 ** Math.min(repeatsOf(result, rhythm), 20)
  const left = window ? Math.max(blockTime, (window.end - at.timestamp) / 4) : Number.POSITIVE_INFINITY
  const pause = Math.min(maxPauses[result], doubled, left)
  const time = at.timestamp + (pause > blockTime ? Math.floor(pause) : 0)
  if (window && Math.max(time, at.timestamp + 1) > window.end)
    return { result, reason, next: afterPart(window) }
  return { result, reason, next: { time, block: at.number + 1 } }
}

/** How often a result came before. Failures are one kind: code that fails in two ways waits as long. */
function repeatsOf(result: PollResult, { last, failures = 0 }: Rhythm): number {
  const repeats = last && isRepeated(result, last.result) ? last.repeats : 0
  return isFailure(result) ? Math.max(repeats, failures) : repeats
}

/** Reports whether a result is that of the last poll, or a failure as that was. */
export const isRepeated = (result: PollResult, last: PollResult) =>
  result === last || (isFailure(result) && isFailure(last))

function afterPart({ end, after }: NonNullable<Rhythm['window']>): PollOutcome['next'] {
  return { time: after ?? end + 1, block: null }
}

/** The outcome of a part that is in the book: the next poll is at the start of the next part. */
export function partPlaced(rhythm: Rhythm, validTo: number): PollOutcome {
  const { window, at } = rhythm
  if (window) return { result: 'placed', reason: null, next: afterPart(window) }
  // The handler decides when another follows.
  const { result, reason, next } = again('placed', null, rhythm)
  return {
    result,
    reason,
    next: next && { ...next, time: Math.min(next.time, Math.max(validTo, at.timestamp) + 1) },
  }
}

const resultOfError: Partial<Record<PollFault['error'], PollResult>> = {
  OrderNotValid: 'notMet',
  PollTryNextBlock: 'notMet',
  PollTryAtBlock: 'waiting',
  PollTryAtEpoch: 'waiting',
  PollNever: 'ended',
  SingleOrderNotAuthed: 'unauthorised',
  ProofNotAuthed: 'unauthorised',
  SwapGuardRestricted: 'guarded',
  InvalidFallbackHandler: 'walletNotReady',
}

/** Obeys the revert of a poll. What a TWAP's arithmetic knows is stronger than a PollNever. */
export function pollFailed(fault: PollFault, rhythm: Rhythm): PollOutcome {
  const reason = reasonOf(fault)
  const next = nextPoll(fault)
  if (next.when === 'never' && !rhythm.window) return { result: 'ended', reason, next: null }
  const time = laterTime(next, rhythm)
  if (time) return { result: 'waiting', reason, next: time }
  if (fault.error === 'PollTryNextBlock') return again('notMet', reason, { ...rhythm, last: undefined })
  const result = resultOfError[fault.error] ?? 'failed'
  return again(result === 'ended' ? 'notMet' : result, reason, rhythm)
}

/** The time that a handler names; undefined if it has passed already. */
function laterTime(next: NextPoll, { at, blockTime }: Rhythm): PollOutcome['next'] | undefined {
  if (next.when === 'atEpoch' && next.time > at.timestamp) return { time: next.time, block: null }
  if (next.when !== 'atBlock' || next.block <= at.number) return undefined
  // Blocks may come faster: half the time is waited for, then the block.
  const time = at.timestamp + Math.floor(((next.block - at.number) * blockTime) / 2)
  return { time: Math.min(time, maxTime), block: next.block }
}

/** A time that no block has before the year 2106. */
const maxTime = 2 ** 32 - 1

function reasonOf(fault: PollFault): string {
  if (!('message' in fault)) return fault.error
  return fault.message ? `${fault.error}: ${fault.message}` : fault.error
}

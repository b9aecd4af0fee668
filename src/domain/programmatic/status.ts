import type { OrderStatus } from '../order/status.ts'
import { type NextPoll, nextPoll, type PollFault } from './revert.ts'
import type { DecodedInput, TwapInput } from './static-input.ts'
import type { GeneratorStatus, PartStatus } from './statuses.ts'
import { hasScheduleEnded, type TwapPart, twapAt, twapSchedule } from './twap.ts'

/** The facts of a conditional order at a block. An order whose creating log is orphaned has none. */
export interface GeneratorFacts {
  decoded: DecodedInput
  /** True if the contract knows the single order, or a proof leads to the owner's root. */
  isAuthorised: boolean
  /** The value in the cabinet, by its id or, for an order of a root, by 0. */
  cabinet: bigint
  /** The number of its parts that are filled. */
  filledParts: number
  /** The result of the last poll; null if there was none, or it made a part. */
  pollFault: PollFault | null
  /** The time of the block, in Unix seconds. */
  now: number
}

interface GeneratorState {
  status: GeneratorStatus
  /** The message of a contract, or the name of its error, if that is why no part can be traded. */
  reason: string | null
  /** The time at which it may make a part; null once no part can follow. */
  next: NextPoll | null
}

/** Derives the status, which is never stored; the first match wins. */
export function generatorState(facts: GeneratorFacts): GeneratorState {
  const { decoded, isAuthorised, filledParts, now } = facts
  if (!isAuthorised) return ended('cancelled')
  if (decoded.type === 'TWAP') {
    return decoded.input ? twapState(decoded.input, facts) : ended('invalid', decoded.decodeError)
  }
  if ((decoded.type === 'StopLoss' || decoded.type === 'CirclesBackingOrder') && decoded.input) {
    if (filledParts > 0) return ended('filled')
    if (now > decoded.input.validTo) return ended('expired')
  }
  return polledState(facts)
}

function twapState(input: TwapInput, facts: GeneratorFacts): GeneratorState {
  const { cabinet, filledParts, now } = facts
  const schedule = twapSchedule(input, cabinet)
  if ('fault' in schedule) return ended('invalid', schedule.fault)
  if (schedule.start === 0) return ended('invalid', 'after twap finish')
  const answer = twapAt(schedule, now)
  if (answer.state === 'beforeStart') return waiting('scheduled', answer.message, answer.next)
  if (filledParts >= schedule.parts) return ended('filled')
  if (hasScheduleEnded(answer)) return ended(filledParts > 0 ? 'partlyFilled' : 'expired')
  if (answer.state === 'outsideSpan' && answer.next !== null) {
    return waiting('active', answer.message, answer.next)
  }
  // The arithmetic knows better than a PollNever of another block.
  const state = polledState(facts)
  return state.status === 'active' ? state : { ...state, status: 'active', next: { when: 'nextBlock' } }
}

function polledState({ pollFault }: GeneratorFacts): GeneratorState {
  if (!pollFault) return { status: 'active', reason: null, next: { when: 'nextBlock' } }
  const next = nextPoll(pollFault)
  const reason = pollReason(pollFault)
  return next.when === 'never' ? ended('ended', reason) : { status: 'active', reason, next }
}

function ended(status: GeneratorStatus, reason: string | null = null): GeneratorState {
  return { status, reason, next: null }
}

function waiting(status: GeneratorStatus, reason: string, time: number): GeneratorState {
  return { status, reason, next: { when: 'atEpoch', time } }
}

function pollReason(fault: PollFault): string {
  return 'message' in fault && fault.message ? fault.message : fault.error
}

/** The facts of a part at a block. */
export interface PartFacts extends Pick<TwapPart, 'validFrom' | 'validTo'> {
  /** True if its order is filled by trades of the chain. */
  isFilled: boolean
  /** True if the owner has invalidated its UID at the settlement contract. */
  isInvalidated: boolean
  /** True if its conditional order is authorised. */
  isAuthorised: boolean
  /** Its status in the book; null if the book lacks it. */
  inBook: OrderStatus | null
  /** The time of the block, in Unix seconds. */
  now: number
}

const ofBook: Readonly<Record<OrderStatus, PartStatus>> = {
  presignaturePending: 'open',
  open: 'open',
  fulfilled: 'filled',
  cancelled: 'cancelled',
  expired: 'expired',
}

/** Derives the status of a part, which can be traded up to the last second of its window. */
export function partStatus(facts: PartFacts): PartStatus {
  const { validFrom, validTo, now, inBook } = facts
  if (facts.isFilled) return 'filled'
  if (facts.isInvalidated) return 'cancelled'
  if (now > validTo) return 'expired'
  if (!facts.isAuthorised) return 'cancelled'
  if (now < validFrom) return 'scheduled'
  return inBook === null ? 'notPosted' : ofBook[inBook]
}

import { hasEnded, type OrderStatus } from '../order/status.ts'
import type { HandlerType } from './handlers.ts'
import {
  type GeneratorStatus,
  generatorStatusTexts,
  type PollResult,
  pollResults,
  pollResultTexts,
} from './statuses.ts'

/** Why a programmatic order goes on or not: the result of its last poll, or what is known without one. */
export const diagnosisCodes = [
  'removed',
  'invalid',
  'notStarted',
  'finished',
  'notPolled',
  'placedElsewhere',
  'partFilled',
  'partEnded',
  ...pollResults,
] as const
type DiagnosisCode = (typeof diagnosisCodes)[number]

export const diagnosisTexts: Record<DiagnosisCode, string> = {
  ...pollResultTexts,
  removed: 'The contract does not authorise it any more: its owner removed it, or the root with it.',
  invalid: 'Its terms break a rule of its handler, so that it can never trade.',
  notStarted: 'Its first part can be traded later.',
  finished: 'No further part of it can follow.',
  notPolled: 'The watch tower has not polled it since it was created, or does not run here.',
  placedElsewhere:
    'The network follows an order book, whose watch towers place its parts. No part that can be traded now is known there.',
  partFilled: 'Its part is filled.',
  partEnded: 'Its part was cancelled or has expired before it was filled.',
  placed: 'Its part is in the book. If it does not trade, the diagnosis of that order has the reason.',
}

/** The facts of a programmatic order that its diagnosis is made from. */
export interface DiagnosedOrder {
  status: GeneratorStatus
  /** The rule that its terms break. */
  fault: string | null
  type: HandlerType
  /** Unix seconds. */
  startsAt: number | null
  /** Unix seconds: the last in which a part can be traded. */
  endsAt: number | null
  /** The status of its newest order, if its last poll found that its part is placed. */
  partStatus: OrderStatus | null
  pollResult: PollResult | null
  pollReason: string | null
  /** Unix seconds from which on it is polled. */
  pollAt: number | null
  /** Its network follows an order book: nothing is polled here. */
  isFollowed: boolean
  /** The book has a part of it whose time has not passed. */
  isBooked: boolean
}

export interface ProgrammaticDiagnosis {
  code: DiagnosisCode
  /** Plain sentences. Those of handlers are between quotes. */
  text: string
}

export function diagnosisOf(order: DiagnosedOrder): ProgrammaticDiagnosis {
  const { status, fault, startsAt, partStatus, pollResult, pollReason, pollAt, isFollowed, isBooked } = order
  if (status === 'cancelled') return found('removed')
  if (status === 'invalid') return found('invalid', fault && `The rule: “${fault}”.`)
  if (status === 'scheduled') return found('notStarted', startsAt && `It starts at ${timeText(startsAt)}.`)
  if (status !== 'active') return found('finished', generatorStatusTexts[status])
  if (isFollowed) return found(isBooked ? 'placed' : 'placedElsewhere')
  if (pollResult === null) return found('notPolled')
  if (partStatus === 'fulfilled') return found('partFilled', nextPartText(order))
  if (partStatus && hasEnded(partStatus)) return found('partEnded', nextPartText(order))
  const reason = pollReason && `The answer: “${pollReason}”.`
  return found(
    pollResult,
    reason,
    pollResult === 'waiting' && pollAt ? `Not before ${timeText(pollAt)}.` : null,
  )
}

function nextPartText({ type, endsAt, pollAt }: DiagnosedOrder): string | null {
  // A time of 0 means at once.
  if (!pollAt) return null
  if (type !== 'TWAP') return `Its handler is polled for the next one from ${timeText(pollAt)} on.`
  if (endsAt !== null && pollAt > endsAt) return 'No further part follows.'
  return `The next can be traded from ${timeText(pollAt)} on.`
}

const found = (code: DiagnosisCode, ...more: (string | false | 0 | null)[]): ProgrammaticDiagnosis => ({
  code,
  text: [diagnosisTexts[code], ...more.filter(Boolean)].join(' '),
})

/** Formats Unix seconds for people, in UTC: “2027-01-15 08:00:00 UTC”. */
export const timeText = (seconds: number) =>
  `${new Date(seconds * 1_000).toISOString().slice(0, 19).replace('T', ' ')} UTC`

import { type PollResult, pollResults, pollResultTexts } from './poll.ts'
import { type GeneratorStatus, generatorStatusTexts } from './status.ts'

/** Why a programmatic order goes on or not: the result of its last poll, or what is known without one. */
export const diagnosisCodes = [
  'removed',
  'invalid',
  'notStarted',
  'finished',
  'notPolled',
  'placedElsewhere',
  ...pollResults,
] as const
export type DiagnosisCode = (typeof diagnosisCodes)[number]

export const diagnosisTexts: Record<DiagnosisCode, string> = {
  ...pollResultTexts,
  removed: 'The contract does not authorise it any more: its owner removed it, or the root with it.',
  invalid: 'Its terms break a rule of its handler, so that it can never trade.',
  notStarted: 'Its first part can be traded later.',
  finished: 'No further part of it can follow.',
  notPolled: 'The watch tower has not polled it since it was created, or does not run here.',
  placedElsewhere:
    'The network follows an order book, whose watch towers place its parts. No part that can be traded now is known there.',
  placed: 'Its part is in the book. If it does not trade, the diagnosis of that order has the reason.',
}

/** The facts of a programmatic order that its diagnosis is made from. */
export interface DiagnosedOrder {
  status: GeneratorStatus
  /** The rule that its terms break. */
  fault: string | null
  /** Unix seconds. */
  startsAt: number | null
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
  const { status, fault, startsAt, pollResult, pollReason, pollAt, isFollowed, isBooked } = order
  if (status === 'cancelled') return found('removed')
  if (status === 'invalid') return found('invalid', fault && `The rule: “${fault}”.`)
  if (status === 'scheduled') return found('notStarted', startsAt && `It starts at ${timeText(startsAt)}.`)
  if (status !== 'active') return found('finished', generatorStatusTexts[status])
  if (isFollowed) return found(isBooked ? 'placed' : 'placedElsewhere')
  if (pollResult === null) return found('notPolled')
  const reason = pollReason && `The answer: “${pollReason}”.`
  return found(
    pollResult,
    reason,
    pollResult === 'waiting' && pollAt ? `Not before ${timeText(pollAt)}.` : null,
  )
}

const found = (code: DiagnosisCode, ...more: (string | false | 0 | null)[]): ProgrammaticDiagnosis => ({
  code,
  text: [diagnosisTexts[code], ...more.filter(Boolean)].join(' '),
})

/** Formats Unix seconds in UTC. */
export const timeText = (seconds: number) => new Date(seconds * 1_000).toISOString().replace('.000', '')

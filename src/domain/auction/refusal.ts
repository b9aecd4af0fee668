import { standingReasons } from '../order/event.ts'
import type { OrderUid } from '../order/uid.ts'

/** Why a solution was refused. Those up to `reverts` never competed; the others did, and could not win. */
export const solutionRefusals = [
  'unknown_order',
  'invalid_price',
  'invalid_amount',
  'no_score',
  'unsupported',
  'own_order',
  'forbidden_call',
  'contract_balance',
  'other_than_claimed',
  'not_revealed',
  'too_many',
  'solver_cannot_pay',
  'gas_too_dear',
  'reverts',
  'reverts_after_others',
  'order_cancelled',
  'unfair',
] as const
export type SolutionRefusal = (typeof solutionRefusals)[number]

/** What became of the question to a solver. */
export const solverAnswers = ['answered', 'late', 'failed', 'not_asked'] as const
export type SolverAnswer = (typeof solverAnswers)[number]

/** What a solver did about one order in one auction: the first that holds. */
export const solverOutcomes = [
  'not_sent',
  'not_asked',
  'won',
  'beaten',
  'refused',
  'late',
  'failed',
  'no_bid',
] as const

/** Why an auction left out a live order. The last three are said of no standing: they pass by themselves. */
export const leftOutReasons = [...standingReasons, 'not_yet_valid', 'expires_soon', 'not_checked'] as const
export type LeftOutReason = (typeof leftOutReasons)[number]

export interface Refused {
  code: SolutionRefusal
  /** In words. */
  message: string
}

/** A solution that never competed. */
export interface RefusedSolution extends Refused {
  /** The solver's own ids of it. */
  solutionIds: readonly number[]
  /** The orders that it trades. */
  orderUids: readonly OrderUid[]
}

import { standingReasons } from '../order/event.ts'
import type { OrderUid } from '../order/uid.ts'

/**
 * Reasons for the refusal of a solution. Solutions refused for a reason up to `reverts` never competed; the
 * others competed and could not win.
 */
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

/** Results of the request to a solver. */
export const solverAnswers = ['answered', 'late', 'failed', 'not_asked'] as const
export type SolverAnswer = (typeof solverAnswers)[number]

/** Results of a solver for one order in one auction. The first one that holds applies. */
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

/**
 * Reasons why an auction left out a live order. The last three are not part of an order's standing, because
 * they pass without a change.
 */
export const leftOutReasons = [...standingReasons, 'not_yet_valid', 'expires_soon', 'not_checked'] as const
export type LeftOutReason = (typeof leftOutReasons)[number]

export interface Refused {
  code: SolutionRefusal
  /** The reason as text. */
  message: string
}

/** A solution that never competed. */
export interface RefusedSolution extends Refused {
  /** The solver's own ids of the solution. */
  solutionIds: readonly number[]
  /** The orders that the solution trades. */
  orderUids: readonly OrderUid[]
}

import { executedAmounts, orderProgress, solverProposal } from '../models/order/progress.ts'
import type { Body } from './body.ts'
import { fieldsOf, rowsOf, wholeBody } from './fields.ts'

const { stage } = fieldsOf(orderProgress, 'stage')
const solutions = orderProgress.relations?.solutions

export const solverProposalBody: Body = {
  ...wholeBody(solverProposal),
  executedAmounts: {
    object: wholeBody(executedAmounts),
    unless: 'px.order_id IS NULL',
    description: solverProposal.relations?.executedAmounts?.description ?? '',
  },
}

/** Progress of order `o`. `value` is left out before the order is in a competition. */
export const orderProgressBody: Body = {
  type: stage,
  value: {
    perhaps: solverProposalBody,
    rows: rowsOf(orderProgress, 'solutions'),
    unless: (solutions && 'unless' in solutions && solutions.unless) || 'false',
    description: 'For solved, executing and traded: the solutions of that competition, worst first.',
  },
}

import { plainStages } from '../../domain/order/stage.ts'
import { executedAmounts, orderProgress, plainStageSql, solverProposal } from '../models/order/progress.ts'
import { enumOf } from '../query/codec.ts'
import { derived } from '../query/model.ts'
import type { Body } from './body.ts'
import { rowsOf, wholeBody } from './fields.ts'

const stage = derived(
  enumOf('OrderStage', plainStages),
  plainStageSql,
  'By its trades, without one by how it ended, else by its newest event. One that has expired is open; one that was replaced, invalidated or refunded is cancelled.',
)
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

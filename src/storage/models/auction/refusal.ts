import { leftOutReasons, solutionRefusals, solverAnswers } from '../../../domain/auction/refusal.ts'
import { address, enumOf, orderUid, rowKey, safeInt, smallInt, string, time } from '../../query/codec.ts'
import { column, derived, type Model, orNull } from '../../query/model.ts'
import { modelNamed } from '../../query/registry.ts'

/** Span `xs` of order `o`. */
export const excludedOrder: Model = {
  name: 'ExcludedOrder',
  description: 'An order that an auction left out.',
  fields: { reason: column(enumOf('LeftOutReason', leftOutReasons), 'xs.reason', 'Why.') },
  relations: {
    order: { kind: 'same', model: modelNamed('Order'), description: 'The order.' },
  },
}

/** Row `sv`. */
export const solverAnswer: Model = {
  name: 'SolverAnswer',
  description: 'What became of the question to a solver.',
  fields: {
    solver: column(address, 'sv.solver', 'The account that submits its settlements.'),
    answer: column(enumOf('SolverAnswerKind', solverAnswers), 'sv.answer', 'Whether it answered.'),
    fault: orNull(
      column(string, 'sv.fault', 'Why it was not asked, or failed, in words; null for other answers.'),
    ),
    milliseconds: orNull(
      column(smallInt, 'sv.milliseconds', 'From the question to the answer; null without one.'),
    ),
  },
}

const refusalModel = (code: `${string}.${string}`, message: `${string}.${string}`): Model => ({
  name: 'SolutionRefusal',
  description: 'Why a solution was refused.',
  fields: {
    code: column(enumOf('SolutionRefusalCode', solutionRefusals), code, 'The rule that it broke.'),
    message: column(
      string,
      message,
      'The same in words, with orders and amounts; of a simulation, the reason of the revert. For people: the text may change.',
    ),
  },
})

/** Of solution `s`. */
export const refusalOfSolution = refusalModel('s.refusal', 's.refusal_message')
const refusalOfRefused = refusalModel('rs.code', 'rs.message')

/** Row `rs`. */
export const refusedSolution: Model = {
  name: 'RefusedSolution',
  description: 'A solution that never competed, because it broke a rule.',
  fields: {
    auctionId: column(
      rowKey,
      'rs.auction_id',
      'The auction it is for. One without a valid solution is not stored.',
    ),
    solver: column(address, 'rs.solver', 'Who proposed it.'),
    deadline: column(safeInt, 'rs.deadline_block', 'The last block for a settlement of the auction.'),
    timestamp: column(time, 'rs.at', 'When it was refused.'),
  },
  relations: {
    refusal: { kind: 'same', model: () => refusalOfRefused, description: 'Why it was refused.' },
  },
  lists: {
    solutionIds: {
      kind: 'values',
      field: derived(string, 'si.id::text', ''),
      rows: 'unnest(rs.solution_ids) AS si(id)',
      description: 'The solver’s own ids of it; empty for the built-in solver.',
    },
    orderUids: {
      kind: 'values',
      field: { ...derived(orderUid, 'o.uid', ''), weight: 5 },
      rows: 'unnest(rs.order_ids) AS ri(id) JOIN orders o ON o.id = ri.id ORDER BY o.id',
      description: 'UIDs of the orders of the auction that it trades.',
    },
  },
}

import {
  leftOutReasons,
  solutionRefusals,
  solverAnswers,
  solverOutcomes,
} from '../../domain/auction/refusal.ts'
import { defineEnum, standingTexts } from '../enums.ts'

defineEnum('LeftOutReason', 'Why an auction left out an order.', leftOutReasons, {
  ...standingTexts,
  not_yet_valid: 'Its documents say that it may not be traded before a later time.',
  expires_soon: 'It would expire before a settlement is likely to be mined.',
  not_checked: 'Its wallet, its hooks or its balance was still to be asked about.',
})

defineEnum('SolverAnswerKind', 'What became of the question to a solver.', solverAnswers, {
  answered: 'It answered in time, maybe with nothing.',
  late: 'Its answer did not come in time.',
  failed: 'It could not be reached, or its answer was not valid.',
  not_asked: 'It is paused after settlements that failed, or has enough to submit.',
})

defineEnum('SolverOutcomeKind', 'How far a solver came with an order.', solverOutcomes, {
  not_sent: 'The auction did not hold the order.',
  not_asked: 'The solver was not asked in this auction.',
  won: 'Its solution with the order won.',
  beaten: 'It proposed to trade the order; others won.',
  refused: 'What it proposed for the order broke a rule, or could not be settled.',
  late: 'Its answer did not come in time.',
  failed: 'It could not be reached, or its answer was not valid.',
  no_bid: 'It answered, without the order.',
})

defineEnum('SolutionRefusalCode', 'Why a solution was refused.', solutionRefusals, {
  unknown_order: 'It trades an order that the auction did not hold, or one twice.',
  invalid_price: 'A clearing price is missing, or breaks the limit of an order.',
  invalid_amount:
    'An amount is not positive, more than what remains, or not the whole of an order that is filled whole.',
  no_score: 'It trades no order that counts for the score, or a token without a price.',
  unsupported: 'It uses what the service does not settle.',
  own_order: 'An order that the solver brings is not allowed, or not valid.',
  forbidden_call: 'It calls a contract that it may not call, or leaves somebody a right to tokens.',
  contract_balance: 'It uses more of the settlement contract’s tokens than it may.',
  other_than_claimed: 'The revealed settlement is not what its solver claimed.',
  not_revealed: 'Its solver did not reveal the settlement.',
  too_many: 'Better solutions of the same answer have the places.',
  solver_cannot_pay: 'The account of the solver cannot pay for the gas.',
  gas_too_dear: 'Gas costs more than settlements may offer.',
  reverts: 'Its settlement fails in a simulation.',
  reverts_after_others: 'Its settlement fails after those of better winners.',
  order_cancelled: 'An order that it trades was cancelled before it could win.',
  unfair: 'A pair scores less in it than in a solution for that pair alone.',
})

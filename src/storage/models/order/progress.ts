import { orderEventLabels } from '../../../domain/order/event.ts'
import { competedStages, orderStage, orderStages } from '../../../domain/order/stage.ts'
import { address, amount, screaming, spelledEnumOf } from '../../query/codec.ts'
import { column, derived, type Model } from '../../query/model.ts'

/** `domain/order/stage.ts` in SQL, over the newest event `ne` and the newest trade `nt`. */
export function stageSql(spell: (value: string) => string): string {
  const cases = orderEventLabels.map(
    (label) => `WHEN '${label}' THEN '${spell(orderStage(false, label) ?? '')}'`,
  )
  return `CASE WHEN nt.known THEN '${spell('traded')}' ELSE CASE ne.label ${cases.join(' ')} END END`
}

/** Of order `o`: its newest event `ne`, its newest trade `nt`, and the competition `co` that they refer to. */
export const progressRows = `(SELECT (SELECT pe.label FROM order_events pe WHERE pe.order_id = o.id ORDER BY pe.timestamp DESC, pe.id DESC LIMIT 1) AS label) ne
  LEFT JOIN LATERAL (SELECT true AS known, pt.auction_id FROM trades pt WHERE pt.order_id = o.id
    ORDER BY pt.block_number DESC, pt.log_index DESC LIMIT 1) nt ON true
  LEFT JOIN LATERAL (SELECT CASE WHEN nt.known THEN nt.auction_id ELSE (
    SELECT pa.auction_id FROM auction_orders pa WHERE pa.order_id = o.id ORDER BY pa.auction_id DESC LIMIT 1) END AS id) co ON true
  WHERE nt.known OR ne.label IS NOT NULL`

const hasCompeted = `${stageSql((value) => value)} IN (${[...competedStages].map((stage) => `'${stage}'`).join(', ')})`

export const executedAmounts: Model = {
  name: 'ExecutedAmounts',
  description: 'What a solution trades of an order.',
  fields: {
    sell: column(amount, 'px.executed_sell', 'What the order sells, all fees included.'),
    buy: column(amount, 'px.executed_buy', 'What the order buys after all fees.'),
  },
}

export const solverProposal: Model = {
  name: 'SolverProposal',
  description: 'A solution as far as it concerns one order.',
  fields: { solver: column(address, 's.solver', 'Who proposed it.') },
  relations: {
    executedAmounts: {
      kind: 'same',
      model: () => executedAmounts,
      nullable: true,
      unless: 'px.order_id IS NULL',
      description: 'What it trades of the order; null when it leaves the order out.',
    },
  },
}

/** The competition `co` is that of the newest trade, or else the newest with the order. */
export const orderProgress: Model = {
  name: 'OrderProgress',
  description: 'Where an order stands in the competition of solvers.',
  fields: {
    stage: derived(
      spelledEnumOf('OrderStage', orderStages),
      (spelling) => stageSql(spelling === 'graphql' ? screaming : (value) => value),
      'By its trades, and without one by its newest event.',
    ),
  },
  relations: {
    solutions: {
      kind: 'many',
      model: () => solverProposal,
      nullable: true,
      unless: `co.id IS NULL OR NOT (${hasCompeted})`,
      rows: `solutions s LEFT JOIN solution_executions px
          ON px.order_id = o.id AND px.auction_id = s.auction_id AND px.solution_uid = s.uid
        WHERE s.auction_id = co.id ORDER BY s.uid DESC`,
      items: 3,
      description:
        'For SOLVED, EXECUTING and TRADED: every solution of that competition, worst first, winners last. Null when it is not known.',
    },
  },
}

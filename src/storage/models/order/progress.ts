import { cancellationSources, type OrderEventLabel, orderEventLabels } from '../../../domain/order/event.ts'
import {
  competedStages,
  orderStage,
  orderStages,
  plainStage,
  type StageInput,
} from '../../../domain/order/status.ts'
import { screaming } from '../../../domain/text/spelling.ts'
import { statusCase, statusNames } from '../../order/status.ts'
import { spelledEnumOf } from '../../query/codec.ts'
import { derived, type Model } from '../../query/model.ts'
import { now } from '../../query/selection.ts'
import { isShown, newestAuctionOfOrder } from '../auction/auction.ts'
import { proposedSolution, ranked, traded } from '../auction/solution.ts'
import { cancelledBy } from './event.ts'

/** SQL for whether competition `co` has solutions with order `o`, and no winner; null while it is hidden. */
const isSolved = `(SELECT bool_and(NOT cs.is_winner) FROM solution_executions cx JOIN auctions a ON a.id = cx.auction_id
  JOIN solutions cs ON cs.auction_id = cx.auction_id AND cs.uid = cx.solution_uid
  WHERE cx.order_id = o.id AND cx.auction_id = co.id AND ${isShown})`

/**
 * `domain/order/status.ts` in SQL, over the newest event `ne`, the newest trade `nt` and the competition
 * `co`, in these spellings.
 */
function stageCase(spell: (facts: StageInput) => string): string {
  const facts = { hasTraded: false, newestEvent: null, cancelledBy: 'api', isSolved: false } as const
  const ended = (more: Partial<StageInput> & Pick<StageInput, 'status'>) =>
    `CASE ne.label WHEN 'refunded' THEN '${spell({ ...facts, ...more, newestEvent: 'refunded' })}'
      ELSE '${spell({ ...facts, ...more, newestEvent: 'created' })}' END`
  const live = (label: OrderEventLabel, isSolved: boolean) =>
    `'${spell({ ...facts, status: 'open', newestEvent: label, isSolved })}'`
  const labels = orderEventLabels.map((label) =>
    live(label, true) === live(label, false)
      ? `WHEN '${label}' THEN ${live(label, true)}`
      : `WHEN '${label}' THEN CASE WHEN ${isSolved} THEN ${live(label, true)} ELSE ${live(label, false)} END`,
  )
  const cancelled = cancellationSources.map(
    (source) => `WHEN '${source}' THEN ${ended({ status: 'cancelled', cancelledBy: source })}`,
  )
  return `CASE ${statusCase(now, statusNames)} WHEN 'fulfilled' THEN '${spell({ ...facts, status: 'fulfilled', hasTraded: true })}'
    WHEN 'cancelled' THEN CASE ${cancelledBy} ${cancelled.join(' ')} END
    WHEN 'expired' THEN ${ended({ status: 'expired' })}
    ELSE CASE WHEN nt.known THEN '${spell({ ...facts, status: 'open', hasTraded: true })}' ELSE CASE ne.label ${labels.join(' ')} END END END`
}

const stageSql = (spell: (value: string) => string) => stageCase((facts) => spell(orderStage(facts) ?? ''))

/** The stage in the words of the REST interface. */
export const plainStageSql = `CASE WHEN nt.known THEN 'traded' ELSE ${stageCase((facts) => plainStage(orderStage(facts) ?? 'open', false))} END`

/** Progress of order `o`: its newest event `ne`, its newest trade `nt`, and the competition `co` of these. */
export const progressRows = `(SELECT (SELECT pe.label FROM order_events pe WHERE pe.order_id = o.id ORDER BY pe.timestamp DESC, pe.id DESC LIMIT 1) AS label) ne
  LEFT JOIN LATERAL (SELECT true AS known, pt.auction_id FROM trades pt WHERE pt.order_id = o.id
    ORDER BY pt.block_number DESC, pt.log_index DESC LIMIT 1) nt ON true
  LEFT JOIN LATERAL (SELECT CASE WHEN nt.known THEN nt.auction_id ELSE ${newestAuctionOfOrder} END AS id) co ON true
  WHERE nt.known OR ne.label IS NOT NULL`

const hasCompeted = `${plainStageSql} IN (${[...competedStages].map((stage) => `'${stage}'`).join(', ')})`

export const executedAmounts: Model = {
  name: 'ExecutedAmounts',
  description: 'The amounts of an order that a solution trades.',
  fields: {
    sell: traded.executedSell,
    buy: traded.executedBuy,
  },
}

export const solverProposal: Model = {
  name: 'SolverProposal',
  description: proposedSolution.description,
  fields: { solver: ranked.solver },
  relations: {
    executedAmounts: {
      kind: 'same',
      model: () => executedAmounts,
      nullable: true,
      unless: 'px.order_id IS NULL',
      description: 'The amounts of the order that it trades; null if it leaves the order out.',
    },
  },
}

/** The competition `co` is that of the newest trade, or else the newest with the order. */
export const orderProgress: Model = {
  name: 'OrderProgress',
  description: 'The state of an order in the competition of solvers.',
  fields: {
    stage: derived(
      spelledEnumOf('OrderStage', orderStages),
      (spelling) => stageSql(spelling === 'graphql' ? screaming : (value) => value),
      'For an ended order, its end, like its status. Else by its trades; without one by its newest event, and while auctions hold it by the newest competition.',
    ),
  },
  relations: {
    solutions: {
      kind: 'many',
      model: () => solverProposal,
      nullable: true,
      unless: `NOT (${hasCompeted}) OR NOT EXISTS (SELECT FROM auctions a WHERE a.id = co.id AND ${isShown})`,
      rows: `solutions s LEFT JOIN solution_executions px
          ON px.order_id = o.id AND px.auction_id = s.auction_id AND px.solution_uid = s.uid
        WHERE s.auction_id = co.id ORDER BY s.uid DESC`,
      items: 3,
      description:
        'For SOLVED and EXECUTING, and once it has traded: every solution of that competition, worst first, winners last. Null when it is not known, and while it is hidden.',
    },
  },
}

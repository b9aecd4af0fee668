import {
  type CancellationSource,
  cancellationSources,
  exclusionReasons,
  type OrderEvent,
  orderEventLabels,
} from '../../../domain/order/event.ts'
import { asText, enumOf, safeInt, spelledEnumOf, string, time } from '../../query/codec.ts'
import { column, derived, type Model, orNull, type Relation } from '../../query/model.ts'
import type { PageKey } from '../../query/page-key.ts'
import { modelNamed } from '../../query/registry.ts'
import type { RowFields } from '../../query/row.ts'

/** A reason is one of `exclusionReasons`, or else that of a cancellation: see `cancellationReason`. */
export const orderEventReasons = [...exclusionReasons, 'policy'] as const

const isKnownReason = `ev.reason IN (${exclusionReasons.map((reason) => `'${reason}'`).join(', ')})`

/** The source of a cancellation, from the reason of its event. */
export const cancellationSourceOf = (event: string) =>
  `CASE WHEN ${event}.reason IS NULL THEN 'api' WHEN ${event}.reason ~ '^(replacement|chain): ' THEN split_part(${event}.reason, ':', 1)
    ELSE 'policy' END`

/** The source of the cancellation of order `o`, by its newest event of that kind. */
export const cancelledBy = `CASE WHEN o.cancelled_at IS NULL THEN 'chain' ELSE coalesce((SELECT ${cancellationSourceOf('ce')} FROM order_events ce
  WHERE ce.order_id = o.id AND ce.label = 'cancelled' ORDER BY ce.timestamp DESC, ce.id DESC LIMIT 1), 'api') END`

const source = `CASE WHEN ev.label = 'cancelled' THEN ${cancellationSourceOf('ev')} END`
const detailOf = (from: CancellationSource) =>
  `CASE WHEN ${source} = '${from}' THEN substr(ev.reason, ${from.length + 3}) END`

const fields = {
  label: column(enumOf('OrderEventLabel', orderEventLabels), 'ev.label', 'What happened.'),
  timestamp: column(time, 'ev.timestamp', 'When.'),
}

export const orderEvent: Model = {
  name: 'OrderEvent',
  description: 'A step in the history of an order.',
  fields: {
    ...fields,
    reason: orNull(
      derived(
        spelledEnumOf('OrderEventReason', orderEventReasons),
        (spelling) =>
          `CASE WHEN ${isKnownReason} THEN ${spelling === 'graphql' ? 'upper(ev.reason)' : 'ev.reason'}
            WHEN ${source} = 'policy' THEN '${spelling === 'graphql' ? 'POLICY' : 'policy'}' END`,
        'Why, for FILTERED and INVALID, and for cancellations by policy.',
      ),
    ),
    times: column(
      safeInt,
      'ev.times',
      'How often: a state that the order comes to again and again has one event for the first time, and one for all others.',
    ),
    detail: orNull(
      derived(string, `CASE WHEN ${source} = 'policy' THEN ev.reason END`, 'More about the reason, as text.'),
    ),
    source: orNull(
      derived(
        enumOf('CancellationSource', cancellationSources),
        `(${source})`,
        'For CANCELLED: who or what cancelled the order.',
      ),
    ),
    txHash: orNull(
      derived(asText('Bytes32'), `(${detailOf('chain')})`, 'For CANCELLED on chain: the transaction.'),
    ),
  },
  relations: {
    replacedBy: {
      kind: 'one',
      model: modelNamed('Order'),
      nullable: true,
      rows: `orders o WHERE o.uid = decode(substr(${detailOf('replacement')}, 3), 'hex')`,
      description: 'For CANCELLED by replacement: the new order.',
    },
  },
}

export const orderEventRow: RowFields<OrderEvent> = {
  ...fields,
  reason: orNull(column(string, 'ev.reason', '')),
}

export const orderEventsKey: PageKey = {
  letter: 'e',
  parts: [
    { sql: 'ev.timestamp', type: 'time' },
    { sql: 'ev.id', type: 'number' },
  ],
  order: 'ASC',
}

/** Of order `o`. */
export const orderEvents: Relation = {
  kind: 'page',
  model: () => orderEvent,
  rows: 'order_events ev WHERE ev.order_id = o.id',
  key: orderEventsKey,
  description: 'The order’s events, oldest first.',
}

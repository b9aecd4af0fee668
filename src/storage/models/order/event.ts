import { exclusionReasons, type OrderEvent, orderEventLabels } from '../../../domain/order/event.ts'
import { enumOf, spelledEnumOf, string, time } from '../../query/codec.ts'
import { column, derived, type Model, orNull, type Relation } from '../../query/model.ts'
import type { PageKey } from '../../query/page-key.ts'
import type { RowFields } from '../../query/row.ts'

/** A reason is one of `exclusionReasons`, or else an operator's text for a cancellation: `policy`. */
export const orderEventReasons = [...exclusionReasons, 'policy'] as const

const isKnownReason = `ev.reason IN (${exclusionReasons.map((reason) => `'${reason}'`).join(', ')})`

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
            WHEN ev.reason IS NOT NULL THEN '${spelling === 'graphql' ? 'POLICY' : 'policy'}' END`,
        'Why, for FILTERED and INVALID, and for cancellations by policy.',
      ),
    ),
    detail: orNull(
      derived(string, `CASE WHEN NOT ${isKnownReason} THEN ev.reason END`, 'More about the reason, as text.'),
    ),
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

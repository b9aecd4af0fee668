import {
  type CancellationSource,
  cancellationSources,
  exclusionReasons,
  type OrderEvent,
  orderEventLabels,
} from '../../../domain/order/event.ts'
import { orderKinds } from '../../../domain/order/order.ts'
import { feedList, orderFacets } from '../../feeds/book.ts'
import { recordedCodes, recordedStatus } from '../../order/status.ts'
import { asText, boolean, enumOf, safeInt, spelledEnumOf, string, time } from '../../query/codec.ts'
import { type FeedSource, feedHead, snapshotAgain } from '../../query/feed-source.ts'
import type { RowFields } from '../../query/json.ts'
import {
  column,
  derived,
  type Field,
  type Model,
  modelNamed,
  orNull,
  type Relation,
} from '../../query/model.ts'
import type { PageKey } from '../../query/page-key.ts'
import { isAny, isFollowed } from '../completeness.ts'
import { trade, tradeOfEvent } from '../trade.ts'

/** A reason is one of `exclusionReasons`, or else that of a cancellation: see `cancellationReason`. */
export const orderEventReasons = [...exclusionReasons, 'policy'] as const

const isKnownReason = `ev.reason IN (${exclusionReasons.map((reason) => `'${reason}'`).join(', ')})`

/** The source of a cancellation, from the reason that `cancellationReason` of the domain gave its event. */
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
  label: column(enumOf('OrderEventLabel', orderEventLabels), 'ev.label', 'The type of the event.'),
  timestamp: column(time, 'ev.timestamp', 'When.'),
}

export const orderEvent: Model = {
  name: 'OrderEvent',
  description: 'A step in the history of an order.',
  isFollowed: true,
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
      'Number of occurrences: a recurring state has one event for the first time, and one for all others.',
    ),
    detail: orNull(
      derived(string, `CASE WHEN ${source} = 'policy' THEN ev.reason END`, 'More about the reason, as text.'),
    ),
    source: orNull(
      derived(
        enumOf('CancellationSource', cancellationSources),
        `(${source})`,
        'For CANCELLED: the source of the cancellation.',
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

const orderEventsKey: PageKey = {
  letter: 'e',
  parts: [
    { sql: 'ev.timestamp', type: 'time' },
    { sql: 'ev.id', type: 'number' },
  ],
  order: 'ASC',
}

/** SQL condition: order `o` has all its events. Its creation is the oldest, which is removed first. */
export const areEventsComplete = `NOT ${isFollowed('o.chain_id')} AND ${isAny(`order_events ke WHERE ke.order_id = o.id AND ke.label = 'created'`)}`

/** Events of order `o`. */
export const orderEvents: Relation = {
  kind: 'page',
  model: () => orderEvent,
  rows: 'order_events ev WHERE ev.order_id = o.id',
  key: orderEventsKey,
  isComplete: areEventsComplete,
  mayBeEmpty: true,
  description:
    'The order’s events, oldest first. Incomplete for an order of another order book, which does not report them, and once old ones are removed.',
}

/** Entry `f` of event `ev` of order `o`. */
export const orderFeedEntry: Model = {
  name: 'OrderEventEntry',
  description: 'An event of an order in a stream.',
  fields: {
    cursor: derived(string, 'f.place::text', 'Continues here, without loss or repetition.'),
    isRemoved: derived(
      boolean,
      'f.removed IS NOT NULL',
      'True if a reorg undid the event, which an earlier entry contained.',
    ),
    eventId: orNull(
      derived(
        string,
        'f.event_id::text',
        'The event’s number: the same when it is taken back. Null in a snapshot.',
      ),
    ),
  },
  relations: {
    event: {
      kind: 'same',
      model: () => orderEvent,
      nullable: true,
      unless: 'ev.id IS NULL',
      description: 'The event. Null in a snapshot.',
    },
    order: {
      kind: 'same',
      model: modelNamed('Order'),
      description: 'The order that it happened to, as it is now.',
    },
  },
}

/**
 * The event of entry `f`. One that was taken back is as it was, also for the entry that first gave it: a feed
 * reads the same at any time.
 */
const eventOfEntry = `(SELECT e.* FROM order_events e WHERE e.id = f.event_id
    UNION ALL SELECT e.* FROM order_feed r, jsonb_populate_record(NULL::order_events, r.removed) e
    WHERE r.event_id = f.event_id AND r.removed IS NOT NULL) ev`

const rows = `order_feed f JOIN orders o ON o.id = f.order_id CROSS JOIN LATERAL ${eventOfEntry} WHERE true`

/** An entry without an event. */
const noEvent = 'NULL AS removed, NULL::bigint AS event_id'

/** The events of one order, by its row key. */
export const orderFeed: FeedSource = {
  name: 'order',
  table: 'order_feed',
  entry: orderFeedEntry,
  rows,
  snapshot: (orderId) => ({
    rows: `(SELECT ${feedHead}::text AS place, ${noEvent}) f
      JOIN orders o ON o.id = ${orderId} LEFT JOIN order_events ev ON false`,
    isEntry: 'true',
  }),
  key: 'f.order_id',
  keyType: 'bigint',
}

/** Orders in the snapshot of an account. */
export const maxSnapshotOrders = 100

/** Orders that had not ended as of the last block, newest first, which an index gives. */
function openOrders(account: string): string {
  const codes = [recordedCodes.open, recordedCodes.presignaturePending]
  const newest = `ORDER BY o.created_at DESC, o.id DESC LIMIT ${maxSnapshotOrders}`
  const ranges = codes.flatMap((code) => {
    const isOpen = `o.chain_id = n.chain_id AND ${recordedStatus} = '${code}'`
    return [
      ...orderKinds.map(
        (kind) => `o.owner = ${account} AND o.onchain_user IS NULL AND o.kind = '${kind}' AND ${isOpen}`,
      ),
      `o.onchain_user = ${account} AND ${isOpen}`,
    ].map((condition) => `(SELECT o.* FROM orders o WHERE ${condition} ${newest})`)
  })
  return `SELECT o.* FROM networks n CROSS JOIN LATERAL (${ranges.join(' UNION ALL ')}) o ${newest}`
}

/** The events of an account's orders. */
export const ownerFeed: FeedSource = {
  ...orderFeed,
  name: 'owner',
  snapshot: (account) => ({
    rows: `(SELECT ${feedHead} AS head) h
      LEFT JOIN LATERAL (SELECT o.*, row_number() OVER (ORDER BY o.created_at DESC, o.id DESC) AS nth, count(*) OVER () AS many
        FROM (${openOrders(account)}) o) o ON true
      CROSS JOIN LATERAL (SELECT CASE WHEN o.nth < o.many THEN '${snapshotAgain}' ELSE h.head::text END AS place, ${noEvent}) f
      LEFT JOIN order_events ev ON false ORDER BY o.nth`,
    isEntry: 'o.id IS NOT NULL',
  }),
  key: 'f.owner',
  keyType: 'bytea',
}

/** Entry `f` of the whole book. */
export const bookEvent: Model = {
  name: 'BookEvent',
  description: 'An event of any order, in the feed of the whole book.',
  fields: {
    ...orderFeedEntry.fields,
    eventId: { ...orderFeedEntry.fields.eventId, nullable: false } as Field,
    chainId: orNull(
      derived(
        safeInt,
        '(SELECT co.chain_id FROM orders co WHERE co.id = f.order_id)',
        'The chain of the order. Null if the order is not stored any more.',
      ),
    ),
  },
  relations: {
    event: {
      kind: 'one',
      model: () => orderEvent,
      nullable: true,
      rows: eventOfEntry,
      description: 'The event. Null when it was merged with a later one of its kind, or removed by its age.',
    },
    order: {
      kind: 'one',
      model: modelNamed('Order'),
      nullable: true,
      rows: 'orders o WHERE o.id = f.order_id',
      description: 'The order of the event, as it is now.',
    },
    trade: {
      kind: 'one',
      model: () => trade,
      nullable: true,
      rows: tradeOfEvent(eventOfEntry),
      description: 'For TRADED: the trade, also when a reorg undid it. Null for events of old rows.',
    },
  },
}

/** The events of all orders, by filters. */
export const bookFeed = {
  name: 'book',
  table: 'order_feed',
  entry: bookEvent,
  rows: 'order_feed f WHERE true',
  key: '',
  keyType: 'filter',
  facets: {
    joins: `LEFT JOIN orders xo ON xo.id = f.order_id LEFT JOIN order_events xe ON xe.id = f.event_id`,
    texts: {
      ...orderFacets,
      network: ['xo.chain_id::text'],
      label: [
        `coalesce(xe.label, f.removed ->> 'label', (SELECT r.removed ->> 'label' FROM order_feed r
          WHERE r.event_id = f.event_id AND r.removed IS NOT NULL LIMIT 1))`,
      ],
    },
  },
} satisfies FeedSource

/** The feed of the whole book as a list, oldest first. */
export const listedBookEvents = feedList(
  bookFeed,
  'Events of all orders after a place in the feed, oldest first.',
)

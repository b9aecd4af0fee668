import { boolean, string } from '../../query/codec.ts'
import { type FeedSource, feedHead } from '../../query/feed-source.ts'
import { derived, type Model, orNull } from '../../query/model.ts'
import { modelNamed } from '../../query/registry.ts'
import { orderEvent } from './event.ts'

/** Entry `f` of event `ev` of order `o`. */
export const orderFeedEntry: Model = {
  name: 'OrderEventEntry',
  description: 'An event of an order in a stream.',
  fields: {
    cursor: derived(string, 'f.place::text', 'Continues here: nothing is lost or repeated.'),
    isRemoved: derived(
      boolean,
      'f.removed IS NOT NULL',
      'Whether a reorg took the event back, which an earlier entry gave.',
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
      description: 'What happened. Null in a snapshot.',
    },
    order: {
      kind: 'same',
      model: modelNamed('Order'),
      description: 'The order that it happened to, as it is now.',
    },
  },
}

/** An event that was taken back is as it was, also for the entry that first gave it: a feed reads the same at any time. */
const rows = `order_feed f JOIN orders o ON o.id = f.order_id CROSS JOIN LATERAL (
    SELECT e.* FROM order_events e WHERE e.id = f.event_id
    UNION ALL SELECT e.* FROM order_feed r, jsonb_populate_record(NULL::order_events, r.removed) e
    WHERE r.event_id = f.event_id AND r.removed IS NOT NULL) ev WHERE true`

/** The events of one order, by its row key. */
export const orderFeed: FeedSource = {
  name: 'order',
  table: 'order_feed',
  entry: orderFeedEntry,
  rows,
  snapshot: (orderId) => `(SELECT ${feedHead} AS place, NULL AS removed, NULL::bigint AS event_id) f
    JOIN orders o ON o.id = ${orderId} LEFT JOIN order_events ev ON false`,
  key: 'f.order_id',
  keyType: 'bigint',
}

const { snapshot: _, ...withoutSnapshot } = orderFeed

/** The events of an account's orders. */
export const ownerFeed: FeedSource = {
  ...withoutSnapshot,
  name: 'owner',
  key: 'f.owner',
  keyType: 'bytea',
}

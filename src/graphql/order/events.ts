import { Refusal } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { OrderUid } from '../../domain/order/uid.ts'
import { maxSnapshotOrders, orderFeedEntry } from '../../storage/models/order/feed.ts'
import { findOrderId } from '../../storage/order/orders.ts'
import { builder } from '../builder.ts'
import { exposeModel } from '../stored/expose.ts'
import { type Followed, feedField } from '../stored/feed-field.ts'
import { modelRef } from '../stored/model-ref.ts'
import type { Environment } from '../stored/stored-field.ts'

exposeModel(orderFeedEntry)

interface Arguments {
  uid?: OrderUid | null
  owner?: Address | null
  after?: string | null
  snapshot?: boolean | null
}

/** @throws Refusal InvalidParameter, OrderNotFound */
async function find({ uid, owner, ...rest }: Arguments, { feeds, db }: Environment): Promise<Followed> {
  const after = rest.after ?? null
  if ((uid == null) === (owner == null))
    throw new Refusal('InvalidParameter', 'exactly one of uid and owner is expected', { field: 'uid' })
  if (owner != null) {
    const snapshot = rest.snapshot ? { snapshot: true, snapshotEntries: maxSnapshotOrders } : {}
    return { feed: feeds.owner, key: owner, after, ...snapshot }
  }
  const id = uid == null ? undefined : await findOrderId(db, uid)
  if (id === undefined) throw new Refusal('OrderNotFound', 'there is no such order', { field: 'uid' })
  return { feed: feeds.order, key: String(id), after, snapshot: rest.snapshot ?? false }
}

builder.subscriptionField('orderEvents', (t) =>
  t.field({
    type: modelRef(orderFeedEntry.name),
    description:
      'Events of one order, or of all orders of an account, as they are committed; give uid or owner. Without after it starts now; with a cursor it first gives what was missed, once and in order.',
    args: {
      uid: t.arg({ type: 'OrderUid', required: false, description: 'The order.' }),
      owner: t.arg({ type: 'Address', required: false, description: 'The account.' }),
      after: t.arg.string({ required: false, description: 'A cursor, or "earliest".' }),
      snapshot: t.arg.boolean({
        required: false,
        description: `What is now comes first, in entries without an event: the order, or the orders of the account that have not ended, newest first and at most ${maxSnapshotOrders}. Where there are as many, read the account’s orders for older ones. Without effect where the stream is resumed, unless behind an entry that was not the snapshot’s last.`,
      }),
    },
    ...feedField<Arguments>({ find }),
  }),
)

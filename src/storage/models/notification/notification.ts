import { Refusal } from '../../../domain/errors/error.ts'
import { type NotificationType, notificationTypes } from '../../../domain/notification.ts'
import {
  address,
  asText,
  boolean,
  enumOf,
  json,
  rowKeyText,
  string,
  time,
  uint32,
} from '../../query/codec.ts'
import { column, derived, type Field, type Model, orNull } from '../../query/model.ts'
import { nodeId } from '../../query/node-id.ts'
import type { PageKey } from '../../query/page-key.ts'
import { modelNamed } from '../../query/registry.ts'

const fields = {
  account: column(address, 'n.account', 'Whom it is for.'),
  type: column(enumOf('NotificationType', notificationTypes), 'n.type', 'What happened.'),
  message: column(string, 'n.message', 'The same as text for people.'),
  timestamp: column(time, 'n.timestamp', 'When it was written.'),
}
const number = column(rowKeyText, 'n.id', 'Its number, as in REST and in messages.')
const metadata = column(
  json,
  'n.metadata',
  'orderId, chainId, executedAmount on fills, and more; reverted is true once a reorg took the cause away for good.',
)

/** Members that all types of notifications share. */
const commonMembers: Pick<Model, 'fields' | 'relations' | 'identity'> = {
  fields: {
    id: nodeId('Notification', 'n.id'),
    notificationId: number,
    ...fields,
    metadata,
    isReverted: derived(
      boolean,
      `coalesce((n.metadata->>'reverted')::bool, false)`,
      'Whether a reorg took the cause away for good.',
    ),
    orderUid: derived(asText('OrderUid'), `n.metadata->>'orderId'`, 'The order it is about.'),
  },
  relations: {
    order: {
      kind: 'one',
      model: modelNamed('Order'),
      nullable: true,
      rows: `orders o WHERE o.chain_id = n.chain_id AND o.uid = decode(substr(n.metadata->>'orderId', 3), 'hex')`,
      description: 'The order it is about.',
    },
  },
  identity: { notificationId: number },
}

const fill: Record<string, Field> = {
  executedAmount: orNull(
    derived(
      asText('Uint256'),
      `n.metadata->>'executedAmount'`,
      'What the trade gave: its buy amount where the sell side is fixed, its sell amount where the buy side is.',
    ),
  ),
  txHash: orNull(derived(asText('Bytes32'), `n.metadata->>'txHash'`, 'The settlement’s transaction.')),
}

function variant(name: string, description: string, own: Record<string, Field> = {}): () => Model {
  const model: Model = { ...commonMembers, name, description, fields: { ...commonMembers.fields, ...own } }
  return () => model
}

const variants: Record<NotificationType, () => Model> = {
  order_filled: variant('OrderFilledNotification', 'A trade completed the order.', fill),
  order_partially_filled: variant(
    'OrderPartiallyFilledNotification',
    'A trade filled a part of the order.',
    fill,
  ),
  order_expired: variant('OrderExpiredNotification', 'The order’s time passed before it was filled.', {
    validTo: orNull(derived(uint32, `(n.metadata->>'validTo')::bigint`, 'When it expired, in Unix seconds.')),
  }),
  order_cancelled: variant('OrderCancelledNotification', 'The order was cancelled.', {
    reason: orNull(derived(string, `n.metadata->>'reason'`, 'On cancellation by policy: why.')),
  }),
  insufficient_balance: variant(
    'InsufficientBalanceNotification',
    'The owner’s balance became too low for the order.',
  ),
  price_improvement: variant('PriceImprovementNotification', 'A trade was better than quoted.'),
}

/** Notification `n`. */
export const notification: Model = {
  ...commonMembers,
  name: 'Notification',
  description: 'Something an account should know. Its ids stay the same when it is updated.',
  variants: { by: 'n.type', models: variants },
}

/** Rows of transactions below every running one: this makes (tx, id) a commit order. */
export const isSettled = `f.tx < (pg_snapshot_xmin(pg_current_snapshot())::text)::bigint`
/** The transaction part of a position before all entries that will be committed from now on. */
export const feedHead = `(pg_snapshot_xmin(pg_current_snapshot())::text)::bigint`

const maxBigint = 2n ** 63n - 1n

/** @throws Refusal InvalidParameter */
function parsePlace(cursor: string, argument: string): bigint[] {
  if (cursor === 'earliest') return [0n, 0n]
  const [, tx = '-1', id = '-1'] = /^([0-9]{1,19})\.([0-9]{1,19})$/.exec(cursor) ?? []
  const place = [BigInt(tx), BigInt(id)]
  if (place.every((number) => number >= 0n && number <= maxBigint)) return place
  throw new Refusal('InvalidParameter', `${argument} must be a cursor of this feed, or "earliest"`, {
    field: argument,
  })
}

/** An account's feed, oldest first: entry `f` of notification `n`. */
export const feedKey: PageKey = {
  letter: '',
  parts: [
    { sql: 'f.tx', type: 'number' },
    { sql: 'f.id', type: 'number' },
  ],
  order: 'ASC',
  parse: parsePlace,
  startsAtEnd: true,
}

import { raw } from '../../database/columns.ts'
import { Prisma } from '../../generated/client.ts'
import { isBehind, isVerified } from '../../order/mirror.ts'
import { boolean, string, time } from '../../query/codec.ts'
import { column, derived, type Model, type Relation } from '../../query/model.ts'
import { now } from '../../query/selection.ts'
import { membersWhere } from '../completeness.ts'
import { readBalance } from './standing.ts'

/** The mirror `m` of order `o`, from order book `ob`. */
const mirror: Model = {
  name: 'OrderMirror',
  description: 'The origin of an order that comes from another order book.',
  fields: {
    source: column(string, 'ob.url', 'The order book: its base URL, without `/api/v1`.'),
    comparedAt: column(time, 'm.compared_at', 'The time when the order was last compared with its source.'),
    isVerified: derived(
      boolean,
      isVerified,
      'True if its signature is known to be its owner’s: that of a key by its digest, that of a smart account by the account’s contract or by a trade. An order that is not verified notifies nobody. Presignatures are read from the chain: see status.',
    ),
    isDocumentVerified: derived(
      boolean,
      `(m.unverified_document IS NULL OR EXISTS (SELECT FROM app_data d WHERE d.hash = o.app_data))`,
      'False if the source has another document than the one of the hash: then fullAppData is what the source has, and nothing is read from it.',
    ),
    isComplete: derived(
      boolean,
      `NOT ${isBehind}`,
      'False while the source reports more of the order than its trades here have sold: its status and its amounts follow these trades.',
    ),
    isFeeReported: derived(
      boolean,
      'm.executed_fee IS NOT NULL',
      'True if executedFee is what the source reports. False if it is not known: it is 0 then, or that of the trades whose auctions are stored.',
    ),
    isBalanceReported: derived(
      boolean,
      `(m.reported_balance IS NOT NULL AND ${readBalance} IS NULL)`,
      'True if availableBalance is what the source reports, and not read here.',
    ),
  },
}

export const orderMirror: Relation = {
  kind: 'one',
  model: () => mirror,
  nullable: true,
  rows: 'mirrored_orders m JOIN order_books ob ON ob.chain_id = m.chain_id WHERE m.order_id = o.id',
  description: 'Where it comes from; null for an order that is placed here.',
}

/** SQL for members of order `o` over REST whose values are not known. */
export const unknownOfOrder = membersWhere({
  executedFee:
    'o.executed_sell > 0 AND EXISTS (SELECT FROM mirrored_orders m WHERE m.order_id = o.id AND m.executed_fee IS NULL)',
})

/** SQL for the same of the orders among `rows`. */
export const unknownOfOrders = (rows: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`(SELECT max(u.members) FROM (SELECT ${raw(unknownOfOrder)} AS members FROM ${rows}) u)`

/** SQL for the whole seconds since order `o` was compared, as text; null for an order that is placed here. */
export const comparedAge = `(SELECT greatest(0, ${now} - ceil(extract(epoch FROM m.compared_at))::bigint)::text
  FROM mirrored_orders m WHERE m.order_id = o.id)`

/** SQL for the same of the order among `rows` that was compared the longest time ago. */
export const oldestComparedAge = (rows: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`(SELECT max(c.age::bigint)::text FROM (SELECT ${raw(comparedAge)} AS age FROM ${rows}) c)`

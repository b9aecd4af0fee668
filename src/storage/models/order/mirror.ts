import { raw } from '../../database/columns.ts'
import { Prisma } from '../../generated/client.ts'
import { isBehind, isQuoteKnown, isVerified } from '../../order/mirror.ts'
import { boolean, string, time } from '../../query/codec.ts'
import { column, derived, type Model, type Relation } from '../../query/model.ts'
import { now } from '../../query/selection.ts'
import { membersWhere } from '../completeness.ts'
import { readBalance } from './standing.ts'

/** SQL condition: the source has reported the fee of order `o`, with its row `m`, with all trades here. */
const isFeeKnown = '(m.executed_fee IS NOT NULL AND coalesce(m.reported_sell >= o.executed_sell, true))'

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
      isFeeKnown,
      'True if executedFee is what the source reports. False if it is not known, or does not count the newest trades: it is what was reported before then, or that of the trades whose auctions are stored.',
    ),
    isQuoteReported: derived(
      boolean,
      isQuoteKnown,
      'True if quote is what the source reports, also if that is none. False while it is not known: the source lists orders without their quotes.',
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

const ofMirror = (condition: string) =>
  `EXISTS (SELECT FROM mirrored_orders m WHERE m.order_id = o.id AND NOT ${condition})`

const unknownMembers = { executedFee: `o.executed_sell > 0 AND ${ofMirror(isFeeKnown)}` }

/** SQL for members of order `o` in a list over REST, without its quote, whose values are not known. */
const unknownOfListed = membersWhere(unknownMembers)

/** SQL for the same of an order with its quote. */
export const unknownOfOrder = membersWhere({ ...unknownMembers, quote: ofMirror(isQuoteKnown) })

/** SQL for the same of the orders among `rows`. */
export const unknownOfOrders = (rows: Prisma.Sql, haveQuotes = false): Prisma.Sql =>
  Prisma.sql`(SELECT max(u.members) FROM (
    SELECT ${raw(haveQuotes ? unknownOfOrder : unknownOfListed)} AS members FROM ${rows}) u)`

/** SQL for the whole seconds since order `o` was compared, as text; null for an order that is placed here. */
export const comparedAge = `(SELECT greatest(0, ${now} - ceil(extract(epoch FROM m.compared_at))::bigint)::text
  FROM mirrored_orders m WHERE m.order_id = o.id)`

/** SQL for the same of the order among `rows` that was compared the longest time ago. */
export const oldestComparedAge = (rows: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`(SELECT max(c.age::bigint)::text FROM (SELECT ${raw(comparedAge)} AS age FROM ${rows}) c)`

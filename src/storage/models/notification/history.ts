import type { Address } from '../../../domain/evm/address.ts'
import {
  type NotificationType,
  notificationTypes,
  publishedAs,
} from '../../../domain/notification/notification.ts'
import type { OrderUid } from '../../../domain/order/order.ts'
import { bytea, raw } from '../../database/columns.ts'
import { Prisma } from '../../generated/client.ts'
import { scanLimit } from '../../order/ranges.ts'
import { uint32 } from '../../query/codec.ts'
import { derived, type PageRows, type PageSource, type RowsValue } from '../../query/model.ts'
import type { PageKey } from '../../query/page-key.ts'
import { notification } from './notification.ts'

/** Selects notifications that meet every given condition. */
export interface NotificationFilter {
  /** One or more, without duplicates. */
  types?: readonly NotificationType[]
  orderUid?: OrderUid
  from?: Date
  /** Not included. */
  until?: Date
  unread?: boolean
}

const historyKey: PageKey = {
  letter: 'h',
  parts: [
    { sql: 'n.timestamp', type: 'time' },
    { sql: 'n.id', type: 'number' },
  ],
  order: 'DESC',
}

/**
 * Ranges of the history. Every condition has an index, except `unread: false`; a second condition is checked
 * for the rows of the first one's index.
 */
function historyRanges({ types, orderUid, from, until, unread }: NotificationFilter): PageSource {
  const range = (lead?: Prisma.Sql) => {
    const conditions = [
      raw('n.account = ac.address'),
      lead,
      from && Prisma.sql`n.timestamp >= ${from}`,
      until && Prisma.sql`n.timestamp < ${until}`,
    ].filter((condition) => condition !== undefined)
    return Prisma.sql`notifications n WHERE ${Prisma.join(conditions, ' AND ')}`
  }
  const ofTypes = types && Prisma.sql`n.type = ANY(${types})`
  const isRead =
    unread === undefined ? undefined : raw(unread ? 'n.read_at IS NULL' : 'n.read_at IS NOT NULL')
  if (orderUid !== undefined)
    return withScan([range(Prisma.sql`n.metadata->>'orderId' = ${orderUid}`)], [ofTypes, isRead])
  if (unread) return withScan([range(isRead)], [ofTypes])
  return withScan(types ? types.map((type) => range(Prisma.sql`n.type = ${type}`)) : [range()], [isRead])
}

function withScan(
  ranges: readonly Prisma.Sql[],
  conditions: readonly (Prisma.Sql | undefined)[],
): PageSource {
  const given = conditions.filter((condition) => condition !== undefined)
  return given.length > 0
    ? { ranges, scan: { limit: scanLimit, condition: Prisma.join(given, ' AND ') } }
    : { ranges }
}

/** Notifications of account `ac`, newest first, each once. */
export const notificationHistory: PageRows = {
  kind: 'page',
  model: () => notification,
  connection: 'NotificationHistoryConnection',
  rows: ({ filter }: { filter: NotificationFilter }) => historyRanges(filter),
  key: historyKey,
  description:
    'The account’s notifications, newest first, each once. For entries after a cursor without a gap, use notifications.',
}

/** Limit of the count. */
const maxUnread = 1_000

/** Unread notifications of account `ac`. */
export const unreadNotifications: RowsValue = {
  kind: 'value',
  field: { ...derived(uint32, 'un.count', ''), weight: 10 },
  rows: () =>
    Prisma.sql`(SELECT count(*) AS count FROM (SELECT FROM notifications u WHERE u.account = ac.address AND u.read_at IS NULL
      LIMIT ${raw(String(maxUnread))}) unread) un`,
  description: `How many notifications are not marked as read; ${maxUnread} is that many or more.`,
}

/** The types that the REST interface lists, under their own names or others. */
const listedTypes = notificationTypes.filter((type) => publishedAs[type] !== null)

/** Newest first, each once, of the types that clients of the REST interface know; orders that were placed. */
export const newestNotifications = ({ account, first }: { account: Address; first: number }): Prisma.Sql =>
  Prisma.sql`notifications n WHERE n.account = ${bytea(account)} AND n.type = ANY(${listedTypes})
    AND coalesce((n.metadata->>'wasPlaced')::bool, true) ORDER BY n.id DESC LIMIT ${first}`

import type { NotificationType } from '../../../domain/notification/notification.ts'
import type { OrderUid } from '../../../domain/order/uid.ts'
import { raw } from '../../database/columns.ts'
import { Prisma } from '../../generated/client.ts'
import { scanLimit } from '../../order/ranges.ts'
import type { PageRows } from '../../query/model.ts'
import type { PageKey } from '../../query/page-key.ts'
import type { PageSource } from '../../query/page-source.ts'
import { notification } from './notification.ts'

/** Selects notifications that meet every given condition. */
export interface NotificationFilter {
  /** At least one, each once. */
  types?: readonly NotificationType[]
  orderUid?: OrderUid
  from?: Date
  /** Not included. */
  until?: Date
}

const historyKey: PageKey = {
  letter: 'h',
  parts: [
    { sql: 'n.timestamp', type: 'time' },
    { sql: 'n.id', type: 'number' },
  ],
  order: 'DESC',
}

/** Each condition has an index; types of one order are checked for the notifications of the order. */
function historyRanges({ types, orderUid, from, until }: NotificationFilter): PageSource {
  const range = (lead?: Prisma.Sql) => {
    const conditions = [
      raw('n.account = ac.address'),
      lead,
      from && Prisma.sql`n.timestamp >= ${from}`,
      until && Prisma.sql`n.timestamp < ${until}`,
    ].filter((condition) => condition !== undefined)
    return Prisma.sql`notifications n WHERE ${Prisma.join(conditions, ' AND ')}`
  }
  if (orderUid !== undefined) {
    const condition = types && Prisma.sql`n.type = ANY(${types})`
    return {
      ranges: [range(Prisma.sql`n.metadata->>'orderId' = ${orderUid}`)],
      scan: condition && { limit: scanLimit, condition },
    }
  }
  return { ranges: types ? types.map((type) => range(Prisma.sql`n.type = ${type}`)) : [range()] }
}

/** Of account `ac`, newest first, each once. */
export const notificationHistory: PageRows = {
  kind: 'page',
  model: () => notification,
  connection: 'NotificationHistoryConnection',
  rows: ({ filter }: { filter: NotificationFilter }) => historyRanges(filter),
  key: historyKey,
  description:
    'The account’s notifications, newest first, each once. For what follows a cursor without a gap, use notifications.',
}

import { raw } from '../../database/columns.ts'
import { Prisma } from '../../generated/client.ts'
import { uint32 } from '../../query/codec.ts'
import { derived, type RowsValue } from '../../query/model.ts'

/** Above this they are not counted. */
const maxUnread = 1_000

/** Of account `ac`. */
export const unreadNotifications: RowsValue = {
  kind: 'value',
  field: { ...derived(uint32, 'un.count', ''), weight: 10 },
  rows: () =>
    Prisma.sql`(SELECT count(*) AS count FROM (SELECT FROM notifications u WHERE u.account = ac.address AND u.read_at IS NULL
      LIMIT ${raw(String(maxUnread))}) unread) un`,
  description: `How many notifications are not marked as read; ${maxUnread} is that many or more.`,
}

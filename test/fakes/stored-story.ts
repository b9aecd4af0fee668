import type { Address } from '../../src/domain/evm/address.ts'
import type {
  Notification,
  NotificationMetadata,
  NotificationType,
} from '../../src/domain/notification/notification.ts'
import type { OrderEvent, OrderEventLabel } from '../../src/domain/order/event.ts'
import { bytea } from '../../src/storage/database/columns.ts'
import { type Db, sql } from '../../src/storage/database/database.ts'

/** Oldest first, by order. */
export async function eventsOfOrders(
  db: Db,
  orderIds: readonly bigint[],
): Promise<(OrderEvent & { orderId: bigint })[]> {
  const rows = await sql(db).orderEvent.findMany({
    where: { orderId: { in: [...orderIds] } },
    orderBy: [{ timestamp: 'asc' }, { id: 'asc' }],
  })
  return rows.map((row) => ({ ...row, label: row.label as OrderEventLabel }))
}

/** Newest first, each once. */
export async function listNotifications(db: Db, account: Address, limit: number): Promise<Notification[]> {
  const rows = await sql(db).notification.findMany({
    where: { account: bytea(account) },
    orderBy: { id: 'desc' },
    take: limit,
  })
  return rows.map(({ id, type, message, timestamp, metadata }) => ({
    id: `${id}`,
    account,
    type: type as NotificationType,
    message,
    timestamp,
    metadata: metadata as unknown as NotificationMetadata,
  }))
}

import type { Order } from '../../domain/order/order.ts'
import { raw } from '../database/columns.ts'
import { type Db, sql } from '../database/database.ts'
import { orderJson, toOrder } from './row.ts'
import { isUnfinished } from './status.ts'

/** Expired orders that were placed on chain and not refunded, by their row keys. In SQL: whether an order is unfinished is computed. */
export async function refundableAfter(
  db: Db,
  chainId: number,
  after: bigint,
  limit: number,
): Promise<Order[]> {
  const rows = await sql(db).$queryRaw<{ json: string }[]>`
    SELECT ${raw(orderJson)} AS json FROM orders o
    WHERE o.chain_id = ${chainId} AND o.id > ${after} AND o.onchain_user IS NOT NULL AND o.expired_at_block IS NOT NULL
      AND ${raw(isUnfinished)}
      AND NOT EXISTS (SELECT 1 FROM refunds r WHERE r.order_uid = o.uid AND r.chain_id = o.chain_id)
    ORDER BY o.id LIMIT ${limit}`
  return rows.map(({ json }) => toOrder(json))
}

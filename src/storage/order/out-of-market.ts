import type { Address } from '../../domain/evm/address.ts'
import { bytea, raw } from '../database/columns.ts'
import { type Db, sql } from '../database/database.ts'
import { recordedCodes, recordedStatus } from './status.ts'

/** `isOutOfMarket` of the domain for order `o` against its quote `q`; a test holds the two equal. */
const outOfMarket = `(CASE o.kind
  WHEN 'buy' THEN o.sell_amount * q.buy_amount < (q.sell_amount + q.fee_amount) * o.buy_amount
  ELSE o.sell_amount * (q.buy_amount - div(q.fee_amount * q.buy_amount, q.sell_amount)) < q.sell_amount * o.buy_amount END)`

export interface OutOfMarketSearch {
  chainId: number
  owner: Address
  /** Unix seconds. */
  now: number
  /** Limit of the count. */
  atMost: number
}

/**
 * Number of an owner's open limit orders that were out of market when placed, or had no quote. Orders that wait for their presignature
 * do not count, since any client can place them for any owner. In SQL: the condition is computed over two tables.
 */
export async function countOutOfMarket(
  db: Db,
  { chainId, owner, now, atMost }: OutOfMarketSearch,
): Promise<number> {
  const rows = await sql(db).$queryRaw<unknown[]>`
    SELECT 1 FROM orders o LEFT JOIN order_quotes q ON q.order_id = o.id
    WHERE o.owner = ${bytea(owner)} AND o.chain_id = ${chainId} AND ${raw(recordedStatus)} = ${raw(`'${recordedCodes.open}'`)}
      AND o.effective_valid_to >= ${now} AND o.class = 'limit' AND (q.order_id IS NULL OR ${raw(outOfMarket)})
    LIMIT ${atMost}`
  return rows.length
}

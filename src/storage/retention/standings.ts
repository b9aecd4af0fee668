import { type Database, sql } from '../database/database.ts'
import { type Batch, movePlace, placeOf, shortTransaction } from './batch.ts'

/**
 * Removes where the next orders stood that expired long ago. In SQL: by the expiry of their orders, of which all that share one are
 * looked at together.
 */
export function removeStandings(
  db: Database,
  { chainId, before, limit }: { chainId: number; before: Date; limit: number },
): Promise<Batch> {
  const name = `standings:${chainId}`
  return shortTransaction(db, async (tx) => {
    const after = await placeOf(tx, name)
    const end = BigInt(Math.floor(before.getTime() / 1_000))
    const [row] = await sql(tx).$queryRaw<{ last: bigint | null; scanned: number; removed: number }[]>`
      WITH expired AS MATERIALIZED (
        SELECT id, effective_valid_to FROM orders WHERE chain_id = ${chainId} AND effective_valid_to > ${after}
          AND effective_valid_to < ${end} ORDER BY effective_valid_to FETCH FIRST (${limit}::int) ROWS WITH TIES
      ), removed AS (
        DELETE FROM order_standings s USING expired e WHERE s.order_id = e.id RETURNING s.order_id
      )
      SELECT (SELECT max(effective_valid_to) FROM expired) AS last, (SELECT count(*)::int FROM expired) AS scanned,
        (SELECT count(*)::int FROM removed) AS removed`
    if (row?.last == null) return { removed: {}, isLast: true }
    await movePlace(tx, name, row.last)
    return { removed: { order_standings: row.removed }, isLast: row.scanned < limit }
  })
}

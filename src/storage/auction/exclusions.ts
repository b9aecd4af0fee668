import type { Auction } from '../../domain/auction/auction.ts'
import type { LeftOutReason } from '../../domain/auction/refusal.ts'
import { type Db, sql, type Tx } from '../database/database.ts'

/** By row key of an order: why auctions leave it out since the newest that is stored. */
export type OpenExclusions = ReadonlyMap<bigint, LeftOutReason>

export async function openExclusions(db: Db, chainId: number): Promise<OpenExclusions> {
  const rows = await sql(db).exclusionSpan.findMany({ where: { chainId, lastAuction: null } })
  return new Map(rows.map(({ orderId, reason }) => [orderId, reason as LeftOutReason]))
}

/** From this auction on. In SQL: the auction before is looked up. */
export async function moveExclusions(
  tx: Tx,
  { id, chainId }: Pick<Auction, 'id' | 'chainId'>,
  ended: readonly bigint[],
  begun: OpenExclusions,
): Promise<void> {
  if (ended.length > 0)
    await sql(tx).$executeRaw`
      UPDATE exclusion_spans SET last_auction = (SELECT max(a.id) FROM auctions a WHERE a.chain_id = ${chainId} AND a.id < ${id})
      WHERE chain_id = ${chainId} AND last_auction IS NULL AND order_id = ANY(${[...ended]}::bigint[])`
  if (begun.size > 0)
    await sql(tx).$executeRaw`
      INSERT INTO exclusion_spans (chain_id, order_id, first_auction, reason)
      SELECT ${chainId}::int, e.order_id, ${id}::bigint, e.reason
      FROM unnest(${[...begun.keys()]}::bigint[], ${[...begun.values()]}::text[]) AS e(order_id, reason)`
}

import type { Auction } from '../../domain/auction/auction.ts'
import type { LeftOutReason } from '../../domain/auction/competition.ts'
import { filledAmount } from '../../domain/order/order.ts'
import { bytea, numeric } from '../database/columns.ts'
import { type Db, sql, type Tx } from '../database/database.ts'
import { policiesJson } from './competition.ts'

/**
 * Replaces the network's current auction. In SQL: a process that does not lead any more must not replace a
 * newer one.
 */
export async function storeCurrentAuction(
  db: Db,
  { id, chainId, block, orders, nativePrices, surplusCapturingOwners }: Auction,
): Promise<void> {
  await sql(db).$executeRaw`
    INSERT INTO current_auctions AS c (chain_id, auction_id, block, order_ids, filled, policies, tokens, prices, jit_order_owners)
    VALUES (${chainId}, ${id}, ${block}, ${orders.map(({ order }) => order.id)}::bigint[],
      ${orders.map(({ order }) => numeric(filledAmount(order)))}::numeric[], ${orders.map(policiesJson)}::text[]::jsonb[],
      ${[...nativePrices.keys()].map(bytea)}::bytea[], ${[...nativePrices.values()].map(numeric)}::numeric[],
      ${surplusCapturingOwners.map(bytea)}::bytea[])
    ON CONFLICT (chain_id) DO UPDATE SET (auction_id, block, order_ids, filled, policies, tokens, prices, jit_order_owners) =
      (excluded.auction_id, excluded.block, excluded.order_ids, excluded.filled, excluded.policies, excluded.tokens, excluded.prices,
        excluded.jit_order_owners)
    WHERE c.auction_id < excluded.auction_id`
}

/** No order can be settled at the moment. */
export async function removeCurrentAuction(db: Db, chainId: number): Promise<void> {
  await sql(db).currentAuction.deleteMany({ where: { chainId } })
}

/** Its id; undefined when there is none. */
export async function currentAuctionId(db: Db, chainId: number): Promise<bigint | undefined> {
  const row = await sql(db).currentAuction.findUnique({ where: { chainId }, select: { auctionId: true } })
  return row?.auctionId
}

/** Replaces the time of the network's last auction. */
export async function storeRound(db: Db, { chainId, at }: { chainId: number; at: Date }): Promise<void> {
  await sql(db).auctionRound.upsert({ where: { chainId }, create: { chainId, at }, update: { at } })
}

/** Reasons why auctions leave orders out since the newest stored one, by row key. */
export type OpenExclusions = ReadonlyMap<bigint, LeftOutReason>

export async function openExclusions(db: Db, chainId: number): Promise<OpenExclusions> {
  const rows = await sql(db).exclusionSpan.findMany({ where: { chainId, lastAuction: null } })
  return new Map(rows.map(({ orderId, reason }) => [orderId, reason as LeftOutReason]))
}

/** Moves exclusions as of this auction. In SQL: the previous auction is looked up. */
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

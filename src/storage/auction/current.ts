import type { Auction } from '../../domain/auction/auction.ts'
import { filledAmount } from '../../domain/order/order.ts'
import { bytea, numeric } from '../database/columns.ts'
import { type Db, sql } from '../database/database.ts'
import { policiesJson } from './competition.ts'

/** Replaces the network's current auction. In SQL: a process that does not lead any more must not replace a newer one. */
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

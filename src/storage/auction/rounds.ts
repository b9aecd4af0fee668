import { type Db, sql } from '../database/database.ts'

/** Replaces the time of the network's last auction. */
export async function storeRound(db: Db, { chainId, at }: { chainId: number; at: Date }): Promise<void> {
  await sql(db).auctionRound.upsert({ where: { chainId }, create: { chainId, at }, update: { at } })
}

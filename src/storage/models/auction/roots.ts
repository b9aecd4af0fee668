import type { Bytes32 } from '../../../domain/evm/hex.ts'
import { bytea } from '../../database/columns.ts'
import { Prisma } from '../../generated/client.ts'
import { isShown } from './auction.ts'

/** Rows of auctions `a`, by the arguments of a request; without hidden competitions. */

const shown = Prisma.raw(isShown)

export const oneAuction = ({ id, chainId }: { id: number; chainId: number }): Prisma.Sql =>
  Prisma.sql`auctions a WHERE a.id = ${BigInt(id)} AND a.chain_id = ${chainId} AND ${shown}`

export const latestAuction = ({ chainId }: { chainId: number }): Prisma.Sql =>
  Prisma.sql`auctions a WHERE a.chain_id = ${chainId} AND ${shown} ORDER BY a.id DESC LIMIT 1`

export const auctionOfTransaction = ({ hash, chainId }: { hash: Bytes32; chainId: number }): Prisma.Sql =>
  Prisma.sql`auctions a WHERE a.id IN (SELECT se.auction_id FROM settlements se
    WHERE se.tx_hash = ${bytea(hash)} AND se.chain_id = ${chainId} AND se.auction_id IS NOT NULL) AND ${shown}
    ORDER BY a.id DESC LIMIT 1`

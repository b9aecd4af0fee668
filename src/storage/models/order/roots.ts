import type { Address } from '../../../domain/evm/address.ts'
import type { Bytes32 } from '../../../domain/evm/hex.ts'
import { competedStages } from '../../../domain/order/stage.ts'
import type { OrderUid } from '../../../domain/order/uid.ts'
import { bytea, raw } from '../../database/columns.ts'
import { Prisma } from '../../generated/client.ts'
import { plainStageSql, progressRows } from './progress.ts'

/** Rows of orders `o`, by the arguments of a request. A UID is unique; the chain id limits the search to a network. */

const onChain = (chainId: number | undefined) =>
  chainId === undefined ? Prisma.empty : Prisma.sql` AND o.chain_id = ${chainId}`

interface OneOrder {
  uid: OrderUid
  chainId: number | undefined
}

export const oneOrder = ({ uid, chainId }: OneOrder): Prisma.Sql =>
  Prisma.sql`orders o WHERE o.uid = ${bytea(uid)}${onChain(chainId)}`

/** An order with its progress; no row if its stage needs a competition that is not stored. */
export const progressOfOrder = ({ uid, chainId }: OneOrder): Prisma.Sql =>
  Prisma.sql`orders o CROSS JOIN LATERAL (SELECT ne.label, nt.known, co.id FROM ${raw(progressRows)}) pr
    CROSS JOIN LATERAL (SELECT pr.label) ne CROSS JOIN LATERAL (SELECT pr.known) nt CROSS JOIN LATERAL (SELECT pr.id) co
    WHERE o.uid = ${bytea(uid)}${onChain(chainId)}
      AND NOT (co.id IS NULL AND ${raw(plainStageSql)} = ANY(${[...competedStages]}))`

/** In the order of `uids`. */
export const namedOrders = ({
  uids,
  chainId,
}: {
  uids: readonly OrderUid[]
  chainId: number | undefined
}): Prisma.Sql => Prisma.sql`unnest(${uids.map(bytea)}::bytea[]) WITH ORDINALITY AS k(uid, place)
  JOIN orders o ON o.uid = k.uid${onChain(chainId)} ORDER BY k.place`

/** Orders that a settlement traded, oldest first. */
export const ordersOfTransaction = ({ hash, chainId }: { hash: Bytes32; chainId: number }): Prisma.Sql =>
  Prisma.sql`orders o WHERE o.id IN (
    SELECT tr.order_id FROM settlements se
    JOIN trades tr ON tr.chain_id = se.chain_id AND tr.block_number = se.block_number AND tr.tx_hash = se.tx_hash
    WHERE se.tx_hash = ${bytea(hash)} AND se.chain_id = ${chainId}) ORDER BY o.id`

interface AccountPage {
  owner: Address
  chainId: number
  offset: number
  limit: number
}

/** Those that it owns, and those that it placed for a contract to own. Newest first. The REST contract pages by offset. */
export const ordersOfAccount = ({ owner, chainId, offset, limit }: AccountPage): Prisma.Sql =>
  Prisma.sql`(${Prisma.join(
    ['owner', 'onchain_user'].map(
      (
        account,
      ) => Prisma.sql`(SELECT o.* FROM orders o WHERE ${raw(`o.${account}`)} = ${bytea(owner)} AND o.chain_id = ${chainId}
        ORDER BY o.created_at DESC, o.id DESC LIMIT ${offset + limit})`,
    ),
    ' UNION ALL ',
  )}) o ORDER BY o.created_at DESC, o.id DESC LIMIT ${limit} OFFSET ${offset}`

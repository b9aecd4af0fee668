import type { Hex } from '../../domain/evm/hex.ts'
import { type ProvenParams, provenance } from '../../domain/programmatic/merkle.ts'
import type { ProgrammaticKey } from '../../domain/programmatic/params.ts'
import { decodeProgrammaticSignature } from '../../domain/programmatic/signature.ts'
import { bytea, hexOf } from '../database/columns.ts'
import { type Db, sql, type Tx } from '../database/database.ts'
import { insertFoundOrders, linkOlderOrders } from './programmatic.ts'
import { newestRoots, setProofs } from './programmatic-roots.ts'

/** An order whose signature names a programmatic order that is not known, or may have a new proof of it. */
interface UnknownPart extends ProgrammaticKey {
  orderId: bigint
  signature: Hex
  createdAt: Date
}

interface UnknownPartRow {
  order_id: bigint
  owner: Uint8Array
  hash: Uint8Array
  signature: Uint8Array
  created_at: Date
}

/** Reads orders whose signatures are to be compared with the contract at a block, the most urgent first. */
export async function unknownParts(
  db: Db,
  chainId: number,
  { block, limit }: { block: number; limit: number },
): Promise<UnknownPart[]> {
  const rows = await sql(db).$queryRaw<UnknownPartRow[]>`
    SELECT p.order_id, p.owner, p.hash, o.signature, o.created_at FROM (SELECT pp.* FROM programmatic_parts pp
      WHERE pp.chain_id = ${chainId} AND pp.next_look <= ${block} ORDER BY pp.next_look, pp.order_id LIMIT ${limit}) p
    CROSS JOIN LATERAL (SELECT s.signature, s.created_at FROM orders s WHERE s.id = p.order_id LIMIT 1) o`
  return rows.map(({ order_id, owner, hash, signature, created_at }) => ({
    orderId: order_id,
    owner: hexOf(owner),
    hash: hexOf(hash),
    signature: hexOf(signature),
    createdAt: created_at,
  }))
}

/** The time for which a part is compared again: the book may have it before the index has its block. */
const triedForMs = 60_000

/**
 * Stores the programmatic orders of parts that the contract authorises at a block, which the caller holds: as
 * single orders, or by a proof that leads to the newest root of their owner. Those that are known are made
 * due, with that proof.
 */
export async function storePartsRead(
  tx: Tx,
  chainId: number,
  { number, time }: { number: number; time: Date },
  parts: readonly (UnknownPart & { isSingle: boolean })[],
): Promise<void> {
  const owners = [...new Set(parts.map(({ owner }) => owner))]
  const roots = new Map((await newestRoots(tx, chainId, owners)).map(({ owner, root }) => [owner, root]))
  const read = parts.map((part) => {
    const signed: ProvenParams | undefined = decodeProgrammaticSignature(part.signature)
    const root = roots.get(part.owner)
    const isProven = signed && root && provenance(root, signed) === 'proven'
    return { ...part, signed, root: isProven ? root : undefined }
  })
  const found = read.flatMap(({ owner, hash, signed, isSingle, root }) =>
    signed && (isSingle || root)
      ? [
          {
            owner,
            hash,
            params: signed.params,
            blockNumber: number,
            blockTime: time,
            proof: signed.proof,
            root,
          },
        ]
      : [],
  )
  const newOwners = await insertFoundOrders(tx, chainId, found, { source: 'order' })
  await sql(tx).$executeRaw`
    UPDATE programmatic_orders g SET next_look = 0
    FROM unnest(${found.map(({ owner }) => bytea(owner))}::bytea[], ${found.map(({ hash }) => bytea(hash))}::bytea[]) AS n(owner, hash)
    WHERE g.chain_id = ${chainId} AND g.owner = n.owner AND g.hash = n.hash AND (g.removed_block IS NOT NULL OR g.fault IS NOT NULL)`
  await setProofs(
    tx,
    chainId,
    found.flatMap(({ root, ...leaf }) => (root ? [{ ...leaf, root }] : [])),
  )
  await linkOlderOrders(tx, chainId, newOwners)
  const known = new Set(found.map(({ owner, hash }) => owner + hash))
  await sql(tx).$executeRaw`
    UPDATE programmatic_parts p SET next_look = n.next_look
    FROM unnest(${parts.map(({ orderId }) => orderId)}::bigint[], ${parts.map(({ owner, hash, createdAt }) =>
      !known.has(owner + hash) && time.getTime() < createdAt.getTime() + triedForMs
        ? BigInt(number + 1)
        : null,
    )}::bigint[]) AS n(order_id, next_look) WHERE p.order_id = n.order_id`
}

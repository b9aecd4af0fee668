import type { Address } from '../../domain/evm/address.ts'
import type { Bytes32, Hex } from '../../domain/evm/hex.ts'
import { leafLocations, type ProvenParams, readLoggedLeaves } from '../../domain/programmatic/merkle.ts'
import { type ProgrammaticKey, paramsId } from '../../domain/programmatic/params.ts'
import { bytea, hexOf, raw } from '../database/columns.ts'
import { sql, type Tx } from '../database/database.ts'
import { isOf } from './programmatic-status.ts'

/** The log of a root. */
export interface LoggedLeavesOf {
  owner: Address
  root: Bytes32
  location: bigint
  data: Hex | null
}

/** A leaf that leads to its root. Its proof is empty in a tree of the SDK, which no contract accepts. */
interface Leaf extends ProvenParams, ProgrammaticKey {
  root: Bytes32
}

/** The leaves in the log of a root that lead to it, by the hashing of the contract or of the SDK. */
export function leavesOf({ owner, root, location, data }: LoggedLeavesOf): Leaf[] {
  if (data === null || location !== BigInt(leafLocations.indexOf('emitted'))) return []
  const { proven = [], sdk = [] } = readLoggedLeaves(root, data) ?? {}
  return [...proven, ...sdk.map(({ params }) => ({ params, proof: [] }))].map((leaf) => ({
    ...leaf,
    owner,
    root,
    hash: paramsId(leaf.params),
  }))
}

/** SQL for the newest root of the owner of programmatic order `g`. */
export const newestRoot = `(SELECT r.root FROM programmatic_roots r WHERE r.chain_id = g.chain_id AND r.owner = g.owner
  ORDER BY r.block_number DESC, r.log_index DESC LIMIT 1)`

interface RootOfOwner {
  owner: Uint8Array
  root: Uint8Array
  location: string
  data: Uint8Array | null
}

/** Reads the newest root of each of these owners who has one. In SQL: one statement for all. */
export async function newestRoots(
  tx: Tx,
  chainId: number,
  owners: readonly Address[],
): Promise<LoggedLeavesOf[]> {
  const rows = await sql(tx).$queryRaw<RootOfOwner[]>`
    SELECT n.owner, r.root, r.location::text AS location, r.data FROM unnest(${owners.map(bytea)}::bytea[]) AS n(owner) CROSS JOIN LATERAL (
      SELECT pr.* FROM programmatic_roots pr WHERE pr.chain_id = ${chainId} AND pr.owner = n.owner
      ORDER BY pr.block_number DESC, pr.log_index DESC LIMIT 1) r`
  return rows.map(({ owner, root, location, data }) => ({
    owner: hexOf(owner),
    root: hexOf(root),
    location: BigInt(location),
    data: data && hexOf(data),
  }))
}

/** Orders of an owner whose signatures are compared with a new root. */
const comparedOrders = 100

/**
 * Makes those due whose authorisation a new root of these owners changes: the leaves that the contract
 * authorised, those of the newest root, which get its proofs, and the owners' newest orders, whose signatures
 * may have proofs of it.
 */
export async function followRoots(tx: Tx, chainId: number, owners: readonly Address[]): Promise<void> {
  if (owners.length === 0) return
  const keys = owners.map(bytea)
  await sql(tx).$executeRaw`
    UPDATE programmatic_orders g SET next_look = 0, looked_block = NULL
    WHERE g.chain_id = ${chainId} AND g.owner = ANY(${keys}::bytea[]) AND g.root IS NOT NULL
      AND (g.removed_block IS NULL OR g.root = ${raw(newestRoot)})`
  await setProofs(tx, chainId, (await newestRoots(tx, chainId, owners)).flatMap(leavesOf))
  await sql(tx).$executeRaw`
    UPDATE programmatic_parts SET next_look = 0 WHERE order_id IN (
      SELECT p.order_id FROM unnest(${keys}::bytea[]) AS n(owner) CROSS JOIN LATERAL (
        SELECT o.id AS order_id FROM orders o WHERE o.chain_id = ${chainId} AND o.owner = n.owner
        ORDER BY o.created_at DESC, o.id DESC LIMIT ${comparedOrders}) p)
    AND NOT EXISTS (SELECT FROM programmatic_orders g WHERE ${raw(isOf('programmatic_parts'))}
      AND g.root IS NULL AND g.removed_block IS NULL)`
}

const joined = (proof: readonly Bytes32[]): Hex => `0x${proof.map((node) => node.slice(2)).join('')}`

/** The nodes of a proof in a column. */
export function proofOf(column: Uint8Array): Bytes32[] {
  const nodes = hexOf(column).slice(2).match(/.{64}/g) ?? []
  return nodes.map((node) => `0x${node}` as const)
}

/** Sets the proofs of leaves: where one is new, the contract is to be read. In SQL: one statement for all. */
export async function setProofs(
  tx: Tx,
  chainId: number,
  leaves: readonly Omit<Leaf, 'params'>[],
): Promise<void> {
  if (leaves.length === 0) return
  await sql(tx).$executeRaw`
    UPDATE programmatic_orders g SET proof = NULLIF(n.proof, ''::bytea), root = n.root, next_look = 0, looked_block = NULL
    FROM unnest(${leaves.map(({ owner }) => bytea(owner))}::bytea[], ${leaves.map(({ hash }) => bytea(hash))}::bytea[],
      ${leaves.map(({ proof }) => bytea(joined(proof)))}::bytea[], ${leaves.map(({ root }) => bytea(root))}::bytea[])
      AS n(owner, hash, proof, root)
    WHERE g.chain_id = ${chainId} AND g.owner = n.owner AND g.hash = n.hash
      AND (g.root, g.proof) IS DISTINCT FROM (n.root, NULLIF(n.proof, ''::bytea))`
}

import type { Address } from '../../domain/evm/address.ts'
import type { Token } from '../../domain/token/token.ts'
import type { Checkpoint } from '../chain/log.ts'
import { bytea, hexOf } from '../database/columns.ts'
import { type Db, sql, type Tx } from '../database/database.ts'

export async function findTokens(
  db: Db,
  chainId: number,
  addresses: readonly Address[],
): Promise<Map<Address, Token>> {
  const rows = await sql(db).token.findMany({ where: { chainId, address: { in: addresses.map(bytea) } } })
  return new Map(
    rows.map(({ block: _, address, ...token }) => [hexOf(address), { ...token, address: hexOf(address) }]),
  )
}

/**
 * Stores tokens that were read in a block that the indexer has stored: a reorg of that block deletes them. A token that was read in
 * an unindexed block is not stored, since no rollback would ever delete it. The lock on the checkpoint orders this against the
 * indexer. While the indexer writes, nothing is stored, so that no client waits. In SQL: one statement, under a lock that does not wait.
 * @returns addresses of the tokens that were stored
 */
export async function storeReadTokens(
  db: Db,
  chainId: number,
  tokens: readonly (Token & { block: Checkpoint })[],
): Promise<Set<Address>> {
  const addresses = tokens.map(({ address }) => bytea(address))
  const numbers = tokens.map(({ block }) => BigInt(block.number))
  const hashes = tokens.map(({ block }) => bytea(block.hash))
  const rows = await sql(db).$queryRaw<{ address: Uint8Array }[]>`
    INSERT INTO tokens (chain_id, address, symbol, name, decimals, block)
    SELECT ${chainId}, t.address, t.symbol, t.name, t.decimals, t.block
    FROM unnest(${addresses}::bytea[], ${tokens.map(({ symbol }) => symbol)}::text[],
        ${tokens.map(({ name }) => name)}::text[], ${tokens.map(({ decimals }) => decimals)}::int[],
        ${numbers}::bigint[], ${hashes}::bytea[]) AS t(address, symbol, name, decimals, block, hash)
      JOIN blocks b ON b.chain_id = ${chainId} AND b.number = t.block AND b.hash = t.hash
      CROSS JOIN (SELECT 1 FROM checkpoints WHERE chain_id = ${chainId} FOR SHARE SKIP LOCKED) AS held
    ORDER BY t.address
    ON CONFLICT DO NOTHING
    RETURNING address`
  return new Set(rows.map(({ address }) => hexOf(address)))
}

/** Deletes tokens that were read at this block or later: after the reorg another contract may be at their addresses. */
export async function forgetTokensReadFrom(tx: Tx, chainId: number, block: number): Promise<void> {
  await sql(tx).token.deleteMany({ where: { chainId, block: { gte: BigInt(block) } } })
}

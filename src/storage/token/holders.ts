import { maxUint256 } from '../../domain/amount.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { TokenHolder } from '../../domain/token/token.ts'
import { bytea, hexOf, json, raw } from '../database/columns.ts'
import { type Db, sql, type Tx } from '../database/database.ts'

/** Change of an account's balance in a block, in atoms; negative for a loss. */
export interface BalanceChange {
  token: Address
  holder: Address
  blockNumber: number
  change: bigint
}

/** Transfers of tokens in the blocks after `from`, up to and including `to`. */
export interface RangeChanges {
  tokens: readonly Address[]
  from: number
  to: number
  /** One for each token, account and block. */
  changes: readonly BalanceChange[]
  /** Blocks in which a token wrote a transfer log that cannot be decoded. */
  unreadable: readonly { token: Address; blockNumber: number }[]
}

/**
 * Registers tokens to be indexed from a block. A token with another block than before starts again; of two
 * entries for a token the earlier block counts. In SQL: one statement for all of them, which updates on a
 * condition.
 */
export async function registerHolderTokens(
  db: Db,
  chainId: number,
  tokens: readonly { address: Address; fromBlock: number }[],
): Promise<void> {
  await sql(db).$executeRaw`
    INSERT INTO holder_tokens AS h (chain_id, address, from_block, indexed_to)
    SELECT ${chainId}, t.address, min(t.from_block), min(t.from_block) - 1
    FROM unnest(${tokens.map(({ address }) => bytea(address))}::bytea[],
      ${tokens.map(({ fromBlock }) => BigInt(fromBlock))}::bigint[]) AS t(address, from_block)
    GROUP BY t.address
    ON CONFLICT (chain_id, address) DO UPDATE SET from_block = EXCLUDED.from_block, indexed_to = NULL, fault_block = NULL
    WHERE h.from_block <> EXCLUDED.from_block`
}

/**
 * Applies a block range to the tokens that are indexed up to a block within it; the other tokens stay
 * unchanged. The caller holds the chain's checkpoint. Changes are stored for blocks above the lowest block
 * whose hash is stored: a rollback below that clears everything. A balance below 0 or above uint256 at the
 * end of a block is a fault. In SQL: one statement that adds.
 */
export async function applyBalanceChanges(
  tx: Tx,
  chainId: number,
  { tokens, from, to, changes, unreadable }: RangeChanges,
): Promise<void> {
  await sql(tx).$executeRaw`
    WITH followed AS (
      SELECT id, address, indexed_to FROM holder_tokens
      WHERE chain_id = ${chainId} AND address = ANY(${tokens.map(bytea)}::bytea[]) AND indexed_to >= ${from} AND indexed_to < ${to}
      FOR UPDATE
    ), change AS (
      SELECT f.id, c.holder, c.block_number, c.change
      FROM unnest(${changes.map(({ token }) => bytea(token))}::bytea[], ${changes.map(({ holder }) => bytea(holder))}::bytea[],
        ${changes.map(({ blockNumber }) => BigInt(blockNumber))}::bigint[], ${changes.map(({ change }) => String(change))}::numeric[])
        AS c(address, holder, block_number, change)
      JOIN followed f ON f.address = c.address AND c.block_number > f.indexed_to
    ), kept AS (
      INSERT INTO token_balance_changes (token_id, holder, block_number, change)
      SELECT id, holder, block_number, change FROM change
      WHERE block_number > (SELECT min(number) FROM blocks WHERE chain_id = ${chainId})
    ), written AS (
      INSERT INTO token_balances AS b (token_id, holder, balance)
      SELECT id, holder, sum(change) FROM change GROUP BY id, holder
      ON CONFLICT (token_id, holder) DO UPDATE SET balance = b.balance + EXCLUDED.balance
    ), running AS (
      SELECT c.id, c.block_number, coalesce(b.balance, 0)
        + sum(c.change) OVER (PARTITION BY c.id, c.holder ORDER BY c.block_number) AS balance
      FROM change c LEFT JOIN token_balances b ON b.token_id = c.id AND b.holder = c.holder
    ), fault AS (
      SELECT id, block_number FROM running WHERE balance NOT BETWEEN 0 AND ${String(maxUint256)}::numeric
      UNION ALL
      SELECT f.id, u.block_number
      FROM unnest(${unreadable.map(({ token }) => bytea(token))}::bytea[],
        ${unreadable.map(({ blockNumber }) => BigInt(blockNumber))}::bigint[]) AS u(address, block_number)
      JOIN followed f ON f.address = u.address AND u.block_number > f.indexed_to
    )
    UPDATE holder_tokens h SET indexed_to = ${to},
      fault_block = coalesce(h.fault_block, (SELECT min(block_number) FROM fault WHERE fault.id = h.id))
    FROM followed f WHERE f.id = h.id`
}

/** Undoes the changes of blocks above `block`. Null is before the first block: every token starts again. */
export async function rollbackBalances(tx: Tx, chainId: number, block: number | null): Promise<void> {
  if (block === null) {
    await sql(tx).holderToken.updateMany({ where: { chainId }, data: { indexedTo: null, faultBlock: null } })
    return
  }
  // In SQL: balances are subtracted from.
  await sql(tx).$executeRaw`
    WITH undone AS (
      DELETE FROM token_balance_changes c USING holder_tokens h
      WHERE h.chain_id = ${chainId} AND c.token_id = h.id AND c.block_number > ${block}
      RETURNING c.token_id, c.holder, c.change
    ), taken_back AS (
      UPDATE token_balances b SET balance = b.balance - u.change
      FROM (SELECT token_id, holder, sum(change) AS change FROM undone GROUP BY token_id, holder) u
      WHERE b.token_id = u.token_id AND b.holder = u.holder
    )
    UPDATE holder_tokens SET indexed_to = greatest(${block}, from_block - 1),
      fault_block = CASE WHEN fault_block <= ${block} THEN fault_block END
    WHERE chain_id = ${chainId} AND indexed_to > ${block}`
}

/** Deletes the changes of final blocks. In SQL: one statement over two tables. */
export async function forgetBalanceChanges(db: Db, chainId: number, block: number): Promise<void> {
  await sql(db).$executeRaw`
    DELETE FROM token_balance_changes c USING holder_tokens h
    WHERE h.chain_id = ${chainId} AND c.token_id = h.id AND c.block_number <= ${block}`
}

interface TokenProgress {
  address: Address
  /** null: the stored balances are invalid and must be cleared. */
  indexedTo: number | null
}

/** Tokens that are not indexed up to `block`: those to be cleared, then the furthest behind, by address. */
export async function tokensBehind(
  db: Db,
  chainId: number,
  tokens: readonly Address[],
  block: number,
): Promise<TokenProgress[]> {
  const rows = await sql(db).holderToken.findMany({
    where: {
      chainId,
      address: { in: tokens.map(bytea) },
      OR: [{ indexedTo: null }, { indexedTo: { lt: BigInt(block) } }],
    },
    orderBy: [{ indexedTo: { sort: 'asc', nulls: 'first' } }, { address: 'asc' }],
  })
  return rows.map(({ address, indexedTo }) => ({
    address: hexOf(address),
    indexedTo: indexedTo === null ? null : Number(indexedTo),
  }))
}

/**
 * Deletes up to `limit` balances of a token that starts again; once none is left, its indexing starts. In
 * SQL: a batch under a lock.
 */
export async function clearBalances(db: Db, chainId: number, token: Address, limit: number): Promise<void> {
  await sql(db).$executeRaw`
    WITH cleared AS (SELECT id FROM holder_tokens WHERE chain_id = ${chainId} AND address = ${bytea(token)} AND indexed_to IS NULL FOR UPDATE),
    changes AS (DELETE FROM token_balance_changes WHERE token_id = (SELECT id FROM cleared)),
    batch AS (SELECT holder FROM token_balances WHERE token_id = (SELECT id FROM cleared) LIMIT ${limit}),
    gone AS (DELETE FROM token_balances WHERE token_id = (SELECT id FROM cleared) AND holder IN (SELECT holder FROM batch))
    UPDATE holder_tokens SET indexed_to = from_block - 1
    WHERE id = (SELECT id FROM cleared) AND (SELECT count(*) FROM batch) < ${limit}`
}

/** How far a token's balances are indexed. */
export interface HolderProgress {
  /** null while the balances are cleared to start again. */
  indexedTo: number | null
  faultBlock: number | null
  /** The newest block whose logs are stored; null before the first. */
  checkpoint: number | null
}

/** A token's largest holders. */
interface HolderIndex extends HolderProgress {
  /** Largest balance first; ties by address. */
  holders: TokenHolder[]
}

interface ProgressRow {
  indexed_to: bigint | null
  fault_block: bigint | null
  checkpoint: bigint | null
}

const numberOrNull = (value: bigint | null) => (value === null ? null : Number(value))

const progressOf = ({ indexed_to, fault_block, checkpoint }: ProgressRow): HolderProgress => ({
  indexedTo: numberOrNull(indexed_to),
  faultBlock: numberOrNull(fault_block),
  checkpoint: numberOrNull(checkpoint),
})

const progressColumns = raw(
  'h.indexed_to, h.fault_block, (SELECT block_number FROM checkpoints c WHERE c.chain_id = h.chain_id) AS checkpoint',
)

const holdersJson = raw(
  `coalesce(json_agg(json_build_array(${json.hex('b.holder')}, ${json.amount('b.balance')}) ORDER BY b.balance DESC, b.holder), '[]')`,
)

/**
 * Finds the largest holders of the registered ones among these tokens. In SQL: a client waits for it, and one
 * statement reads three tables.
 */
export async function findHolders(
  db: Db,
  chainId: number,
  tokens: readonly Address[],
  limit: number,
): Promise<Map<Address, HolderIndex>> {
  const rows = await sql(db).$queryRaw<
    (ProgressRow & { address: Uint8Array; holders: [Address, string][] })[]
  >`
    SELECT ${progressColumns}, h.address,
      (SELECT ${holdersJson} FROM (SELECT holder, balance FROM token_balances WHERE token_id = h.id AND balance > 0
        ORDER BY balance DESC, holder LIMIT ${limit}) b) AS holders
    FROM holder_tokens h WHERE h.chain_id = ${chainId} AND h.address = ANY(${tokens.map(bytea)}::bytea[])`
  return new Map(
    rows.map((row) => [
      hexOf(row.address),
      {
        ...progressOf(row),
        holders: row.holders.map(([address, balance]) => ({ address, balance: BigInt(balance) })),
      },
    ]),
  )
}

/**
 * Each registered token of a chain, with its holders among these accounts. In SQL: a client waits for it, and
 * one statement reads three tables.
 */
export async function findHeld(
  db: Db,
  chainId: number,
  owners: readonly Address[],
): Promise<Map<Address, HolderProgress & { heldBy: ReadonlySet<Address> }>> {
  const rows = await sql(db).$queryRaw<(ProgressRow & { address: Uint8Array; held_by: Address[] })[]>`
    SELECT ${progressColumns}, h.address,
      (SELECT coalesce(json_agg(${raw(json.hex('b.holder'))}), '[]') FROM token_balances b
        WHERE b.token_id = h.id AND b.holder = ANY(${owners.map(bytea)}::bytea[]) AND b.balance > 0) AS held_by
    FROM holder_tokens h WHERE h.chain_id = ${chainId}`
  return new Map(
    rows.map((row) => [hexOf(row.address), { ...progressOf(row), heldBy: new Set(row.held_by) }]),
  )
}

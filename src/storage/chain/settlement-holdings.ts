import type { Address } from '../../domain/evm/address.ts'
import { addressWord, type LoggedRight, type Right, type RightKind } from '../../domain/settlement/rights.ts'
import { amountOf, bytea, hexOf, numeric } from '../database/columns.ts'
import { type Db, sql, type Tx } from '../database/database.ts'
import type { SettlementRight as RightRow } from '../generated/client.ts'

/** How far the logs of a settlement contract's tokens and rights are read. */
export interface HoldingIndex {
  fromBlock: number
  /** The last block that is read; the one before `fromBlock` at the start. */
  block: number
  /**
   * The first block of which something is not stored: there were as many tokens or rights as are kept, or it
   * cannot be read.
   */
  missedBlock: number | null
}

/** Changes from the logs of the blocks after the index, up to and including `to`. */
interface HoldingRange {
  to: number
  /** Blocks up to it are never undone. */
  final: number
  tokens: ReadonlyMap<Address, number>
  rights: readonly (LoggedRight & { blockNumber: number })[]
  /** Limit of kept tokens, and of kept rights. */
  max: number
  /** Logs of this block cannot be read. */
  missedBlock?: number
}

export async function findHoldingIndex(db: Db, chainId: number): Promise<HoldingIndex | null> {
  const row = await sql(db).settlementHoldingIndex.findUnique({ where: { chainId } })
  return (
    row && {
      fromBlock: Number(row.fromBlock),
      block: Number(row.blockNumber),
      missedBlock: row.missedBlock === null ? null : Number(row.missedBlock),
    }
  )
}

/** Begins at a block; stored rows stay. */
export async function startHoldingIndex(db: Db, chainId: number, fromBlock: number): Promise<void> {
  const data = { fromBlock: BigInt(fromBlock), blockNumber: BigInt(fromBlock) - 1n, missedBlock: null }
  await sql(db).settlementHoldingIndex.upsert({
    where: { chainId },
    create: { chainId, ...data },
    update: data,
  })
}

/**
 * Stores a range of blocks and moves the index. The caller holds the chain's checkpoint.
 * @returns false when the index is not at `from`: another process or a reorg has moved it
 */
export async function storeHoldings(
  tx: Tx,
  chainId: number,
  from: HoldingIndex,
  { to, final, tokens, rights, max, missedBlock }: HoldingRange,
): Promise<boolean> {
  const { count } = await sql(tx).settlementHoldingIndex.updateMany({
    where: { chainId, blockNumber: BigInt(from.block), fromBlock: BigInt(from.fromBlock) },
    data: { blockNumber: BigInt(to) },
  })
  if (count !== 1) return false
  const missed = [
    missedBlock,
    tokens.size > 0 ? await insertTokens(tx, chainId, tokens, max) : null,
    rights.length > 0 ? await writeRights(tx, chainId, rights, max) : null,
  ].flatMap((block) => block ?? [])
  if (missed.length > 0 && from.missedBlock === null)
    await sql(tx).settlementHoldingIndex.update({
      where: { chainId },
      data: { missedBlock: BigInt(Math.min(...missed)) },
    })
  await sql(tx).settlementRight.deleteMany({
    where: { chainId, value: numeric(0n), readBlock: { lte: BigInt(final) } },
  })
  return true
}

/** @returns the first block with a token that has no place. In SQL: one statement that counts and inserts. */
async function insertTokens(
  tx: Tx,
  chainId: number,
  tokens: HoldingRange['tokens'],
  max: number,
): Promise<number | null> {
  const [row] = await sql(tx).$queryRaw<{ missed: bigint | null }[]>`
    WITH fresh AS (
      SELECT token, block, row_number() OVER (ORDER BY block, token) AS place
      FROM unnest(${[...tokens.keys()].map(bytea)}::bytea[], ${[...tokens.values()].map(BigInt)}::bigint[]) AS f(token, block)
      WHERE NOT EXISTS (SELECT 1 FROM settlement_tokens t WHERE t.chain_id = ${chainId} AND t.token = f.token)
    ), placed AS (
      SELECT *, place <= ${max} - (SELECT count(*) FROM settlement_tokens WHERE chain_id = ${chainId}) AS fits FROM fresh
    ), kept AS (
      INSERT INTO settlement_tokens (chain_id, token, first_block) SELECT ${chainId}, token, block FROM placed WHERE fits
    )
    SELECT min(block) AS missed FROM placed WHERE NOT fits`
  return row?.missed == null ? null : Number(row.missed)
}

/**
 * Stores ends too: a log is no proof that a right has ended, and a reorg can leave the right in place.
 * @returns the first block with a right that has no place. In SQL: one statement that counts, inserts and
 *   updates.
 */
async function writeRights(
  tx: Tx,
  chainId: number,
  rights: HoldingRange['rights'],
  max: number,
): Promise<number | null> {
  const [row] = await sql(tx).$queryRaw<{ missed: bigint | null }[]>`
    WITH found AS (
      SELECT f.*, EXISTS (SELECT 1 FROM settlement_rights r WHERE r.chain_id = ${chainId} AND r.contract = f.contract
        AND r.kind = f.kind AND r.grantee = f.grantee AND r.subject = f.subject) AS known
      FROM unnest(${rights.map(({ contract }) => bytea(contract))}::bytea[], ${rights.map(({ kind }) => kind)}::text[],
        ${rights.map(({ grantee }) => bytea(grantee))}::bytea[], ${rights.map(({ subject }) => subjectColumn(subject))}::bytea[],
        ${rights.map(({ blockNumber }) => BigInt(blockNumber))}::bigint[], ${rights.map(({ value }) => String(value))}::numeric[])
        AS f(contract, kind, grantee, subject, block, value)
    ), placed AS (
      SELECT *, known OR row_number() OVER (PARTITION BY known ORDER BY block, contract, kind, grantee, subject)
        <= ${max} - (SELECT count(*) FROM settlement_rights WHERE chain_id = ${chainId}) AS fits
      FROM found
    ), written AS (
      INSERT INTO settlement_rights AS r (chain_id, contract, kind, grantee, subject, block_number, value)
      SELECT ${chainId}, contract, kind, grantee, subject, block, value FROM placed WHERE fits
      ON CONFLICT (chain_id, contract, kind, grantee, subject)
      DO UPDATE SET block_number = EXCLUDED.block_number, value = EXCLUDED.value, read_block = NULL
    )
    SELECT min(block) AS missed FROM placed WHERE NOT fits`
  return row?.missed == null ? null : Number(row.missed)
}

/** Undoes blocks above `block`: rights that they changed have to be read. Null is before the first block. */
export async function rollbackHoldings(tx: Tx, chainId: number, block: number | null): Promise<void> {
  const client = sql(tx)
  if (block === null) {
    await client.settlementHoldingIndex.deleteMany({ where: { chainId } })
    await client.settlementToken.deleteMany({ where: { chainId } })
    await client.settlementRight.deleteMany({ where: { chainId } })
    return
  }
  // In SQL: one statement, whose first part decides whether there is more to do.
  await client.$executeRaw`
    WITH moved AS (
      UPDATE settlement_holding_indexes SET block_number = greatest(${block}, from_block - 1),
        missed_block = CASE WHEN missed_block <= ${block} THEN missed_block END
      WHERE chain_id = ${chainId} AND block_number > ${block} RETURNING chain_id
    ), gone AS (
      DELETE FROM settlement_tokens t USING moved m WHERE t.chain_id = m.chain_id AND t.first_block > ${block}
    )
    UPDATE settlement_rights r SET value = NULL, read_block = NULL, block_number = least(r.block_number, ${block}) FROM moved m
    WHERE r.chain_id = m.chain_id AND greatest(r.block_number, r.read_block) > ${block}`
}

/** Tokens that the settlement contract received: first those traded here, then the oldest. */
export async function settlementTokens(
  db: Db,
  chainId: number,
  limit: number,
): Promise<{ token: Address; firstBlock: number }[]> {
  const rows = await sql(db).$queryRaw<{ token: Uint8Array; first_block: bigint }[]>`
    SELECT t.token, t.first_block FROM settlement_tokens t WHERE t.chain_id = ${chainId}
    ORDER BY NOT EXISTS (SELECT FROM price_series p WHERE p.chain_id = t.chain_id AND p.token = t.token), t.first_block, t.token
    LIMIT ${limit}`
  return rows.map(({ token, first_block }) => ({ token: hexOf(token), firstBlock: Number(first_block) }))
}

/** A right as it is stored. */
interface StoredRight extends Right {
  /** Null where a reorg has made it unknown. */
  value: bigint | null
  /** Block of its last log. */
  block: number
}

interface RightFilter {
  /** The contract that honours it, or the token that it is limited to. */
  token?: Address | undefined
  grantee?: Address | undefined
  limit: number
}

/** Rights that the settlement contract gave and that are not known to have ended, oldest first. */
export async function settlementRights(
  db: Db,
  chainId: number,
  { token, grantee, limit }: RightFilter,
): Promise<StoredRight[]> {
  const rows = await sql(db).settlementRight.findMany({
    where: {
      chainId,
      ...notEnded,
      ...(grantee && { grantee: bytea(grantee) }),
      ...(token && { AND: [{ OR: [{ contract: bytea(token) }, { subject: bytea(addressWord(token)) }] }] }),
    },
    orderBy: [
      { blockNumber: 'asc' },
      { contract: 'asc' },
      { kind: 'asc' },
      { grantee: 'asc' },
      { subject: 'asc' },
    ],
    take: limit,
  })
  return rows.map(toRight)
}

/** Rights that were not read since their last log, then those last read in block `before` or earlier. */
export async function rightsToRead(
  db: Db,
  chainId: number,
  { before, limit }: { before: number; limit: number },
): Promise<Right[]> {
  const rows = await sql(db).settlementRight.findMany({
    where: {
      chainId,
      ...notEnded,
      AND: [{ OR: [{ readBlock: null }, { readBlock: { lte: BigInt(before) } }] }],
    },
    orderBy: { readBlock: { sort: 'asc', nulls: 'first' } },
    take: limit,
  })
  return rows.map(toRight)
}

/** Stores values of rights as read at a block, which the caller holds. In SQL: one statement for all. */
export async function storeReadRights(
  tx: Tx,
  chainId: number,
  block: number,
  rights: readonly LoggedRight[],
): Promise<void> {
  await sql(tx).$executeRaw`
    UPDATE settlement_rights r SET value = f.value, read_block = ${block}
    FROM unnest(${rights.map(({ contract }) => bytea(contract))}::bytea[], ${rights.map(({ kind }) => kind)}::text[],
      ${rights.map(({ grantee }) => bytea(grantee))}::bytea[], ${rights.map(({ subject }) => subjectColumn(subject))}::bytea[],
      ${rights.map(({ value }) => String(value))}::numeric[]) AS f(contract, kind, grantee, subject, value)
    WHERE r.chain_id = ${chainId} AND r.contract = f.contract AND r.kind = f.kind AND r.grantee = f.grantee
      AND r.subject = f.subject AND r.block_number <= ${block}`
}

/** How many tokens are known, and how many rights are not known to have ended. */
export async function countHoldings(db: Db, chainId: number): Promise<{ tokens: number; rights: number }> {
  const [tokens, rights] = await Promise.all([
    sql(db).settlementToken.count({ where: { chainId } }),
    sql(db).settlementRight.count({ where: { chainId, ...notEnded } }),
  ])
  return { tokens, rights }
}

/** Matches rights that were not read as ended: their contract can log an end and honour them. */
const notEnded = { OR: [{ value: null }, { value: { not: numeric(0n) } }, { readBlock: null }] }

function toRight(row: RightRow): StoredRight {
  return {
    kind: row.kind as RightKind,
    contract: hexOf(row.contract),
    grantee: hexOf(row.grantee),
    subject: row.subject.length === 0 ? null : hexOf(row.subject),
    value: row.value && amountOf(row.value),
    block: Number(row.blockNumber),
  }
}

const subjectColumn = (subject: Right['subject']) => bytea(subject ?? '0x')

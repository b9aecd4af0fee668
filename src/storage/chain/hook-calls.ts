import type { Address } from '../../domain/evm/address.ts'
import type { Bytes32 } from '../../domain/evm/hex.ts'
import type { HookPhase, HookResult, UnknownHookReason } from '../../domain/settlement/hooks.ts'
import { bytea, hexOf } from '../database/columns.ts'
import { type Db, sql, type Tx } from '../database/database.ts'

/** A hook that was due with a trade. */
export interface DueHookCall {
  chainId: number
  /** The place of the trade's log. */
  blockNumber: number
  logIndex: number
  phase: HookPhase
  position: number
  orderId: bigint
  txHash: Bytes32
  target: Address
}

/** Writes hooks whose outcomes are to be read. Idempotent. */
export async function insertHookCalls(tx: Tx, rows: readonly DueHookCall[]): Promise<void> {
  if (rows.length === 0) return
  await sql(tx).hookCall.createMany({
    data: rows.map((row) => ({
      ...row,
      blockNumber: BigInt(row.blockNumber),
      txHash: bytea(row.txHash),
      target: bytea(row.target),
    })),
    skipDuplicates: true,
  })
}

/** A transaction with hooks whose outcomes are to be read. */
export interface UnreadHooks {
  blockNumber: number
  txHash: Bytes32
}

/**
 * Finds transactions to read, those with the fewest tries first, then the oldest. In SQL: Prisma's `distinct`
 * reads every row.
 * @param maxTries transactions with more tries are left out
 */
export async function unreadHooks(
  db: Db,
  chainId: number,
  { maxTries, limit }: { maxTries: number; limit: number },
): Promise<UnreadHooks[]> {
  const rows = await sql(db).$queryRaw<{ block: bigint; tx: Uint8Array }[]>`
    SELECT DISTINCT tries, block_number AS block, tx_hash AS tx FROM hook_calls
    WHERE chain_id = ${chainId} AND unknown = 'notYetRead' AND tries <= ${maxTries}
    ORDER BY tries, block_number, tx_hash LIMIT ${limit}`
  return rows.map(({ block, tx }) => ({ blockNumber: Number(block), txHash: hexOf(tx) }))
}

const unreadOf = (chainId: number, { blockNumber, txHash }: UnreadHooks) => ({
  chainId,
  blockNumber: BigInt(blockNumber),
  txHash: bytea(txHash),
  unknown: 'notYetRead',
})

/** The hooks of a transaction that are to be read, in the order of their list. */
export async function unreadHookCalls(tx: Tx, chainId: number, of: UnreadHooks): Promise<DueHookCall[]> {
  const rows = await sql(tx).hookCall.findMany({
    where: unreadOf(chainId, of),
    orderBy: [{ logIndex: 'asc' }, { position: 'asc' }],
  })
  return rows.map((row) => ({
    ...of,
    chainId,
    logIndex: row.logIndex,
    position: row.position,
    orderId: row.orderId,
    phase: row.phase as HookPhase,
    target: hexOf(row.target),
  }))
}

/** The known outcome of a hook. */
export type ReadHookCall = Pick<DueHookCall, 'chainId' | 'blockNumber' | 'logIndex' | 'phase' | 'position'> &
  (HookResult | { unknown: UnknownHookReason })

/** Stores read outcomes. In SQL: each row has its own values. */
export async function storeHookCalls(tx: Tx, rows: readonly ReadHookCall[]): Promise<void> {
  const resultOf = (row: ReadHookCall) => ('outcome' in row ? row : null)
  await sql(tx).$executeRaw`
    UPDATE hook_calls h SET outcome = n.outcome, reason = n.reason, gas_used = n.gas, unknown = n.unknown
    FROM unnest(${rows.map(({ chainId }) => chainId)}::int[], ${rows.map(({ blockNumber }) => BigInt(blockNumber))}::bigint[],
      ${rows.map(({ logIndex }) => logIndex)}::int[], ${rows.map(({ phase }) => phase)}::text[],
      ${rows.map(({ position }) => position)}::int[], ${rows.map((row) => resultOf(row)?.outcome ?? null)}::text[],
      ${rows.map((row) => resultOf(row)?.reason ?? null)}::text[], ${rows.map((row) => resultOf(row)?.gasUsed ?? null)}::bigint[],
      ${rows.map((row) => ('unknown' in row ? row.unknown : null))}::text[])
      AS n(chain_id, block_number, log_index, phase, position, outcome, reason, gas, unknown)
    WHERE h.chain_id = n.chain_id AND h.block_number = n.block_number AND h.log_index = n.log_index AND h.phase = n.phase
      AND h.position = n.position AND h.unknown = 'notYetRead'`
}

/**
 * Counts a read that failed. After `maxTries`, or if `isFinal`, the outcomes stay unknown.
 * In SQL: the row's own count decides.
 */
export async function countFailedRead(
  db: Db,
  chainId: number,
  { blockNumber, txHash }: UnreadHooks,
  { reason, isFinal, maxTries }: { reason: UnknownHookReason; isFinal: boolean; maxTries: number },
): Promise<void> {
  await sql(db).$executeRaw`
    UPDATE hook_calls SET tries = tries + 1,
      unknown = CASE WHEN ${isFinal} OR tries + 1 >= ${maxTries} THEN ${reason} ELSE unknown END
    WHERE chain_id = ${chainId} AND block_number = ${blockNumber} AND tx_hash = ${bytea(txHash)} AND unknown = 'notYetRead'`
}

import type { Address } from '../../domain/evm/address.ts'
import type { Bytes32 } from '../../domain/evm/hex.ts'
import { bytea, hexOf } from '../database/columns.ts'
import { type Db, sql } from '../database/database.ts'

interface NewBan {
  chainId: number
  solver: Address
  /** The settlement that it is for. */
  txHash: Bytes32
  block: number
  reason: string
  at: Date
}

/** Length of a ban in blocks: doubled for each ban of the solver since a time, up to the longest. */
interface BanLength {
  first: number
  max: number
  since: Date
}

/**
 * Stores a ban. In SQL: its length follows from the other bans.
 * @returns its last block; undefined if there is a ban for this settlement
 */
export async function storeBan(
  db: Db,
  { chainId, txHash, block, reason, at, ...ban }: NewBan,
  { first, max, since }: BanLength,
): Promise<number | undefined> {
  const solver = bytea(ban.solver)
  const [row] = await sql(db).$queryRaw<{ until_block: bigint }[]>`
    INSERT INTO solver_bans (chain_id, solver, tx_hash, block, until_block, reason, at)
    SELECT ${chainId}::int, ${solver}::bytea, ${bytea(txHash)}::bytea, ${block}::bigint,
      ${block}::bigint + least(${first}::bigint * (2 ^ least(count(*), 30))::bigint, ${max}::bigint), ${reason}::text, ${at}::timestamptz
    FROM solver_bans WHERE chain_id = ${chainId} AND solver = ${solver} AND at > ${since}
    ON CONFLICT DO NOTHING RETURNING until_block`
  return row && Number(row.until_block)
}

/** The last banned block of each solver. */
export async function bansAt(db: Db, chainId: number, block: number): Promise<Map<Address, number>> {
  const rows = await sql(db).solverBan.groupBy({
    by: ['solver'],
    where: { chainId, untilBlock: { gte: BigInt(block) } },
    _max: { untilBlock: true },
  })
  return new Map(rows.map(({ solver, _max }) => [hexOf(solver), Number(_max.untilBlock)]))
}

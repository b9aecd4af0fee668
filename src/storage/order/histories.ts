import type { Address } from '../../domain/evm/address.ts'
import { bytea, hexOf } from '../database/columns.ts'
import { type Db, sql, type Tx } from '../database/database.ts'

/** Facts of older blocks are not notified: their orders were over when they were read. */
export const notifiedMs = 600_000

/**
 * Requests the trades of an account before the first indexed block, once. In SQL: that block is in another
 * row.
 * @param firstBlock the first block that can hold a trade
 */
export async function requestHistory(
  db: Db,
  chainId: number,
  account: Address,
  firstBlock: number,
): Promise<void> {
  await sql(db).$executeRaw`INSERT INTO account_histories (chain_id, account, unread_to, turn_at)
    SELECT chain_id, ${bytea(account)}, indexed_from - 1, now() FROM order_books
    WHERE chain_id = ${chainId} AND indexed_from > ${firstBlock} ON CONFLICT DO NOTHING`
}

/** Accounts whose trades are read up to the same block. */
export interface HistoryTurn {
  accounts: Address[]
  /** The last block that is not read yet. */
  to: number
}

/** Accounts of one request for logs. */
const maxAccounts = 50

/**
 * The account that waits longest for its turn, with others that are read as far; undefined when all are read.
 * In SQL: its place decides about the others.
 */
export async function nextHistory(db: Db, chainId: number): Promise<HistoryTurn | undefined> {
  const rows = await sql(db).$queryRaw<{ account: Uint8Array; unread_to: bigint }[]>`
    WITH next AS (
      SELECT unread_to FROM account_histories WHERE chain_id = ${chainId} AND unread_to >= 0 ORDER BY turn_at LIMIT 1
    )
    SELECT account, h.unread_to FROM account_histories h, next
    WHERE h.chain_id = ${chainId} AND h.unread_to >= 0 AND h.unread_to = next.unread_to
    ORDER BY turn_at LIMIT ${maxAccounts}`
  const [first] = rows
  return first && { accounts: rows.map(({ account }) => hexOf(account)), to: Number(first.unread_to) }
}

/** Notes that the trades of these accounts are read from the end of the turn down to block `from`. */
export async function endTurn(
  tx: Tx,
  chainId: number,
  { accounts, to }: HistoryTurn,
  { from, firstBlock }: { from: number; firstBlock: number },
): Promise<void> {
  await sql(tx).accountHistory.updateMany({
    where: { chainId, account: { in: accounts.map(bytea) }, unreadTo: BigInt(to) },
    data: { unreadTo: BigInt(from > firstBlock ? from - 1 : -1), turnAt: new Date() },
  })
}

/** Reports whether the list of an account's orders was read to its end. */
export async function isListed(db: Db, chainId: number, account: Address): Promise<boolean> {
  const where = { chainId_account: { chainId, account: bytea(account) } }
  return (await sql(db).accountHistory.findUnique({ where }))?.isListed ?? false
}

/** Notes that the list of an account's orders was read to its end. */
export async function noteListed(db: Db, chainId: number, account: Address): Promise<void> {
  const key = { chainId, account: bytea(account) }
  await sql(db).accountHistory.upsert({
    where: { chainId_account: key },
    create: { ...key, unreadTo: -1n, turnAt: new Date(), isListed: true },
    update: { isListed: true },
  })
}

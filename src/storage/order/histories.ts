import type { Address } from '../../domain/evm/address.ts'
import type { Clock } from '../../domain/log.ts'
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
interface HistoryTurn {
  accounts: Address[]
  /** The last block that is not read yet. */
  to: number
}

/** Accounts of one request for logs. */
const maxAccounts = 50

/**
 * The account that waits longest for its turn, with others that are read as far; undefined when all are read.
 * In SQL: the place of the first account decides about the others.
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

/**
 * Creates a check whether accounts of a chain wait for their turn. One statement in `everyMs` serves all
 * networks of a process. In SQL: a probe for each chain.
 */
export function createTurnCheck(db: Db, now: Clock, everyMs = 500): (chainId: number) => Promise<boolean> {
  let readAt = Number.NEGATIVE_INFINITY
  let chains: Promise<Set<number>>
  const read = async () => {
    const rows = await sql(db).$queryRaw<{ chainId: number }[]>`
      SELECT chain_id AS "chainId" FROM order_books b
      WHERE EXISTS (SELECT FROM account_histories h WHERE h.chain_id = b.chain_id AND h.unread_to >= 0)`
    return new Set(rows.map(({ chainId }) => chainId))
  }
  return async (chainId) => {
    if (now() - readAt >= everyMs) {
      readAt = now()
      chains = read()
    }
    return (await chains).has(chainId)
  }
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

/** Reports whether all trades of an account before the first indexed block are read. */
export async function isHistoryRead(db: Db, chainId: number, account: Address): Promise<boolean> {
  const where = { chainId_account: { chainId, account: bytea(account) } }
  const row = await sql(db).accountHistory.findUnique({ where, select: { unreadTo: true } })
  return row !== null && row.unreadTo < 0n
}

/** How far the list of an account's orders was read, newest first. Dates are those of the order book. */
export interface Listing {
  /** All orders up to this creation date were read; null if the list was never read to its end. */
  listedTo: Date | null
  /** A reading that is under way; null if there is none. */
  running: { newest: Date; offset: number } | null
}

export async function findListing(db: Db, chainId: number, account: Address): Promise<Listing> {
  const where = { chainId_account: { chainId, account: bytea(account) } }
  const row = await sql(db).accountHistory.findUnique({ where })
  const running =
    row?.listNewest && row.listOffset !== null ? { newest: row.listNewest, offset: row.listOffset } : null
  return { listedTo: row?.listedTo ?? null, running }
}

/**
 * Notes how far the list of an account was read. The row may be new: then no trade before the first indexed
 * block is read either, if there may be any. In SQL: that block is in another row.
 * @param readAt when its newest orders were read; undefined if they were not
 */
export async function noteListing(
  db: Db,
  { chainId, firstBlock }: { chainId: number; firstBlock: number },
  account: Address,
  { listedTo, running, readAt }: Listing & { readAt?: Date | undefined },
): Promise<void> {
  await sql(db).$executeRaw`INSERT INTO account_histories AS h
      (chain_id, account, unread_to, turn_at, is_listed, read_at, listed_to, list_newest, list_offset)
    SELECT chain_id, ${bytea(account)}, CASE WHEN indexed_from > ${firstBlock} THEN indexed_from - 1 ELSE -1 END, now(),
      ${listedTo !== null}::boolean, ${readAt ?? null}::timestamptz, ${listedTo}::timestamptz,
      ${running?.newest ?? null}::timestamptz, ${running?.offset ?? null}::int
    FROM order_books WHERE chain_id = ${chainId}
    ON CONFLICT (chain_id, account) DO UPDATE SET is_listed = excluded.is_listed, listed_to = excluded.listed_to,
      list_newest = excluded.list_newest, list_offset = excluded.list_offset,
      read_at = greatest(h.read_at, excluded.read_at)`
}

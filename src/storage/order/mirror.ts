import { Outage } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Bytes32 } from '../../domain/evm/hex.ts'
import type { OrderUid } from '../../domain/order/order.ts'
import { withoutSecrets } from '../../domain/text/secrets.ts'
import { bytea, hexOf, raw } from '../database/columns.ts'
import { type Db, sql, type Tx } from '../database/database.ts'
import { isUnfinished } from './status.ts'

/**
 * SQL condition: the signature of order `o`, with its row `m`, is known to be its owner's. Those of keys were
 * checked before the order was stored, and presignatures are on chain; a trade proves any.
 */
export const isVerified = `(o.signing_scheme <> 'eip1271' OR m.is_signed IS TRUE OR o.executed_sell > 0)`

/** SQL condition: the order book reports more of order `o`, with its row `m`, than its trades have sold. */
export const isBehind = 'coalesce(m.reported_sell > o.executed_sell, false)'

/** The number up to which late orders and unknown trades are counted. */
export const maxLate = 10_000

/**
 * Claims the chain for the order book that it follows, and for the first blocks whose logs are indexed and
 * notified: those that are stored count.
 * @param begin finds those blocks for a row without them
 * @throws when the database holds the orders of another order book of this chain
 */
export async function claimOrderBook(
  db: Db,
  chainId: number,
  url: string,
  begin: () => Promise<FirstBlocks>,
): Promise<void> {
  const { orderBook } = sql(db)
  const past = new Date(0)
  const calls = { clientCallsAt: past, ownCallsAt: past, quoteCallsAt: past, submissionCallsAt: past }
  const row = { chainId, url, ...calls, pausedUntil: past }
  await orderBook.createMany({ data: [row], skipDuplicates: true })
  const stored = await orderBook.findUniqueOrThrow({ where: { chainId } })
  // Stored by a version that kept a key in the path.
  if (stored.url !== url && withoutSecrets(stored.url) === url)
    await orderBook.update({ where: { chainId }, data: { url } })
  else if (stored.url !== url)
    throw new Error(
      `this database follows the order book ${withoutSecrets(stored.url)} on chain ${chainId}, not ${url}: use another database`,
    )
  if (stored.indexedFrom !== null) return
  const { indexedFrom, notifiedFrom } = await begin()
  const data = { indexedFrom: BigInt(indexedFrom), notifiedFrom: BigInt(notifiedFrom) }
  await orderBook.updateMany({ where: { chainId, indexedFrom: null }, data })
}

/** The first blocks of a followed chain whose logs are indexed, and whose facts are notified. */
export interface FirstBlocks {
  indexedFrom: number
  notifiedFrom: number
}

/** The first blocks of a claimed chain. */
export async function firstBlocksOf(db: Db, chainId: number): Promise<FirstBlocks> {
  const { indexedFrom, notifiedFrom } = await sql(db).orderBook.findUniqueOrThrow({ where: { chainId } })
  return { indexedFrom: Number(indexedFrom), notifiedFrom: Number(notifiedFrom) }
}

/** Notes that the order book has answered to the process that follows it. */
export async function noteLooked(db: Db, chainId: number, lookedAt: Date): Promise<void> {
  await sql(db).orderBook.update({ where: { chainId }, data: { lookedAt } })
}

export interface CallRate {
  /** The budget: calls for which clients wait, those of the service itself, quotes, or orders. */
  of: 'client' | 'own' | 'quote' | 'submission'
  /** The time in which the budget gains one call. */
  intervalMs: number
  /** The calls that may be made at once. */
  burst: number
}

/**
 * Takes one call from the budget that all processes share. In SQL: one statement, so that two processes
 * cannot take the same call.
 * @returns 0 if it was taken, else the milliseconds until it can be
 * @throws Outage while no node has come that the chain could be claimed by
 */
export async function takeCall(
  db: Db,
  chainId: number,
  { of, intervalMs, burst }: CallRate,
): Promise<number> {
  const column = raw(`${of}_calls_at`)
  // Quotes and submissions have limits of their own: a pause of other calls does not stop them.
  const pausedUntil = raw(of === 'client' || of === 'own' ? 'paused_until' : "'epoch'::timestamptz")
  const [row] = await sql(db).$queryRaw<{ wait_ms: number }[]>`
    WITH book AS (
      SELECT chain_id, greatest(${column}, now()) AS free_at,
        greatest(extract(epoch FROM ${pausedUntil} - now()) * 1000,
          extract(epoch FROM greatest(${column}, now()) - now()) * 1000 - ${(burst - 1) * intervalMs}::float8, 0)::float8 AS wait_ms
      FROM order_books WHERE chain_id = ${chainId} FOR UPDATE
    ), taken AS (
      UPDATE order_books o SET ${column} = b.free_at + ${intervalMs}::float8 * interval '1 millisecond'
      FROM book b WHERE o.chain_id = b.chain_id AND b.wait_ms = 0
    )
    SELECT wait_ms FROM book`
  if (!row) throw new Outage('the network node', new Error(`chain ${chainId} is not claimed yet`))
  return Math.ceil(row.wait_ms)
}

/** The longest pause that an order book may request at once. */
const maxPauseMs = 300_000

/** Stops the calls of all processes, because the order book requests it. */
export async function pauseCalls(db: Db, chainId: number, ms: number): Promise<void> {
  await sql(db)
    .$executeRaw`UPDATE order_books SET paused_until = greatest(paused_until, now() + ${Math.min(ms, maxPauseMs)}::float8 * interval '1 millisecond')
    WHERE chain_id = ${chainId}`
}

/**
 * The pause before a UID is requested again: it doubles from 4 seconds to ten days. In SQL for the statements
 * below.
 */
const isDue = (m: string) =>
  `(${m}.uid IS NULL OR ${m}.asked_at + least(2 * power(2, least(${m}.times, 20)), 864000) * interval '1 second' <= now())`

/** Presignatures and invalidations whose orders are looked for. */
const newest = 1_000

/** The newest UIDs in a table of logs, from a block on, whose orders are not stored. */
const loggedIn = (table: 'presignatures' | 'invalidations', chainId: number, from: number) =>
  raw(`
  SELECT order_uid, block_number FROM (
      SELECT * FROM ${table} WHERE chain_id = ${chainId} ORDER BY block_number DESC, log_index DESC LIMIT ${newest}
    ) p WHERE p.block_number >= ${from} AND NOT EXISTS (SELECT FROM orders o WHERE o.uid = p.order_uid AND o.chain_id = p.chain_id)
    AND NOT EXISTS (SELECT FROM missing_orders m WHERE m.chain_id = p.chain_id AND m.uid = p.order_uid AND NOT ${isDue('m')})`)

/**
 * UIDs in logs of the chain, from a block on, whose orders are not stored, newest first. In SQL: it joins the
 * logs with the UIDs that are known to be missing.
 */
export async function unknownLogged(
  db: Db,
  chainId: number,
  { limit, from = 0 }: { limit: number; from?: number },
): Promise<OrderUid[]> {
  const rows = await sql(db).$queryRaw<{ uid: Uint8Array }[]>`
    SELECT l.order_uid AS uid FROM (
      (SELECT order_uid, block_number FROM trades t WHERE chain_id = ${chainId} AND order_id IS NULL AND block_number >= ${from}
        AND NOT EXISTS (SELECT FROM missing_orders m WHERE m.chain_id = t.chain_id AND m.uid = t.order_uid AND NOT ${raw(isDue('m'))})
        ORDER BY block_number DESC, log_index DESC LIMIT ${limit})
      UNION ALL (${loggedIn('presignatures', chainId, from)}) UNION ALL (${loggedIn('invalidations', chainId, from)})
    ) l GROUP BY l.order_uid ORDER BY max(l.block_number) DESC LIMIT ${limit}`
  return rows.map(({ uid }) => hexOf(uid))
}

/** The UIDs that are not stored, and may be requested now, in their order. In SQL, as above. */
export async function unknownAmong(db: Db, chainId: number, uids: readonly OrderUid[]): Promise<OrderUid[]> {
  if (uids.length === 0) return []
  const rows = await sql(db).$queryRaw<{ uid: Uint8Array }[]>`
    SELECT g.uid FROM unnest(${uids.map(bytea)}::bytea[]) WITH ORDINALITY AS g(uid, place)
    LEFT JOIN missing_orders m ON m.chain_id = ${chainId} AND m.uid = g.uid
    WHERE NOT EXISTS (SELECT FROM orders o WHERE o.uid = g.uid AND o.chain_id = ${chainId}) AND ${raw(isDue('m'))}
    ORDER BY g.place`
  return rows.map(({ uid }) => hexOf(uid))
}

/** Reports whether what a transaction settled is stored. */
export async function isSettlementStored(db: Db, chainId: number, txHash: Bytes32): Promise<boolean> {
  const where = { chainId, txHash: bytea(txHash) }
  return (await sql(db).settlement.findFirst({ where, select: { logIndex: true } })) !== null
}

/** Trades of a transaction whose orders are looked up. */
const maxTraded = 1_000

/** The UIDs that a transaction traded, that are not stored, and may be requested now. In SQL, as above. */
export async function unknownIn(db: Db, chainId: number, txHash: Bytes32): Promise<OrderUid[]> {
  const rows = await sql(db).$queryRaw<{ uid: Uint8Array }[]>`
    SELECT DISTINCT t.order_uid AS uid FROM settlements s
      JOIN trades t ON t.chain_id = s.chain_id AND t.block_number = s.block_number AND t.tx_hash = s.tx_hash
    WHERE s.chain_id = ${chainId} AND s.tx_hash = ${bytea(txHash)} AND t.order_id IS NULL LIMIT ${maxTraded}`
  return unknownAmong(
    db,
    chainId,
    rows.map(({ uid }) => hexOf(uid)),
  )
}

/** Finds orders that an account placed for a contract to own, and that lack trades. SQL compares columns. */
export async function placedBehind(
  db: Db,
  chainId: number,
  user: Address,
  limit: number,
): Promise<OrderUid[]> {
  const rows = await sql(db).$queryRaw<{ uid: Uint8Array }[]>`
    SELECT o.uid FROM orders o JOIN mirrored_orders m ON m.order_id = o.id
    WHERE o.onchain_user = ${bytea(user)} AND o.chain_id = ${chainId} AND ${raw(isBehind)}
    ORDER BY o.created_at DESC LIMIT ${limit}`
  return rows.map(({ uid }) => hexOf(uid))
}

/**
 * The blocks below `before` with trades of these UIDs whose orders are not stored. In SQL: distinct values.
 */
export async function unknownTradeBlocks(
  db: Db,
  chainId: number,
  uids: readonly OrderUid[],
  before: number,
): Promise<number[]> {
  const rows = await sql(db).$queryRaw<{ block: bigint }[]>`
    SELECT DISTINCT block_number AS block FROM trades WHERE order_uid = ANY(${uids.map(bytea)}::bytea[])
      AND chain_id = ${chainId} AND order_id IS NULL AND block_number < ${before}`
  return rows.map(({ block }) => Number(block))
}

/** Remembers UIDs that the order book does not know. In SQL: counts the times. */
export async function noteMissing(db: Db, chainId: number, uids: readonly OrderUid[]): Promise<void> {
  if (uids.length === 0) return
  await sql(db).$executeRaw`INSERT INTO missing_orders (chain_id, uid, asked_at, times)
    SELECT ${chainId}, uid, now(), 1 FROM unnest(${uids.map(bytea)}::bytea[]) AS uid
    ON CONFLICT (chain_id, uid) DO UPDATE SET asked_at = now(), times = missing_orders.times + 1`
  // One that is stored waits for its next turn, so that it does not keep others from being compared.
  await sql(db).$executeRaw`UPDATE mirrored_orders m SET compared_at = now() FROM orders o
    WHERE m.order_id = o.id AND o.chain_id = ${chainId} AND o.uid = ANY(${uids.map(bytea)}::bytea[])`
}

/** Removes UIDs that were last requested before, and that no trade has. In SQL: looks for the trades. */
export async function forgetMissing(db: Db, chainId: number, before: Date): Promise<void> {
  await sql(db)
    .$executeRaw`DELETE FROM missing_orders m WHERE m.chain_id = ${chainId} AND m.asked_at < ${before}
    AND NOT EXISTS (SELECT FROM trades t WHERE t.order_uid = m.uid)`
}

/** The order book's report of an order, and our node's answers about its signature. */
interface Report {
  orderId: bigint
  executedFee: bigint | null
  executedFeeToken: Address | null
  executedSellAmount: bigint | null
  unverifiedDocument: string | null
  refundTxHash: Bytes32 | null
  availableBalance: bigint | null
  /** Null if the account's contract did not answer, undefined if it was not requested to. */
  isSigned: boolean | null | undefined
  /** True if the chain has its presignature; undefined if that was not read. */
  presigned: boolean | undefined
}

/** How orders came from the order book. */
interface MirroredBy {
  /** True if a client causes it: those that are new and not traded are removed unused. */
  areRequested: boolean
  /** The first block of new trades, whose fees are read. */
  notifiedFrom: number
  /** False for lists, which have no quotes. */
  haveQuotes: boolean
}

/**
 * The time after a trade in which an order is compared even if it has ended: always, and while the order book
 * does not know the trade.
 */
export const afterTrade = { always: '30 seconds', behind: '10 minutes' }

/**
 * Notes that orders come from the order book, and were compared with it now. Each is named once. The caller
 * holds their locks. In SQL: an upsert of a list.
 */
export async function noteMirrored(
  tx: Tx,
  chainId: number,
  reports: readonly Report[],
  { areRequested, notifiedFrom, haveQuotes }: MirroredBy,
): Promise<void> {
  if (reports.length === 0) return
  const values = <Value>(of: (report: Report) => Value) => reports.map(of)
  const ids = values(({ orderId }) => orderId)
  await sql(tx).$executeRaw`
    INSERT INTO mirrored_orders AS m (order_id, chain_id, compared_at, is_live, executed_fee, executed_fee_token, reported_sell,
      traded_at, is_signed, signature_read_at, presigned, unverified_document, requested_at, refund_tx_hash, reported_balance, are_fees_due,
      is_quote_read)
    SELECT o.id, ${chainId}, now(), ${raw(isUnfinished)} AND o.expired_at_block IS NULL
        OR coalesce(t.traded_at > now() - ${afterTrade.always}::interval
          OR t.traded_at > now() - ${afterTrade.behind}::interval AND t.is_behind, false),
      r.fee, r.fee_token, r.sold, t.traded_at, r.is_signed, CASE WHEN r.is_checked THEN now() END, r.presigned, r.document,
      CASE WHEN ${areRequested} AND o.executed_sell = 0 THEN now() END, r.refund_tx_hash, r.balance,
      EXISTS (SELECT FROM trades tr WHERE tr.order_id = o.id AND tr.block_number >= ${notifiedFrom} AND tr.reported_fees IS NULL),
      CASE WHEN ${haveQuotes} THEN true END
    FROM unnest(${ids}::bigint[], ${values(({ executedFee }) => executedFee?.toString() ?? null)}::numeric[],
        ${values(({ executedFeeToken }) => executedFeeToken && bytea(executedFeeToken))}::bytea[],
        ${values(({ executedSellAmount }) => executedSellAmount?.toString() ?? null)}::numeric[],
        ${values(({ isSigned }) => isSigned ?? null)}::boolean[], ${values(({ isSigned }) => isSigned !== undefined)}::boolean[],
        ${values(({ presigned }) => presigned ?? null)}::boolean[],
        ${values(({ unverifiedDocument }) => unverifiedDocument)}::text[],
        ${values(({ refundTxHash }) => refundTxHash && bytea(refundTxHash))}::bytea[],
        ${values(({ availableBalance }) => availableBalance?.toString() ?? null)}::numeric[])
        AS r(id, fee, fee_token, sold, is_signed, is_checked, presigned, document, refund_tx_hash, balance)
      JOIN orders o ON o.id = r.id LEFT JOIN mirrored_orders b ON b.order_id = o.id
      CROSS JOIN LATERAL (SELECT r.sold < o.executed_sell AS is_behind,
        CASE WHEN b.order_id IS NOT NULL THEN b.traded_at WHEN r.sold < o.executed_sell THEN now() END AS traded_at) t
    ON CONFLICT (order_id) DO UPDATE SET compared_at = now(), is_live = excluded.is_live,
      executed_fee = coalesce(excluded.executed_fee, m.executed_fee),
      executed_fee_token = coalesce(excluded.executed_fee_token, m.executed_fee_token),
      reported_sell = coalesce(excluded.reported_sell, m.reported_sell),
      is_signed = coalesce(excluded.is_signed, m.is_signed),
      signature_read_at = coalesce(excluded.signature_read_at, m.signature_read_at),
      presigned = coalesce(m.presigned, excluded.presigned),
      unverified_document = excluded.unverified_document, refund_tx_hash = excluded.refund_tx_hash,
      reported_balance = excluded.reported_balance, is_quote_read = coalesce(excluded.is_quote_read, m.is_quote_read)`
  await sql(tx).$executeRaw`DELETE FROM missing_orders m USING orders o
    WHERE o.id = ANY(${ids}) AND m.chain_id = o.chain_id AND m.uid = o.uid`
}

/**
 * Notes that live orders were compared with the order book now, which reports nothing new, and returns those.
 * Orders that traded, or whose rows others write, are left out. In SQL: skips rows that are locked.
 */
export async function noteUnchanged(
  db: Db,
  chainId: number,
  uids: readonly OrderUid[],
): Promise<Set<OrderUid>> {
  const rows = await sql(db).$queryRaw<{ uid: Uint8Array }[]>`
    WITH found AS (
      SELECT m.order_id, o.uid FROM mirrored_orders m JOIN orders o ON o.id = m.order_id
      WHERE m.chain_id = ${chainId} AND o.uid = ANY(${uids.map(bytea)}::bytea[]) AND m.is_live AND m.traded_at IS NULL
        AND ${raw(isUnfinished)} AND o.expired_at_block IS NULL
        AND NOT EXISTS (SELECT FROM missing_orders g WHERE g.chain_id = m.chain_id AND g.uid = o.uid)
      FOR UPDATE OF m SKIP LOCKED
    ), noted AS (UPDATE mirrored_orders m SET compared_at = now() FROM found f WHERE m.order_id = f.order_id)
    SELECT uid FROM found`
  return new Set(rows.map(({ uid }) => hexOf(uid)))
}

/** SQL condition: the quote of order `o`, with its row `m`, is known, or known to be missing. */
export const isQuoteKnown = `(m.is_quote_read IS TRUE OR EXISTS (SELECT FROM order_quotes kq WHERE kq.order_id = o.id))`

/** Orders that came in lists, whose quotes were not requested; the newest first. In SQL: joins the UID. */
export async function quotesDue(db: Db, chainId: number, limit: number): Promise<OrderUid[]> {
  const rows = await sql(db).$queryRaw<{ uid: Uint8Array }[]>`
    SELECT o.uid FROM mirrored_orders m JOIN orders o ON o.id = m.order_id
    WHERE m.chain_id = ${chainId} AND m.is_quote_read IS NULL ORDER BY m.order_id DESC LIMIT ${limit}`
  return rows.map(({ uid }) => hexOf(uid))
}

/** Notes that the quotes of orders were requested. In SQL: a list. @param found those that were returned */
export async function noteQuotesRead(
  db: Db,
  chainId: number,
  uids: readonly OrderUid[],
  found: ReadonlySet<OrderUid>,
): Promise<void> {
  await sql(db).$executeRaw`UPDATE mirrored_orders m SET is_quote_read = r.is_found
    FROM unnest(${uids.map(bytea)}::bytea[], ${uids.map((uid) => found.has(uid))}::boolean[]) AS r(uid, is_found)
      JOIN orders o ON o.uid = r.uid AND o.chain_id = ${chainId}
    WHERE m.order_id = o.id AND m.is_quote_read IS NULL`
}

/**
 * Compares orders again, because logs changed them: the order book has their fees. They are no longer removed
 * unused. In SQL: a list.
 */
export async function compareAgain(tx: Tx, orderIds: readonly bigint[]): Promise<void> {
  if (orderIds.length === 0) return
  await sql(tx).$executeRaw`UPDATE mirrored_orders SET is_live = true, traded_at = now(), requested_at = NULL,
      are_fees_due = true
    WHERE order_id = ANY(${orderIds})`
}

/**
 * Those of these orders whose signatures have to be checked, those that never were first: not within a minute
 * after the last check. In SQL: orders may not be stored yet.
 */
export async function unsignedAmong(
  db: Db,
  chainId: number,
  uids: readonly OrderUid[],
  limit: number,
): Promise<OrderUid[]> {
  if (uids.length === 0) return []
  const rows = await sql(db).$queryRaw<{ uid: Uint8Array }[]>`
    SELECT g.uid FROM unnest(${uids.map(bytea)}::bytea[]) WITH ORDINALITY AS g(uid, place)
    LEFT JOIN orders o ON o.uid = g.uid AND o.chain_id = ${chainId} LEFT JOIN mirrored_orders m ON m.order_id = o.id
    WHERE m.is_signed IS NOT TRUE AND coalesce(m.signature_read_at < now() - interval '1 minute', true)
      AND coalesce(o.executed_sell, 0) = 0
    ORDER BY m.signature_read_at NULLS FIRST, g.place LIMIT ${limit}`
  return rows.map(({ uid }) => hexOf(uid))
}

/** Finds orders without a known presignature. In SQL: orders may not be stored yet. */
export async function unreadPresignatures(
  db: Db,
  chainId: number,
  uids: readonly OrderUid[],
): Promise<OrderUid[]> {
  if (uids.length === 0) return []
  const rows = await sql(db).$queryRaw<{ uid: Uint8Array }[]>`
    SELECT g.uid FROM unnest(${uids.map(bytea)}::bytea[]) AS g(uid)
    LEFT JOIN orders o ON o.uid = g.uid AND o.chain_id = ${chainId} LEFT JOIN mirrored_orders m ON m.order_id = o.id
    WHERE m.presigned IS NULL
      AND NOT EXISTS (SELECT FROM presignatures p WHERE p.order_uid = g.uid AND p.chain_id = ${chainId})`
  return rows.map(({ uid }) => hexOf(uid))
}

/** The orders among these that are not verified. In SQL: the condition is shared. */
export async function unverifiedAmong(db: Db, orderIds: readonly bigint[]): Promise<Set<bigint>> {
  if (orderIds.length === 0) return new Set()
  const rows = await sql(db).$queryRaw<{ id: bigint }[]>`
    SELECT o.id FROM mirrored_orders m JOIN orders o ON o.id = m.order_id
    WHERE m.order_id = ANY(${orderIds}) AND NOT ${raw(isVerified)}`
  return new Set(rows.map(({ id }) => id))
}

/**
 * SQL: the live orders `o` of a chain, with their rows `m`, that can be compared again. One that the order
 * book did not know waits for its turn.
 */
export const comparableRows = (chainId: number | 'ob.chain_id') =>
  `mirrored_orders m JOIN orders o ON o.id = m.order_id WHERE m.chain_id = ${chainId} AND m.is_live
    AND NOT EXISTS (SELECT FROM missing_orders g WHERE g.chain_id = m.chain_id AND g.uid = o.uid AND NOT ${isDue('g')})`

/** SQL condition: order `o` is of a watched account. */
const isWatched = (chainId: number) =>
  raw(
    `o.owner IN (SELECT account FROM watched_accounts WHERE chain_id = ${chainId} AND watched_until > now())`,
  )

/** One of so many compared orders is that of a watched account, out of its turn. */
const watchedShare = 4

/**
 * Live orders that were compared before, those of the longest time first. A quarter of them are of watched
 * accounts, if these have so many. In SQL: joins the UID.
 */
export async function liveMirrored(
  db: Db,
  chainId: number,
  before: Date,
  limit: number,
): Promise<OrderUid[]> {
  const due = raw(comparableRows(chainId))
  const rows = await sql(db).$queryRaw<{ uid: Uint8Array }[]>`
    WITH watched AS (SELECT o.id, o.uid, m.compared_at FROM ${due} AND m.compared_at < ${before} AND ${isWatched(chainId)}
      ORDER BY m.compared_at LIMIT ${Math.ceil(limit / watchedShare)})
    SELECT uid FROM (SELECT *, 0 AS place FROM watched UNION ALL (
      SELECT o.id, o.uid, m.compared_at, 1 FROM ${due} AND m.compared_at < ${before}
        AND NOT EXISTS (SELECT FROM watched w WHERE w.id = o.id) ORDER BY m.compared_at LIMIT ${limit})) found
    ORDER BY place, compared_at LIMIT ${limit}`
  return rows.map(({ uid }) => hexOf(uid))
}

/**
 * Live orders that were compared before and may change soon: those of watched accounts, and those of new
 * trades until the order book reports them. In SQL: joins the UID.
 */
export async function changingMirrored(
  db: Db,
  chainId: number,
  before: Date,
  limit: number,
): Promise<OrderUid[]> {
  const due = raw(comparableRows(chainId))
  const rows = await sql(db).$queryRaw<{ uid: Uint8Array }[]>`
    SELECT uid FROM (
      (SELECT o.uid, m.compared_at FROM ${due} AND m.compared_at < ${before}
        AND m.traded_at > now() - ${afterTrade.behind}::interval ORDER BY m.compared_at LIMIT ${limit})
      UNION (SELECT o.uid, m.compared_at FROM ${due} AND m.compared_at < ${before}
        AND ${isWatched(chainId)} ORDER BY m.compared_at LIMIT ${limit})) found
    ORDER BY compared_at LIMIT ${limit}`
  return rows.map(({ uid }) => hexOf(uid))
}

/** Counts live orders up to a limit. In SQL: reads no more of them. */
export async function countLive(db: Db, chainId: number, max: number): Promise<number> {
  const [row] = await sql(db).$queryRaw<{ live: bigint }[]>`SELECT count(*) AS live FROM (
    SELECT FROM ${raw(comparableRows(chainId))} LIMIT ${max}) counted`
  return Number(row?.live ?? 0)
}

/** The accounts of streams and queries: by their addresses, and by the row keys of their orders. */
export interface Watched {
  accounts: readonly Address[]
  orderIds?: readonly bigint[]
}

/** Watches accounts for so long, at least. In SQL: an upsert of a list that looks owners up. */
export async function watchAccounts(
  db: Db,
  chainId: number,
  { accounts, orderIds = [] }: Watched,
  forMs: number,
): Promise<void> {
  if (accounts.length + orderIds.length === 0) return
  await sql(db).$executeRaw`INSERT INTO watched_accounts (chain_id, account, watched_until, read_at)
    SELECT ${chainId}, account, now() + ${forMs}::float8 * interval '1 millisecond', '-infinity' FROM (
      SELECT unnest(${accounts.map(bytea)}::bytea[]) AS account
      UNION SELECT owner FROM orders WHERE id = ANY(${orderIds}) AND chain_id = ${chainId}
    ) named ORDER BY account ON CONFLICT (chain_id, account) DO UPDATE
    SET watched_until = greatest(watched_accounts.watched_until, excluded.watched_until)`
}

/** Watches the accounts of all active channels for so long. In SQL: an upsert from another table. */
export async function watchChannels(db: Db, chainId: number, forMs: number): Promise<void> {
  await sql(db).$executeRaw`INSERT INTO watched_accounts (chain_id, account, watched_until, read_at)
    SELECT DISTINCT ${chainId}::int, account, now() + ${forMs}::float8 * interval '1 millisecond', '-infinity'::timestamptz
    FROM channels WHERE state = 'active' AND (chain_ids = '{}' OR ${chainId} = ANY(chain_ids)) ORDER BY account
    ON CONFLICT (chain_id, account) DO UPDATE SET watched_until = greatest(watched_accounts.watched_until, excluded.watched_until)`
  await sql(db)
    .$executeRaw`DELETE FROM watched_accounts WHERE chain_id = ${chainId} AND watched_until < now()`
}

/** Watched accounts that were last read before, those of the longest time first. */
export async function dueAccounts(db: Db, chainId: number, before: Date, limit: number): Promise<Address[]> {
  const rows = await sql(db).watchedAccount.findMany({
    where: { chainId, readAt: { lt: before }, watchedUntil: { gt: new Date() } },
    orderBy: { readAt: 'asc' },
    take: limit,
    select: { account: true },
  })
  return rows.map(({ account }) => hexOf(account))
}

export async function noteAccountRead(db: Db, chainId: number, account: Address, at: Date): Promise<void> {
  await sql(db).watchedAccount.updateMany({
    where: { chainId, account: bytea(account) },
    data: { readAt: at },
  })
}

/**
 * Marks orders as expired whose time had passed before. In SQL: reports those that had not ended otherwise.
 * @param before Unix seconds
 */
export async function expireBefore(
  tx: Tx,
  orderIds: readonly bigint[],
  before: number,
): Promise<{ orderId: bigint; validTo: number }[]> {
  if (orderIds.length === 0) return []
  const rows = await sql(tx).$queryRaw<{ id: bigint; valid_to: bigint; unfinished: boolean }[]>`
    UPDATE orders o SET expired_at_block = 0 WHERE o.id = ANY(${orderIds}) AND o.effective_valid_to < ${before}
    RETURNING o.id, o.effective_valid_to AS valid_to, ${raw(isUnfinished)} AS unfinished`
  return rows
    .filter(({ unfinished }) => unfinished)
    .map(({ id, valid_to }) => ({ orderId: id, validTo: Number(valid_to) }))
}

import { word } from '../../domain/evm/abi.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Bytes32, Hex } from '../../domain/evm/hex.ts'
import type { Order, OrderUid } from '../../domain/order/order.ts'
import type { OrderStatus } from '../../domain/order/status.ts'
import type { Provenance } from '../../domain/programmatic/merkle.ts'
import {
  type ConditionalOrderParams,
  type ProgrammaticKey,
  paramsId,
} from '../../domain/programmatic/params.ts'
import { decodeProgrammaticSignature } from '../../domain/programmatic/signature.ts'
import { bytea, hexOf, raw } from '../database/columns.ts'
import { type Db, sql, type Tx } from '../database/database.ts'
import { Prisma } from '../generated/client.ts'
import { isFilled, statusSql } from '../order/status.ts'
import { followRoots, type LoggedLeavesOf, leavesOf, newestRoot } from './programmatic-roots.ts'
import { isOf, type ParamsRow, paramsOf, type StoredSchedule, scheduleOf } from './programmatic-status.ts'

/** The ways in which a programmatic order was found first. */
export const programmaticSources = ['log', 'root', 'order'] as const
type ProgrammaticSource = (typeof programmaticSources)[number]

interface LogPosition {
  blockNumber: number
  logIndex: number
  txHash: Bytes32
}

/** A programmatic order, and the block by which it is known. */
interface FoundOrder extends ProgrammaticKey {
  params: ConditionalOrderParams
  blockNumber: number
  blockTime: Date
}

interface CreationRow extends LogPosition, FoundOrder {}

interface RootRow extends LogPosition, LoggedLeavesOf {
  blockTime: Date
}

interface ShedRow extends LogPosition {
  shed: Address
  account: Address
}

/** Facts about programmatic orders from the logs of a block range. Writing them is idempotent. */
interface ProgrammaticFacts {
  /** The blocks were indexed before without these facts: what ended since their creation is not notified. */
  areOld?: boolean | undefined
  creations: readonly CreationRow[]
  roots: readonly RootRow[]
  sheds: readonly ShedRow[]
}

const positionsOf = (rows: readonly LogPosition[]) =>
  [
    rows.map(({ blockNumber }) => BigInt(blockNumber)),
    rows.map(({ logIndex }) => logIndex),
    rows.map(({ txHash }) => bytea(txHash)),
  ] as const

export async function insertProgrammaticFacts(
  tx: Tx,
  chainId: number,
  { creations, roots, sheds, areOld = false }: ProgrammaticFacts,
): Promise<void> {
  const client = sql(tx)
  const position = ({ blockNumber, logIndex, txHash }: LogPosition) => ({
    chainId,
    blockNumber: BigInt(blockNumber),
    logIndex,
    txHash: bytea(txHash),
  })
  if (creations.length > 0) await insertCreations(tx, chainId, creations, areOld)
  if (roots.length > 0) {
    await client.programmaticRoot.createMany({
      data: roots.map((row) => ({
        ...position(row),
        owner: bytea(row.owner),
        root: bytea(row.root),
        location: String(row.location),
        data: row.data && bytea(row.data),
      })),
      skipDuplicates: true,
    })
    const found = roots.flatMap((row) => leavesOf(row).map((leaf) => ({ ...row, ...leaf })))
    await insertFoundOrders(tx, chainId, found, { source: 'root', areOld })
    await followRoots(tx, chainId, [...new Set(roots.map(({ owner }) => owner))])
  }
  if (sheds.length > 0)
    await client.shed.createMany({
      data: sheds.map((row) => ({ ...position(row), shed: bytea(row.shed), account: bytea(row.account) })),
      skipDuplicates: true,
    })
}

/**
 * Inserts creations, and the orders that they are the first of. A creation after the last look makes its
 * order due: the context may be another, and it is authorised again. In SQL: one statement for thousands.
 */
async function insertCreations(
  tx: Tx,
  chainId: number,
  rows: readonly CreationRow[],
  areOld: boolean,
): Promise<void> {
  const [blocks, logs, txs] = positionsOf(rows)
  const owners = rows.map(({ owner }) => bytea(owner))
  const hashes = rows.map(({ hash }) => bytea(hash))
  const times = rows.map(({ blockTime }) => blockTime)
  await sql(tx).$executeRaw`
    INSERT INTO programmatic_creations (chain_id, block_number, log_index, tx_hash, owner, hash, block_time)
    SELECT ${chainId}::int, n.* FROM unnest(${blocks}::bigint[], ${logs}::int[], ${txs}::bytea[], ${owners}::bytea[],
      ${hashes}::bytea[], ${times}::timestamptz[]) AS n ON CONFLICT DO NOTHING`
  await sql(tx).$executeRaw`
    UPDATE programmatic_orders g SET looked_block = NULL, removed_block = NULL, removed_at = NULL, next_look = 0,
      closed_through = CASE WHEN g.removed_block IS NULL THEN g.closed_through ELSE greatest(g.closed_through, n.time) END
    FROM (SELECT owner, hash, max(block) AS block, extract(epoch FROM max(time))::bigint AS time
      FROM unnest(${owners}::bytea[], ${hashes}::bytea[], ${blocks}::bigint[], ${times}::timestamptz[])
      AS n(owner, hash, block, time) GROUP BY owner, hash) n
    WHERE g.chain_id = ${chainId} AND g.owner = n.owner AND g.hash = n.hash AND coalesce(g.looked_block, -1) < n.block`
  await insertFoundOrders(tx, chainId, rows, { source: 'log', areOld })
}

/**
 * Inserts orders; the block of a known order can become an earlier block. In SQL: one statement for all.
 * @param options areOld as in `ProgrammaticFacts`
 * @returns owners of those that were not known
 */
export async function insertFoundOrders(
  tx: Tx,
  chainId: number,
  rows: readonly FoundOrder[],
  { source, areOld = false }: { source: ProgrammaticSource; areOld?: boolean },
): Promise<Address[]> {
  if (rows.length === 0) return []
  const schedules = rows.map(({ params }) => scheduleOf(chainId, params, null))
  const stored = await sql(tx).$queryRaw<{ owner: Uint8Array; is_new: boolean }[]>`
    INSERT INTO programmatic_orders AS g (chain_id, source, owner, hash, created_block, created_at, handler, salt, static_input,
      type, part_count, starts_at, ends_at, fault, closed_through)
    SELECT DISTINCT ON (n.owner, n.hash) ${chainId}::int, ${source}::text, n.*,
      CASE WHEN NOT ${areOld} THEN extract(epoch FROM n.time)::bigint END FROM unnest(
      ${rows.map(({ owner }) => bytea(owner))}::bytea[], ${rows.map(({ hash }) => bytea(hash))}::bytea[],
      ${rows.map(({ blockNumber }) => BigInt(blockNumber))}::bigint[], ${rows.map(({ blockTime }) => blockTime)}::timestamptz[],
      ${rows.map(({ params }) => bytea(params.handler))}::bytea[], ${rows.map(({ params }) => bytea(params.salt))}::bytea[],
      ${rows.map(({ params }) => bytea(params.staticInput))}::bytea[], ${schedules.map(({ type }) => type)}::text[],
      ${schedules.map(({ partCount }) => partCount)}::bigint[], ${schedules.map(({ startsAt }) => startsAt)}::bigint[],
      ${schedules.map(({ endsAt }) => endsAt)}::bigint[], ${schedules.map(({ fault }) => fault)}::text[])
      AS n(owner, hash, block, time, handler, salt, static_input, type, part_count, starts_at, ends_at, fault)
    ORDER BY n.owner, n.hash, n.block
    ON CONFLICT (chain_id, owner, hash) DO UPDATE SET created_block = EXCLUDED.created_block, created_at = EXCLUDED.created_at
      WHERE g.created_block > EXCLUDED.created_block
    RETURNING g.owner, g.xmax = 0 AS is_new`
  return [...new Set(stored.flatMap(({ owner, is_new }) => (is_new ? [hexOf(owner)] : [])))]
}

/** The static input of order `g` leaves its start to its context. */
/** SQL condition: the start of `g` is in the contract, as `twapStart` of the domain reads it. */
const startsByContext = `g.type = 'TWAP' AND substring(g.static_input FROM 161 FOR 32) = decode(repeat('00', 32), 'hex')`

/** The time of a block that may still be reorganised; NULL if it is not stored, which `least` leaves out. */
const timeOf = (chainId: number, block: number) =>
  Prisma.sql`(SELECT b.time FROM blocks b WHERE b.chain_id = ${chainId} AND b.number = ${block})`

/**
 * Undoes all facts about programmatic orders of blocks above `block`. It deletes orders without a log up to
 * `block`, but for those that were read for a posted part, and makes those due that were read or polled at
 * one of these blocks, with the parts that ended above it; a look voids the poll. A part without its order is
 * compared with the contract at the height of that order. In SQL: the deleted rows decide what to update.
 */
export async function rollbackProgrammatic(tx: Tx, chainId: number, block: number): Promise<void> {
  const rerooted = await sql(tx).$queryRaw<{ owner: Uint8Array }[]>`
    WITH undone AS (DELETE FROM programmatic_creations WHERE chain_id = ${chainId} AND block_number > ${block} RETURNING owner, hash),
      root AS (DELETE FROM programmatic_roots WHERE chain_id = ${chainId} AND block_number > ${block} RETURNING owner),
      shed AS (DELETE FROM sheds WHERE chain_id = ${chainId} AND block_number > ${block}),
      gone AS (DELETE FROM programmatic_orders WHERE chain_id = ${chainId} AND created_block > ${block} AND source <> 'order'
        RETURNING chain_id, owner, hash, created_block),
      part AS (UPDATE programmatic_parts pp SET next_look = g.created_block FROM gone g WHERE ${raw(isOf('pp'))}),
      changed AS (SELECT owner, hash FROM undone UNION
        SELECT g.owner, g.hash FROM programmatic_orders g WHERE g.chain_id = ${chainId} AND g.source = 'order' AND g.created_block > ${block} UNION
        SELECT g.owner, g.hash FROM root JOIN programmatic_orders g ON g.owner = root.owner
        WHERE g.chain_id = ${chainId} AND g.root IS NOT NULL),
      again AS (UPDATE programmatic_orders g SET context = NULL, looked_block = NULL,
        next_look = CASE WHEN g.created_block > ${block} THEN g.created_block ELSE 0 END,
        removed_at = CASE WHEN g.removed_block <= ${block} THEN g.removed_at END,
        removed_block = CASE WHEN g.removed_block <= ${block} THEN g.removed_block END,
        closed_through = least(g.closed_through, ${timeOf(chainId, block)}),
        starts_at = CASE WHEN ${raw(startsByContext)} THEN NULL ELSE g.starts_at END,
        ends_at = CASE WHEN ${raw(startsByContext)} THEN NULL ELSE g.ends_at END
        FROM changed n WHERE g.chain_id = ${chainId} AND g.owner = n.owner AND g.hash = n.hash
          AND (g.created_block <= ${block} OR g.source = 'order'))
    SELECT DISTINCT owner FROM root`
  await sql(tx).$executeRaw`
    UPDATE programmatic_orders g SET looked_block = NULL, next_look = 0,
      removed_at = CASE WHEN g.removed_block <= ${block} THEN g.removed_at END,
      removed_block = CASE WHEN g.removed_block <= ${block} THEN g.removed_block END,
      closed_through = least(g.closed_through, ${timeOf(chainId, block)})
    WHERE g.chain_id = ${chainId} AND greatest(g.looked_block, g.polled_block) > ${block}`
  await followRoots(
    tx,
    chainId,
    rerooted.map(({ owner }) => hexOf(owner)),
  )
}

/** A programmatic order whose authorisation is to be read. */
export interface DueOrder extends ProgrammaticKey {
  id: bigint
  params: ConditionalOrderParams
  /** The standing as a leaf of the newest root of its owner; null if the order is no such leaf. */
  standing: Exclude<Provenance, 'unproven'> | null
  source: ProgrammaticSource
  removedBlock: number | null
  /** Unix seconds through which parts that ended are notified; null if none was to be. */
  closedThrough: number | null
}

interface DueOrderRow extends Pick<DueOrder, 'id' | 'standing' | 'source'>, ParamsRow {
  owner: Uint8Array
  hash: Uint8Array
  removed_block: bigint | null
  closed_through: bigint | null
}

/** Orders to be read at a block, the most urgent first. In SQL: each with the newest root of its owner. */
export async function dueProgrammaticOrders(
  db: Db,
  chainId: number,
  { block, limit }: { block: number; limit: number },
): Promise<DueOrder[]> {
  const rows = await sql(db).$queryRaw<DueOrderRow[]>`
    SELECT g.id, g.owner, g.hash, g.handler, g.salt, g.static_input, g.source, g.removed_block, g.closed_through,
      CASE WHEN g.root IS NULL THEN NULL WHEN g.root = ${raw(newestRoot)} THEN CASE WHEN g.proof IS NULL THEN 'sdk' ELSE 'proven' END END AS standing
    FROM programmatic_orders g WHERE g.chain_id = ${chainId} AND g.next_look <= ${block} ORDER BY g.next_look, g.id LIMIT ${limit}`
  return rows.map(({ owner, hash, handler, salt, static_input, removed_block, closed_through, ...row }) => ({
    ...row,
    owner: hexOf(owner),
    hash: hexOf(hash),
    params: paramsOf({ handler, salt, static_input }),
    removedBlock: removed_block === null ? null : Number(removed_block),
    closedThrough: closed_through === null ? null : Number(closed_through),
  }))
}

/** The result of a look at an order. */
export interface Look extends StoredSchedule {
  id: bigint
  isAuthorised: boolean
  /** True if its owner's root alone authorises it. */
  byRoot: boolean
  context: bigint
  /** Null: never again. */
  nextLook: number | null
  closedThrough: number
}

/**
 * Stores what was read at a block, which the caller holds. A removal clears the context too, so the stored
 * context of an order that is not authorised stays as it was. Orders that were created again behind the block
 * are left out, as are leaves of an owner with a later root. In SQL: one statement for all.
 * @returns the orders whose removal this block is the first to show, and the other orders that were stored
 */
export async function storeLooks(
  tx: Tx,
  chainId: number,
  { number, time }: { number: number; time: Date },
  looks: readonly Look[],
): Promise<Map<bigint, 'removed' | 'stored'>> {
  const authorised = looks.map(({ isAuthorised }) => isAuthorised)
  const rows = await sql(tx).$queryRaw<{ id: bigint; removed: boolean | null }[]>`
    UPDATE programmatic_orders g SET looked_block = ${number}, next_look = n.next_look, by_root = n.by_root,
      removed_block = CASE WHEN NOT n.authorised THEN coalesce(g.removed_block, ${number}) END,
      removed_at = CASE WHEN NOT n.authorised THEN coalesce(g.removed_at, ${time}) END,
      context = CASE WHEN n.authorised THEN n.context ELSE g.context END,
      part_count = CASE WHEN n.authorised THEN n.part_count ELSE g.part_count END,
      starts_at = CASE WHEN n.authorised THEN n.starts_at ELSE g.starts_at END,
      ends_at = CASE WHEN n.authorised THEN n.ends_at ELSE g.ends_at END,
      fault = CASE WHEN n.authorised THEN n.fault ELSE g.fault END,
      closed_through = n.closed_through,
      poll_at = CASE WHEN ${raw(changed)} THEN 0 ELSE g.poll_at END,
      poll_block = CASE WHEN ${raw(changed)} THEN NULL ELSE g.poll_block END,
      poll_result = CASE WHEN ${raw(changed)} THEN NULL ELSE g.poll_result END
    FROM unnest(${looks.map(({ id }) => id)}::bigint[], ${authorised}::bool[],
      ${looks.map(({ context }) => bytea(wordOf(context)))}::bytea[], ${looks.map(({ nextLook }) => nextLook)}::bigint[],
      ${looks.map(({ partCount }) => partCount)}::bigint[], ${looks.map(({ startsAt }) => startsAt)}::bigint[],
      ${looks.map(({ endsAt }) => endsAt)}::bigint[], ${looks.map(({ fault }) => fault)}::text[],
      ${looks.map(({ byRoot }) => byRoot)}::bool[], ${looks.map(({ closedThrough }) => closedThrough)}::bigint[])
      AS n(id, authorised, context, next_look, part_count, starts_at, ends_at, fault, by_root, closed_through)
    WHERE g.id = n.id AND NOT EXISTS (SELECT FROM programmatic_creations c WHERE c.chain_id = ${chainId}
      AND c.owner = g.owner AND c.hash = g.hash AND c.block_number > ${number})
      AND NOT (g.root IS NOT NULL AND EXISTS (SELECT FROM programmatic_roots r WHERE r.chain_id = ${chainId}
        AND r.owner = g.owner AND r.block_number > ${number}))
    RETURNING g.id, g.removed_block = ${number} AS removed`
  return new Map(rows.map(({ id, removed }) => [id, removed ? 'removed' : 'stored']))
}

/**
 * SQL condition: the look `n` at order `g` makes its last poll void, as the order was not read since a
 * creation or a reorg, or has another context.
 */
const changed = `(n.authorised AND (g.looked_block IS NULL OR g.removed_block IS NOT NULL OR g.context IS DISTINCT FROM n.context))`

const wordOf = (value: bigint): Hex => `0x${word(value)}`

/** The hash of the programmatic order whose part an order is, by its signature; null for any other order. */
export function programmaticHashOf({ signingScheme, signature }: Pick<Order, 'signingScheme' | 'signature'>) {
  const signed = signingScheme === 'eip1271' ? decodeProgrammaticSignature(signature) : undefined
  return signed ? paramsId(signed.params) : null
}

/** Orders of an owner that are searched for parts. */
const searchedOrders = 500

/**
 * Links the newest orders of these owners to the programmatic orders of their signatures, if they were stored
 * by a version without links. Others are linked when they are stored.
 */
export async function linkOlderOrders(tx: Tx, chainId: number, owners: readonly Address[]): Promise<void> {
  if (owners.length === 0) return
  const rows = await sql(tx).$queryRaw<{ id: bigint; owner: Uint8Array; signature: Uint8Array }[]>`
    SELECT o.id, o.owner, o.signature FROM unnest(${owners.map(bytea)}::bytea[]) AS n(owner) CROSS JOIN LATERAL (
      SELECT s.* FROM orders s WHERE s.chain_id = ${chainId} AND s.owner = n.owner
      ORDER BY s.created_at DESC, s.id DESC LIMIT ${searchedOrders}) o
    WHERE o.signing_scheme = 'eip1271' AND NOT EXISTS (SELECT FROM programmatic_parts p WHERE p.order_id = o.id)`
  const data = rows.flatMap(({ id, owner, signature }) => {
    const hash = programmaticHashOf({ signingScheme: 'eip1271', signature: hexOf(signature) })
    return hash ? [{ orderId: id, chainId, owner, hash: bytea(hash) }] : []
  })
  if (data.length > 0)
    await sql(tx).programmaticPart.createMany({
      data: data.map((row) => ({ ...row, owner: new Uint8Array(row.owner) })),
      skipDuplicates: true,
    })
}

/** Blocks whose logs of programmatic orders are still to be read, both ends included. */
export interface ProgrammaticHistory {
  nextBlock: number
  lastBlock: number
}

/** Notes, once, the blocks that are indexed without these logs: those before the first that has them. */
export async function startProgrammaticHistory(
  db: Db,
  chainId: number,
  { nextBlock, lastBlock }: ProgrammaticHistory,
): Promise<void> {
  await sql(db).programmaticHistory.createMany({
    data: [{ chainId, nextBlock: BigInt(nextBlock), lastBlock: BigInt(lastBlock) }],
    skipDuplicates: true,
  })
}

export async function findProgrammaticHistory(
  db: Db,
  chainId: number,
): Promise<ProgrammaticHistory | undefined> {
  const row = await sql(db).programmaticHistory.findUnique({ where: { chainId } })
  return row ? { nextBlock: Number(row.nextBlock), lastBlock: Number(row.lastBlock) } : undefined
}

/** Notes that blocks are read, both ends included. */
export async function moveProgrammaticHistory(
  tx: Tx,
  chainId: number,
  { from, to }: { from: number; to: number },
): Promise<void> {
  await sql(tx).programmaticHistory.updateMany({
    where: { chainId, nextBlock: BigInt(from) },
    data: { nextBlock: BigInt(to) + 1n },
  })
}

/** The state of a part's order in the book and on chain. */
export interface BookedPart {
  isFilled: boolean
  isInvalidated: boolean
  /** Null if the book lacks it. */
  inBook: OrderStatus | null
}

/** Reads parts in the order of `uids`. In SQL: one statement over many tables. @param now in Unix seconds */
export async function readBookedParts(db: Db, uids: readonly OrderUid[], now: number): Promise<BookedPart[]> {
  return sql(db).$queryRaw<BookedPart[]>`
    SELECT coalesce(o.id IS NOT NULL AND ${raw(isFilled)}, false) OR (o.id IS NULL AND EXISTS (
        SELECT FROM trades t WHERE t.order_uid = n.uid)) AS "isFilled",
      EXISTS (SELECT FROM invalidations i WHERE i.order_uid = n.uid) AS "isInvalidated",
      CASE WHEN o.id IS NOT NULL THEN ${statusSql(now)} END AS "inBook"
    FROM unnest(${uids.map(bytea)}::bytea[]) WITH ORDINALITY AS n(uid, place) LEFT JOIN orders o ON o.uid = n.uid ORDER BY n.place`
}

import type { Address } from '../../domain/evm/address.ts'
import { bytea } from '../database/columns.ts'
import { type Db, sql } from '../database/database.ts'
import { Prisma } from '../generated/client.ts'

/** Polls of one owner, or of several turns of it. */
interface PollsOfOwner {
  owner: Address
  polls: number
  /** Milliseconds that they took together. */
  took: number
  /** Parts that they placed. */
  placed: number
  /** Polls that failed. */
  failed: number
}

/** The share that each owner has: after this many milliseconds of polls at once, so many a second. */
const share = { atOnceMs: 5_000, msPerSecond: 50 }
/** Milliseconds that a poll counts in addition, so that quick ones are not free. */
const msOfPoll = 10

const since = (column: Prisma.Sql) =>
  Prisma.sql`extract(epoch FROM greatest(now() - ${column}, interval '0'))`

/** SQL: the milliseconds of polls that the owner of row `u` has used and that still count. */
const pollMs = Prisma.sql`greatest(0, u.poll_ms - ${share.msPerSecond}::float8 * ${since(Prisma.sql`u.polled_at`)})`

/** SQL condition: the owner of row `u` has used its share, and others come first. */
export const isOverShare = Prisma.sql`coalesce(${pollMs} > ${share.atOnceMs}::float8, false)`

/** Counts polls against the share of their owner. In SQL: a use falls with time. */
export async function countPolls(
  db: Db,
  chainId: number,
  { owner, polls, took, placed, failed }: PollsOfOwner,
): Promise<void> {
  const added = Math.ceil(took) + polls * msOfPoll
  await sql(db).$executeRaw`
    INSERT INTO tower_uses AS u (chain_id, owner, poll_ms, placed, failures)
      VALUES (${chainId}, ${bytea(owner)}, ${added}::float8, ${placed}::bigint, ${failed}::int)
    ON CONFLICT (chain_id, owner) DO UPDATE SET poll_ms = ${pollMs} + EXCLUDED.poll_ms, polled_at = now(),
      placed = u.placed + EXCLUDED.placed,
      failures = CASE WHEN EXCLUDED.placed > 0 THEN EXCLUDED.failures ELSE least(u.failures + EXCLUDED.failures, 1000) END`
}

/** Orders and their bytes that may be stored in a day; 0 is no limit. Half of it can be used at once. */
interface StoredBudget {
  orders: number
  bytes: number
}

/** The budgets of parts that the watch tower stores. */
export interface TowerBudgets {
  owner: StoredBudget
  /** All owners together. Half of it is for owners who have traded. */
  tower: StoredBudget
}

/** The budget that a part does not fit into. */
export type SpentBudget = keyof TowerBudgets

/** The key of the use of all owners together. */
const everyone = new Uint8Array()

const capacity = (limit: number) => (limit === 0 ? Number.MAX_VALUE : limit / 2)

/**
 * Counts a part that is to be stored against the budgets of its owner and of the tower, unless it does not
 * fit. In SQL: one statement, so that processes that count at the same time see each other.
 * @returns the budget that it does not fit into; undefined if it is counted
 */
export async function reserveStored(
  db: Db,
  chainId: number,
  { owner, bytes }: { owner: Address; bytes: number },
  budgets: TowerBudgets,
): Promise<SpentBudget | undefined> {
  const key = bytea(owner)
  const client = sql(db)
  await client.$executeRaw`
    INSERT INTO tower_uses (chain_id, owner) VALUES (${chainId}, ${key}), (${chainId}, ${everyone}) ON CONFLICT DO NOTHING`
  const limits = [
    [key, budgets.owner],
    [everyone, budgets.tower],
  ] as const
  const rows = await client.$queryRaw<{ owner: Uint8Array; fits: boolean }[]>`
    WITH l AS (SELECT * FROM unnest(${limits.map(([id]) => id)}::bytea[], ${limits.map(([, { orders }]) => capacity(orders))}::float8[],
        ${limits.map(([, limit]) => capacity(limit.bytes))}::float8[]) AS l(owner, orders, bytes)),
      u AS (SELECT u.* FROM tower_uses u WHERE u.chain_id = ${chainId} AND u.owner IN (SELECT owner FROM l) ORDER BY u.owner FOR UPDATE),
      n AS (SELECT u.owner, greatest(0, u.stored_orders - l.orders * ${days}) + 1 AS orders,
        greatest(0, u.stored_bytes - l.bytes * ${days}) + ${bytes}::float8 AS bytes,
        l.orders AS max_orders, l.bytes AS max_bytes FROM u JOIN l ON l.owner = u.owner),
      f AS (SELECT n.*, n.orders <= n.max_orders AND n.bytes <= n.max_bytes AND (n.owner <> ${everyone}::bytea
        OR (n.orders <= n.max_orders / 2 AND n.bytes <= n.max_bytes / 2) OR ${hasTraded(chainId, key)}) AS fits FROM n),
      done AS (UPDATE tower_uses t SET stored_orders = f.orders, stored_bytes = f.bytes, stored_at = now()
        FROM f WHERE t.chain_id = ${chainId} AND t.owner = f.owner AND (SELECT bool_and(fits) FROM f))
    SELECT f.owner, f.fits FROM f`
  const spent = rows.filter(({ fits }) => !fits)
  if (spent.length === 0) return undefined
  return spent.some((row) => row.owner.length > 0) ? 'owner' : 'tower'
}

/** The days since a use was counted. */
const days = Prisma.sql`(${since(Prisma.sql`u.stored_at`)}::float8 / 86400)`

/** SQL condition: an order of the owner has traded. */
const hasTraded = (chainId: number, owner: Uint8Array) =>
  Prisma.sql`EXISTS (SELECT FROM trades t WHERE t.chain_id = ${chainId} AND t.owner = ${owner}::bytea)`

/** Takes back what was counted for a part that was not stored. */
export async function releaseStored(
  db: Db,
  chainId: number,
  { owner, bytes }: { owner: Address; bytes: number },
): Promise<void> {
  await sql(db).$executeRaw`
    UPDATE tower_uses SET stored_orders = greatest(0, stored_orders - 1), stored_bytes = greatest(0, stored_bytes - ${bytes}::float8)
    WHERE chain_id = ${chainId} AND owner IN (${bytea(owner)}, ${everyone})`
}

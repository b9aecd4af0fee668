import { appCodeOf } from '../../domain/app-data/app-code.ts'
import { referrerCodeOf } from '../../domain/app-data/referrer-code.ts'
import { Outage } from '../../domain/errors/error.ts'
import type { Bytes32 } from '../../domain/evm/hex.ts'
import type { NewOrder, NewOrderQuote, OrderQuote } from '../../domain/order/order.ts'
import type { OrderUid } from '../../domain/order/uid.ts'
import { nameOrders } from '../app-data.ts'
import { bytea } from '../database/columns.ts'
import { type Database, prepared, runPrepared, sql, type Tx } from '../database/database.ts'
import { channel } from '../database/signals.ts'
import { orderRow } from '../models/order/order.ts'
import { orderQuoteRow } from '../models/order/quote.ts'
import { bytes } from '../query/codec.ts'
import { type InsertColumn, insertColumns } from '../query/row.ts'
import { toMetadata } from '../quote/metadata.ts'
import { lockSql, refreshProgress } from './progress.ts'
import { interactionColumn } from './row.ts'

type Inserted = Omit<NewOrder, 'quote' | 'interactions' | 'fullAppData'>

/** What of an order comes after it is placed, or stands in other tables: all else is given then. One that is forgotten does not compile. */
const later: Record<Exclude<keyof typeof orderRow, keyof Inserted>, true> = {
  id: true,
  fullAppData: true,
  executedSellAmount: true,
  executedBuyAmount: true,
  executedFeeAmount: true,
  executedFee: true,
  executedFeeToken: true,
  cancelledAt: true,
  invalidatedOnChain: true,
  presigned: true,
}

const placed = (Object.keys(orderRow) as (keyof typeof orderRow)[]).filter(
  (key): key is keyof Inserted => !(key in later),
)

const orderColumns: readonly InsertColumn<NewOrder>[] = [
  ...insertColumns(orderRow, placed),
  { name: 'interactions', type: 'jsonb', of: ({ interactions }) => interactionColumn(interactions) },
]

const quoteColumns: readonly InsertColumn<NewOrderQuote>[] = [
  ...insertColumns(orderQuoteRow, Object.keys(orderQuoteRow) as (keyof OrderQuote)[]),
  { name: 'metadata', type: 'jsonb', of: ({ calls }) => metadataColumn(calls) },
]

/** The column as JSON text. */
function metadataColumn(calls: NewOrderQuote['calls']): string | null {
  const metadata = toMetadata(calls)
  return metadata && JSON.stringify(metadata)
}

/** Each is one list as long as the orders are many. */
const given: readonly InsertColumn<NewOrder>[] = [
  ...orderColumns,
  { name: 'document', type: 'text', of: ({ fullAppData }) => fullAppData },
  { name: 'app_code', type: 'text', of: ({ fullAppData }) => appCodeOf(fullAppData) },
  { name: 'referrer_code', type: 'text', of: ({ fullAppData }) => referrerCodeOf(fullAppData) },
  ...quoteColumns.map(({ name, type, of }) => ({
    name: `quote_${name}`,
    type,
    of: ({ quote }: NewOrder) => quote && of(quote),
  })),
]

const names = (columns: readonly { name: string }[], prefix = '') =>
  columns.map(({ name }) => `${prefix}${name}`).join(', ')

/**
 * Orders with their documents, quotes and `created` events. A UID that is taken gives no row. Documents go in by hash, so that
 * two transactions with the same ones can't wait for each other. `logged`: the chain has already spoken of the UID. In SQL: one statement
 * for any number of orders, which clients wait for. By Prisma's client ten orders took 3.6 ms of CPU, and 1.2 ms so.
 */
const insertSql = prepared(`WITH given AS (
  SELECT * FROM unnest(${given
    .map(({ type }, index) => `$${index + 1}::${type}[]`)
    .join(', ')}) WITH ORDINALITY AS g(${names(given)}, place)
), stored AS (
  INSERT INTO orders (${names(orderColumns)}, app_code, referrer_code)
  SELECT ${names(orderColumns, 'given.')}, coalesce(given.app_code, d.app_code), coalesce(given.referrer_code, d.referrer_code)
  FROM given LEFT JOIN app_data d ON d.hash = given.app_data ORDER BY place
  ON CONFLICT (chain_id, uid) DO NOTHING RETURNING id, chain_id, uid, created_at
), documents AS (
  INSERT INTO app_data (hash, document, app_code, referrer_code)
  SELECT DISTINCT ON (app_data) app_data, document, app_code, referrer_code FROM stored JOIN given USING (chain_id, uid)
  WHERE document IS NOT NULL ORDER BY app_data ON CONFLICT DO NOTHING RETURNING hash, app_code, referrer_code
), named AS (${nameOrders('documents')}
), quotes AS (
  INSERT INTO order_quotes (order_id, ${names(quoteColumns)})
  SELECT id, ${names(quoteColumns, 'quote_')} FROM stored JOIN given USING (chain_id, uid) WHERE quote_gas_amount IS NOT NULL
), events AS (
  INSERT INTO order_events (order_id, label, timestamp) SELECT id, 'created', created_at FROM stored ORDER BY id
), told AS (
  SELECT DISTINCT chain_id FROM stored
)
SELECT id::text, '0x' || encode(uid, 'hex') AS uid, (
  EXISTS (SELECT FROM trades t WHERE t.order_uid = stored.uid) OR EXISTS (SELECT FROM invalidations i WHERE i.order_uid = stored.uid)
  OR EXISTS (SELECT FROM presignatures p WHERE p.order_uid = stored.uid)) AS logged,
  (SELECT count(pg_notify('${channel('orders')}', told.chain_id::text)::text) FROM told) AS told
FROM stored`)

interface StoredRow {
  id: string
  uid: OrderUid
  logged: boolean
}

/** The statements of a list of orders, whoever sends them. */
function statementsFor(orders: readonly NewOrder[]) {
  const first = new Map<OrderUid, number>()
  for (const [index, { uid }] of orders.entries()) if (!first.has(uid)) first.set(uid, index)
  const documents = new Map<Bytes32, string>()
  for (const { appData, fullAppData } of orders) if (fullAppData !== null) documents.set(appData, fullAppData)
  // What one brings is there for all.
  const rows = orders
    .filter(({ uid }, index) => first.get(uid) === index)
    .map((order) => ({ ...order, fullAppData: documents.get(order.appData) ?? null }))
  const waiting = rows.filter(({ fullAppData }) => fullAppData === null).map(({ appData }) => appData)
  return {
    /** Values of `lockSql`. */
    locks: [[...first.keys()], waiting, [...documents.keys()]].map((names) =>
      names.map((name) => bytes.write(name)),
    ),
    lists: given.map(({ of }) => rows.map(of)),
    /** Row keys in the order given; undefined where the UID is taken, also by an order before it in the list. */
    idsIn(stored: readonly StoredRow[]) {
      const ids = new Map(stored.map(({ uid, id }) => [uid, BigInt(id)]))
      return orders.map(({ uid }, index) => (first.get(uid) === index ? ids.get(uid) : undefined))
    },
  }
}

/**
 * Stores orders with their documents, quotes and `created` events, and takes over what the chain already said about their UIDs.
 * @returns their row keys in the order given; undefined where the UID is taken, also by an order before it in the list
 */
export async function insertOrders(tx: Tx, orders: readonly NewOrder[]): Promise<(bigint | undefined)[]> {
  const { locks, lists, idsIn } = statementsFor(orders)
  // A statement of its own: what follows must see what was committed until the locks were held.
  await sql(tx).$executeRawUnsafe(lockSql, ...locks)
  const stored = await sql(tx).$queryRawUnsafe<StoredRow[]>(insertSql, ...lists)
  await takeOverLogs(
    tx,
    stored.filter(({ logged }) => logged),
  )
  return idsIn(stored)
}

/** The same for orders of which the chain has said nothing: undefined, and nothing is stored, when it has. */
async function insertQuietOrders(
  db: Database,
  orders: readonly NewOrder[],
): Promise<(bigint | undefined)[] | undefined> {
  const { locks, lists, idsIn } = statementsFor(orders)
  return runPrepared(db, async (run) => {
    await run(lockSql, locks)
    const stored = await run<StoredRow>(insertSql, lists)
    return stored.some(({ logged }) => logged) ? undefined : idsIn(stored)
  })
}

async function takeOverLogs(tx: Tx, orders: readonly StoredRow[]): Promise<void> {
  for (const { id, uid } of orders) {
    await sql(tx).trade.updateMany({
      where: { orderUid: bytea(uid), orderId: null },
      data: { orderId: BigInt(id) },
    })
  }
  await refreshProgress(
    tx,
    orders.map(({ id }) => BigInt(id)),
  )
}

/**
 * Stores orders in one commit. Where the database refuses one for what it holds, each is stored by itself, and the
 * fault is that order's alone.
 * @throws Outage when the database does not answer
 */
export async function storeOrders(
  db: Database,
  orders: readonly NewOrder[],
): Promise<(bigint | undefined | Error)[]> {
  try {
    return (await insertQuietOrders(db, orders)) ?? (await db.transaction((tx) => insertOrders(tx, orders)))
  } catch (error) {
    if (error instanceof Outage || orders.length === 1) throw error
  }
  const results: (bigint | undefined | Error)[] = []
  for (const order of orders) {
    const [result] = await storeOrders(db, [order]).catch((error: unknown) => [toError(error)])
    results.push(result)
  }
  return results
}

function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}

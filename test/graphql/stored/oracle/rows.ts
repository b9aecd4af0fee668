import { bytesToHex, type Hex } from '../../../../src/domain/evm/hex.ts'
import { type Db, sql } from '../../../../src/storage/database/database.ts'
import { Prisma } from '../../../../src/storage/generated/client.ts'

/** A column in the form for comparison: hex, plain decimals, numbers. */
type Plain<Value> = Value extends Uint8Array
  ? Hex
  : Value extends Prisma.Decimal
    ? string
    : Value extends bigint
      ? number
      : Value extends Uint8Array[]
        ? Hex[]
        : Value extends Prisma.Decimal[]
          ? string[]
          : Value extends Date
            ? Date
            : Value

type PlainRow<Row> = { [Column in keyof Row]: Plain<Row[Column]> }

function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return bytesToHex(value)
  if (Prisma.Decimal.isDecimal(value)) return (value as Prisma.Decimal).toFixed()
  if (typeof value === 'bigint') return Number(value)
  return Array.isArray(value) ? value.map(plain) : value
}

async function all<Row extends object>(table: { findMany(): Promise<Row[]> }): Promise<PlainRow<Row>[]> {
  const rows = await table.findMany()
  return rows.map(
    (row) =>
      Object.fromEntries(
        Object.entries(row).map(([column, value]) => [column, plain(value)]),
      ) as PlainRow<Row>,
  )
}

/** All rows that answers are made from, as Prisma reads them. */
export async function readRows(db: Db) {
  const tables = sql(db)
  return {
    accountHistories: await all(tables.accountHistory),
    affiliates: await all(tables.affiliate),
    appData: await all(tables.appData),
    attempts: await all(tables.settlementAttempt),
    auctionOrders: await all(tables.auctionOrder),
    auctions: await all(tables.auction),
    bookings: await all(tables.settlementBooking),
    checkpoints: await all(tables.checkpoint),
    entries: await all(tables.feedEntry),
    events: await all(tables.orderEvent),
    executions: await all(tables.execution),
    hookCalls: await all(tables.hookCall),
    marketPrices: await all(tables.marketPrice),
    mirroredOrders: await all(tables.mirroredOrder),
    notifications: await all(tables.notification),
    orderBooks: await all(tables.orderBook),
    orders: await all(tables.order),
    parts: await all(tables.solutionExecution),
    policies: await all(tables.feePolicy),
    prices: await all(tables.auctionPrice),
    priceSeries: await all(tables.priceSeries),
    quotes: await all(tables.orderQuote),
    settlementAmounts: await all(tables.settlementAmount),
    settlements: await all(tables.settlement),
    solutions: await all(tables.solution),
    standings: await all(tables.orderStanding),
    tokens: await all(tables.token),
    trades: await all(tables.trade),
  }
}

export type Rows = Awaited<ReturnType<typeof readRows>>
export type Row<Table extends keyof Rows> = Rows[Table][number]

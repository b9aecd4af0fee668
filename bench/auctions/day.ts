import path from 'node:path'
import { describeMarket, type Market } from '../../src/dev/market/market.ts'
import { address } from '../../src/domain/evm/address.ts'
import { applyMigrations } from '../../src/storage/database/migrations.ts'
import { openEmptyDatabase } from '../database/empty.ts'
import { query } from '../database/open.ts'
import { shape } from '../database/shape.ts'
import { fitToSchema } from '../documents/older.ts'
import { readSchema } from '../documents/schema.ts'
import { type FirstPage, formatPages, getJson, postGraphql, timeFirstPage } from '../month/first-page.ts'
import { cache } from '../options.ts'
import { createTraders } from '../placing/submissions.ts'
import type { PricedToken } from '../quoting/pools.ts'
import { choosePairs } from '../quoting/questions.ts'
import { toTable } from '../report.ts'
import { startNode } from '../servers/node.ts'
import { startProgram } from '../servers/program.ts'
import type { Undo } from '../setup.ts'
import { documents } from '../suites/documents.ts'
import { type Cost, costBetween, readCost, type TableCost, tableCosts } from './cost.ts'
import type { AuctionOptions } from './options.ts'
import { describeOwners, insertResting } from './resting.ts'
import { simulateAuctions } from './simulated.ts'

type Print = (line: string) => void

const tokens = 40
const ether = 10n ** 18n
const [owners, pairs] = [1_000, 300]
const reportDocument = documents.debug.replace('auctions(first: 20)', 'auctions(first: 100)')

export interface DayResults {
  cost: Cost
  /** The tables that grew. */
  tables: TableCost[]
  pages: FirstPage[]
}

/** Writes a day of auctions as rows, and reads the report of an order that rested in all of them. */
export async function runDay(options: AuctionOptions, undo: Undo, print: Print): Promise<DayResults> {
  const { resting, auctions, home } = options
  const database = await openEmptyDatabase(home, 'auctions_day')
  undo.push(database.stop)
  await applyMigrations(database.url)
  const market: Market = { ...describeMarket(), network: { ...describeMarket().network, ...shape.network } }
  const priced = describeTokens()
  const accounts = describeOwners(createTraders(owners), choosePairs(priced, pairs))
  // Limits from one hundredth away from the market to twice its price, evenly spread.
  const asks = (number: number) => 1_010 + ((number * 7) % 990)
  await insertResting(database.url, { owners: accounts, count: resting, market, asks })
  await nameTokens(database.url, market, priced)
  await query(database.url, 'VACUUM (ANALYZE)')
  await query(database.url, 'CHECKPOINT')
  const [before, tablesBefore] = [await readCost(database.url), await tableCosts(database.url)]
  const told = (number: number) => {
    if (number % 720 === 0) print(`${number} of ${auctions} auctions`)
  }
  const prices = new Map(priced.map(({ address, wei }) => [address, wei]))
  await simulateAuctions({ databaseUrl: database.url, network: market.network, prices, auctions, told })
  const cost = costBetween(before, await readCost(database.url))
  const tables = growth(tablesBefore, await tableCosts(database.url))
  const pages = await readReport(database.url, market, undo, print)
  const results = { cost, tables, pages }
  print(`\n${formatDay(options, results)}`)
  return results
}

function describeTokens(): PricedToken[] {
  return Array.from({ length: tokens }, (_, index) => ({
    address: address(`0x${(0x70c_0000 + index).toString(16).padStart(40, '0')}`),
    decimals: 18,
    wei: ether / BigInt(1 + index * index),
  }))
}

/** Stores the tokens' names, which no node returns. */
async function nameTokens(url: string, { network }: Market, priced: readonly PricedToken[]): Promise<void> {
  await query(
    url,
    `INSERT INTO tokens (chain_id, address, symbol, name, decimals)
     SELECT $1, token, 'TK', 'Token', 18 FROM unnest($2::bytea[]) AS token`,
    [network.chainId, priced.map((token) => Buffer.from(token.address.slice(2), 'hex'))],
  )
}

function growth(before: readonly TableCost[], after: readonly TableCost[]): TableCost[] {
  const of = new Map(before.map((cost) => [cost.table, cost]))
  return after
    .map(({ table, rows, bytes }) => {
      const was = of.get(table)
      return { table, rows: rows - (was?.rows ?? 0), bytes: bytes - (was?.bytes ?? 0) }
    })
    .filter(({ bytes }) => bytes > 0)
    .toSorted((a, b) => b.bytes - a.bytes)
}

async function readReport(
  databaseUrl: string,
  { network }: Market,
  undo: Undo,
  print: Print,
): Promise<FirstPage[]> {
  const node = await startNode()
  undo.push(node.close)
  const source = path.join(import.meta.dirname, '..', '..')
  const target = path.join(cache, 'auctions_program')
  const program = await startProgram({ source, target, databaseUrl, rpcUrl: node.url, network, print })
  undo.push(program.stop)
  const [order] = await query<{ uid: string }>(
    databaseUrl,
    `SELECT '0x' || encode(uid, 'hex') AS uid FROM orders WHERE id = 1`,
  )
  const uid = order?.uid ?? ''
  const report = `http://127.0.0.1:${program.port}/${network.name}/api/v1/debug/order/${uid}`
  const document = fitToSchema(reportDocument, await readSchema(program.port))
  return [
    await timeFirstPage('REST report', () => getJson(report)),
    await timeFirstPage('GraphQL report', () => postGraphql(program.port, document, { uid })),
  ]
}

const mega = (bytes: number) => (bytes / 1e6).toFixed(1)

function formatDay({ resting, auctions }: AuctionOptions, { cost, tables, pages }: DayResults): string {
  const sizes = [...tables, { table: 'all', ...cost }].map(({ table, rows, bytes }) => [
    table,
    String(rows),
    mega(bytes),
  ])
  return [
    `${resting} orders in ${auctions} auctions: ${mega(cost.walBytes)} MB of WAL`,
    toTable(['table', 'new rows', 'MB with indexes'], sizes),
    formatPages(pages),
  ].join('\n\n')
}

import path from 'node:path'
import { applyMigrations } from '../../src/storage/database/migrations.ts'
import { openEmptyDatabase } from '../database/empty.ts'
import { canCount, countStatements, type Statement } from '../database/statements.ts'
import type { Question } from '../load/question.ts'
import { runTurn, type Turn } from '../load/turn.ts'
import { type Figures, type RowResult, summary, toFigures } from '../measure.ts'
import { cache } from '../options.ts'
import { formatTable, ratios, writeColumns } from '../report.ts'
import { type BenchChain, startBenchChain } from '../servers/chain.ts'
import { startCountingNode } from '../servers/counting-node.ts'
import { installFastify, startFastify } from '../servers/fastify.ts'
import type { ServerProcess } from '../servers/process.ts'
import { startProgram } from '../servers/program.ts'
import type { Undo } from '../setup.ts'
import type { Peer } from '../suites/workload.ts'
import { fundTraders } from './chain.ts'
import { checkRows, emptyOrders } from './database.ts'
import type { PlacingOptions } from './options.ts'
import { createTraders, signOrders } from './submissions.ts'

type Print = (line: string) => void

/** A system that accepts orders, with its own database. */
interface System {
  system: string
  peer?: Peer
  databaseUrl: string
  start(rpcUrl: string): Promise<ServerProcess>
}

export interface PlacingResults {
  title: string
  connections: number
  rows: (RowResult & { ratios: Record<string, number> })[]
}

const warmupOrders = 1_000
const countedOrders = 500

/** @returns the figures, and the reason if the peer is missing */
export async function runPlacing(
  options: PlacingOptions,
  undo: Undo,
  print: Print,
): Promise<{ results: PlacingResults[]; withoutFastify: string | undefined }> {
  const traders = createTraders(options.traders)
  const addresses = traders.map((trader) => trader.address)
  const chain = await startBenchChain(options.home, (rpc, market) => fundTraders(rpc, market, addresses))
  undo.push(chain.stop)
  const orders = signOrders(traders, options.orders, chain.market)
  print(`${orders.length} orders signed by ${traders.length} traders, all funded`)
  const { systems, withoutFastify } = await prepare(options, chain, undo, print)
  if (withoutFastify) print(`the peer is skipped: ${withoutFastify}`)
  const results: PlacingResults[] = []
  for (const connections of options.connections) {
    const title = `Order submission, ${connections} connections`
    const rows = await measure(systems, connections, { ...options, chain, orders, print })
    print(`\n${formatTable(title, rows, writeColumns)}\n`)
    results.push({ title, connections, rows: rows.map((row) => ({ ...row, ratios: ratios(row, rows) })) })
  }
  return { results, withoutFastify }
}

async function prepare(options: PlacingOptions, { market }: BenchChain, undo: Undo, print: Print) {
  const { network } = market
  const database = async (name: string) => {
    const { url, stop } = await openEmptyDatabase(options.home, name)
    undo.push(stop)
    await applyMigrations(url)
    return url
  }
  const build = async (system: string, name: string, source: string): Promise<System> => {
    const databaseUrl = await database(name)
    const target = path.join(cache, name)
    let built = false
    const start = (rpcUrl: string) => {
      const server = startProgram({ source, target, databaseUrl, rpcUrl, network, built, print })
      built = true
      return server
    }
    return { system, databaseUrl, start }
  }
  const systems = [await build('tradegraph', 'orders_program', path.join(import.meta.dirname, '..', '..'))]
  if (options.against !== undefined)
    systems.push(await build('against', 'orders_against', path.resolve(options.against)))
  if (!options.fastify) return { systems, withoutFastify: '--no-fastify' }
  try {
    const folder = path.join(cache, 'fastify')
    installFastify(folder)
    const databaseUrl = await database('orders_fastify')
    const start = (rpcUrl: string) => startFastify({ folder, databaseUrl, rpcUrl, network })
    systems.push({ system: 'fastify + viem + pg', peer: 'fastify', databaseUrl, start })
    return { systems, withoutFastify: undefined }
  } catch (error) {
    return { systems, withoutFastify: error instanceof Error ? error.message : String(error) }
  }
}

interface Measuring extends Omit<PlacingOptions, 'orders' | 'connections'> {
  chain: BenchChain
  orders: readonly Question[]
  print: Print
}

/** Measures all systems in turns; each turn begins with empty tables and a warm server. */
async function measure(
  systems: readonly System[],
  connections: number,
  { rounds, seconds, chain, orders, print }: Measuring,
): Promise<RowResult[]> {
  const measured = new Map<System, Figures[]>(systems.map((system) => [system, []]))
  for (let round = 1; round <= rounds; round++) {
    for (const [system, figures] of measured) {
      await emptyOrders(system.databaseUrl, chain.market)
      const server = await system.start(chain.rpcUrl)
      try {
        const queue = orders.values()
        const warm = await submit(server, queue, connections, { requests: warmupOrders })
        await server.vitals()
        const turn = await submit(server, queue, connections, {
          seconds,
          requests: orders.length - warmupOrders,
        })
        figures.push(toFigures(turn, await server.vitals()))
        const right = warm.requests - warm.errors + turn.requests - turn.errors
        await checkRows(system.databaseUrl, right)
      } finally {
        await server.stop()
      }
      const rate = Math.round(figures.at(-1)?.requestsPerSecond ?? 0)
      print(`${connections} connections, ${round}/${rounds} ${system.system}: ${rate}/s`)
    }
  }
  const results: RowResult[] = []
  for (const [{ system, peer, ...rest }, figures] of measured) {
    const counts = await count({ system, ...rest }, connections, chain, orders)
    results.push({
      system,
      peer,
      rounds: figures,
      statements: counts.statements,
      figures: { ...summary(figures), ...counts.perRequest },
    })
  }
  return results
}

/** Counts the statements and node requests of one order, without timing. */
async function count(
  { databaseUrl, start }: System,
  connections: number,
  { rpcUrl, market }: BenchChain,
  orders: readonly Question[],
): Promise<{ statements: Statement[] | undefined; perRequest: Partial<Figures> }> {
  await emptyOrders(databaseUrl, market)
  const node = await startCountingNode(rpcUrl)
  const server = await start(node.url)
  try {
    const queue = orders.values()
    await submit(server, queue, connections, { requests: countedOrders })
    node.take()
    const run = async () => void (await submit(server, queue, connections, { requests: countedOrders }))
    const counting = await canCount(databaseUrl)
    const statements = counting ? await countStatements(databaseUrl, countedOrders, run) : undefined
    if (!counting) await run()
    const calls = statements?.reduce((sum, { callsPerRequest }) => sum + callsPerRequest, 0)
    return {
      statements,
      perRequest: {
        statementsPerRequest: calls,
        rpcPerRequest: node.take().requests / countedOrders,
      },
    }
  } finally {
    await server.stop()
    node.close()
  }
}

function submit(
  { port }: ServerProcess,
  queue: Iterator<Question>,
  connections: number,
  bounds: { seconds?: number; requests?: number },
): Promise<Turn> {
  const next = () => {
    const { value, done } = queue.next()
    if (done) throw new Error('there are no more orders')
    return value as Question
  }
  return runTurn({ port, connections, next, ...bounds })
}

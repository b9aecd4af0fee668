import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { applyMigrations } from '../../src/storage/database/migrations.ts'
import { openEmptyDatabase } from '../database/empty.ts'
import { get, type Question } from '../load/question.ts'
import { askOnce, runTurn } from '../load/turn.ts'
import { type Figures, type RowResult, summary, toFigures } from '../measure.ts'
import { cache } from '../options.ts'
import { formatTable, ratios, tokenColumns } from '../report.ts'
import { type BenchChain, startBenchChain } from '../servers/chain.ts'
import { type ServerProcess, startServer } from '../servers/process.ts'
import { startProgram } from '../servers/program.ts'
import type { Undo } from '../setup.ts'
import type { Peer } from '../suites/workload.ts'
import type { TokenOptions } from './options.ts'
import { startProvider } from './provider.ts'

type Print = (line: string) => void

interface System {
  system: string
  peer?: Peer
  server: ServerProcess
}

export interface TokenResults {
  title: string
  connections: number
  rows: (RowResult & { ratios: Record<string, number> })[]
}

const warmupSeconds = 2
/** The timeout; a price needs one read of the market. */
const timeoutMs = 20_000

export async function runTokens(options: TokenOptions, undo: Undo, print: Print): Promise<TokenResults[]> {
  const chain = await startBenchChain(options.home, async () => {})
  undo.push(chain.stop)
  const provider = await startProvider()
  undo.push(async () => provider.close())
  const program = await startTradegraph(options, chain, provider.url, undo, print)
  const token = `/${chain.market.network.name}/tokens/${chain.market.tokens.WETH.address}`
  const questions = [
    { what: 'Price of a token', path: `${token}/usdPrice` },
    { what: 'Top holders of a token', path: `${token}/topHolders` },
  ]
  const bodies: Record<string, string> = {}
  for (const { path } of questions) bodies[path] = await firstAnswer(program.port, path)
  const bare = await startServer({
    name: 'the bare handler',
    args: [path.join(import.meta.dirname, 'bare.mjs')],
    env: { BODIES: JSON.stringify(bodies) },
  })
  undo.push(() => bare.stop())
  const systems: System[] = [
    { system: 'tradegraph', server: program },
    { system: 'node:http', peer: 'node:http', server: bare },
  ]
  const results: TokenResults[] = []
  for (const connections of options.connections) {
    for (const { what, path } of questions) {
      const expect = bodies[path] ?? ''
      const title = `${what} (${expect.length} bytes), ${connections} ${connections === 1 ? 'connection' : 'connections'}`
      const rows = await measure(systems, { request: get(path), expect }, connections, options)
      print(`\n${formatTable(title, rows, tokenColumns)}\n`)
      results.push({ title, connections, rows: rows.map((row) => ({ ...row, ratios: ratios(row, rows) })) })
    }
  }
  print(`requests to the provider: ${provider.requests()}`)
  return results
}

async function startTradegraph(
  { home, profile }: TokenOptions,
  { market, rpcUrl }: BenchChain,
  providerUrl: string,
  undo: Undo,
  print: Print,
): Promise<ServerProcess> {
  const { url: databaseUrl, stop } = await openEmptyDatabase(home, 'tokens_program')
  undo.push(stop)
  await applyMigrations(databaseUrl)
  const holders = [{ kind: 'moralis', url: providerUrl, apiKey: 'bench' }]
  const server = await startProgram({
    source: path.join(import.meta.dirname, '..', '..'),
    target: path.join(cache, 'tokens_program'),
    databaseUrl,
    rpcUrl,
    network: market.network,
    env: { HOLDER_SOURCES: JSON.stringify(holders) },
    profile,
    print,
  })
  undo.push(() => server.stop())
  return server
}

/** @throws when there is none in time */
async function firstAnswer(port: number, path: string): Promise<string> {
  const deadline = performance.now() + timeoutMs
  for (;;) {
    const { status, body } = await askOnce(port, get(path))
    if (status === 200) return body.toString()
    if (performance.now() > deadline) throw new Error(`${path}: ${status} ${body}`)
    await pause(200)
  }
}

/** Measures both in turns, the other one idle. */
async function measure(
  systems: readonly System[],
  question: Question,
  connections: number,
  { rounds, seconds }: TokenOptions,
): Promise<RowResult[]> {
  const measured = new Map<System, Figures[]>(systems.map((system) => [system, []]))
  const next = () => question
  for (let round = 1; round <= rounds; round++) {
    for (const [{ server }, figures] of measured) {
      const { port, vitals } = server
      await runTurn({ port, connections, next, seconds: warmupSeconds })
      await vitals()
      const turn = await runTurn({ port, connections, next, seconds })
      figures.push(toFigures(turn, await vitals()))
    }
  }
  return [...measured].map(([{ system, peer }, figures]) => ({
    system,
    peer,
    rounds: figures,
    figures: summary(figures),
  }))
}

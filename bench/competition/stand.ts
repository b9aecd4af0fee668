import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { accountingCsv } from '../../src/app/commands/accounting.ts'
import { createLog } from '../../src/app/observing/log.ts'
import { createRpc } from '../../src/chain/rpc/rpc.ts'
import { allowSolvers, type Market } from '../../src/dev/market/market.ts'
import { findRequest } from '../../src/storage/auction/solver-messages.ts'
import { type Database, openDatabase } from '../../src/storage/database/database.ts'
import { applyMigrations } from '../../src/storage/database/migrations.ts'
import { openEmptyDatabase } from '../database/empty.ts'
import { cache } from '../options.ts'
import { startBenchChain } from '../servers/chain.ts'
import { type ServerProcess, startServer } from '../servers/process.ts'
import { startProgram } from '../servers/program.ts'
import type { Undo } from '../setup.ts'
import { putThief } from './bad/contracts.ts'
import { badNames } from './bad/engines.ts'
import type { Books } from './checks/accounting.ts'
import type { Ground } from './ground.ts'
import { type Crowd, prepareCrowd } from './orders/crowd.ts'
import type { Plan } from './orders/plan.ts'

/** The participants next to the built-in solver. */
export const fields = {
  alone: [],
  good: ['engine', 'driver'],
  all: ['engine', 'driver', ...badNames],
} as const
export type Field = keyof typeof fields

export interface Stand {
  ground: Ground
  crowd: Crowd
  program: ServerProcess
  books: Books
  /** Accounts of outside solvers, by name. */
  accounts: Record<string, string>
}

export interface StandOptions {
  field: Field
  plans: readonly Plan[]
  home: string
  /** This run has already built the program. */
  built: boolean
  print: (line: string) => void
  hear: (text: string) => void
  races: boolean
}

export const metricsKey = 'bench-bench-bench'
export const maxWinners = 20
const root = path.join(import.meta.dirname, '..', '..')
const startMs = 20_000

/** Fees of every kind that orders pay by default: half of the surplus, at most 1 % of the volume. */
export const competitionSettings = {
  FEE_POLICIES: '[{"kind":"surplus","factor":0.5,"maxVolumeFactor":0.01}]',
  // Some orders must expire within a run.
  ORDER_MIN_VALIDITY: '5',
  AUCTION_MAX_WINNERS: String(maxWinners),
  AUCTION_MAX_UNDER_WAY: '64',
}

/** Opens a new chain and database, the program and its solvers, each in its own process. */
export async function openStand(options: StandOptions, undo: Undo): Promise<Stand> {
  const { field, plans, home, built, print, hear, races } = options
  const keep = async <T extends { stop(): Promise<void> }>(starting: Promise<T>): Promise<T> => {
    undo.push(() => starting.then(({ stop }) => stop()).catch(() => {}))
    return starting
  }
  const database = await keep(openEmptyDatabase(home, `competition_${field}`))
  await applyMigrations(database.url)
  let crowd: Crowd | undefined
  const chain = await keep(
    startBenchChain(home, async (rpc, market) => {
      await allowSolvers(rpc, market.outsideSolvers)
      crowd = await prepareCrowd({ rpc, market }, plans)
      await putThief({ rpc, market })
    }),
  )
  if (!crowd) throw new Error('there is no crowd')
  const { market, rpcUrl } = chain
  const urls = await startEngines(field, { ...chain, races }, keep)
  const program = await keep(
    startProgram({
      source: root,
      target: path.join(cache, 'competition_program'),
      command: 'all',
      databaseUrl: database.url,
      rpcUrl,
      network: market.network,
      built,
      hear,
      env: {
        ...competitionSettings,
        SOLVER_PRIVATE_KEY: market.solver.privateKey,
        REFUND_PRIVATE_KEY: market.refunder.privateKey,
        METRICS_KEY: metricsKey,
        LOG_LEVEL: 'info',
        SOLVERS: JSON.stringify(toSources(urls, market)),
      },
      print,
    }),
  )
  const rpc = createRpc({ url: rpcUrl, log: createLog('warn') })
  const ground = { url: `http://127.0.0.1:${program.port}`, rpc, market }
  const books = { rpcUrl, ...openBooks(database.url, undo) }
  return { ground, crowd, program, books, accounts: toAccounts(Object.keys(urls), market) }
}

function openBooks(url: string, undo: Undo): Omit<Books, 'rpcUrl'> {
  const db = openDatabase({ url, maxConnections: 2 })
  undo.push(() => db.close())
  return booksOf(db)
}

export function booksOf(db: Database): Omit<Books, 'rpcUrl'> {
  return {
    async accounts(to) {
      const told = await accountingCsv(db, { from: '0', to: `${to}` })
      if ('fault' in told) throw new Error(told.fault)
      return told.csv
    },
    exported: (auctionId) => findRequest(db, auctionId),
  }
}

type Keep = <T extends { stop(): Promise<void> }>(starting: Promise<T>) => Promise<T>

/** @returns their URLs by name */
async function startEngines(
  field: Field,
  { market: { network }, rpcUrl, races }: { market: Market; rpcUrl: string; races: boolean },
  keep: Keep,
): Promise<Record<string, string>> {
  const urls: Record<string, string> = {}
  if (field === 'alone') return urls
  urls.engine = (await keep(startExample())).url
  const own = fields[field].indexOf('driver')
  const driver = path.join(import.meta.dirname, 'driver.ts')
  const driving = startServer({ name: 'driver', args: ['--import', 'tsx', driver, rpcUrl, String(own)] })
  urls.driver = `http://127.0.0.1:${(await keep(driving)).port}`
  if (field === 'good') return urls
  const script = path.join(import.meta.dirname, 'bad', 'serve.ts')
  const args = [
    '--import',
    'tsx',
    script,
    rpcUrl,
    network.settlement,
    network.vaultRelayer,
    races ? 'races' : '',
  ]
  const { port } = await keep(startServer({ name: 'bad engines', args }))
  for (const name of badNames) urls[name] = `http://127.0.0.1:${port}/${name}`
  return urls
}

export function toSources(urls: Record<string, string>, { outsideSolvers }: Market): object[] {
  return Object.entries(urls).map(([name, url], index) => {
    const { address, privateKey } = outsideSolvers[index] ?? {}
    return name === 'driver' ? { kind: name, name, url, address } : { kind: 'engine', name, url, privateKey }
  })
}

export function toAccounts(names: readonly string[], { outsideSolvers }: Market): Record<string, string> {
  return Object.fromEntries(names.map((name, index) => [name, outsideSolvers[index]?.address ?? '']))
}

/** Starts the example engine as its users do. */
export async function startExample(): Promise<{ url: string; stop(): Promise<void> }> {
  const port = await freePort()
  const script = path.join(root, 'examples', 'solver', 'solver.ts')
  const args = ['--import', 'tsx', script, String(port)]
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  const stop = async () => {
    child.kill()
    await ended
  }
  try {
    await once(child.stdout, 'data', { signal: AbortSignal.timeout(startMs) })
  } catch (error) {
    await stop()
    throw error
  }
  // Its output about each auction is not read.
  child.stdout.resume()
  return { url: `http://127.0.0.1:${port}`, stop }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

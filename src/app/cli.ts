#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { findRequest } from '../storage/auction/outside.ts'
import { type Database, openDatabase } from '../storage/database/database.ts'
import { type AccountingFlags, accountingCsv } from './accounting.ts'
import { type AppOptions, type Role, roles, startApp } from './app.ts'
import { ConfigError, describeSettings, readNetworks, readSettings } from './config.ts'
import { createLog } from './log.ts'
import type { Settings } from './settings.ts'

const usage = `usage: tradegraph <command> [flags]

  dev       everything on this machine: database, chain with a market, service, traders
  serve     GraphQL, REST and event streams
  index     follow the chains
  auction   run the auctions
  deliver   send notifications to webhooks
  all       serve, index, auction and deliver in one process
  auction export ID   print what outside solvers were sent about an auction
  accounting          print the accounts of solvers as CSV, for auctions whose deadline is in a range of blocks

flags of dev
  --port N        port of the service, 0 for any free one (default 4000)
  --home DIR      folder of everything it keeps (default .tradegraph)
  --reset         empty the home first
  --no-traders    no account trades by itself
  --solver URL    an outside solver that takes part in auctions; up to six times

flags of accounting
  --from BLOCK    the first block
  --to BLOCK      the last block (default: the last that the indexer has passed)
  --network NAME  may be left out where there is only one

settings, from the environment [default]
${describeSettings()}`

const commands: Record<string, readonly Role[]> = {
  serve: ['serve'],
  index: ['index'],
  auction: ['auction'],
  deliver: ['deliver'],
  all: roles,
}

function version(): string {
  for (const parent of ['../..', '../../..']) {
    try {
      const { name, version } = JSON.parse(
        readFileSync(path.join(import.meta.dirname, parent, 'package.json'), 'utf8'),
      )
      if (name === 'tradegraph') return `tradegraph@${version}`
    } catch {}
  }
  return 'tradegraph'
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean' },
      port: { type: 'string' },
      home: { type: 'string', default: '.tradegraph' },
      reset: { type: 'boolean', default: false },
      'no-traders': { type: 'boolean', default: false },
      solver: { type: 'string', multiple: true, default: [] },
      from: { type: 'string' },
      to: { type: 'string' },
      network: { type: 'string' },
    },
  })
  const [command = '', ...rest] = positionals
  if (command === 'auction' && rest[0] === 'export') return exportAuction(rest[1] ?? '', values.home)
  if (values.help) return print(usage)
  if (values.version) return print(version())
  if (command === 'accounting' && rest.length === 0) return printAccounts(values)
  if (rest.length > 0 || (command !== 'dev' && !commands[command])) return fail(usage, 2)

  if (values.home === '') return fail('tradegraph: --home must name a folder', 2)
  if (values.port !== undefined && !isPort(values.port)) {
    return fail('tradegraph: --port must be a number from 0 to 65535', 2)
  }
  const settings = readSettings({ ...process.env, ...(values.port !== undefined && { PORT: values.port }) })
  const shared = {
    settings,
    version: version(),
    log: createLog(settings.LOG_LEVEL),
    now: Date.now,
    random: Math.random,
  }
  if (command === 'dev') {
    // Loaded here only: the other commands must run without its packages.
    const { runDev } = await import('../dev/run.ts')
    const { home, reset, solver: solvers } = values
    const byNpm = process.env.npm_lifecycle_event !== undefined
    await runDev({ ...shared, home, reset, traders: !values['no-traders'], solvers, byNpm, print })
    // A settlement in flight is watched for a minute more; the next start reads its outcome from the chain.
    process.exit(0)
  } else {
    await runRoles(commands[command] ?? [], settings, shared)
  }
}

async function runRoles(
  roles: readonly Role[],
  settings: Settings,
  shared: Pick<AppOptions, 'settings' | 'version' | 'log' | 'now' | 'random'>,
): Promise<void> {
  const networks = readNetworks(settings.NETWORKS_FILE, settings.PROFILE)
  if (!settings.DATABASE_URL) throw new ConfigError(['DATABASE_URL: is needed for this command'])
  if (roles.includes('auction') && !settings.SOLVER_PRIVATE_KEY) {
    throw new ConfigError(['SOLVER_PRIVATE_KEY: is needed to run auctions'])
  }
  const app = await startApp({ ...shared, databaseUrl: settings.DATABASE_URL, networks, roles })
  app.failed.then((fault) => fail(faultLine(fault), 1))
  print(`ready ${app.url ?? roles.join(', ')}`)
  const stop = () => {
    app.close().then(
      () => process.exit(0),
      (error) => fail(String(error), 1),
    )
  }
  process.once('SIGINT', stop).once('SIGTERM', stop)
}

async function exportAuction(id: string, home: string): Promise<void> {
  if (!/^[1-9]\d{0,17}$/.test(id)) return fail('usage: tradegraph auction export ID', 2)
  const body = await withDatabase(home, (db) => findRequest(db, BigInt(id)))
  if (!body) return fail(`tradegraph: no request of auction ${id} is kept`, 1)
  print(body)
}

async function printAccounts({ home, ...flags }: AccountingFlags & { home: string }): Promise<void> {
  const accounts = await withDatabase(home, (db) => accountingCsv(db, flags))
  if ('fault' in accounts) return fail(`tradegraph: ${accounts.fault}`, 2)
  print(accounts.csv)
}

/** From the database of the settings, or else that of the local stack in this folder. */
async function withDatabase<T>(home: string, read: (db: Database) => Promise<T>): Promise<T> {
  const settings = readSettings(process.env)
  const url = settings.DATABASE_URL ?? localDatabase(home)
  if (url === undefined) throw new ConfigError(['DATABASE_URL: is needed for this command'])
  const db = openDatabase({ url, maxConnections: settings.DATABASE_CONNECTIONS })
  try {
    return await read(db)
  } finally {
    await db.close()
  }
}

/** While it runs. */
function localDatabase(home: string): string | undefined {
  try {
    return JSON.parse(readFileSync(path.join(home, 'dev.json'), 'utf8')).databaseUrl
  } catch {
    return undefined
  }
}

function faultLine(fault: unknown): string {
  return `tradegraph: ${fault instanceof Error ? fault.message : String(fault)}`
}

function isPort(text: string): boolean {
  return /^\d{1,5}$/.test(text) && Number(text) <= 65_535
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

function fail(text: string, code: number): void {
  process.stderr.write(`${text}\n`)
  process.exit(code)
}

main().catch((error) => {
  if (error instanceof ConfigError) fail(error.faults.map((fault) => `configuration: ${fault}`).join('\n'), 2)
  else fail(faultLine(error), 1)
})

import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import type { Database } from '../storage/database/database.ts'
import type { App, AppOptions } from './app.ts'
import type { Role } from './chain/loops.ts'
import type { AccountingFlags } from './commands/accounting.ts'
import type { AllowanceFlags } from './commands/allowances.ts'
import type { ImportFlags } from './commands/import.ts'
import { flagFault, flags } from './commands/usage.ts'
import { ConfigError } from './config.ts'
import type { Settings } from './settings.ts'

// Commands load their own parts: the whole program takes seconds, and `explain` only queries a service.

const localUrl = 'http://127.0.0.1:4000'

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
    options: flags,
  })
  const [command = '', ...rest] = positionals
  if (command === 'auction' && rest[0] === 'export') return exportAuction(rest[1] ?? '', values.home)
  if (values.help) return print((await import('./commands/usage.ts')).usage)
  if (values.version) return print(version())
  if (command === 'explain' || command === 'watch') {
    const url = values.url ?? localSystem(values.home)?.url ?? localUrl
    // A closed pipe, as by `head`, is no fault.
    process.stdout.on('error', () => process.exit(0))
    const { runCommand } = await import('./commands/run.ts')
    const code = await runCommand(command, rest, {
      flags: { ...values, url },
      ...{ random: Math.random, print, warn },
    })
    // Exits after all output is written: open connections would keep the process.
    process.stdout.write('', () => process.exit(code))
    return
  }
  if (command === 'vapid-keys' && rest.length === 0)
    return print((await import('./channels/settings.ts')).newVapidKeys())
  if (command === 'migrate' && rest.length === 0) return runMigrations(values)
  if (command === 'accounting' && rest.length === 0) return printAccounts(values)
  if (command === 'import' && rest.length === 0) return runImport(values)
  if (command === 'allowances' && rest.length === 1) return runAllowances(rest[0] ?? '', values)
  if (command === 'doctor' && rest.length === 0) return runDoctor(values.json)
  const { commands, unknownCommand } = await import('./commands/usage.ts')
  if (rest.length > 0 || (command !== 'dev' && !commands[command]))
    return fail(unknownCommand(positionals), 2)

  if (values.home === '') return fail('tradegraph: --home must name a folder', 2)
  if (values.port !== undefined && !isPort(values.port)) {
    return fail('tradegraph: --port must be a number from 0 to 65535', 2)
  }
  await warnOfMisspelt()
  const { readSettings } = await import('./config.ts')
  const { createLog } = await import('./observing/log.ts')
  const { secretsIn } = await import('./observing/log.ts')
  const settings = readSettings({ ...process.env, ...(values.port !== undefined && { PORT: values.port }) })
  const shared = {
    settings,
    version: version(),
    log: createLog(settings.LOG_LEVEL, secretsIn(settings)),
    now: Date.now,
    random: Math.random,
  }
  if (command === 'dev') {
    // Loaded here only: the other commands must run without its packages.
    const { runDev } = await import('../dev/run.ts')
    const { reset, solver: solvers, 'wrapped-native': wrappedNative } = values
    const follow =
      values.follow === undefined
        ? undefined
        : { url: values.follow, rpcUrl: values.rpc ?? nodeOf(values.follow, values.home), wrappedNative }
    // One that follows the order book of this folder's home has a home of its own.
    const home = follow && values.home === flags.home.default ? `${values.home}-follower` : values.home
    const byNpm = process.env.npm_lifecycle_event !== undefined
    const isPortNamed = values.port !== undefined || process.env.PORT !== undefined
    const given = { home, reset, traders: !values['no-traders'], solvers, follow, isPortNamed, byNpm }
    await runDev({ ...shared, ...given, print })
    // A settlement in flight is watched for another minute; the next start reads its outcome from the chain.
    process.exit(0)
  } else {
    await runRoles(commands[command] ?? [], settings, shared)
  }
}

/** @throws ConfigError with all missing or wrong settings */
async function neededBy(roles: readonly Role[], settings: Settings) {
  const { readNetworks } = await import('./config.ts')
  const { DATABASE_URL, NETWORKS_FILE, SOLVER_PRIVATE_KEY, PROFILE } = settings
  const needed = { DATABASE_URL, NETWORKS_FILE, ...(roles.includes('auction') && { SOLVER_PRIVATE_KEY }) }
  const faults = Object.entries(needed).flatMap(([name, value]) =>
    value === undefined ? [`${name}: is needed for this command`] : [],
  )
  try {
    const networks = NETWORKS_FILE === undefined ? [] : readNetworks(NETWORKS_FILE, PROFILE)
    if (DATABASE_URL !== undefined && faults.length === 0) return { databaseUrl: DATABASE_URL, networks }
  } catch (fault) {
    if (!(fault instanceof ConfigError)) throw fault
    faults.push(...fault.faults)
  }
  throw new ConfigError(faults)
}

async function runDoctor(asJson: boolean): Promise<void> {
  const { examine, linesOf } = await import('./commands/doctor.ts')
  const { createLog } = await import('./observing/log.ts')
  const checks = await examine({ environment: process.env, log: createLog('silent') })
  print(asJson ? JSON.stringify({ checks }) : linesOf(checks))
  process.exit(checks.some(({ state }) => state === 'bad') ? 1 : 0)
}

/** Warns of likely typing errors; variables of other programs are ignored. */
async function warnOfMisspelt(): Promise<void> {
  const { misspeltSettings } = await import('./config.ts')
  const { settings: knownSettings } = await import('./settings.ts')
  for (const { name, meant } of misspeltSettings(process.env, Object.keys(knownSettings.shape)))
    process.stderr.write(`tradegraph: ${name} is no setting: did you mean ${meant}?\n`)
}

async function runRoles(
  roles: readonly Role[],
  settings: Settings,
  shared: Pick<AppOptions, 'settings' | 'version' | 'log' | 'now' | 'random'>,
): Promise<void> {
  const { startApp } = await import('./app.ts')
  const { createLog } = await import('./observing/log.ts')
  const { secretsIn } = await import('./observing/log.ts')
  const { shutdownDelayMs } = await import('./settings/connection-settings.ts')
  const { databaseUrl, networks } = await neededBy(roles, settings)
  const log = createLog(settings.LOG_LEVEL, secretsIn([settings, networks]))
  let app: App | undefined
  let isStopping = false
  const stop = () => {
    // No work is in progress before it is ready. A second signal does not wait.
    if (!app || isStopping) process.exit(isStopping ? 1 : 0)
    isStopping = true
    log.info('stopping', { delaySeconds: delayMs / 1_000 })
    app.close(delayMs).then(
      () => process.exit(0),
      (error) => fail(String(error), 1),
    )
  }
  const delayMs = shutdownDelayMs(settings, roles.includes('serve'))
  process.on('SIGINT', stop).on('SIGTERM', stop)
  app = await startApp({ ...shared, log, databaseUrl, networks, roles })
  app.failed.then((fault) => fail(faultLine(fault), 1))
  print(`ready ${app.url ?? roles.join(', ')}`)
}

async function exportAuction(id: string, home: string): Promise<void> {
  if (!/^[1-9]\d{0,17}$/.test(id)) return fail('usage: tradegraph auction export ID', 2)
  const { findRequest } = await import('../storage/auction/solver-messages.ts')
  const body = await withDatabase(home, (db) => findRequest(db, BigInt(id)))
  if (!body) return fail(`tradegraph: no request of auction ${id} is kept`, 1)
  print(body)
}

async function runMigrations({ home, 'dry-run': dryRun }: { home: string; 'dry-run': boolean }) {
  const { readSettings } = await import('./config.ts')
  const { directUrlOf } = await import('./databases.ts')
  const { migrate } = await import('./commands/migrate.ts')
  const settings = readSettings(process.env)
  const url = await directUrlOf(databaseUrlOf(settings, home), settings.DATABASE_DIRECT_URL !== undefined)
  await migrate(url, { dryRun, print })
}

async function printAccounts({ home, ...flags }: AccountingFlags & { home: string }): Promise<void> {
  const { accountingCsv } = await import('./commands/accounting.ts')
  const accounts = await withDatabase(home, (db) => accountingCsv(db, flags))
  if ('fault' in accounts) return fail(`tradegraph: ${accounts.fault}`, 2)
  print(accounts.csv)
}

async function runAllowances(
  action: string,
  { home, ...flags }: AllowanceFlags & { home: string },
): Promise<void> {
  const { allowanceActions, allowances } = await import('./commands/allowances.ts')
  const { readSettings } = await import('./config.ts')
  const { createLog } = await import('./observing/log.ts')
  const known = allowanceActions.find((each) => each === action)
  if (!known) return fail('usage: tradegraph allowances list|revoke', 2)
  const settings = readSettings(process.env)
  const { networks } = await neededBy(known === 'revoke' ? ['auction'] : [], settings)
  const parts = { flags, networks, settings, log: createLog('silent'), print, warn }
  process.exit(await withDatabase(home, (db) => allowances(known, { ...parts, db })))
}

async function runImport(flags: ImportFlags): Promise<void> {
  const { importInto } = await import('./commands/import.ts')
  const { readSettings } = await import('./config.ts')
  const { createLog } = await import('./observing/log.ts')
  const settings = readSettings(process.env)
  const parts = { flags, settings, log: createLog('silent'), show: createShow(process.stdout), warn }
  process.exit(await importInto({ ...parts, ...(await neededBy([], settings)) }))
}

const plainEveryMs = 10_000

/** Shows progress in one line of a terminal, which each update replaces, or every ten seconds in a line. */
function createShow(out: NodeJS.WriteStream): (line: string, isEnd: boolean) => void {
  let shownAt = performance.now()
  return (line, isEnd) => {
    if (out.isTTY) return void out.write(`\r\x1b[K${line.slice(0, out.columns - 1)}${isEnd ? '\n' : ''}`)
    if (!isEnd && performance.now() - shownAt < plainEveryMs) return
    shownAt = performance.now()
    print(line)
  }
}

async function withDatabase<T>(home: string, read: (db: Database) => Promise<T>): Promise<T> {
  const { readSettings } = await import('./config.ts')
  const { openDatabase } = await import('../storage/database/database.ts')
  const settings = readSettings(process.env)
  const url = databaseUrlOf(settings, home)
  const db = openDatabase({ url, maxConnections: settings.DATABASE_CONNECTIONS })
  try {
    return await read(db)
  } finally {
    await db.close()
  }
}

/** The database of the settings, or else that of the local stack in this folder. */
function databaseUrlOf(settings: Settings, home: string): string {
  const url = settings.DATABASE_DIRECT_URL ?? settings.DATABASE_URL ?? localSystem(home)?.databaseUrl
  if (url === undefined) throw new ConfigError(['DATABASE_URL: is needed for this command'])
  return url
}

/** The node of the local stack in this folder if it is the one that is followed, else the usual one. */
function nodeOf(followed: string, home: string): string {
  const { url, rpcUrl } = localSystem(home) ?? {}
  return (url !== undefined && followed.startsWith(url) && rpcUrl) || 'http://127.0.0.1:8545'
}

/** The running local stack. */
function localSystem(home: string): { url?: string; databaseUrl?: string; rpcUrl?: string } | undefined {
  try {
    return JSON.parse(readFileSync(path.join(home, 'dev.json'), 'utf8'))
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

function warn(text: string): void {
  process.stderr.write(`${text}\n`)
}

function fail(text: string, code: number): void {
  process.stderr.write(`${text}\n`)
  process.exit(code)
}

main().catch((error) => {
  if (String(error.code).startsWith('ERR_PARSE_ARGS')) fail(flagFault(error), 2)
  else if (error instanceof ConfigError)
    fail(error.faults.map((fault) => `configuration: ${fault}`).join('\n'), 2)
  else fail(faultLine(error), 1)
})

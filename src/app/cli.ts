import { readFileSync } from 'node:fs'
import path from 'node:path'
import { CommanderError } from 'commander'
import type { Database } from '../storage/database/database.ts'
import type { App } from './app.ts'
import type { Role } from './chain/loops.ts'
import type { AllowanceAction, AllowanceFlags } from './commands/allowances.ts'
import { type CommandName, catalogue, type Handlers } from './commands/catalogue.ts'
import { createParser, printHelp } from './commands/parser.ts'
import { reported, serviceOf } from './commands/service.ts'
import {
  ConfigError,
  describeSettings,
  misspeltSettings,
  type NetworkConfig,
  readNetworks,
  readSettings,
} from './config.ts'
import { showLine } from './observing/progress.ts'
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

const handlers: Handlers = {
  dev: (flags) => runDevelopment(flags),
  serve: ({ port }) => runRoles(['serve'], port),
  index: ({ port }) => runRoles(['index'], port),
  auction: ({ port }) => runRoles(['auction'], port),
  tower: ({ port }) => runRoles(['tower'], port),
  deliver: ({ port }) => runRoles(['deliver'], port),
  all: ({ port }) => runRoles(['serve', 'index', 'auction', 'tower', 'deliver'], port),
  quote: (flags) =>
    trade('quote', async () => {
      const { quote } = await import('./commands/trade/quote.ts')
      printJson(await quote(flags, { service: serviceBy(flags), warn, findOwnNetwork }))
    }),
  sign: (flags, [file]) =>
    trade('sign', async () => {
      const { readOrder } = await import('./commands/trade/order-file.ts')
      const { sign } = await import('./commands/trade/sign.ts')
      const { createRpc } = await import('../chain/rpc/rpc.ts')
      const { createLog } = await import('./observing/log.ts')
      const order = await readOrder(file)
      const own = findOwnNetwork(order.network)
      const url = flags.rpc ?? own?.rpcUrl
      const log = createLog('silent')
      const rpc = url === undefined ? undefined : createRpc({ url, timeoutMs: 10_000, retries: 1, log })
      printJson(await sign(order, flags, { warn, rpc, own }))
    }),
  submit: (flags, [file]) =>
    trade('submit', async () => {
      const { readSigned } = await import('./commands/trade/order-file.ts')
      const { submit } = await import('./commands/trade/sign.ts')
      const order = await readSigned(file)
      print(await submit(order, serviceBy(flags), findOwnNetwork(order.network)))
    }),
  cancel: (flags, uids) =>
    trade('cancel', async () => {
      const { cancel } = await import('./commands/trade/sign.ts')
      await cancel(uids, flags, { service: serviceBy(flags), print, warn, findOwnNetwork })
    }),
  verify: (flags, [uid = '']) =>
    trade('verify', async () => {
      const { verify } = await import('./commands/trade/verify.ts')
      const { createLog } = await import('./observing/log.ts')
      const service = serviceBy(flags)
      const nodeOf = (network: string) => knownNode(network, flags)
      const output = { print, json: flags.json }
      await verify(uid, { service, nodeOf, findOwnNetwork, log: createLog('silent'), output })
    }),
  explain: (flags, given) => askService('explain', given, flags),
  watch: (flags, given) => askService('watch', given, flags),
  export: (flags) =>
    trade('export', async () => {
      if (flags.follow)
        for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(0))
      const { exportFeed } = await import('./commands/export/export.ts')
      const key = flags.key ?? (process.env.TRADEGRAPH_KEY || undefined)
      const tools = { random: Math.random, print, warn: (line: string) => warn(`tradegraph: ${line}`) }
      await exportFeed(flags, { service: serviceBy(flags), key, ...tools })
    }),
  mcp: (flags) =>
    trade('mcp', async () => {
      const { serveAgent } = await import('./commands/mcp.ts')
      await serveAgent(serviceBy(flags), { version: version(), warn })
    }),
  doctor: ({ json }) => runDoctor(json),
  migrate: (flags) => runMigrations(flags),
  import: (flags) => runImport(flags),
  accounting: (flags) => printAccounts(flags),
  'allowances list': (flags) => runAllowances('list', { ...flags, yes: false }),
  'allowances revoke': (flags) => runAllowances('revoke', { ...flags, json: false }),
  'auction export': ({ home }, [id = '']) => exportAuction(id, home),
  'vapid-keys': async () => print((await import('./channels/settings.ts')).newVapidKeys()),
  completion: async (_, [shell = '']) => {
    const { completions } = await import('./commands/completion.ts')
    const write = completions[shell as keyof typeof completions]
    if (!write) return fail('usage: tradegraph completion bash|zsh|fish', 2)
    print(write())
  },
  help: (_, words) => printHelp(parser, words, describeSettings),
}

const parser = createParser(version(), handlers, describeSettings)

/** Runs the command of `process.argv`, and sets the exit code. */
export async function runCommandLine(): Promise<void> {
  process.stdout.on('error', (fault: NodeJS.ErrnoException) => {
    // A closed pipe, as by `head`, is no fault.
    if (fault.code === 'EPIPE') process.exit(0)
    fail(`tradegraph: the output cannot be written (${fault.code})`, 1)
  })
  try {
    await parser.parseAsync()
  } catch (fault) {
    // The parser has printed the reason, or help.
    if (fault instanceof CommanderError) exit(fault.exitCode === 0 ? 0 : 2)
    else if (fault instanceof ConfigError)
      fail(fault.faults.map((line) => `configuration: ${line}`).join('\n'), 2)
    else fail(faultLine(fault), 1)
  }
}

type FlagsOf<Name extends CommandName> = Parameters<Handlers[Name]>[0]

async function askService(
  command: 'explain' | 'watch',
  subjects: readonly string[],
  flags: FlagsOf<'explain'> & { after?: string | undefined },
): Promise<void> {
  if (command === 'watch')
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(0))
  const { runCommand } = await import('./commands/run.ts')
  const code = await runCommand(command, subjects, {
    flags: { ...flags, url: serviceUrl(flags) },
    random: Math.random,
    print,
    warn,
  })
  exit(code)
}

const serviceBy = (flags: FlagsOf<'submit'>) => serviceOf({ ...flags, url: serviceUrl(flags) })

async function trade(command: string, task: () => Promise<void>): Promise<void> {
  exit(await reported(command, warn, task))
}

const printJson = (value: object) => print(JSON.stringify(value, null, 2))

interface NodeFlags {
  rpc: string | undefined
  url: string | undefined
  home: string
}

/** The node of a network in NETWORKS_FILE. */
function configuredNode(name: string) {
  const { NETWORKS_FILE, PROFILE } = readSettings(process.env)
  const networks = NETWORKS_FILE === undefined ? [] : readNetworks(NETWORKS_FILE, PROFILE)
  const found = networks.find(({ network }) => network.name === name)
  if (!found) return undefined
  const { chainId, settlement, vaultRelayer } = found.network
  return { rpcUrl: [found.rpcUrl].flat()[0], chainId, settlement, vaultRelayer }
}

/** A network of NETWORKS_FILE. Wrong settings of a service do not keep an order from being signed. */
function findOwnNetwork(name: string) {
  try {
    return configuredNode(name)
  } catch {
    return undefined
  }
}

/** The node of a flag, of NETWORKS_FILE, or of the local system in this folder if that is the service. */
function knownNode(name: string, { rpc, ...flags }: NodeFlags) {
  const configured = configuredNode(name)
  const local = configured ? undefined : localSystem(flags.home)
  const isLocal = local?.url !== undefined && new URL(local.url).origin === new URL(serviceUrl(flags)).origin
  const rpcUrl = rpc ?? (configured ? configured.rpcUrl : isLocal ? local.rpcUrl : undefined)
  return rpcUrl === undefined ? undefined : { rpcUrl }
}

/** Exits after all output is written: open connections would keep the process. */
function exit(code: number): void {
  process.stdout.write('', (fault) => {
    // The output's own event reports it.
    if (!fault) process.exit(code)
  })
}

/** The service of a flag, of the environment, of the local system in this folder, or at the usual address. */
function serviceUrl({ url, home }: { url: string | undefined; home: string }): string {
  return url ?? (process.env.TRADEGRAPH_URL || (localSystem(home)?.url ?? localUrl))
}

async function readShared(port: string | undefined, urls: readonly unknown[] = []) {
  if (port !== undefined && !isPort(port))
    return fail('tradegraph: --port must be a number from 0 to 65535', 2)
  await warnOfMisspelt()
  const { createLog, secretsIn } = await import('./observing/log.ts')
  const settings = readSettings({ ...process.env, ...(port !== undefined && { PORT: port }) })
  return {
    settings,
    version: version(),
    log: createLog(settings.LOG_LEVEL, secretsIn([settings, urls])),
    now: Date.now,
    random: Math.random,
  }
}

async function runDevelopment(flags: FlagsOf<'dev'>): Promise<void> {
  if (flags.home === '') return fail('tradegraph: --home must name a folder', 2)
  const shared = await readShared(flags.port, [flags.follow, flags.rpc])
  // Loaded here only: the other commands must run without its packages.
  const { runDev } = await import('../dev/run.ts')
  const { reset, solver: solvers, 'wrapped-native': wrappedNative } = flags
  const follow =
    flags.follow === undefined
      ? undefined
      : { url: flags.follow, rpcUrl: flags.rpc ?? nodeOf(flags.follow, flags.home), wrappedNative }
  // One that follows the order book of this folder's home has a home of its own.
  const home =
    follow && flags.home === catalogue.dev.flags.home.standard ? `${flags.home}-follower` : flags.home
  const byNpm = process.env.npm_lifecycle_event !== undefined
  const isPortNamed = flags.port !== undefined || process.env.PORT !== undefined
  // An empty value counts as unset.
  const named = new Set(Object.entries(process.env).flatMap(([name, value]) => (value ? [name] : [])))
  const given = { home, reset, traders: !flags['no-traders'], solvers, follow, isPortNamed, named, byNpm }
  await runDev({ ...shared, ...given, print })
  // A settlement in flight is watched for another minute; the next start reads its outcome from the chain.
  process.exit(0)
}

/**
 * Returns the settings that these roles need. Auctions need a solver, but none are held for followed order
 * books.
 * @throws ConfigError with all missing or wrong settings
 */
async function neededBy(roles: readonly Role[], settings: Settings) {
  const { DATABASE_URL, NETWORKS_FILE, SOLVER_PRIVATE_KEY, PROFILE } = settings
  const faults: string[] = []
  let networks: NetworkConfig[] = []
  try {
    networks = NETWORKS_FILE === undefined ? [] : readNetworks(NETWORKS_FILE, PROFILE)
  } catch (fault) {
    if (!(fault instanceof ConfigError)) throw fault
    faults.push(...fault.faults)
  }
  const isFollowing = networks.length > 0 && networks.every(({ orderBook }) => orderBook)
  const holdsAuctions = roles.includes('auction') && !isFollowing
  const needed = { DATABASE_URL, NETWORKS_FILE, ...(holdsAuctions && { SOLVER_PRIVATE_KEY }) }
  const missing = Object.entries(needed).filter(([, value]) => value === undefined)
  faults.unshift(...missing.map(([name]) => `${name}: is needed for this command`))
  if (DATABASE_URL !== undefined && faults.length === 0) return { databaseUrl: DATABASE_URL, networks }
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
  const { settings: knownSettings } = await import('./settings.ts')
  for (const { name, meant } of misspeltSettings(process.env, Object.keys(knownSettings.shape)))
    process.stderr.write(`tradegraph: ${name} is no setting: did you mean ${meant}?\n`)
}

async function runRoles(roles: readonly Role[], port: string | undefined): Promise<void> {
  const shared = await readShared(port)
  const { settings } = shared
  const { startApp } = await import('./app.ts')
  const { createLog, secretsIn } = await import('./observing/log.ts')
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

async function runMigrations({ home, 'dry-run': dryRun }: FlagsOf<'migrate'>): Promise<void> {
  const { directUrlOf } = await import('./databases.ts')
  const { migrate } = await import('./commands/migrate.ts')
  const settings = readSettings(process.env)
  const url = await directUrlOf(databaseUrlOf(settings, home), settings.DATABASE_DIRECT_URL !== undefined)
  await migrate(url, { dryRun, print })
}

async function printAccounts({ home, ...flags }: FlagsOf<'accounting'>): Promise<void> {
  const { accountingCsv } = await import('./commands/accounting.ts')
  const accounts = await withDatabase(home, (db) => accountingCsv(db, flags))
  if ('fault' in accounts) return fail(`tradegraph: ${accounts.fault}`, 2)
  print(accounts.csv)
  if (accounts.warning) warn(accounts.warning)
}

async function runAllowances(
  action: AllowanceAction,
  { home, ...flags }: AllowanceFlags & { home: string },
): Promise<void> {
  const { allowances } = await import('./commands/allowances.ts')
  const { createLog } = await import('./observing/log.ts')
  const settings = readSettings(process.env)
  const { networks } = await neededBy(action === 'revoke' ? ['auction'] : [], settings)
  const parts = { flags, networks, settings, log: createLog('silent'), print, warn }
  process.exit(await withDatabase(home, (db) => allowances(action, { ...parts, db })))
}

async function runImport(flags: FlagsOf<'import'>): Promise<void> {
  const { importInto } = await import('./commands/import.ts')
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
    if (out.isTTY) {
      showLine(out, line)
      if (isEnd) out.write('\n')
      return
    }
    if (!isEnd && performance.now() - shownAt < plainEveryMs) return
    shownAt = performance.now()
    print(line)
  }
}

async function withDatabase<T>(home: string, read: (db: Database) => Promise<T>): Promise<T> {
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

function fail(text: string, code: number): never {
  process.stderr.write(`${text}\n`)
  process.exit(code)
}

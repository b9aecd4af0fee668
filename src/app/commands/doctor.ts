import { createRpc } from '../../chain/rpc/rpc.ts'
import { parseIndex } from '../../chain/rpc/wire.ts'
import { readRights } from '../../chain/settlement/rights.ts'
import { type Log, unixSeconds } from '../../domain/log.ts'
import { rightText } from '../../domain/settlement/rights.ts'
import { isRecoveryNative } from '../../domain/signing/recover-key.ts'
import { OutsideFault } from '../../outside/fault.ts'
import { openRedis } from '../../outside/redis/redis.ts'
import { findHoldingIndex, settlementRights } from '../../storage/chain/settlement-holdings.ts'
import { type Database, openDatabase } from '../../storage/database/database.ts'
import { ConfigError, misspeltSettings, type NetworkConfig, readNetworks, readSettings } from '../config.ts'
import { isNodeSupported, minNodeVersion } from '../settings/node-version.ts'
import { settings as known, type Settings } from '../settings.ts'
import { type Check, failed, passed, warned } from './doctor-check.ts'
import { checkDatabases } from './doctor-database.ts'
import { checkNetworks } from './doctor-network.ts'

const timeoutMs = 5_000
/** Limits of rights that are read, and that are named. */
const maxRead = 500
const maxNamed = 10

/**
 * Checks the rights that settlement contracts gave, as stored by `index`; others report its faults. On a
 * followed network they are the order book's affair.
 */
async function checkRights(
  networks: readonly NetworkConfig[],
  { DATABASE_URL, DATABASE_DIRECT_URL }: Settings,
  log: Log,
): Promise<Check[]> {
  const url = DATABASE_DIRECT_URL ?? DATABASE_URL
  if (url === undefined || networks.length === 0) return []
  const db = openDatabase({ url, maxConnections: 1 })
  try {
    const checks = await Promise.all(
      networks
        .filter(({ orderBook }) => !orderBook)
        .map((config) => checkNetwork(config, db, log).catch((): Check[] => [])),
    )
    return checks.flat()
  } finally {
    await db.close().catch(() => undefined)
  }
}

async function checkNetwork({ network, rpcUrl }: NetworkConfig, db: Database, log: Log): Promise<Check[]> {
  const { chainId, name, settlement, finalityBlocks } = network
  const about = `${name}: rights`
  const url = typeof rpcUrl === 'string' ? rpcUrl : (rpcUrl[0] ?? '')
  const rpc = createRpc({ url, timeoutMs, retries: 0, log })
  const index = await findHoldingIndex(db, chainId)
  if (!index)
    return [
      warned(
        about,
        'it is not known which ones the settlement contract gave',
        'the role `index` reads it from logs',
      ),
    ]
  const stored = await settlementRights(db, chainId, { limit: maxRead })
  const [read, head] = await Promise.all([
    readRights(rpc, settlement, stored, { now: unixSeconds(Date.now()) }),
    rpc.call('eth_blockNumber').then(parseIndex),
  ])
  const open = read.filter(({ value }) => value > 0n)
  const count = stored.length === maxRead ? `at least ${open.length}` : `${open.length}`
  const checks = open
    .slice(0, maxNamed)
    .map((right) =>
      warned(
        about,
        rightText(right),
        'end it with `tradegraph allowances revoke`, unless a contract that you trust needs it',
      ),
    )
  if (open.length > maxNamed)
    checks.push(warned(about, `${count} in all`, '`tradegraph allowances list` prints them'))
  if (index.missedBlock !== null)
    checks.push(
      warned(
        about,
        `those given in block ${index.missedBlock} or later may not be known`,
        'see docs/how-to/allowances.md',
      ),
    )
  if (head - index.block > finalityBlocks)
    checks.push(
      warned(about, `logs are read up to block ${index.block} of ${head}`, 'the role `index` catches up'),
    )
  return checks.length > 0
    ? checks
    : [passed(about, `the settlement contract gave none, up to block ${index.block}`)]
}

interface DoctorOptions {
  environment: Readonly<Record<string, string | undefined>>
  log: Log
}

/** Checks all needs of a process without changes. Reports every fault at once. */
export async function examine({ environment, log }: DoctorOptions): Promise<Check[]> {
  const checks = [checkNode(process.versions.node), checkRecovery(), ...misspelt(environment)]
  const settings = readable(() => readSettings(environment), checks)
  if (!settings) return checks
  checks.push(passed('settings', 'are valid'))
  const networks = readable(() => readNetworks(settings.NETWORKS_FILE, settings.PROFILE), checks) ?? []
  if (networks.length > 0)
    checks.push(passed('networks', networks.map(({ network }) => network.name).join(', ')))
  const found = await Promise.all([
    checkDatabases(settings),
    checkNetworks(networks, settings, log),
    checkRights(networks, settings, log),
    checkRedis(settings, log),
    checkNats(settings, log),
  ])
  return [...checks, ...found.flat(), ...optional(settings, networks)]
}

function checkNode(version: string): Check {
  return isNodeSupported(version)
    ? passed('node', version)
    : failed('node', version, `use Node ${minNodeVersion} or newer`)
}

function checkRecovery(): Check {
  return isRecoveryNative
    ? passed('signatures', 'native code recovers who signed')
    : warned(
        'signatures',
        'WebAssembly recovers who signed, at a third of the speed of native code',
        'npm has native code for Linux on x64 and macOS on arm64; without, an order takes 0.1 ms longer',
      )
}

function misspelt(environment: DoctorOptions['environment']): Check[] {
  return misspeltSettings(environment, Object.keys(known.shape)).map(({ name, meant }) =>
    warned('settings', `${name} is no setting`, `did you mean ${meant}?`),
  )
}

/** Adds each fault of the configuration to the checks. */
function readable<T>(read: () => T, checks: Check[]): T | undefined {
  try {
    return read()
  } catch (fault) {
    if (!(fault instanceof ConfigError)) throw fault
    for (const line of fault.faults) {
      const [about = 'settings', ...rest] = line.split(': ')
      checks.push(failed(about, rest.join(': ') || line, 'see `tradegraph help settings`'))
    }
    return undefined
  }
}

async function checkRedis({ REDIS_URL: url }: Settings, log: Log): Promise<Check[]> {
  if (url === undefined) return []
  const redis = openRedis({ url, now: Date.now, log })
  try {
    await redis.connected()
    await redis.ask((server) => server.ping())
    return [passed('redis', 'answers')]
  } catch {
    return [warned('redis', 'does not answer', 'until it does, each process counts limits for itself')]
  } finally {
    redis.close()
  }
}

async function checkNats({ NATS_URL: url, ...named }: Settings, log: Log): Promise<Check[]> {
  if (url === undefined) return []
  const { NATS_STREAM: stream, NATS_SUBJECT: prefix, NATS_CREDENTIALS: credentialsFile } = named
  const { openEventStream } = await import('../../outside/nats.ts')
  const nats = openEventStream({ url, stream, prefix, credentialsFile, now: Date.now, log })
  try {
    return (await nats.isCreated())
      ? [passed('nats', `answers, and has the stream ${stream}`)]
      : [passed('nats', `answers; the role \`deliver\` will create the stream ${stream}`)]
  } catch (fault) {
    const reason = fault instanceof OutsideFault ? fault.reason : 'does not answer'
    return [warned('nats', reason, 'until it answers, the feed of the book waits in the database')]
  } finally {
    await nats.close()
  }
}

/** Parts that are off without their settings. */
function optional(settings: Settings, networks: readonly NetworkConfig[]): Check[] {
  const checks: Check[] = []
  const isFollowing = networks.length > 0 && networks.every(({ orderBook }) => orderBook)
  if (settings.SOLVER_PRIVATE_KEY === undefined && !isFollowing)
    checks.push(warned('auctions', 'SOLVER_PRIVATE_KEY is not set', 'the role `auction` needs it'))
  if (settings.PUBLIC_URL === undefined)
    checks.push(
      warned('sign-in', 'PUBLIC_URL is not set', 'accounts cannot sign in, and mails have no links'),
    )
  return checks
}

const marks = { good: 'ok  ', poor: 'warn', bad: 'FAIL' } as const

export function linesOf(checks: readonly Check[]): string {
  const lines = checks.map(({ about, state, says, advice }) => {
    const line = `${marks[state]}  ${about}: ${says}`
    return advice === undefined ? line : `${line}\n      ${advice}`
  })
  const count = (state: Check['state']) => checks.filter((check) => check.state === state).length
  return [...lines, `${count('bad')} faults, ${count('poor')} warnings`].join('\n')
}

import type { Log } from '../../domain/log.ts'
import { openRedis } from '../../outside/redis/redis.ts'
import { readNetworks, readSettings } from '../config.ts'
import { ConfigError } from '../settings/config-error.ts'
import { misspeltSettings } from '../settings/nearest-name.ts'
import { isNodeSupported, leastNode } from '../settings/node-version.ts'
import { settings as known, type Settings } from '../settings.ts'
import { bad, type Check, good, poor } from './check.ts'
import { checkDatabases } from './doctor-database.ts'
import { checkNetworks } from './doctor-network.ts'
import { checkRights } from './doctor-rights.ts'

export interface DoctorOptions {
  environment: Readonly<Record<string, string | undefined>>
  log: Log
}

/** Looks at everything that a process needs, and changes nothing. Every fault at once. */
export async function examine({ environment, log }: DoctorOptions): Promise<Check[]> {
  const checks = [checkNode(process.versions.node), ...misspelt(environment)]
  const settings = readable(() => readSettings(environment), checks)
  if (!settings) return checks
  checks.push(good('settings', 'are valid'))
  const networks = readable(() => readNetworks(settings.NETWORKS_FILE, settings.PROFILE), checks) ?? []
  if (networks.length > 0)
    checks.push(good('networks', networks.map(({ network }) => network.name).join(', ')))
  const found = await Promise.all([
    checkDatabases(settings),
    checkNetworks(networks, settings, log),
    checkRights(networks, settings, log),
    checkRedis(settings, log),
  ])
  return [...checks, ...found.flat(), ...optional(settings)]
}

function checkNode(version: string): Check {
  return isNodeSupported(version)
    ? good('node', version)
    : bad('node', version, `use Node ${leastNode} or newer`)
}

function misspelt(environment: DoctorOptions['environment']): Check[] {
  return misspeltSettings(environment, Object.keys(known.shape)).map(({ name, meant }) =>
    poor('settings', `${name} is no setting`, `did you mean ${meant}?`),
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
      checks.push(bad(about, rest.join(': ') || line, 'see `tradegraph --help`'))
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
    return [good('redis', 'answers')]
  } catch {
    return [poor('redis', 'does not answer', 'until it does, each process counts limits for itself')]
  } finally {
    redis.close()
  }
}

/** What is off without its settings. */
function optional(settings: Settings): Check[] {
  const checks: Check[] = []
  if (settings.SOLVER_PRIVATE_KEY === undefined)
    checks.push(poor('auctions', 'SOLVER_PRIVATE_KEY is not set', 'the role `auction` needs it'))
  if (settings.PUBLIC_URL === undefined)
    checks.push(poor('sign-in', 'PUBLIC_URL is not set', 'accounts cannot sign in, and mails have no links'))
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

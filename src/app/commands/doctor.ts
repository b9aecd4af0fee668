import type { Log } from '../../domain/log.ts'
import { openRedis } from '../../outside/redis/redis.ts'
import { readNetworks, readSettings } from '../config.ts'
import { ConfigError } from '../settings/config-error.ts'
import { misspeltSettings } from '../settings/nearest-name.ts'
import { isNodeSupported, leastNode } from '../settings/node-version.ts'
import { settings as known, type Settings } from '../settings.ts'
import { checkDatabases } from './doctor-database.ts'
import { checkNetworks } from './doctor-network.ts'
import { bad, type Finding, good, poor } from './finding.ts'

export interface DoctorOptions {
  environment: Readonly<Record<string, string | undefined>>
  log: Log
}

/** Looks at everything that a process needs, and changes nothing. Every fault at once. */
export async function examine({ environment, log }: DoctorOptions): Promise<Finding[]> {
  const findings = [checkNode(process.versions.node), ...misspelt(environment)]
  const settings = readable(() => readSettings(environment), findings)
  if (!settings) return findings
  findings.push(good('settings', 'are valid'))
  const networks = readable(() => readNetworks(settings.NETWORKS_FILE, settings.PROFILE), findings) ?? []
  if (networks.length > 0)
    findings.push(good('networks', networks.map(({ network }) => network.name).join(', ')))
  const [databases, nodes, redis] = await Promise.all([
    checkDatabases(settings),
    checkNetworks(networks, settings, log),
    checkRedis(settings, log),
  ])
  return [...findings, ...databases, ...nodes, ...redis, ...optional(settings)]
}

function checkNode(version: string): Finding {
  return isNodeSupported(version)
    ? good('node', version)
    : bad('node', version, `use Node ${leastNode} or newer`)
}

function misspelt(environment: DoctorOptions['environment']): Finding[] {
  return misspeltSettings(environment, Object.keys(known.shape)).map(({ name, meant }) =>
    poor('settings', `${name} is no setting`, `did you mean ${meant}?`),
  )
}

/** Adds each fault of the configuration to the findings. */
function readable<T>(read: () => T, findings: Finding[]): T | undefined {
  try {
    return read()
  } catch (fault) {
    if (!(fault instanceof ConfigError)) throw fault
    for (const line of fault.faults) {
      const [about = 'settings', ...rest] = line.split(': ')
      findings.push(bad(about, rest.join(': ') || line, 'see `tradegraph --help`'))
    }
    return undefined
  }
}

async function checkRedis({ REDIS_URL: url }: Settings, log: Log): Promise<Finding[]> {
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
function optional(settings: Settings): Finding[] {
  const findings: Finding[] = []
  if (settings.SOLVER_PRIVATE_KEY === undefined)
    findings.push(poor('auctions', 'SOLVER_PRIVATE_KEY is not set', 'the role `auction` needs it'))
  if (settings.PUBLIC_URL === undefined)
    findings.push(
      poor('sign-in', 'PUBLIC_URL is not set', 'accounts cannot sign in, and mails have no links'),
    )
  return findings
}

const marks = { good: 'ok  ', poor: 'warn', bad: 'FAIL' } as const

export function linesOf(findings: readonly Finding[]): string {
  const lines = findings.map(({ about, state, says, advice }) => {
    const line = `${marks[state]}  ${about}: ${says}`
    return advice === undefined ? line : `${line}\n      ${advice}`
  })
  const count = (state: Finding['state']) => findings.filter((finding) => finding.state === state).length
  return [...lines, `${count('bad')} faults, ${count('poor')} warnings`].join('\n')
}

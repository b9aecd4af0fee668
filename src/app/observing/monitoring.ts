import { setTimeout as pause } from 'node:timers/promises'
import type { Clock, Log } from '../../domain/log.ts'
import { operatorCheck } from '../../graphql/context/access.ts'
import type { Loop } from '../../server/measures/loop-metrics.ts'
import type { Metrics } from '../../server/metrics.ts'
import { createMonitor } from '../../server/monitor.ts'
import type { Ready } from '../../server/routes.ts'
import { findCheckpoint } from '../../storage/chain/indexed-logs.ts'
import { type Database, ping } from '../../storage/database/database.ts'
import type { LeadershipState } from '../../storage/database/leadership.ts'
import type { NetworkParts } from '../network.ts'
import type { Settings } from '../settings.ts'

/** Timeout after which a part counts as down. */
const readyTimeoutMs = 3_000

/** Checks the database and each network now. `sepolia:node` is the place of the used one of several nodes. */
export async function checkReadiness(
  networks: readonly Pick<NetworkParts, 'network' | 'chain' | 'nodes'>[],
  db: Database,
): Promise<Record<string, boolean | number>> {
  const isUp = (probe: Promise<unknown>) => {
    const outcome = probe.then(
      () => true,
      () => false,
    )
    return Promise.race([outcome, pause(readyTimeoutMs, false, { ref: false })])
  }
  const states = [
    isUp(ping(db)).then((up) => ['database', up] as const),
    ...networks.map(({ network, chain }) => isUp(chain.head()).then((up) => [network.name, up] as const)),
  ]
  const up = await Promise.all(states)
  const used = networks.flatMap(({ network, nodes }) => {
    const reports = nodes.reports()
    const place = reports.findIndex(({ isUsed }) => isUsed) + 1
    return reports.length > 1 ? [[`${network.name}:node`, place] as const] : []
  })
  return Object.fromEntries([...up, ...used])
}

/** Time without a move, despite a newer block of this age, after which an index stands still. */
const stillMs = 60_000

/**
 * Loops of these networks whose index stands still, such as one that cannot read a block. Outages are
 * reported elsewhere.
 * @param startedAt the start of this process, for an index that never moved
 */
export async function findStanding(
  networks: readonly Pick<NetworkParts, 'network' | 'chain'>[],
  db: Database,
  { now, startedAt }: { now: Clock; startedAt: number },
): Promise<Record<string, false>> {
  const stands = async ({ network, chain }: (typeof networks)[number]) => {
    const since = now() - Math.max(stillMs, 10 * network.blockTimeMs)
    const checkpoint = await findCheckpoint(db, network.chainId)
    if ((checkpoint?.movedAt ?? startedAt) > since) return false
    const next = await chain.block(checkpoint ? checkpoint.number + 1 : network.firstBlock)
    return next !== undefined && next.timestamp * 1_000 < since
  }
  const found = await Promise.all(
    networks.map(async (parts) => {
      const outcome = stands(parts).catch(() => false)
      const isStanding = await Promise.race([outcome, pause(readyTimeoutMs, false, { ref: false })])
      return isStanding ? [[loopName('indexer', parts.network.name), false as const]] : []
    }),
  )
  return Object.fromEntries(found.flat())
}

const loopName = (loop: Loop, network: string) => `${network}:${loop}`

/** Adds to states since when a part is down: the first failure in a row. */
export function withSince(read: () => Promise<Record<string, boolean | number>>, now: Clock): Ready {
  const downSince = new Map<string, string>()
  return async () => {
    const states = await read()
    for (const [name, state] of Object.entries(states)) {
      if (state !== false) downSince.delete(name)
      else if (!downSince.has(name)) downSince.set(name, new Date(now()).toISOString())
    }
    for (const name of downSince.keys()) if (!(name in states)) downSince.delete(name)
    return downSince.size === 0 ? states : { ...states, downSince: Object.fromEntries(downSince) }
  }
}

/** States of this process's loops. A loop is up while it leads, or waits for another process that does. */
export interface LoopStates {
  /** @returns a function to call when the state changes */
  follow(loop: Loop, network: string): (state: LeadershipState) => void
  up(): Record<string, boolean>
  leads(loop: Loop, network: string): boolean
}

export function createLoopStates(metrics: Metrics): LoopStates {
  const states = new Map<string, LeadershipState>()
  return {
    follow(loop, network) {
      const set = (state: LeadershipState) => {
        states.set(loopName(loop, network), state)
        metrics.loops.led(loop, network, state === 'leading')
      }
      set('away')
      return set
    },
    up: () => Object.fromEntries([...states].map(([name, state]) => [name, state !== 'away'])),
    leads: (loop, network) => states.get(loopName(loop, network)) === 'leading',
  }
}

export interface MonitoringOptions {
  settings: Pick<Settings, 'METRICS_PORT' | 'METRICS_HOST' | 'METRICS_KEY'>
  log: Log
  /** True if /metrics needs no key by default. */
  publicMetrics?: boolean
}

/** The callers that may read /metrics; undefined if none may. Its own port needs a key only if one is set. */
export function metricsReaders({
  settings: { METRICS_PORT, METRICS_KEY },
  publicMetrics = false,
}: MonitoringOptions): ((apiKey: string | undefined) => boolean) | undefined {
  if (METRICS_KEY !== undefined) return operatorCheck(METRICS_KEY)
  return METRICS_PORT !== undefined || publicMetrics ? () => true : undefined
}

/** Opens the operator's port, in any role. @returns undefined without METRICS_PORT */
export async function openMonitor(
  options: MonitoringOptions,
  metrics: Metrics,
  ready: Ready,
): Promise<{ url: string; close(): Promise<void> } | undefined> {
  const { log } = options
  const { METRICS_PORT: port, METRICS_HOST: host } = options.settings
  if (port === undefined) return undefined
  const monitor = createMonitor({
    log,
    metrics,
    ready,
    isMetricsReader: metricsReaders(options) ?? (() => true),
  })
  const url = await monitor.listen(port, host)
  log.info('metrics and health have a port of their own', { url })
  return { url, close: () => monitor.close(() => log.warn('metrics: closing with answers under way')) }
}

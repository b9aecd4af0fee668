import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { createPartners } from '../accounts/partners.ts'
import { nonceMs } from '../accounts/sign-in.ts'
import { createStatistics } from '../affiliates/statistics.ts'
import { Outage } from '../domain/errors/error.ts'
import type { Address } from '../domain/evm/address.ts'
import type { Clock, Log } from '../domain/log.ts'
import { isRecoveryNative } from '../domain/signing/recover-key.ts'
import { operatorCheck } from '../graphql/context/access.ts'
import { createTradingNetworks } from '../graphql/context/networks.ts'
import { createStoredBytes, type StoredLimits } from '../graphql/context/stored-bytes.ts'
import { closeFeeds, createFeeds, type Feeds } from '../notifications/feed.ts'
import { openRedis } from '../outside/redis/redis.ts'
import { shareOver } from '../outside/redis/shared.ts'
import type { Metrics } from '../server/metrics.ts'
import type { Ready } from '../server/routes.ts'
import { createServer } from '../server/server.ts'
import { type Database, poolReports } from '../storage/database/database.ts'
import { whileLeading } from '../storage/database/leadership.ts'
import { listenForWrites } from '../storage/database/own-writes.ts'
import { openSignals } from '../storage/database/signals.ts'
import { readWaitingCommits } from '../storage/feeds/tail.ts'
import { createTurnCheck } from '../storage/order/histories.ts'
import type { Watched } from '../storage/order/mirror.ts'
import { type RetentionOptions, runRetention } from '../storage/retention/sweep.ts'
import { claimChain, claimOtherNodes } from './chain/claim.ts'
import { type Role, startLeaderLoops, startServingLoops } from './chain/loops.ts'
import { tradingOf } from './chain/trading.ts'
import { composeAnnouncements, composeChannels, startDelivery } from './channels/channels.ts'
import { createSinkReader } from './channels/sinks.ts'
import { migrateAtStart } from './commands/migrate.ts'
import {
  accessOf,
  affiliateNetwork,
  checkNetworksNamed,
  featuresOf,
  type NetworkConfig,
  readDocuments,
} from './config.ts'
import { openDatabases } from './databases.ts'
import { composeNetwork, createSharedServices, type NetworkParts } from './network.ts'
import { accessLogOf, openTracing } from './observing/log.ts'
import {
  checkReadiness,
  createLoopStates,
  findStanding,
  type MonitoringOptions,
  metricsReaders,
  openMonitor,
  withSince,
} from './observing/monitoring.ts'
import { composeUploads } from './orders.ts'
import { feedLimitsOf, streamLimitsOf } from './settings/connection-settings.ts'
import { retentionDays } from './settings/retention-settings.ts'
import type { Settings } from './settings.ts'
import { composeBalanceSessions } from './token-data.ts'

interface RetentionParts extends Pick<RetentionOptions, 'db' | 'networks' | 'now' | 'log' | 'onRemoved'> {
  databaseUrl: string
  settings: Settings
}

/** Starts the removal of old rows of all networks, in one process. */
function startRetention(
  { databaseUrl: url, settings, ...options }: RetentionParts,
  signal: AbortSignal,
): Promise<void> {
  const days = retentionDays(settings)
  return whileLeading({ url, name: 'retention', log: options.log, signal }, (leading) =>
    runRetention({ ...options, days }, leading),
  )
}

export interface AppOptions extends MonitoringOptions {
  databaseUrl: string
  networks: readonly NetworkConfig[]
  roles: readonly Role[]
  settings: Settings
  version: string
  log: Log
  now: Clock
  random: () => number
  /** True if errors in GraphQL documents suggest similar names. */
  suggests?: boolean
}

export interface App {
  /** Address of the service; undefined without the role `serve`. */
  url: string | undefined
  /** Address of metrics and health, if they have a port of their own. */
  metricsUrl: string | undefined
  /** Resolves with the fault if the program must end, as for a late node that is on another chain. */
  failed: Promise<unknown>
  /**
   * Gives up its leads, and is not ready from now on. Serves for `delayMs` more, so that balancers notice,
   * then ends streams, waits for requests in progress, and closes the database connections. Committed data is
   * safe, and the next start continues with the rest.
   */
  close(delayMs?: number): Promise<void>
}

/** Time for the remaining work after requests have ended or were cut off. */
const closeTimeoutMs = 2_000

/**
 * Composes the program from its settings and starts it. A network whose nodes are away starts later.
 * @throws ConfigError; when the database does not answer, or the database or a node belongs to another chain
 */
export async function startApp(given: AppOptions): Promise<App> {
  const { settings, log } = given
  checkNetworksNamed(settings, given.networks)
  if (!isRecoveryNative)
    log.warn(
      'WebAssembly recovers who signed, at a third of the speed of native code: npm has none for the machine',
    )
  const sharedServices = createSharedServices(given, [given.networks, given.databaseUrl])
  const endMeasures = sharedServices.metrics.work.follow()
  const endTracing = await openTracing(given)
  const { directUrl, db, loopDb, ...databases } = await openDatabases(given.databaseUrl, settings, log)
  // The parts below need database sessions of their own.
  const options = { ...given, databaseUrl: directUrl }
  await migrateAtStart(directUrl, options)
  const isHistoryDue = createTurnCheck(loopDb, options.now)
  const networks = options.networks.map((config) =>
    composeNetwork(config, { ...options, db, loopDb, isHistoryDue, ...sharedServices }),
  )
  const { metrics } = sharedServices
  metrics.work.watchPools(() => [db, loopDb].flatMap(poolReports))
  const states = createLoopStates(metrics)
  const [stopping, ending] = [new AbortController(), new AbortController()]
  const { signal } = ending
  const startedAt = options.now()
  const readStates = async () => {
    const led = networks.filter(({ network }) => states.leads('indexer', network.name))
    const [up, standing] = await Promise.all([
      checkReadiness(networks, db),
      findStanding(led, db, { now: options.now, startedAt }),
    ])
    return { ...up, ...states.up(), ...standing }
  }
  const whileRunning = withSince(readStates, options.now)
  // The end is reported at once, without the database: balancers do not wait.
  const ready: Ready = async () => (stopping.signal.aborted ? { running: false } : whileRunning())
  const monitor = await openMonitor(options, metrics, ready)
  // A signal warns of more than ten listeners: with one per network, the number does not grow with networks.
  const signalled = networks.map((parts) => ({
    parts,
    ending: AbortSignal.any([signal]),
    stopping: AbortSignal.any([stopping.signal]),
  }))
  const claiming = Promise.all(
    signalled.map(({ parts, ending }) => claimChain(parts, { db, log, signal: ending })),
  )
  const claims = await claiming.catch(async (fault) => {
    ending.abort()
    await Promise.all([monitor?.close(), databases.close()])
    throw fault
  })
  const loops = signalled.map(async ({ parts, ending: signal, stopping }, index) => {
    const isClaimed = await claims[index]?.claimed.catch(() => false)
    if (!isClaimed) return
    const nodes = [parts.nodes.watch(signal), claimOtherNodes(parts, { db, log, signal })]
    const leading = startLeaderLoops(parts, states, options, stopping)
    await Promise.all([...nodes, ...leading, ...startServingLoops(parts, options, signal)])
  })
  if (options.roles.includes('index')) {
    const served = networks.map(({ network }) => network)
    const parts = { ...options, db: loopDb, networks: served, onRemoved: metrics.countRemoved }
    loops.push(startRetention(parts, stopping.signal))
  }
  const opened = options.roles.some((role) => role === 'serve' || role === 'deliver')
    ? await openServices(networks, db, options, metrics)
    : undefined
  if (opened && options.roles.includes('deliver')) {
    const readPage = createSinkReader(opened.services)
    const followed = networks.map(({ network }) => network)
    const delivery = { ...options, db: loopDb, networks: followed, metrics, readPage }
    loops.push(startDelivery(delivery, stopping.signal))
  }
  const server =
    opened && options.roles.includes('serve')
      ? await serve(networks, opened, options, metrics, ready)
      : undefined
  return {
    url: server?.url,
    metricsUrl: monitor?.url,
    failed: new Promise((resolve) => {
      for (const { claimed } of claims) claimed.catch(resolve)
    }),
    async close(delayMs = 0) {
      stopping.abort()
      server?.drain()
      if (delayMs > 0) await pause(delayMs)
      ending.abort()
      endMeasures()
      const ended = (async () => {
        await Promise.all([server?.close(), ...loops])
        await opened?.close()
        // It reports until the end that this process is not ready.
        await monitor?.close()
        await databases.close()
        await endTracing()
      })()
      const timeoutMs = settings.SHUTDOWN_TIMEOUT_SECONDS * 1_000 + closeTimeoutMs
      const late = pause(timeoutMs, 'late' as const, { ref: false })
      if ((await Promise.race([ended, late])) === 'late') log.warn('not everything ended in time, leaving it')
    },
  }
}

function refuseWithoutNode(): Promise<never> {
  return Promise.reject(new Outage('the network node'))
}

/** Opens the services that the interfaces, and the sinks of the feed, read through. */
async function openServices(
  networks: readonly NetworkParts[],
  db: Database,
  options: AppOptions,
  metrics: Metrics,
) {
  const { databaseUrl, settings, version, log, now, suggests = false } = options
  const signals = await openSignals(databaseUrl, log)
  listenForWrites(db, signals)
  const feeds = createFeeds({ db, signals, log, limits: feedLimitsOf(settings) })
  const sessions = composeBalanceSessions({ ...options, db, signals })
  const [isOperator, isCms] = [operatorCheck(settings.ADMIN_API_KEY), operatorCheck(settings.CMS_API_KEY)]
  const redis = settings.REDIS_URL ? openRedis({ url: settings.REDIS_URL, now, log }) : undefined
  const shared = redis && shareOver(redis)
  const stored = createStoredBytes(storedLimitsOf(settings), { now, meter: metrics, shared: shared?.budgets })
  const upload = composeUploads({ db, settings, now, metrics })
  const partners = createPartners({ db, now, log })
  const tradingNetworks = networks.map((parts) => tradingOf(parts, db, { stored, storeDocument: upload }))
  return {
    services: {
      db,
      now,
      log,
      version,
      commit: settings.GIT_COMMIT_HASH,
      documents: readDocuments(settings.DOCUMENTS_FILE),
      shared,
      storedMeter: metrics,
      feeds,
      ...sessions,
      affiliates: {
        db,
        now,
        brand: settings.AFFILIATE_BRAND,
        checkSignature: affiliateNetwork(networks, settings)?.checkSignature ?? refuseWithoutNode,
      },
      statistics: createStatistics({ db, now, networks: tradingNetworks }),
      ...composeChannels({ settings, db, now, log }, networks),
      ...composeAnnouncements(options),
      networks: createTradingNetworks(tradingNetworks),
      features: featuresOf(settings),
      partners,
      suggests,
      access: accessOf(settings),
      hidesCompetitions: settings.AUCTION_HIDE_COMPETITIONS,
      isOperator,
      isEditor: (key: string | undefined) => isCms(key) || isOperator(key),
      maxOrderUids: settings.ORDER_MAX_UIDS,
      impactLimits: {
        said: partsOf(settings.PRICE_IMPACT_WARNING),
        accepted: partsOf(settings.PRICE_IMPACT_ACCEPTANCE),
      },
      reportAuctions: settings.DEBUG_REPORT_AUCTIONS,
      stored,
      uploadAppData: upload,
    },
    async close() {
      closeFeeds(feeds)
      redis?.close()
      sessions.balanceSessions.close()
      await partners.close()
      await signals.close()
    },
  }
}

async function serve(
  networks: readonly NetworkParts[],
  { services }: Pick<Awaited<ReturnType<typeof openServices>>, 'services'>,
  options: AppOptions,
  metrics: Metrics,
  ready: Ready,
) {
  const { settings, version } = options
  const { db, feeds } = services
  metrics.streams.follow(feeds)
  metrics.streams.watchCommits(() => readWaitingCommits(db))
  const mcp = settings.MCP_HOSTS.length > 0 ? await import('../mcp/handler.ts') : undefined
  const server = createServer({
    ...services,
    idempotencyTimes: { keptMs: settings.RETENTION_IDEMPOTENCY_KEYS_DAYS * 86_400_000 },
    ready,
    newRequestId: randomUUID,
    drainMs: settings.SHUTDOWN_TIMEOUT_SECONDS * 1_000,
    streamLimits: streamLimitsOf(settings),
    streamMeter: metrics.streams,
    rateLimits: {
      reads: settings.RATE_LIMIT_READS,
      quotes: settings.RATE_LIMIT_QUOTES,
      orders: settings.RATE_LIMIT_ORDERS,
      introspections: settings.RATE_LIMIT_INTROSPECTIONS,
    },
    ...(settings.TRUSTED_PROXIES && { isTrustedProxy: settings.TRUSTED_PROXIES }),
    createMcp:
      mcp && ((executor) => mcp.createMcpRequestHandler(executor, { version, hosts: settings.MCP_HOSTS })),
    metrics,
    accessLog: accessLogOf(options),
    isMetricsReader: settings.METRICS_PORT === undefined ? metricsReaders(options) : undefined,
  })
  const url = await server.listen(settings.PORT, settings.HOST)
  const watching = new AbortController()
  const watches = networks.map(({ mirror }) => mirror?.watch(() => watchedBy(feeds), watching.signal))
  return {
    url,
    drain: server.drain,
    async close() {
      watching.abort()
      await Promise.all([server.close(), ...watches])
    },
  }
}

/** The accounts that streams follow, themselves or by an order. */
function watchedBy({ account, owner, order }: Feeds): Watched {
  const accounts = new Set([...account.keys(), ...owner.keys()])
  return { accounts: [...accounts] as Address[], orderIds: [...order.keys()].map(BigInt) }
}

const dayMs = 86_400_000

/** Bytes that one client may have stored of kinds without a setting. */
const [nonceBytes, sessionBytes, channelBytes, testBytes] = [524_288, 4_194_304, 4_194_304, 1_048_576]
const [codeBytes, balanceSessionBytes, tokenBytes] = [131_072, 16_777_216, 4_194_304]
/** The time after which a session of balances without a stream is removed. */
const balanceSessionMs = 120_000

/** The limits of rows of clients; `docs/reference/limits.md` lists them. */
export function storedLimitsOf(settings: Settings): StoredLimits {
  return {
    orders: { bytes: settings.ORDER_CLIENT_BYTES, ageMs: dayMs },
    quotes: { bytes: settings.QUOTE_CLIENT_BYTES, ageMs: settings.RETENTION_QUOTES_DAYS * dayMs },
    'sign-in nonces': { bytes: nonceBytes, ageMs: nonceMs },
    sessions: { bytes: sessionBytes, ageMs: settings.SESSION_MINUTES * 60_000 },
    channels: { bytes: channelBytes, ageMs: settings.RETENTION_DELIVERIES_DAYS * dayMs },
    'test deliveries': { bytes: testBytes, ageMs: settings.RETENTION_DELIVERIES_DAYS * dayMs },
    'sessions of balances': { bytes: balanceSessionBytes, ageMs: balanceSessionMs },
    tokens: { bytes: tokenBytes, ageMs: dayMs },
    'affiliate codes': { bytes: codeBytes, ageMs: dayMs },
  }
}

/** Parts per million of a percentage. */
const partsOf = (percent: number) => BigInt(Math.round(percent * 10_000))

import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { createStatistics } from '../affiliates/statistics.ts'
import { uploadAppData } from '../app-data/upload.ts'
import { runAuctions } from '../auctions/run.ts'
import { Outage } from '../domain/errors/error.ts'
import type { Address } from '../domain/evm/address.ts'
import type { Clock, Log } from '../domain/log.ts'
import { createTradingNetworks } from '../graphql/context/networks.ts'
import { operatorCheck } from '../graphql/context/operator.ts'
import { refunding } from '../indexer/refunder.ts'
import { runIndexer } from '../indexer/run.ts'
import { closeFeeds, createFeeds } from '../notifications/feeds.ts'
import { cancelByPolicy, cancelOrder, cancelOrders } from '../orders/cancel.ts'
import { placeOrder } from '../orders/place.ts'
import { placedSince } from '../orders/placed.ts'
import { quote, replyTo } from '../quotes/quote.ts'
import { quoteStream } from '../quotes/stream.ts'
import type { Loop } from '../server/loop-metrics.ts'
import type { Metrics } from '../server/metrics.ts'
import type { Ready } from '../server/routes.ts'
import { createServer } from '../server/server.ts'
import { type Database, openDatabase } from '../storage/database/database.ts'
import { whileLeading } from '../storage/database/leadership.ts'
import { applyMigrations } from '../storage/database/migrations.ts'
import { openSignals } from '../storage/database/signals.ts'
import { readWaitingCommits } from '../storage/feeds/lock.ts'
import { claimChain, claimOtherNodes } from './chain/claim.ts'
import { composeChannels, startDelivery } from './channels/channels.ts'
import {
  accessOf,
  affiliateNetwork,
  checkNetworksNamed,
  featuresOf,
  type NetworkConfig,
  readDocuments,
} from './config.ts'
import {
  checkReadiness,
  createLoopStates,
  type LoopStates,
  type MonitoringOptions,
  metricsReaders,
  openMonitor,
} from './monitoring.ts'
import { composeNetwork, createSharedServices, type NetworkParts } from './network.ts'
import { startRetention } from './retention/retention.ts'
import { feedLimitsOf, streamLimitsOf } from './settings/stream-settings.ts'
import type { Settings } from './settings.ts'

/** What a process does. Any number may serve; on each network one process leads the indexer, and one the auctions. */
export const roles = ['serve', 'index', 'auction', 'deliver'] as const
export type Role = (typeof roles)[number]

export interface AppOptions extends MonitoringOptions {
  databaseUrl: string
  networks: readonly NetworkConfig[]
  roles: readonly Role[]
  settings: Settings
  version: string
  log: Log
  now: Clock
  random: () => number
  /** Whether errors in GraphQL documents suggest similar names. */
  suggests?: boolean
}

export interface App {
  /** Address of the service; undefined without the role `serve`. */
  url: string | undefined
  /** Address of metrics and health, if they have a port of their own. */
  metricsUrl: string | undefined
  /** Resolves with the fault if the program must end, such as when a node that was away at the start is on another chain. */
  failed: Promise<unknown>
  /** Ends streams and loops, then closes the database connections. */
  close(): Promise<void>
}

/** Limit of a shutdown. Committed data is safe, and the next start continues with the rest. */
const closeTimeoutMs = 10_000

/**
 * Composes the program from its settings and starts it. A network whose node does not answer is waited for.
 * @throws ConfigError; when the database does not answer, or when it or a node belongs to another chain
 */
export async function startApp(options: AppOptions): Promise<App> {
  const { databaseUrl, settings, log } = options
  checkNetworksNamed(settings, options.networks)
  const sharedServices = createSharedServices(options)
  const migrations = await applyMigrations(databaseUrl)
  if (migrations.length > 0) log.info('database migrated', { applied: migrations })
  const db = openDatabase({
    url: databaseUrl,
    maxConnections: settings.DATABASE_CONNECTIONS,
    streamConnections: settings.STREAMS_CONNECTIONS,
  })
  const networks = options.networks.map((config) =>
    composeNetwork(config, { ...options, db, ...sharedServices }),
  )
  const { metrics } = sharedServices
  const states = createLoopStates(metrics)
  const ready = async () => ({ ...(await checkReadiness(networks, db)), ...states.up() })
  const monitor = await openMonitor(options, metrics, ready)
  const stopping = new AbortController()
  const { signal } = stopping
  const claiming = Promise.all(networks.map((parts) => claimChain(parts, { db, log, signal })))
  const claims = await claiming.catch(async (fault) => {
    stopping.abort()
    await Promise.all([monitor?.close(), db.close()])
    throw fault
  })
  const loops = networks.map(async (parts, index) => {
    const isClaimed = await claims[index]?.claimed.catch(() => false)
    if (!isClaimed) return
    const nodes = [parts.nodes.watch(signal), claimOtherNodes(parts, { db, log, signal })]
    await Promise.all([...nodes, ...startLoops(parts, states, options, signal)])
  })
  if (options.roles.includes('index')) {
    const served = networks.map(({ network }) => network)
    const parts = { ...options, db, networks: served, onRemoved: metrics.countRemoved }
    loops.push(startRetention(parts, signal))
  }
  if (options.roles.includes('deliver')) {
    const followed = networks.map(({ network }) => network)
    loops.push(startDelivery({ ...options, db, networks: followed }, signal))
  }
  const server = options.roles.includes('serve')
    ? await serve(networks, db, options, metrics, ready)
    : undefined
  return {
    url: server?.url,
    metricsUrl: monitor?.url,
    failed: new Promise((resolve) => {
      for (const { claimed } of claims) claimed.catch(resolve)
    }),
    async close() {
      stopping.abort()
      const ended = (async () => {
        await Promise.all([server?.close(), monitor?.close()])
        await Promise.all(loops)
        await db.close()
      })()
      const late = pause(closeTimeoutMs, 'late' as const, { ref: false })
      if ((await Promise.race([ended, late])) === 'late') log.warn('not everything ended in time, leaving it')
    },
  }
}

function refuseWithoutNode(): Promise<never> {
  return Promise.reject(new Outage('the network node'))
}

function startLoops(
  parts: NetworkParts,
  states: LoopStates,
  { databaseUrl: url, roles, log }: AppOptions,
  signal: AbortSignal,
): Promise<void>[] {
  const { chainId, name: network } = parts.network
  const lead = (loop: Loop, run: (signal: AbortSignal) => Promise<void>) => {
    const onState = states.follow(loop, network)
    return whileLeading({ url, name: `${loop}:${chainId}`, log, signal, onState }, run)
  }
  return [
    ...(roles.includes('serve') ? [parts.pools.follow(signal)] : []),
    ...(roles.includes('index')
      ? [lead('indexer', (leading) => runIndexer(parts.indexerOptions, leading))]
      : []),
    ...(roles.includes('index') ? refunding(parts.refunderOptions, { url, log, signal }) : []),
    ...(roles.includes('auction')
      ? [lead('auctions', (leading) => runAuctions(parts.auctionServices, leading))]
      : []),
  ]
}

async function serve(
  networks: readonly NetworkParts[],
  db: Database,
  options: AppOptions,
  metrics: Metrics,
  ready: Ready,
) {
  const { databaseUrl, settings, version, log, now, suggests = false } = options
  const signals = await openSignals(databaseUrl, log)
  const feeds = createFeeds({ db, signals, log, limits: feedLimitsOf(settings) })
  metrics.streams.follow(feeds)
  metrics.streams.watchCommits(() => readWaitingCommits(db))
  const tradingNetworks = networks.map(
    ({
      network,
      nodes,
      chain,
      orderServices,
      quoteServices,
      tokens,
      nativeRates,
      tokenData,
      balances,
      prices,
      simulations,
    }) => ({
      network,
      placeOrder: (creation: Parameters<typeof placeOrder>[0]) => placeOrder(creation, orderServices),
      placedSince: (creation: Parameters<typeof placeOrder>[0], since: Date) =>
        placedSince(creation, since, orderServices),
      cancelOrder: (cancellation: Parameters<typeof cancelOrder>[0]) =>
        cancelOrder(cancellation, orderServices),
      cancelOrders: (cancellation: Parameters<typeof cancelOrders>[0]) =>
        cancelOrders(cancellation, orderServices),
      cancelByPolicy: (cancellation: Parameters<typeof cancelByPolicy>[0]) =>
        cancelByPolicy(cancellation, orderServices),
      quote: (request: Parameters<typeof quote>[0]) => quote(request, quoteServices),
      quotes: (request: Parameters<typeof quoteStream>[0], signal: AbortSignal) =>
        quoteStream(request, quoteServices, signal),
      ...simulations,
      storedQuote: (id: bigint, from: Address) => replyTo(from, id, quoteServices),
      tokens,
      nativeRates,
      ...tokenData,
      watchBalances: balances.subscribe,
      watchPrices: prices.subscribe,
      ready: async () => Object.values(await checkReadiness([{ network, chain, nodes }], db)).every(Boolean),
    }),
  )
  const [isOperator, isCms] = [operatorCheck(settings.ADMIN_API_KEY), operatorCheck(settings.CMS_API_KEY)]
  const server = createServer({
    db,
    now,
    log,
    version,
    documents: readDocuments(settings.DOCUMENTS_FILE),
    feeds,
    affiliates: {
      db,
      now,
      brand: settings.AFFILIATE_BRAND,
      checkSignature: affiliateNetwork(networks, settings)?.checkSignature ?? refuseWithoutNode,
    },
    statistics: createStatistics({ db, now, networks: tradingNetworks }),
    ...composeChannels({ settings, db, now }, networks),
    networks: createTradingNetworks(tradingNetworks),
    features: featuresOf(settings),
    suggests,
    access: accessOf(settings),
    hidesCompetitions: settings.AUCTION_HIDE_COMPETITIONS,
    isOperator,
    isEditor: (key) => isCms(key) || isOperator(key),
    maxOrderUids: settings.ORDER_MAX_UIDS,
    idempotencyTimes: { keptMs: settings.RETENTION_IDEMPOTENCY_KEYS_DAYS * 86_400_000 },
    reportAuctions: settings.DEBUG_REPORT_AUCTIONS,
    uploadAppData: (hash, document) =>
      uploadAppData(db, { hash, document, maxBytes: settings.APP_DATA_MAX_BYTES }),
    ready,
    newRequestId: randomUUID,
    streamLimits: streamLimitsOf(settings),
    streamMeter: metrics.streams,
    rateLimits: {
      reads: settings.RATE_LIMIT_READS,
      quotes: settings.RATE_LIMIT_QUOTES,
      orders: settings.RATE_LIMIT_ORDERS,
      introspections: settings.RATE_LIMIT_INTROSPECTIONS,
    },
    ...(settings.TRUSTED_PROXIES && { isTrustedProxy: settings.TRUSTED_PROXIES }),
    metrics,
    isMetricsReader: settings.METRICS_PORT === undefined ? metricsReaders(options) : undefined,
  })
  const url = await server.listen(settings.PORT, settings.HOST)
  return {
    url,
    async close() {
      await server.close()
      closeFeeds(feeds)
      await signals.close()
    },
  }
}

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
import { runIndexer } from '../indexer/run.ts'
import { createFeed } from '../notifications/feed.ts'
import { cancelByPolicy, cancelOrder, cancelOrders } from '../orders/cancel.ts'
import { placeOrder } from '../orders/place.ts'
import { placedSince } from '../orders/placed.ts'
import { quote, replyTo } from '../quotes/quote.ts'
import { quoteStream } from '../quotes/stream.ts'
import { createServer, type ServerOptions } from '../server/server.ts'
import { claimNetwork } from '../storage/chain/networks.ts'
import { type Database, openDatabase, ping } from '../storage/database/database.ts'
import { whileLeading } from '../storage/database/leadership.ts'
import { applyMigrations } from '../storage/database/migrations.ts'
import { openSignals } from '../storage/database/signals.ts'
import {
  affiliateNetwork,
  checkNetworksNamed,
  featuresOf,
  type NetworkConfig,
  readDocuments,
} from './config.ts'
import { composeNetwork, createSharedServices, type NetworkParts } from './network.ts'
import type { Settings } from './settings.ts'

/** What a process does. Any number may serve; on each network one process leads the indexer, and one the auctions. */
export const roles = ['serve', 'index', 'auction'] as const
export type Role = (typeof roles)[number]

export interface AppOptions {
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
  /** Whether /metrics needs no key, where no setting decides it. */
  publicMetrics?: boolean
}

export interface App {
  /** Address of the service; undefined without the role `serve`. */
  url: string | undefined
  /** Address of the metrics, if they have a port of their own. */
  metricsUrl: string | undefined
  /** Ends streams and loops, then closes the database connections. */
  close(): Promise<void>
}

/** Limit of a shutdown. Committed data is safe, and the next start continues with the rest. */
const closeTimeoutMs = 10_000

/**
 * Composes the program from its settings and starts it.
 * @throws ConfigError; when a node or the database does not answer, or when the database belongs to another chain
 */
export async function startApp(options: AppOptions): Promise<App> {
  const { databaseUrl, settings, log } = options
  checkNetworksNamed(settings, options.networks)
  const sharedServices = createSharedServices(options)
  const migrations = await applyMigrations(databaseUrl)
  if (migrations.length > 0) log.info('database migrated', { applied: migrations })
  const db = openDatabase({ url: databaseUrl, maxConnections: settings.DATABASE_CONNECTIONS })
  const networks = options.networks.map((config) =>
    composeNetwork(config, { ...options, db, ...sharedServices }),
  )
  for (const parts of networks) await claimChain(parts, db)

  const stopping = new AbortController()
  const loops = networks.flatMap((parts) => startLoops(parts, options, stopping.signal))
  const server = options.roles.includes('serve') ? await serve(networks, db, options) : undefined
  return {
    url: server?.url,
    metricsUrl: server?.metricsUrl,
    async close() {
      stopping.abort()
      const ended = (async () => {
        await server?.close()
        await Promise.all(loops)
        await db.close()
      })()
      const late = pause(closeTimeoutMs, 'late' as const, { ref: false })
      if ((await Promise.race([ended, late])) === 'late') log.warn('not everything ended in time, leaving it')
    },
  }
}

/** A setting of 0 means no limit. */
function limitOf(setting: number): number {
  return setting === 0 ? Number.POSITIVE_INFINITY : setting
}

function refuseWithoutNode(): Promise<never> {
  return Promise.reject(new Outage('the network node'))
}

/** What does not answer within this time is down. */
const readyTimeoutMs = 3_000

/** Checks the database and each network now. */
async function checkReadiness(
  networks: readonly Pick<NetworkParts, 'network' | 'chain'>[],
  db: Database,
): Promise<Record<string, boolean>> {
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
  return Object.fromEntries(await Promise.all(states))
}

async function claimChain({ network, chain }: NetworkParts, db: Database): Promise<void> {
  const { chainId, genesisHash } = await chain.identity()
  if (chainId !== network.chainId)
    throw new Error(`${network.name}: the node is on chain ${chainId}, not ${network.chainId}`)
  if ((await chain.code(network.settlement)) === '0x')
    throw new Error(`${network.name}: there is no settlement contract at ${network.settlement}`)
  await claimNetwork(db, network, genesisHash)
}

function startLoops(
  parts: NetworkParts,
  { databaseUrl: url, roles, log }: AppOptions,
  signal: AbortSignal,
): Promise<void>[] {
  const { chainId } = parts.network
  const lead = (name: string, run: (signal: AbortSignal) => Promise<void>) =>
    whileLeading({ url, name: `${name}:${chainId}`, log, signal }, run)
  return [
    ...(roles.includes('serve') ? [parts.pools.follow(signal)] : []),
    ...(roles.includes('index')
      ? [lead('indexer', (leading) => runIndexer(parts.indexerOptions, leading))]
      : []),
    ...(roles.includes('auction')
      ? [lead('auctions', (leading) => runAuctions(parts.auctionServices, leading))]
      : []),
  ]
}

/** Where /metrics is served, and for which callers. On a port of its own it needs no key, unless one is set. */
function metricsAccess(
  { METRICS_PORT, METRICS_KEY }: Settings,
  publicMetrics: boolean,
): Pick<ServerOptions, 'hasMetricsPort' | 'isMetricsReader'> {
  const hasMetricsPort = METRICS_PORT !== undefined
  if (METRICS_KEY !== undefined) return { hasMetricsPort, isMetricsReader: operatorCheck(METRICS_KEY) }
  return hasMetricsPort || publicMetrics ? { hasMetricsPort, isMetricsReader: () => true } : {}
}

async function serve(
  networks: readonly NetworkParts[],
  db: Database,
  { databaseUrl, settings, version, log, now, suggests = false, publicMetrics = false }: AppOptions,
) {
  const signals = await openSignals(databaseUrl, log)
  const tradingNetworks = networks.map(
    ({ network, chain, orderServices, quoteServices, tokens, nativeRates, tokenData }) => ({
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
      storedQuote: (id: bigint, from: Address) => replyTo(from, id, quoteServices),
      tokens,
      nativeRates,
      ...tokenData,
      ready: async () => Object.values(await checkReadiness([{ network, chain }], db)).every(Boolean),
    }),
  )
  const [isOperator, isCms] = [operatorCheck(settings.ADMIN_API_KEY), operatorCheck(settings.CMS_API_KEY)]
  const server = createServer({
    db,
    now,
    log,
    version,
    documents: readDocuments(settings.DOCUMENTS_FILE),
    feed: createFeed({ db, signals }),
    affiliates: {
      db,
      now,
      brand: settings.AFFILIATE_BRAND,
      checkSignature: affiliateNetwork(networks, settings)?.checkSignature ?? refuseWithoutNode,
    },
    statistics: createStatistics({ db, now, networks: tradingNetworks }),
    networks: createTradingNetworks(tradingNetworks),
    features: featuresOf(settings),
    suggests,
    hidesCompetitions: settings.AUCTION_HIDE_COMPETITIONS,
    isOperator,
    isEditor: (key) => isCms(key) || isOperator(key),
    maxOrderUids: settings.ORDER_MAX_UIDS,
    reportAuctions: settings.DEBUG_REPORT_AUCTIONS,
    uploadAppData: (hash, document) =>
      uploadAppData(db, { hash, document, maxBytes: settings.APP_DATA_MAX_BYTES }),
    ready: () => checkReadiness(networks, db),
    newRequestId: randomUUID,
    streamLimits: { perClient: limitOf(settings.STREAMS_PER_CLIENT), total: limitOf(settings.STREAMS_TOTAL) },
    rateLimits: {
      reads: settings.RATE_LIMIT_READS,
      quotes: settings.RATE_LIMIT_QUOTES,
      orders: settings.RATE_LIMIT_ORDERS,
      introspections: settings.RATE_LIMIT_INTROSPECTIONS,
    },
    ...(settings.TRUSTED_PROXIES && { isTrustedProxy: settings.TRUSTED_PROXIES }),
    processMetrics: true,
    ...metricsAccess(settings, publicMetrics),
  })
  const url = await server.listen(settings.PORT, settings.HOST)
  const { METRICS_PORT: metricsPort, METRICS_HOST: metricsHost } = settings
  const metricsUrl =
    metricsPort === undefined ? undefined : await server.listenForMetrics(metricsPort, metricsHost)
  if (metricsUrl) log.info('metrics have a port of their own', { url: `${metricsUrl}/metrics` })
  return {
    url,
    metricsUrl,
    async close() {
      await server.close()
      await signals.close()
    },
  }
}

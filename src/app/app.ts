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
import { composeNetwork, createShared, type NetworkParts } from './network.ts'
import type { Settings } from './settings.ts'

/** What a process does. Any number may serve; of those that index or run auctions one leads on each network. */
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
  /** Whether faults of GraphQL documents name what may have been meant. */
  suggests?: boolean
  /** Whether anybody may read /metrics, where no setting says who may. */
  publicMetrics?: boolean
}

export interface App {
  /** Where it listens; undefined when it does not serve. */
  url: string | undefined
  /** Where metrics are read that have a port of their own. */
  metricsUrl: string | undefined
  /** Ends streams and loops, then lets go of the database. */
  close(): Promise<void>
}

/** Whoever stops the program does not wait for ever: what is committed is safe, and the rest is found again. */
const closeMs = 10_000

/**
 * Puts the program together and starts it.
 * @throws ConfigError; when a node or the database is not there, or a chain is not the one that the database belongs to
 */
export async function startApp(options: AppOptions): Promise<App> {
  const { databaseUrl, settings, log } = options
  checkNetworksNamed(settings, options.networks)
  const shared = createShared(options)
  const applied = await applyMigrations(databaseUrl)
  if (applied.length > 0) log.info('database migrated', { applied })
  const db = openDatabase({ url: databaseUrl, maxConnections: settings.DATABASE_CONNECTIONS })
  const networks = options.networks.map((config) => composeNetwork(config, { ...options, db, ...shared }))
  for (const parts of networks) await claim(parts, db)

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
      const late = pause(closeMs, 'late' as const, { ref: false })
      if ((await Promise.race([ended, late])) === 'late') log.warn('not everything ended in time, leaving it')
    },
  }
}

/** A setting of 0 stands for none. */
function limit(setting: number): number {
  return setting === 0 ? Number.POSITIVE_INFINITY : setting
}

function nobodyToAsk(): Promise<never> {
  return Promise.reject(new Outage('the network node'))
}

/** Probes give up soon: what does not answer by then is down. */
const readyMs = 3_000

/** Everything that answers depend on, asked now. */
async function readiness(
  networks: readonly Pick<NetworkParts, 'network' | 'chain'>[],
  db: Database,
): Promise<Record<string, boolean>> {
  const isUp = (question: Promise<unknown>) => {
    const answered = question.then(
      () => true,
      () => false,
    )
    return Promise.race([answered, pause(readyMs, false, { ref: false })])
  }
  const states = [
    isUp(ping(db)).then((up) => ['database', up] as const),
    ...networks.map(({ network, chain }) => isUp(chain.head()).then((up) => [network.name, up] as const)),
  ]
  return Object.fromEntries(await Promise.all(states))
}

async function claim({ network, chain }: NetworkParts, db: Database): Promise<void> {
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
    ...(roles.includes('index') ? [lead('indexer', (leading) => runIndexer(parts.indexing, leading))] : []),
    ...(roles.includes('auction')
      ? [lead('auctions', (leading) => runAuctions(parts.auctionServices, leading))]
      : []),
  ]
}

/** Where the metrics are read, and by whom: whoever reaches their own port, unless there is a key. */
function metricsAccess(
  { METRICS_PORT, METRICS_KEY }: Settings,
  isOpen: boolean,
): Pick<ServerOptions, 'hasMetricsPort' | 'isMetricsReader'> {
  const hasMetricsPort = METRICS_PORT !== undefined
  if (METRICS_KEY !== undefined) return { hasMetricsPort, isMetricsReader: operatorCheck(METRICS_KEY) }
  return hasMetricsPort || isOpen ? { hasMetricsPort, isMetricsReader: () => true } : {}
}

async function serve(
  networks: readonly NetworkParts[],
  db: Database,
  { databaseUrl, settings, version, log, now, suggests = false, publicMetrics = false }: AppOptions,
) {
  const signals = await openSignals(databaseUrl, log)
  const trading = networks.map(
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
      ready: async () => Object.values(await readiness([{ network, chain }], db)).every(Boolean),
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
      checkSignature: affiliateNetwork(networks, settings)?.checkSignature ?? nobodyToAsk,
    },
    statistics: createStatistics({ db, now, networks: trading }),
    networks: createTradingNetworks(trading),
    features: featuresOf(settings),
    suggests,
    hidesCompetitions: settings.AUCTION_HIDE_COMPETITIONS,
    isOperator,
    isEditor: (key) => isCms(key) || isOperator(key),
    maxOrderUids: settings.ORDER_MAX_UIDS,
    reportAuctions: settings.DEBUG_REPORT_AUCTIONS,
    uploadAppData: (hash, document) =>
      uploadAppData(db, { hash, document, maxBytes: settings.APP_DATA_MAX_BYTES }),
    ready: () => readiness(networks, db),
    newRequestId: randomUUID,
    streamLimits: { perClient: limit(settings.STREAMS_PER_CLIENT), total: limit(settings.STREAMS_TOTAL) },
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

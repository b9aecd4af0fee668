import type { AppDataSources } from '../app-data/read.ts'
import { uploadAppData } from '../app-data/upload.ts'
import { pricesMs } from '../auctions/survey.ts'
import { createBundleSimulation } from '../chain/bundle/bundle.ts'
import { type Chain, cacheSpendable } from '../chain/chain.ts'
import { createOrderSimulation } from '../chain/order/simulation.ts'
import type { NetworkNodes } from '../chain/rpc/nodes.ts'
import type { Rpc } from '../chain/rpc/rpc.ts'
import { createTokenSlots } from '../chain/token/slots.ts'
import { batch } from '../concurrency/batch.ts'
import type { Address } from '../domain/evm/address.ts'
import type { Clock } from '../domain/log.ts'
import type { Network } from '../domain/network/network.ts'
import type { TradingPolicy } from '../domain/order/trading-policy.ts'
import type { Services } from '../graphql/context/context.ts'
import type { TradingServices } from '../graphql/context/networks.ts'
import type { Asker } from '../mirror/client-limits.ts'
import type { ReadRates } from '../mirror/native-rates.ts'
import { recordLogged } from '../notifications/record.ts'
import type { OrderServices } from '../orders/check.ts'
import { createFollowedReads, diagnoseOrders } from '../orders/diagnose.ts'
import { explainOrder } from '../orders/explain/explain.ts'
import { quoteWarnings, readWarningFacts } from '../orders/explain/quote-warnings.ts'
import { simulateGiven, simulateStored } from '../orders/simulate.ts'
import type { QuoteServices } from '../quotes/quote.ts'
import type { Metrics } from '../server/metrics.ts'
import { newestPrices } from '../storage/auction/competition.ts'
import type { Database } from '../storage/database/database.ts'
import { type OnLogged, storeOrders } from '../storage/order/insert.ts'
import { areTaken } from '../storage/order/orders.ts'
import type { Settings } from './settings.ts'

interface OrdersOptions
  extends Pick<OrderServices, 'checkOrder' | 'isProgrammatic' | 'callHook' | 'quoteFor' | 'nameTokens'> {
  network: Network
  chain: Chain
  db: Database
  settings: Settings
  now: Clock
  policy: TradingPolicy
  appDataSources: AppDataSources
}

/**
 * Orders placed at the same time share queries and node requests. A batch to the node has two calls for each
 * order.
 */
const batching = { maxBatch: 50, concurrency: 2 }

interface SimulationsOptions
  extends Pick<OrdersOptions, 'network' | 'chain' | 'db' | 'settings' | 'policy' | 'appDataSources' | 'now'> {
  rpc: Rpc
  /** Connections without retries, for calls that run strangers' code. */
  simulationRpc: Rpc
  nodes: NetworkNodes
  timeoutMs: number
  /** Services to explain orders: its checks have a queue of their own. */
  orders: OrderServices
  quotes: QuoteServices
  /** Native prices of tokens, where the network follows an order book that is run elsewhere. */
  ratesOfFollowed: ReadRates | undefined
  /** Quotes of the order book that the network follows. */
  quoteElsewhere?: TradingServices['quote'] | undefined
}

/** Limit of a node's response about a bundle: the logs and results of its transactions. */
const maxBundleBytes = 2 * 2 ** 20

/** Simulations of orders and bundles for clients, and diagnoses of orders, on one network. */
export function composeSimulations({
  network,
  chain,
  db,
  settings,
  policy,
  appDataSources,
  now,
  rpc,
  simulationRpc,
  nodes,
  timeoutMs,
  orders,
  quotes,
  ratesOfFollowed,
  quoteElsewhere,
}: SimulationsOptions): Pick<
  TradingServices,
  | 'simulateStored'
  | 'simulateOrder'
  | 'simulateBundle'
  | 'diagnose'
  | 'explainOrder'
  | 'lookAhead'
  | 'quoteWarnings'
> {
  const slots = createTokenSlots({ rpc, now })
  const simulateOrder = createOrderSimulation({ rpc: simulationRpc, network, slots })
  const services = { network, db, appDataSources, simulateOrder }
  const limits = { timeoutMs, retries: 0, maxBytes: maxBundleBytes }
  const bundleRpc = nodes.connect({ ...limits, runsStrangersCode: true })
  const auctions = { everyBlocks: settings.AUCTION_EVERY_BLOCKS, minLifetime: settings.ORDER_MIN_VALIDITY }
  const pricesOf = (tokens: readonly Address[]) =>
    newestPrices(db, network.chainId, new Date(now() - pricesMs), tokens)
  const followedReads = createFollowedReads({ network, chain, newestPrices: pricesOf })
  const diagnosisFor = (asker?: Asker) => ({
    network,
    now,
    policy,
    auctions,
    chain,
    followed: ratesOfFollowed && followedReads((tokens) => ratesOfFollowed(tokens, asker)),
  })
  const warnings = { ...diagnosisFor(), db, appDataSources, simulateOrder }
  const explanation = { orders, quotes, simulateOrder }
  return {
    diagnose: (orders, asker) => diagnoseOrders(orders, diagnosisFor(asker)),
    explainOrder: (order, options, meter) =>
      explainOrder(order, options, {
        ...explanation,
        orders: { ...orders, meter },
        diagnosis: diagnosisFor(meter),
        quoteElsewhere: quoteElsewhere && ((request) => quoteElsewhere(request, meter)),
      }),
    lookAhead: (order) => readWarningFacts(order, warnings),
    quoteWarnings: (reply, slippageBps, look, meter) =>
      quoteWarnings(reply, slippageBps, look, { ...warnings, meter }),
    simulateStored: (uid, block) => simulateStored(uid, block, services),
    simulateOrder: (order, block) => simulateGiven(order, block, services),
    simulateBundle: createBundleSimulation({ rpc: bundleRpc }),
  }
}

/** Stores documents that clients upload. */
export function composeUploads({ db, settings, now, metrics }: UploadOptions): Services['uploadAppData'] {
  const limits = {
    maxBytes: settings.APP_DATA_MAX_BYTES,
    maxUnusedBytes: settings.APP_DATA_UNUSED_BYTES,
    unusedMs: settings.RETENTION_DOCUMENTS_DAYS * 86_400_000,
    now,
    meter: metrics,
  }
  return (hash, document, client) => uploadAppData(db, { hash, document, client }, limits)
}

interface UploadOptions {
  db: Database
  settings: Settings
  now: Clock
  metrics: Metrics
}

/** Services to place and cancel orders on one network. */
export function composeOrders({
  network,
  chain,
  db,
  settings,
  now,
  policy,
  appDataSources,
  checkOrder,
  isProgrammatic,
  callHook,
  quoteFor,
  nameTokens,
}: OrdersOptions): OrderServices {
  const spendable = cacheSpendable(batch(chain.spendable, batching), now)
  const rules = { leastImprovement: settings.NOTIFICATION_LEAST_IMPROVEMENT }
  const onLogged: OnLogged = (tx, ids) => recordLogged(tx, ids, rules, new Date(now()))
  return {
    network,
    db,
    now,
    limits: {
      minValidity: settings.ORDER_MIN_VALIDITY,
      maxLimitValidity: settings.ORDER_MAX_VALIDITY,
      maxMarketValidity: settings.QUOTE_MAX_VALIDITY,
      maxGas: BigInt(settings.ORDER_MAX_GAS),
      signatureGas: BigInt(settings.EIP1271_GAS_LIMIT),
      maxOutOfMarket: settings.ORDER_MAX_OUT_OF_MARKET || Number.POSITIVE_INFINITY,
    },
    policy,
    appDataSources,
    distinctSignatureCodes: settings.DISTINCT_SIGNATURE_CODES,
    spendable: (owner, token, enough) => spendable({ owner, token }, enough),
    checkOrder,
    isProgrammatic,
    callHook,
    quoteFor,
    nameTokens,
    isTaken: batch((uids) => areTaken(db, network.chainId, uids), batching),
    onLogged,
    store: batch((orders) => storeOrders(db, orders, onLogged), batching),
  }
}

import { type AppDataGateway, cachedGateway, createIpfsGateway } from '../app-data/gateway.ts'
import type { AppDataSources } from '../app-data/read.ts'
import type { AuctionServices } from '../auctions/services.ts'
import { type Chain, createChain } from '../chain/chain.ts'
import { createHeads } from '../chain/heads.ts'
import { type CheckAccountSignature, createAccountSignatureCheck } from '../chain/order/account-signature.ts'
import { createHookCall } from '../chain/order/hook-call.ts'
import { createOrderCheck } from '../chain/order/order-check.ts'
import type { NetworkNodes } from '../chain/rpc/nodes.ts'
import { createSettlementEffects } from '../chain/settlement/effects.ts'
import { createSettlementSequence } from '../chain/settlement/sequence.ts'
import { readTokenMetadata } from '../chain/token/metadata.ts'
import { batch } from '../concurrency/batch.ts'
import type { Refusal } from '../domain/errors/error.ts'
import type { Address } from '../domain/evm/address.ts'
import type { Clock, Log } from '../domain/log.ts'
import type { Network } from '../domain/network/network.ts'
import type { TradingPolicy } from '../domain/order/trading-policy.ts'
import type { NativeRate } from '../domain/token/native-rate.ts'
import type { TradingServices } from '../graphql/context/networks.ts'
import { createPools, type Pools } from '../market/pools/pools.ts'
import type { OrderServices } from '../orders/check.ts'
import { readPlacements } from '../orders/place-on-chain.ts'
import { quoteForOrder } from '../quotes/order-quote.ts'
import type { QuoteServices } from '../quotes/quote.ts'
import { createMetrics, type Metrics } from '../server/metrics.ts'
import type { Database } from '../storage/database/database.ts'
import { createBalanceReads } from '../tokens/balance-reads.ts'
import { type BalanceWatch, createBalanceWatch } from '../tokens/balances.ts'
import { createTokenReader, type TokenReader } from '../tokens/metadata.ts'
import { createTokenNaming } from '../tokens/naming.ts'
import { createHeldTokens } from '../tokens/own-holders.ts'
import { createPriceWatch, type PriceWatch } from '../tokens/prices.ts'
import { composeAuctions, composeSolvers } from './auctions.ts'
import { composeAccounts } from './chain/accounts.ts'
import { composeIndexing, type Indexing } from './chain/indexing.ts'
import { composeNodes } from './chain/nodes.ts'
import { composePools, type PoolCounts } from './chain/pools.ts'
import { type NetworkConfig, readAddresses } from './config.ts'
import { composeMarket, type MarketData } from './market/market.ts'
import { composeOrders, composeSimulations } from './orders.ts'
import { composeQuoting } from './quoting.ts'
import type { Settings } from './settings.ts'
import { composeTokenData, type TokenData } from './token-data.ts'

/** The services of one network. */
export interface NetworkParts extends Indexing {
  network: Network
  nodes: NetworkNodes
  chain: Chain
  pools: Pools
  orderServices: OrderServices
  quoteServices: QuoteServices
  auctionServices: AuctionServices
  /** For clients. */
  simulations: ReturnType<typeof composeSimulations>
  /** For wallets that register as affiliates. */
  checkSignature: CheckAccountSignature
  tokens: TokenReader['tokens']
  nativeRates(addresses: readonly Address[]): Promise<Map<Address, NativeRate | Refusal>>
  tokenData: TokenData
  market: MarketData
  holdings: Pick<TradingServices, 'balances' | 'heldTokens'>
  poolCounts: PoolCounts
  balances: BalanceWatch
  prices: PriceWatch
}

/** What all networks share. */
export interface SharedServices {
  policy: TradingPolicy
  gateway: AppDataGateway | null
  metrics: Metrics
}

interface ComposeOptions extends SharedServices {
  /** For requests. */
  db: Database
  /** For auctions and the indexer. */
  loopDb: Database
  settings: Settings
  log: Log
  now: Clock
  random: () => number
}

export function createSharedServices({
  settings,
  now,
}: Pick<ComposeOptions, 'settings' | 'now'>): SharedServices {
  const { IPFS_GATEWAY: url, APP_DATA_MAX_BYTES: maxBytes } = settings
  return {
    policy: {
      deniedAccounts: readAddresses(settings.DENIED_ACCOUNTS_FILE),
      deniedTokens: readAddresses(settings.DENIED_TOKENS_FILE),
      sameToken: settings.SAME_TOKEN_ORDERS,
    },
    metrics: createMetrics(true, now),
    gateway: url === undefined ? null : cachedGateway(createIpfsGateway({ url, maxBytes }), { now }),
  }
}

export function composeNetwork(
  config: NetworkConfig,
  { db, loopDb, settings, log, now, random, policy, gateway, metrics }: ComposeOptions,
): NetworkParts {
  const { network } = config
  const shared = { network, db, settings, log, now }
  const { nodes, privateEndpoint } = composeNodes({ config, settings, metrics: metrics.chain, now, log })
  const timeoutMs = settings.RPC_TIMEOUT_MS
  const rpc = nodes.connect({ timeoutMs })
  const rpcWithoutRetries = nodes.connect({ timeoutMs, retries: 0, runsStrangersCode: true })
  const accounts = composeAccounts({ network, rpc, settings, log, metrics: metrics.chain })
  const chain = createChain({ rpc, tokenRpc: rpcWithoutRetries, network })
  const pools = createPools({ rpc, network, now, log })
  const maxGas = BigInt(settings.SETTLEMENT_MAX_GAS)
  const sequence = createSettlementSequence(rpc, network, maxGas)
  const { tokens, knownTokens } = createTokenReader({
    network,
    ask: batch((addresses) => readTokenMetadata(rpcWithoutRetries, network.chainId, addresses), {
      maxBatch: 128,
      concurrency: 2,
    }),
    db,
    log,
    now,
  })
  const { chainId } = network
  const nameTokens = createTokenNaming({ chainId, db, log, knownTokens })
  const solvers = composeSolvers({
    network,
    rpc,
    balances: accounts.solvers,
    privateEndpoint,
    chain,
    sequence,
    db: loopDb,
    settings,
    log,
    now,
    tokens: knownTokens,
  })
  /** For calls that run code of an order: its wallet, its hooks. */
  const orderCodeRpc = nodes.connect({
    timeoutMs: settings.EIP1271_TIMEOUT_MS,
    retries: 0,
    runsStrangersCode: true,
  })
  /** One each for placing orders, for explaining them and for auctions, with its own queue: none delays another. */
  const orderCode = {
    rpc: orderCodeRpc,
    network,
    limits: {
      signatureGas: BigInt(settings.EIP1271_GAS_LIMIT),
      interactionGas: BigInt(settings.ORDER_MAX_GAS),
      atOnce: settings.EIP1271_AT_ONCE,
    },
  }
  const newOrderCheck = () => createOrderCheck(orderCode)

  const appDataSources: AppDataSources = { db, now, maxBytes: settings.APP_DATA_MAX_BYTES, gateway }
  const {
    services: quoteServices,
    nativeRates,
    ...quoting
  } = composeQuoting({
    rpc,
    nodes,
    pools,
    policy,
    appDataSources,
    tokens: knownTokens,
    solver: solvers.find(({ solver }) => !solver.outside)?.solver.address,
    ...shared,
  })
  const orderServices = composeOrders({
    chain,
    policy,
    appDataSources,
    checkOrder: newOrderCheck(),
    callHook: createHookCall(orderCode),
    quoteFor: (order) => quoteForOrder(order, quoteServices),
    nameTokens,
    ...shared,
  })
  const simulations = composeSimulations({
    chain,
    policy,
    appDataSources,
    rpc,
    simulationRpc: rpcWithoutRetries,
    ...{ nodes, timeoutMs, quotes: quoteServices },
    orders: { ...orderServices, checkOrder: newOrderCheck() },
    ...shared,
  })
  const auctionServices = composeAuctions({
    chain,
    pools,
    random,
    policy,
    checkOrder: newOrderCheck(),
    accounts: accounts.inAuctions,
    solvers,
    sequence,
    effects: createSettlementEffects({ rpc: rpcWithoutRetries, network, sequence, maxGas, timeoutMs }),
    trials: quoting.trials,
    meter: metrics.loops.auctions(network.name),
    ...shared,
    db: loopDb,
  })
  const indexing = composeIndexing({
    ...{ network, nodes, chain, rpc, rpcWithoutRetries, db: loopDb, settings, now, log },
    metrics: metrics.loops,
    refunderBalances: accounts.refunder,
    readPlacements(placements) {
      nameTokens(placements.flatMap(({ order }) => [order.sellToken, order.buyToken]))
      return readPlacements(placements, orderServices)
    },
  })
  const checkSignature = createAccountSignatureCheck({
    rpc: orderCodeRpc,
    limits: { signatureGas: BigInt(settings.EIP1271_GAS_LIMIT), atOnce: settings.EIP1271_AT_ONCE },
  })
  const tokenData = composeTokenData({
    rpc,
    head: () => chain.head(),
    tokens,
    nativeRates,
    ...shared,
  })
  const market = composeMarket({ pools, tokens, nativeRates: quoting.recordedRates, ...shared })
  const heads = createHeads({ head: () => chain.head(), blockTimeMs: network.blockTimeMs, now, log })
  const holdings = {
    balances: createBalanceReads({ chain, heads }),
    heldTokens: createHeldTokens({ network, db, head: heads.newest }),
  }
  const balances = createBalanceWatch({ chain, heads, most: settings.WATCHED_BALANCES, now, log })
  const prices = createPriceWatch({
    heads,
    marketBlock: async () => (await pools.look([])).block,
    nativeRates,
    usdPrice: tokenData.usdPrice,
    most: settings.WATCHED_PRICES,
    now,
  })
  const poolCounts = composePools({ chain, pools, rpc, rpcWithoutRetries, nativeRates, loopDb, ...shared })
  return {
    ...{ network, nodes, chain, pools, poolCounts },
    tokenData,
    market,
    holdings,
    balances,
    prices,
    orderServices,
    simulations,
    quoteServices,
    auctionServices,
    ...indexing,
    checkSignature,
    tokens,
    nativeRates,
  }
}

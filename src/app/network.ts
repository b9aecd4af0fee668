import { type AppDataGateway, cachedGateway, createIpfsGateway } from '../app-data/gateway.ts'
import type { AppDataSources } from '../app-data/read.ts'
import { createChain } from '../chain/chain.ts'
import { createHeads } from '../chain/heads.ts'
import { settledLogs, tradeLogs } from '../chain/logs/chain-logs.ts'
import { createAccountSignatureCheck } from '../chain/order/contract-signature.ts'
import { createHookCall, createOrderCheck } from '../chain/order/order-check.ts'
import { createInvalidationReader, createPresignatureReader } from '../chain/order/presignatures.ts'
import { createProgrammaticPoll } from '../chain/order/programmatic-poll.ts'
import { createProgrammaticCheck } from '../chain/order/programmatic-signature.ts'
import { createSettlementEffects } from '../chain/settlement/effects.ts'
import { createSettlementSequence } from '../chain/settlement/sequence.ts'
import { type ReadToken, readTokenMetadata } from '../chain/token/metadata.ts'
import { batch } from '../concurrency/batch.ts'
import { createByteBudget } from '../concurrency/byte-budget.ts'
import { type Address, zeroAddress } from '../domain/evm/address.ts'
import type { Clock, Log } from '../domain/log.ts'
import type { TradingPolicy } from '../domain/order/trading-policy.ts'
import { tokenRoomOf } from '../graphql/context/stored-bytes.ts'
import type { HistoryOptions } from '../indexer/account-history.ts'
import type { WatchTowerOptions } from '../indexer/watch-tower.ts'
import { createPools } from '../market/pools/pools.ts'
import { type ReadRates, ratesBefore } from '../mirror/native-rates.ts'
import type { RecentTokens } from '../notifications/token-pairs.ts'
import type { OrderServices } from '../orders/check.ts'
import { createLateDocumentReader } from '../orders/late-document.ts'
import { maxContractSignature } from '../orders/owner.ts'
import { placeOrder } from '../orders/place.ts'
import { readPlacements } from '../orders/place-on-chain.ts'
import { quoteForOrder } from '../quotes/order-quote.ts'
import { createMetrics, type Metrics } from '../server/metrics.ts'
import type { PollLane } from '../storage/chain/programmatic-polls.ts'
import type { Database } from '../storage/database/database.ts'
import { createBalanceReads, createBalanceWatch } from '../tokens/balances.ts'
import { createTokenNaming, createTokenReader } from '../tokens/metadata.ts'
import { createOwnHeldTokens } from '../tokens/own-holders.ts'
import { createPriceWatch } from '../tokens/prices.ts'
import { composeAuctions, composeSolvers } from './auctions.ts'
import { composeAccounts } from './chain/accounts.ts'
import { composeIndexing, composePools } from './chain/indexing.ts'
import { composeMirror, type Mirror } from './chain/mirror.ts'
import { composeNodes } from './chain/nodes.ts'
import { type NetworkConfig, type OrderBookConfig, readAddresses } from './config.ts'
import { ownKeyCheck } from './observing/log.ts'
import { composeOrders, composeSimulations, composeUploads } from './orders.ts'
import { composeQuoting } from './quoting.ts'
import type { Settings } from './settings.ts'
import { composeMarket, composeTokenData } from './token-data.ts'

/** The services of one network. */
export type NetworkParts = ReturnType<typeof composeNetwork>

/** Services that all networks share. */
interface SharedServices {
  policy: TradingPolicy
  gateway: AppDataGateway | null
  metrics: Metrics
  /** Reports whether a key is one of this deployment, or of a session here. */
  isOwnKey(key: string): boolean
}

interface ComposeOptions extends SharedServices {
  /** The pool for requests. */
  db: Database
  /** The pool for auctions and the indexer. */
  loopDb: Database
  settings: Settings
  log: Log
  now: Clock
  random: () => number
  /** One check for all networks; see `createTurnCheck`. */
  isHistoryDue?: HistoryOptions['isDue']
}

/** @param secrets values that hold secrets besides the settings, such as rows of networks */
export function createSharedServices(
  { settings, now }: Pick<ComposeOptions, 'settings' | 'now'>,
  secrets: readonly unknown[] = [],
): SharedServices {
  const { IPFS_GATEWAY: url, APP_DATA_MAX_BYTES: maxBytes } = settings
  return {
    policy: {
      deniedAccounts: readAddresses(settings.DENIED_ACCOUNTS_FILE),
      deniedTokens: readAddresses(settings.DENIED_TOKENS_FILE),
      sameToken: settings.SAME_TOKEN_ORDERS,
    },
    metrics: createMetrics(true, now),
    isOwnKey: ownKeyCheck([settings, ...secrets]),
    gateway: url === undefined ? null : cachedGateway(createIpfsGateway({ url, maxBytes }), { now }),
  }
}

type NetworkOptions = ComposeOptions & Pick<NetworkConfig, 'network' | 'orderBook'>

export function composeNetwork(config: NetworkConfig, options: ComposeOptions) {
  const { network, orderBook } = config
  const scope = { ...options, network, orderBook }
  const access = composeChainAccess(config, scope)
  const tokens = composeTokens(access, scope)
  const mirror = orderBook && composeFollowing(orderBook, access, tokens, scope)
  const trading = composeTrading(access, tokens, { ...scope, mirror })
  const { nodes, chain, pools } = access
  return {
    network,
    nodes,
    chain,
    pools,
    tokens: tokens.tokens,
    ...trading,
    ...composeIndexes(access, tokens, trading, { ...scope, ...(mirror && { onTraded: mirror.onTraded }) }),
    towerOptions: composeTower(access, trading, scope),
    ...composeData(access, tokens, trading, scope),
    /** Undefined on a network whose order book is run here. */
    mirror,
    /** Has the tokens stored that the network itself names: without pools no quote here does. */
    nameOwnTokens() {
      const { wrappedNative, usdReference, baseTokens, holderTokens } = network
      const others = [...baseTokens, ...holderTokens.map(({ address }) => address)]
      tokens.nameTokens([wrappedNative, ...(usdReference ? [usdReference] : []), ...others])
    },
  }
}

/** Connections to the chain, and readers over them. */
function composeChainAccess(config: NetworkConfig, { network, settings, metrics, now, log }: NetworkOptions) {
  const { nodes, privateEndpoint } = composeNodes({ config, settings, metrics: metrics.chain, now, log })
  const timeoutMs = settings.RPC_TIMEOUT_MS
  const rpc = nodes.connect({ timeoutMs })
  const rpcWithoutRetries = nodes.connect({ timeoutMs, retries: 0, runsStrangersCode: true })
  const chain = createChain({ rpc, tokenRpc: rpcWithoutRetries, network })
  return {
    nodes,
    privateEndpoint,
    timeoutMs,
    rpc,
    rpcWithoutRetries,
    chain,
    orderCode: {
      /** Calls that run code of an order: its wallet, its hooks. */
      rpc: nodes.connect({ timeoutMs: settings.EIP1271_TIMEOUT_MS, retries: 0, runsStrangersCode: true }),
      network,
      limits: {
        signatureGas: BigInt(settings.EIP1271_GAS_LIMIT),
        interactionGas: BigInt(settings.ORDER_MAX_GAS),
        atOnce: settings.EIP1271_AT_ONCE,
      },
    },
    accounts: composeAccounts({ network, rpc, settings, log, metrics: metrics.chain }),
    pools: createPools({ rpc, network, now, log }),
    heads: createHeads({ head: () => chain.head(), blockTimeMs: network.blockTimeMs, now, log }),
    sequence: createSettlementSequence(rpc, network, BigInt(settings.SETTLEMENT_MAX_GAS)),
  }
}

type ChainAccess = ReturnType<typeof composeChainAccess>

/** Names, symbols and decimals of tokens. */
function composeTokens({ rpcWithoutRetries }: ChainAccess, { network, db, log, now }: NetworkOptions) {
  const { chainId } = network
  const readMetadata = (addresses: readonly Address[]) =>
    readTokenMetadata(rpcWithoutRetries, chainId, addresses)
  const ask = batch<Address, ReadToken>(readMetadata, { maxBatch: 128, concurrency: 2 })
  const { tokens, knownTokens } = createTokenReader({ network, ask, db, log, now })
  return {
    tokens,
    knownTokens,
    nameTokens: createTokenNaming({ chainId, db, log, knownTokens }),
    /** Returns the tokens that can be read now. Never rejects. */
    describeTokens: (addresses: readonly Address[]): Promise<RecentTokens> =>
      knownTokens(addresses).catch(() => new Map()),
  }
}

type Tokens = ReturnType<typeof composeTokens>

/** The bytes of tokens that quotes have stored, of all clients in a day: a quote names any token. */
const quotedTokenBytes = 8_388_608

/** Quotes, orders, simulations and auctions. */
function composeTrading(
  access: ChainAccess,
  { knownTokens, nameTokens }: Tokens,
  options: NetworkOptions & { mirror?: Mirror | undefined },
) {
  const { nodes, rpc, rpcWithoutRetries, chain, pools, sequence, accounts, timeoutMs, orderCode } = access
  const { network, db, loopDb, settings, log, now, random, policy, gateway, metrics } = options
  const shared = { network, db, settings, log, now }
  /** Placing, explanations and auctions have a check each, with its own queue: none delays another. */
  const newOrderCheck = () => createOrderCheck(orderCode)
  const appDataSources: AppDataSources = { db, now, maxBytes: settings.APP_DATA_MAX_BYTES, gateway }
  const solvers = composeSolvers({
    network,
    rpc,
    chain,
    sequence,
    settings,
    log,
    now,
    balances: accounts.solvers,
    privateEndpoint: access.privateEndpoint,
    db: loopDb,
    tokens: knownTokens,
  })
  const quotedTokens = { what: 'quoted tokens', bytes: quotedTokenBytes, ageMs: 86_400_000 }
  const quotedTokenRoom = tokenRoomOf(createByteBudget(quotedTokens, { now }), 'all')
  const { services: quoteServices, ...quoting } = composeQuoting({
    rpc,
    nodes,
    pools,
    policy,
    appDataSources,
    tokens: (addresses) => knownTokens(addresses, quotedTokenRoom),
    solver: solvers.find(({ solver }) => !solver.outside)?.solver.address,
    ...shared,
  })
  const orderServices = composeOrders({
    chain,
    policy,
    appDataSources,
    nameTokens,
    checkOrder: newOrderCheck(),
    isProgrammatic: createProgrammaticCheck(orderCode),
    callHook: createHookCall(orderCode),
    quoteFor: (order, meter) => quoteForOrder(order, quoteServices, meter),
    ...shared,
  })
  const { mirror } = options
  const hasPools = network.poolFactory !== zeroAddress
  /** Takes all prices from a followed order book where there are no pools, as over REST. */
  const withBook = (own: ReadRates): ReadRates => {
    if (!mirror) return own
    return hasPools ? ratesBefore(own, mirror.nativeRates) : mirror.nativeRates
  }
  const nativeRates = withBook(quoting.nativeRates)
  const simulations = composeSimulations({
    chain,
    policy,
    appDataSources,
    rpc,
    nodes,
    timeoutMs,
    simulationRpc: rpcWithoutRetries,
    quotes: quoteServices,
    quoteElsewhere: hasPools ? undefined : mirror?.writes.quote,
    orders: { ...orderServices, checkOrder: newOrderCheck() },
    ratesOfFollowed: mirror && nativeRates,
    ...shared,
  })
  const maxGas = BigInt(settings.SETTLEMENT_MAX_GAS)
  const auctionServices = composeAuctions({
    chain,
    rpc,
    pools,
    random,
    policy,
    solvers,
    sequence,
    checkOrder: newOrderCheck(),
    readDocument: createLateDocumentReader(orderServices),
    accounts: accounts.inAuctions,
    effects: createSettlementEffects({ rpc: rpcWithoutRetries, network, sequence, maxGas, timeoutMs }),
    trials: quoting.trials,
    meter: metrics.loops.auctions(network.name),
    ...shared,
    db: loopDb,
  })
  return {
    quoteServices,
    orderServices,
    simulations,
    auctionServices,
    nativeRates,
    recordedRates: withBook(quoting.recordedRates),
    checkSignature: createAccountSignatureCheck(orderCode),
  }
}

type Trading = ReturnType<typeof composeTrading>

/** Loops that read the chain into the database. */
function composeIndexes(
  access: ChainAccess,
  { nameTokens, describeTokens }: Tokens,
  { orderServices, nativeRates }: Trading,
  {
    network,
    orderBook,
    db,
    loopDb,
    settings,
    log,
    now,
    metrics,
    onTraded,
  }: NetworkOptions & Partial<Pick<Mirror, 'onTraded'>>,
) {
  const { nodes, rpc, rpcWithoutRetries, chain, pools, accounts } = access
  const shared = { network, settings, now, log }
  const indexing = composeIndexing({
    ...shared,
    nodes,
    chain,
    rpc,
    rpcWithoutRetries,
    db: loopDb,
    metrics: metrics.loops,
    refunderBalances: accounts.refunder,
    isFollowing: orderBook !== undefined,
    onTraded,
    describeTokens: orderBook && describeTokens,
    // An order book that is followed judges orders placed on chain by its own quotes.
    readPlacements: orderBook
      ? undefined
      : (placements) => {
          nameTokens(placements.flatMap(({ order }) => [order.sellToken, order.buyToken]))
          return readPlacements(placements, orderServices)
        },
  })
  const pooled = { chain, pools, rpc, rpcWithoutRetries, nativeRates, loopDb }
  return { ...indexing, poolCounts: composePools({ ...shared, ...pooled, db }) }
}

/** The limit of a node's answer to a poll: a part with its signature, in hex, or the data of a revert. */
const maxPollBytes = 65_536

/** The watch tower of programmatic orders. Its checks have queues of their own: it delays no client. */
function composeTower(
  { nodes, chain, orderCode }: ChainAccess,
  { orderServices }: Trading,
  { network, loopDb, settings, log, metrics }: NetworkOptions,
): WatchTowerOptions {
  const limits = { timeoutMs: settings.EIP1271_TIMEOUT_MS, retries: 0, maxBytes: maxPollBytes }
  const servicesOf = () => ({
    ...orderServices,
    checkOrder: createOrderCheck(orderCode),
    isProgrammatic: createProgrammaticCheck(orderCode),
  })
  const services: Record<PollLane, OrderServices> = { computed: servicesOf(), asked: servicesOf() }
  return {
    network,
    log,
    db: loopDb,
    head: () => chain.head(),
    poll: createProgrammaticPoll({
      network,
      gas: orderCode.limits.signatureGas,
      maxSignature: maxContractSignature,
      rpc: nodes.connect({ ...limits, runsStrangersCode: true }),
    }),
    place: (creation, lane) => placeOrder(creation, services[lane]),
    atOnce: settings.EIP1271_AT_ONCE,
    budgets: {
      owner: { orders: settings.TOWER_OWNER_ORDERS, bytes: settings.TOWER_OWNER_BYTES },
      tower: { orders: settings.TOWER_ORDERS, bytes: settings.TOWER_BYTES },
    },
    meter: metrics.loops.tower(network.name),
  }
}

/** The mirror of an order book that is run elsewhere. */
function composeFollowing(
  orderBook: OrderBookConfig,
  { chain, rpcWithoutRetries, orderCode }: ChainAccess,
  { describeTokens }: Tokens,
  { network, db, loopDb, settings, log, now, metrics, isOwnKey, isHistoryDue }: NetworkOptions,
) {
  const odd = { log, countOdd: metrics.loops.indexer(network.name).oddLog }
  const upload = composeUploads({ db, settings, now, metrics })
  return composeMirror({
    checkSignature: createAccountSignatureCheck(orderCode),
    network,
    orderBook,
    chain,
    db,
    loopDb,
    settings,
    now,
    log,
    isOwnKey,
    isHistoryDue,
    describeTokens,
    readInvalidated: createInvalidationReader({ rpc: rpcWithoutRetries, network }),
    readPresignatures: createPresignatureReader({
      rpc: rpcWithoutRetries,
      network,
      head: () => chain.head(),
    }),
    tradesOf: (owners, range) => tradeLogs({ ...odd, rpc: rpcWithoutRetries, network }, owners, range),
    settledBy: (hashes) => settledLogs({ ...odd, rpc: rpcWithoutRetries, network }, hashes),
    metrics: metrics.loops,
    storeDocument: (document, client) => upload(null, document, client),
  })
}

/** Prices, balances and market data for clients. */
function composeData(
  { rpc, chain, pools, heads }: ChainAccess,
  { tokens }: Tokens,
  { nativeRates, recordedRates }: Trading,
  { network, db, settings, log, now }: NetworkOptions,
) {
  const shared = { network, db, settings, log, now }
  const tokenData = composeTokenData({ rpc, head: () => chain.head(), tokens, nativeRates, ...shared })
  return {
    tokenData,
    market: composeMarket({ pools, tokens, nativeRates: recordedRates, ...shared }),
    holdings: {
      balances: createBalanceReads({ chain, heads }),
      heldTokens: createOwnHeldTokens({ network, db, head: heads.newest }),
    },
    balances: createBalanceWatch({ chain, heads, max: settings.WATCHED_BALANCES, now, log }),
    prices: createPriceWatch({
      heads,
      marketBlock: async () => (await pools.look([])).block,
      nativeRates,
      usdPrice: tokenData.usdPrice,
      max: settings.WATCHED_PRICES,
      now,
    }),
  }
}

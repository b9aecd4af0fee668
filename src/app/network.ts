import { type AppDataGateway, cachedGateway, createIpfsGateway } from '../app-data/gateway.ts'
import type { AppDataSources } from '../app-data/read.ts'
import type { AuctionServices } from '../auctions/services.ts'
import { type Chain, createChain } from '../chain/chain.ts'
import { chainLogs } from '../chain/logs/chain-logs.ts'
import { tokenLogs } from '../chain/logs/transfer-logs.ts'
import { type CheckAccountSignature, createAccountSignatureCheck } from '../chain/order/account-signature.ts'
import { createOrderCheck } from '../chain/order/order-check.ts'
import { createRpc } from '../chain/rpc/rpc.ts'
import { settlementOf } from '../chain/settlement/call.ts'
import { createSettler } from '../chain/settlement/settler.ts'
import { readTokenMetadata } from '../chain/token/metadata.ts'
import { batch } from '../concurrency/batch.ts'
import type { Refusal } from '../domain/errors/error.ts'
import type { Address } from '../domain/evm/address.ts'
import type { Clock, Log } from '../domain/log.ts'
import type { Network } from '../domain/network/network.ts'
import type { TradingPolicy } from '../domain/order/trading-policy.ts'
import type { NativeRate } from '../domain/token/native-rate.ts'
import type { IndexerOptions } from '../indexer/run.ts'
import { createPools, type Pools } from '../market/pools/pools.ts'
import type { OrderServices } from '../orders/check.ts'
import { quoteForOrder } from '../quotes/order-quote.ts'
import type { QuoteServices } from '../quotes/quote.ts'
import { createBuiltInSolver } from '../solvers/built-in/solver.ts'
import type { Database } from '../storage/database/database.ts'
import { createTokenReader, type TokenReader } from '../tokens/metadata.ts'
import { composeAuctions } from './auctions.ts'
import { type NetworkConfig, readAddresses } from './config.ts'
import { composeOrders } from './orders.ts'
import { composeQuoting } from './quoting.ts'
import type { Settings } from './settings.ts'
import { composeTokenData, type TokenData } from './token-data.ts'

/** The services of one network. */
export interface NetworkParts {
  network: Network
  chain: Chain
  pools: Pools
  orderServices: OrderServices
  quoteServices: QuoteServices
  auctionServices: AuctionServices
  indexerOptions: IndexerOptions
  /** For wallets that register as affiliates. */
  checkSignature: CheckAccountSignature
  tokens: TokenReader['tokens']
  nativeRates(addresses: readonly Address[]): Promise<Map<Address, NativeRate | Refusal>>
  tokenData: TokenData
}

/** What all networks share. */
export interface SharedServices {
  policy: TradingPolicy
  gateway: AppDataGateway | null
}

interface ComposeOptions extends SharedServices {
  db: Database
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
    gateway: url === undefined ? null : cachedGateway(createIpfsGateway({ url, maxBytes }), { now }),
  }
}

export function composeNetwork(
  { network, rpcUrl }: NetworkConfig,
  { db, settings, log, now, random, policy, gateway }: ComposeOptions,
): NetworkParts {
  const rpc = createRpc({ url: rpcUrl, timeoutMs: settings.RPC_TIMEOUT_MS, log })
  const rpcWithoutRetries = createRpc({ url: rpcUrl, timeoutMs: settings.RPC_TIMEOUT_MS, retries: 0, log })
  const chain = createChain({ rpc, network })
  const pools = createPools({ rpc, network, now, log })
  const privateKey = settings.SOLVER_PRIVATE_KEY
  const settler = privateKey && createSettler({ rpc, network, privateKey, log })
  const solver = settler && createBuiltInSolver({ ...network, name: 'built-in', address: settler.address })
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
  /** For calls that run code of an order: its wallet, its hooks. */
  const orderCodeRpc = createRpc({ url: rpcUrl, timeoutMs: settings.EIP1271_TIMEOUT_MS, retries: 0, log })
  /** One for placing orders and one for auctions, each with its own queue, so that neither delays the other. */
  const newOrderCheck = () =>
    createOrderCheck({
      rpc: orderCodeRpc,
      network,
      limits: {
        signatureGas: BigInt(settings.EIP1271_GAS_LIMIT),
        interactionGas: BigInt(settings.ORDER_MAX_GAS),
        atOnce: settings.EIP1271_AT_ONCE,
      },
    })

  const appDataSources: AppDataSources = { db, maxBytes: settings.APP_DATA_MAX_BYTES, gateway }
  const { services: quoteServices, nativeRates } = composeQuoting({
    network,
    rpc,
    rpcUrl,
    pools,
    db,
    settings,
    log,
    now,
    policy,
    appDataSources,
    tokens: knownTokens,
    solver: settler?.address,
  })
  const orderServices = composeOrders({
    network,
    chain,
    db,
    settings,
    now,
    policy,
    appDataSources,
    checkOrder: newOrderCheck(),
    quoteFor: (order) => quoteForOrder(order, quoteServices),
  })
  const auctionServices = composeAuctions({
    network,
    chain,
    pools,
    db,
    settings,
    log,
    now,
    random,
    policy,
    checkOrder: newOrderCheck(),
    solver,
    settler,
  })
  const indexerOptions: IndexerOptions = {
    chainId,
    network,
    db,
    now,
    log,
    settlementOf: (txHash) => settlementOf(rpc, txHash),
    chain: {
      head: () => chain.head(),
      block: (number) => chain.block(number),
      logs: (from, to) => chainLogs({ rpc, network, log }, from, to),
    },
    // Old logs can overload a node, and the indexer of new blocks waits meanwhile: no immediate retry.
    tokenLogs: (tokens, from, to) => tokenLogs({ rpc: rpcWithoutRetries, network }, tokens, from, to),
  }
  const checkSignature = createAccountSignatureCheck({
    rpc: orderCodeRpc,
    limits: { signatureGas: BigInt(settings.EIP1271_GAS_LIMIT), atOnce: settings.EIP1271_AT_ONCE },
  })
  const tokenData = composeTokenData({
    network,
    rpc,
    head: () => chain.head(),
    db,
    settings,
    log,
    now,
    tokens,
    nativeRates,
  })
  return {
    network,
    tokenData,
    chain,
    pools,
    orderServices,
    quoteServices,
    auctionServices,
    indexerOptions,
    checkSignature,
    tokens,
    nativeRates,
  }
}

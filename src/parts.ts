import type { AuctionDesk } from './auctions/desk.ts'
import { type Chain, createChain } from './chain/chain.ts'
import { createRpc } from './chain/rpc.ts'
import { settlementOf } from './chain/settlement-call.ts'
import { settlementLogs } from './chain/settlement-logs.ts'
import { createSettler } from './chain/settler.ts'
import type { NetworkConfig, Settings } from './config.ts'
import { type Address, nativeMarker, zeroAddress } from './domain/address.ts'
import { Outage } from './domain/error.ts'
import type { Clock, Log } from './domain/log.ts'
import type { Network } from './domain/network.ts'
import type { Token } from './domain/token.ts'
import type { IndexerOptions } from './indexer/run.ts'
import { createPools } from './market/pools.ts'
import type { OrderDesk } from './orders/check.ts'
import { quoteForOrder } from './quotes/order-quote.ts'
import type { QuoteDesk } from './quotes/quote.ts'
import { createBuiltInSolver } from './solvers/built-in.ts'
import type { Database } from './storage/database.ts'
import { findTokens, storeTokens } from './storage/tokens.ts'

/** One network, put together: what each room is handed. */
export interface Parts {
  network: Network
  chain: Chain
  orderDesk: OrderDesk
  quoteDesk: QuoteDesk
  auctionDesk: AuctionDesk
  indexing: IndexerOptions
  tokens(addresses: readonly Address[]): Promise<Map<Address, Token>>
}

export interface PartsOptions {
  db: Database
  settings: Settings
  log: Log
  now: Clock
  random: () => number
}

/** How long an offer stands, in seconds. */
const offered = { standard: 60, onChain: 600 }

export function assembleParts(
  { network, rpcUrl }: NetworkConfig,
  { db, settings, log, now, random }: PartsOptions,
): Parts {
  const rpc = createRpc({ url: rpcUrl, timeoutMs: settings.RPC_TIMEOUT_MS, log })
  const chain = createChain({ rpc, network })
  const pools = createPools({ rpc, network, now })
  const key = settings.SOLVER_PRIVATE_KEY
  const settler = key && createSettler({ rpc, network, privateKey: key, log })
  const solver = settler && createBuiltInSolver({ ...network, name: 'built-in', address: settler.address })
  const tokens = (addresses: readonly Address[]) => readTokens(addresses, { network, chain, db, log })
  const { chainId } = network

  const quoteDesk: QuoteDesk = {
    network,
    db,
    now,
    limits: {
      minValidity: settings.ORDER_MIN_VALIDITY,
      maxValidity: settings.QUOTE_MAX_VALIDITY,
      offered: offered.standard,
      offeredOnChain: offered.onChain,
    },
    pools: (sell, buy) => pools.around([[sell, buy]]),
    gasPrice: () => chain.gasPrice(),
    learnTokens: async (addresses) => void (await tokens(addresses)),
    solver: settler?.address ?? zeroAddress,
  }
  const orderDesk: OrderDesk = {
    network,
    db,
    now,
    limits: {
      minValidity: settings.ORDER_MIN_VALIDITY,
      maxLimitValidity: settings.ORDER_MAX_VALIDITY,
      maxMarketValidity: settings.QUOTE_MAX_VALIDITY,
      maxGas: BigInt(settings.ORDER_MAX_GAS),
    },
    spendable: async (owner, token) =>
      (await chain.spendable([{ owner, token }]))[0] ?? { balance: 0n, allowance: 0n },
    quoteFor: (order) => quoteForOrder(order, quoteDesk),
  }
  const auctionDesk: AuctionDesk = {
    network,
    db,
    now,
    log,
    random,
    settings: {
      everyBlocks: settings.AUCTION_EVERY_BLOCKS,
      deadlineBlocks: settings.AUCTION_DEADLINE_BLOCKS,
      solveMs: settings.AUCTION_SOLVE_MS,
      maxWinners: settings.AUCTION_MAX_WINNERS,
      maxOrders: settings.AUCTION_MAX_ORDERS,
      minLifetime: settings.ORDER_MIN_VALIDITY,
    },
    feePolicies: settings.FEE_POLICIES ?? [],
    head: () => chain.head(),
    gasPrice: () => chain.gasPrice(),
    spendable: (holdings) => chain.spendable(holdings),
    pools: (pairs, block) => pools.around(pairs, block),
    solvers: solver ? [solver] : [],
    settlers: new Map(settler ? [[settler.address, settler]] : []),
  }
  const indexing: IndexerOptions = {
    chainId,
    network,
    db,
    now,
    log,
    settlementOf: (txHash) => settlementOf(rpc, txHash),
    chain: {
      head: () => chain.head(),
      block: (number) => chain.block(number),
      logs: (from, to) => settlementLogs({ rpc, network, log }, from, to),
    },
  }
  return { network, chain, orderDesk, quoteDesk, auctionDesk, indexing, tokens }
}

interface TokenReader {
  network: Network
  chain: Chain
  db: Database
  log: Log
}

/** From the store, else from the chain and then stored. Nothing waits for a node that is away: such a token is left out. */
async function readTokens(
  addresses: readonly Address[],
  { network, chain, db, log }: TokenReader,
): Promise<Map<Address, Token>> {
  const known = await findTokens(db, network.chainId, addresses)
  const unknown = addresses.filter((token) => token !== nativeMarker && !known.has(token))
  if (unknown.length === 0) return known
  try {
    const read = await chain.tokenMetadata(unknown)
    const tokens = read.filter(({ decimals, symbol }) => decimals !== null || symbol !== null)
    if (tokens.length > 0) await storeTokens(db, tokens)
    for (const token of tokens) known.set(token.address, token)
  } catch (error) {
    if (!(error instanceof Outage)) throw error
    log.warn('token metadata not read', { network: network.name, tokens: unknown.length })
  }
  return known
}

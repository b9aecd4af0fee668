import { createCodeChecks } from '../auctions/code-checks.ts'
import type { AuctionServices } from '../auctions/services.ts'
import type { Chain } from '../chain/chain.ts'
import type { CheckOrder } from '../chain/order/order-check.ts'
import type { Settler } from '../chain/settlement/settler.ts'
import { createBackOff } from '../concurrency/back-off.ts'
import type { Clock, Log } from '../domain/log.ts'
import type { Network } from '../domain/network/network.ts'
import type { TradingPolicy } from '../domain/order/trading-policy.ts'
import type { Pools } from '../market/pools/pools.ts'
import type { Solver } from '../solvers/solver.ts'
import type { Database } from '../storage/database/database.ts'
import type { Settings } from './settings.ts'

interface AuctionsOptions {
  network: Network
  chain: Chain
  pools: Pools
  db: Database
  settings: Settings
  log: Log
  now: Clock
  random: () => number
  policy: TradingPolicy
  checkOrder: CheckOrder
  /** Undefined where the deployment has no key for one: no solver bids then. */
  solver: Solver | undefined
  settler: Settler | undefined
}

/** The longest back-off of an order that makes settlements fail, in blocks: a power of two. */
const longestBackOff = 64

/** What auctions need on one network. */
export function composeAuctions({
  network,
  chain,
  pools,
  db,
  settings,
  log,
  now,
  random,
  policy,
  checkOrder,
  solver,
  settler,
}: AuctionsOptions): AuctionServices {
  return {
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
    policy,
    codeChecks: createCodeChecks({
      check: checkOrder,
      network,
      log,
      limits: {
        perOwner: settings.AUCTION_CHECKS_PER_OWNER,
        waitMs: settings.AUCTION_CHECK_MS,
        atOnce: settings.EIP1271_AT_ONCE,
      },
    }),
    culprits: createBackOff(longestBackOff),
    head: () => chain.head(),
    gasPrice: () => chain.gasPrice(),
    spendable: (holdings) => chain.spendable(holdings),
    pools: (pairs, blockHash) => pools.around(pairs, blockHash),
    solvers: solver ? [solver] : [],
    settlers: new Map(settler ? [[settler.address, settler]] : []),
  }
}

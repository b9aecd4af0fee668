import type { Block, Holding, Spendable } from '../chain/chain.ts'
import type { Settler } from '../chain/settlement/settler.ts'
import type { BackOff } from '../concurrency/back-off.ts'
import type { Address } from '../domain/evm/address.ts'
import type { Bytes32 } from '../domain/evm/hex.ts'
import type { FeeRule } from '../domain/fee/rules.ts'
import type { Clock, Log } from '../domain/log.ts'
import type { Network } from '../domain/network/network.ts'
import type { ExclusionReason } from '../domain/order/event.ts'
import type { TradingPolicy } from '../domain/order/trading-policy.ts'
import type { Pool } from '../domain/routing/pool.ts'
import type { Solver } from '../solvers/solver.ts'
import type { Database } from '../storage/database/database.ts'
import type { CodeChecks } from './code-checks.ts'

export interface AuctionSettings {
  /** Minimum number of blocks from one auction to the next. */
  everyBlocks: number
  /** Number of blocks in which a winner must settle. */
  deadlineBlocks: number
  /** Time for solvers, in milliseconds. */
  solveMs: number
  maxWinners: number
  /** Orders in one auction; of more than that, those that expire soonest. */
  maxOrders: number
  /** Minimum time until an order in an auction expires, in seconds. */
  minLifetime: number
}

/** Dependencies of auctions on one network. Reads throw an Outage when the node does not answer. */
export interface AuctionServices {
  network: Network
  db: Database
  now: Clock
  log: Log
  /** In [0, 1). */
  random: () => number
  settings: AuctionSettings
  /** Applied to every order, in this order, if the pair and the time match. */
  feePolicies: readonly FeeRule[]
  policy: TradingPolicy
  head(): Promise<Block>
  gasPrice(): Promise<bigint>
  spendable(holdings: readonly Holding[]): Promise<Spendable[]>
  /** Checks orders whose own code decides what they can be settled for. */
  codeChecks: CodeChecks
  /** Orders and owners that made settlements fail, by `backOffKey`, with the exclusion reason of their events. */
  culprits: BackOff<{ reason: ExclusionReason | null }>
  /** Pools for routes between these pairs, and from their tokens to the native coin, at a block. */
  pools(pairs: readonly (readonly [Address, Address])[], blockHash: Bytes32): Promise<readonly Pool[]>
  solvers: readonly Solver[]
  settlers: ReadonlyMap<Address, Settler>
}

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
  /** Blocks from one auction to the next, at least. */
  everyBlocks: number
  /** Blocks that a winner has to settle. */
  deadlineBlocks: number
  /** Solvers get this long. */
  solveMs: number
  maxWinners: number
  /** Orders in one auction; of more than that, those that end soonest. */
  maxOrders: number
  /** An order in an auction lives this long still, in seconds. */
  minLifetime: number
}

/** What auctions on one network need from outside. Reads throw an Outage when the node does not answer. */
export interface AuctionServices {
  network: Network
  db: Database
  now: Clock
  log: Log
  /** In [0, 1). */
  random: () => number
  settings: AuctionSettings
  /** Taken from every order, in this order, as far as its pair and the time have it. */
  feePolicies: readonly FeeRule[]
  policy: TradingPolicy
  head(): Promise<Block>
  gasPrice(): Promise<bigint>
  spendable(holdings: readonly Holding[]): Promise<Spendable[]>
  /** Asked about orders whose own code decides what they can be settled for. */
  codeChecks: CodeChecks
  /** Those who made settlements fail, by `backOffKey`, with what their owners are told. */
  culprits: BackOff<{ reason: ExclusionReason | null }>
  /** Pools for routes between these pairs, and from their tokens to the native coin, at a block. */
  pools(pairs: readonly (readonly [Address, Address])[], blockHash: Bytes32): Promise<readonly Pool[]>
  solvers: readonly Solver[]
  settlers: ReadonlyMap<Address, Settler>
}

import type { Block } from '../chain/chain.ts'
import type { BalanceChange, SettlementEffects } from '../chain/settlement/effects.ts'
import type { DryRun, SettlementSequence } from '../chain/settlement/sequence.ts'
import type { Settler } from '../chain/settlement/settler.ts'
import type { CheckTrade } from '../chain/trade/check.ts'
import type { BackOff } from '../concurrency/back-off.ts'
import type { Refused } from '../domain/auction/competition.ts'
import type { Address } from '../domain/evm/address.ts'
import type { Bytes32 } from '../domain/evm/hex.ts'
import type { FeeRule } from '../domain/fee/rules.ts'
import type { Clock, Log } from '../domain/log.ts'
import type { Network } from '../domain/network/network.ts'
import type { Pause } from '../domain/order/event.ts'
import type { TradingPolicy } from '../domain/order/trading-policy.ts'
import type { Pool } from '../domain/routing/pool.ts'
import type { LoggedRight, Right } from '../domain/settlement/rights.ts'
import type { Solver } from '../solvers/solver.ts'
import type { Database } from '../storage/database/database.ts'
import type { CodeChecks } from './admission/code-checks.ts'
import type { Holdings } from './admission/holdings.ts'
import type { LiveBook } from './admission/order-book.ts'
import type { AuctionRounds, CurrentAuction, Exclusions, MarketPrices } from './admission/publish-auction.ts'
import type { RoutedPrices } from './admission/routed-prices.ts'
import type { Standings } from './admission/standings.ts'
import type { FailedGas } from './failures/failed-gas.ts'
import type { HeldTokens } from './held-tokens.ts'
import type { KnownPools } from './known-pools.ts'
import type { AuctionMeter } from './meter.ts'

/** The longest back-off of what makes settlements fail, in blocks: a power of two. */
export const maxBackOff = 64

interface AuctionSettings {
  /** Minimum number of blocks from one auction to the next. */
  everyBlocks: number
  /** Number of blocks in which a winner must settle. */
  deadlineBlocks: number
  /** Time for solvers, in milliseconds. */
  solveMs: number
  maxWinners: number
  /** Settlements that are under way at once, of all auctions. */
  maxUnderWay: number
  /** Orders in one auction: see `takePlaces`. */
  maxOrders: number
  /** Minimum time until an order in an auction expires, in seconds. */
  minLifetime: number
}

/** Trials that need no order: the trader is made up, and its funds are written for the call. */
export interface RouteTrials {
  trade: CheckTrade
  /** Why the test that quotes use refuses the token: it is tried again for that. */
  token(token: Address): Promise<string | undefined>
}

/** Dependencies of auctions on one network. Reads throw an Outage when the node does not answer. */
export interface AuctionServices {
  network: Network
  db: Database
  now: Clock
  log: Log
  /** Returns a number in [0, 1). */
  random: () => number
  settings: AuctionSettings
  /** Applied to every order, in this order, if the pair and the time match. */
  feePolicies: readonly FeeRule[]
  policy: TradingPolicy
  /** Owners whose orders count for the score if a solver brings them. */
  surplusCapturingOwners: readonly Address[]
  head(): Promise<Block>
  gasPrice(): Promise<bigint>
  /** The live orders. */
  book: LiveBook
  standings: Standings
  /** The live orders that stored auctions left out. */
  exclusions: Exclusions
  holdings: Holdings
  marketPrices: MarketPrices
  current: CurrentAuction
  routedPrices: RoutedPrices
  rounds: AuctionRounds
  /** Checks orders whose own code decides what they can be settled for. */
  codeChecks: CodeChecks
  /**
   * The causes of failed settlements: orders and owners, by `backOffKey`, tokens and pools, by `failingKey`,
   * and solvers.
   */
  backOffs: BackOff<Pause>
  failedGas: FailedGas
  /** Trials of what settlements trade through, apart from orders. They throw an Outage. */
  trials: RouteTrials
  /** Pools for routes between these pairs, and from their tokens to the native coin, at a block. */
  pools(pairs: readonly (readonly [Address, Address])[], blockHash: Bytes32): Promise<readonly Pool[]>
  solvers: readonly Solver[]
  settlers: ReadonlyMap<Address, Settler>
  /** Dry runs of settlements by the account of each solver. */
  dryRuns: ReadonlyMap<Address, DryRun>
  /** The settlement contract's balance of each; undefined for what is no token. */
  buffers(tokens: readonly Address[]): Promise<readonly (bigint | undefined)[]>
  /** The native coin of the solvers' accounts. */
  accounts: {
    /** Reads it again now and then. */
    refresh(block: number): Promise<void>
    /**
     * Why nothing is sent from the account that needs this much gas, at this price; undefined if it is, or if
     * that is unknown.
     */
    refusal(account: Address, gas: bigint, gasPrice: bigint): Refused | undefined
  }
  /** Simulates settlements after those that are under way. */
  sequence: Pick<SettlementSequence, 'simulate'>
  effects: SettlementEffects
  heldTokens: HeldTokens
  knownPools: KnownPools
  /** The changes of a mined transaction to the settlement contract's tokens; `undefined` if not on chain. */
  balanceChanges(txHash: Bytes32): Promise<ReadonlyMap<Address, bigint> | undefined>
  /**
   * The settlement contract's balances before and after a block, without what is no token then.
   * @throws Outage
   */
  balancesAround(tokens: readonly Address[], block: number): Promise<ReadonlyMap<Address, BalanceChange>>
  /** Rights of the settlement contract with their values now; 0 if one does not exist. @throws Outage */
  rights(rights: readonly Right[]): Promise<LoggedRight[]>
  meter: AuctionMeter
}

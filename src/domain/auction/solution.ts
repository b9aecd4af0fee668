import type { Address } from '../evm/address.ts'
import type { Hex } from '../evm/hex.ts'
import type { Fill, Limits } from '../fee/policy.ts'
import type { Interaction } from '../order/order.ts'
import type { OrderUid } from '../order/uid.ts'
import type { Path } from '../routing/route.ts'
import type { AuctionOrder } from './auction.ts'

/** A solver's proposal, in the terms of the solver protocol. */
export interface Proposal {
  /** Uniform clearing prices: sold · price(sell token) = bought · price(buy token). */
  prices: ReadonlyMap<Address, bigint>
  trades: ProposedTrade[]
  /** Interactions that run after sell tokens are taken and before buy tokens are paid. */
  interactions: Interaction[]
  /**
   * The swaps that the interactions make, if the service knows them. It can try each swap apart from the
   * orders.
   */
  paths?: readonly Path[]
  /** Interactions that run before all others; none if left out. */
  first?: Interaction[]
  /** Interactions that run before sell tokens are taken, after the orders' own; none if left out. */
  before?: Interaction[]
  /** Interactions that run after buy tokens are paid and after the orders' own; none if left out. */
  after?: Interaction[]
  /** Orders that the solver brings itself. A trade references each by its UID. */
  jitOrders?: readonly AuctionOrder[]
  /** Gas units of the whole settlement, estimated by the solver. */
  gas: bigint
  /**
   * The balance of the interactions that are left out by permission: the amount of each token that the
   * settlement contract gains, negative if it pays. None if left out.
   */
  internalized?: ReadonlyMap<Address, bigint>
  /**
   * The form that runs these interactions too. It must pass a simulation, which proves that the trades were
   * possible.
   */
  uninternalized?: Proposal
  /** The settlement of a solver that submits it itself. The other members are then read from its calldata. */
  submission?: Submission
  /** The calls that an outside solver chose, not the service; none if left out. */
  chosen?: readonly Interaction[]
  /** The tokens that the guard compares; none if left out. */
  compared?: readonly Address[]
  /** The origin of an outside solver's proposal. */
  origin?: ProposalOrigin
}

/** A proposal in the terms of its solver. */
export interface ProposalOrigin {
  auctionId: bigint
  /** The solver's own ids of the proposal. */
  solutionIds: readonly number[]
}

/** A settlement that its solver encoded and submits itself. */
export interface Submission {
  /** The call to the settlement contract, as the solver revealed it. */
  calldata: Hex
  /** The solver's claim about each order that it trades. */
  claims: ReadonlyMap<OrderUid, Claim>
}

/**
 * A solver's claim about an order, with the amounts that it would execute: sell amount with all fees, buy
 * amount after all fees.
 */
export interface Claim extends Limits {
  sellToken: Address
  buyToken: Address
  executed: Fill
}

export interface ProposedTrade {
  orderUid: OrderUid
  /** Sell atoms without fee for a sell order, buy atoms for a buy order. */
  executedAmount: bigint
  /** Network fee in sell token atoms, taken on top of `executedAmount`. */
  fee: bigint
}

/** The execution of one order in a solution that the service checked. */
export interface Execution extends Fill {
  orderUid: OrderUid
  /** Network fee in sell token atoms. */
  networkFee: bigint
  /** Protocol fees in surplus token atoms, in the order of the auction's policies. */
  protocolFees: bigint[]
}

/** A valid proposal. The service computed executions, fees and score itself. */
export interface Solution {
  solver: Address
  proposal: Proposal
  executions: Execution[]
  /** The score in native atoms. */
  score: bigint
  /** The scores in native atoms by directed token pair; the key is `sellToken>buyToken`. */
  pairScores: ReadonlyMap<string, bigint>
}

/** A solution with its rank. `uid` is the index in the stored ranking; `ranking` is `uid` + 1. */
export interface RankedSolution extends Solution {
  uid: number
  ranking: number
  isWinner: boolean
  filteredOut: boolean
  /** The score that the other solvers would reach without this winner; null for other solutions. */
  referenceScore: bigint | null
}

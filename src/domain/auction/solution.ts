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
  /** Run after sell tokens are taken and before buy tokens are paid. */
  interactions: Interaction[]
  /** The swaps that the interactions make, where the service knows them: it can try each of them apart from the orders. */
  paths?: readonly Path[]
  /** Run before all others; none if left out. */
  first?: Interaction[]
  /** Run before sell tokens are taken, after the orders' own; none if left out. */
  before?: Interaction[]
  /** Run after buy tokens are paid out and after the orders' own; none if left out. */
  after?: Interaction[]
  /** Orders that the solver brings itself. A trade names each by its UID. */
  jitOrders?: readonly AuctionOrder[]
  /** Gas units of the whole settlement, estimated by the solver. */
  gas: bigint
  /**
   * Of interactions that are left out by permission: what the settlement contract gets more of each token, negative where it pays. None
   * if left out.
   */
  internalized?: ReadonlyMap<Address, bigint>
  /** The form that runs these interactions too. It has to pass a simulation: that proves that the trades were possible. */
  uninternalized?: Proposal
  /** Of a solver that submits its settlements itself. The other members are then read from its calldata. */
  submission?: Submission
  /** The calls among the others that an outside solver chose, not the service; none if left out. */
  chosen?: readonly Interaction[]
  /** The tokens that its guard compares; none if left out. */
  compared?: readonly Address[]
  /** Where an outside solver's proposal comes from. */
  origin?: ProposalOrigin
}

/** A proposal in the terms of its solver. */
export interface ProposalOrigin {
  auctionId: bigint
  /** The solver's own ids of it. */
  solutionIds: readonly number[]
}

/** A settlement that its solver encoded and submits itself. */
export interface Submission {
  /** The call of the settlement contract, as its solver revealed it. */
  calldata: Hex
  /** What the solver says about each order that it trades. */
  claims: ReadonlyMap<OrderUid, Claim>
}

/** An order in a solver's words, with the amounts that it would execute: sell with all fees, buy after all fees. */
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

/** One order's execution in a solution that the service checked. */
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
  /** Native atoms. */
  score: bigint
  /** Native atoms by directed token pair, key `sellToken>buyToken`. */
  pairScores: ReadonlyMap<string, bigint>
}

/** A solution with its rank: uid is the index in the stored ranking, ranking is uid + 1. */
export interface RankedSolution extends Solution {
  uid: number
  ranking: number
  isWinner: boolean
  filteredOut: boolean
  /** For winners: what the other solvers could have reached without this one. */
  referenceScore: bigint | null
}

import type { Address } from '../evm/address.ts'
import type { Fill } from '../fee/policy.ts'
import type { Interaction } from '../order/order.ts'
import type { OrderUid } from '../order/uid.ts'

/** What a solver engine proposes, in the solver protocol's terms. */
export interface Proposal {
  /** Uniform clearing prices: sold · price(sell token) = bought · price(buy token). */
  prices: ReadonlyMap<Address, bigint>
  trades: ProposedTrade[]
  /** Run between taking sell tokens in and paying buy tokens out. */
  interactions: Interaction[]
  /** Gas units of the whole settlement, as the engine sees it. */
  gas: bigint
}

export interface ProposedTrade {
  orderUid: OrderUid
  /** Sell atoms without fee for a sell order, buy atoms for a buy order. */
  executedAmount: bigint
  /** Network fee in sell token atoms, taken on top of `executedAmount`. */
  fee: bigint
}

/** One order's outcome in a solution that the service checked. */
export interface Execution extends Fill {
  orderUid: OrderUid
  /** Network fee in sell token atoms. */
  networkFee: bigint
  /** Protocol fees in surplus token atoms, in the order of the auction's policies. */
  protocolFees: bigint[]
}

/** A proposal that holds what it says: executions, fees and score are the service's own arithmetic. */
export interface Solution {
  solver: Address
  proposal: Proposal
  executions: Execution[]
  /** Native atoms. */
  score: bigint
  /** Native atoms by directed token pair, key `sellToken>buyToken`. */
  pairScores: ReadonlyMap<string, bigint>
}

/** A solution in its place: uid is the index in the stored ranking, ranking is uid + 1. */
export interface RankedSolution extends Solution {
  uid: number
  ranking: number
  isWinner: boolean
  filteredOut: boolean
  /** For winners: what the other solvers could have reached without this one. */
  referenceScore: bigint | null
}

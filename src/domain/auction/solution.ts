import type { Address } from '../evm/address.ts'
import type { Hex } from '../evm/hex.ts'
import type { Fill, Limits } from '../fee/policy.ts'
import type { Interaction, Order, OrderData, OrderUid, SigningScheme } from '../order/order.ts'
import type { Path } from '../routing/route.ts'
import type { FeeSide } from '../settlement/fees.ts'
import { extraOrderGas } from '../settlement/gas.ts'
import type { Auction, AuctionOrder } from './auction.ts'

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
  /** Network fee in buy token atoms, kept from what `executedAmount` buys; none if left out. */
  boughtFee?: bigint
}

/** The execution of one order in a solution that the service checked. */
export interface Execution extends Fill {
  orderUid: OrderUid
  /** Network fee in atoms of the token of `feeSide`. */
  networkFee: bigint
  feeSide: FeeSide
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

/** An order that a solver brings into its own settlement. It was never placed with the service. */
export interface JitOrder {
  data: OrderData
  uid: OrderUid
  owner: Address
  signingScheme: SigningScheme
  /** The signature without the leading owner of the settlement contract's form; `0x` for presign. */
  signature: Hex
}

/** Converts to an order of the service: class liquidity, without history and without protocol fees. */
export function toLiquidityOrder(
  { data, uid, owner, signingScheme, signature }: JitOrder,
  { chainId, settlement }: { chainId: number; settlement: Address },
): Order {
  return {
    ...data,
    id: 0n,
    chainId,
    uid,
    owner,
    settlementContract: settlement,
    class: 'liquidity',
    signingScheme,
    signature,
    fullAppData: null,
    creationDate: new Date(0),
    quoteId: null,
    fullBalanceCheck: false,
    validFrom: null,
    interactions: { pre: [], post: [] },
    quote: null,
    onchainUser: null,
    placementError: null,
    placementDetail: null,
    executedSellAmount: 0n,
    executedBuyAmount: 0n,
    executedFeeAmount: 0n,
    executedFee: 0n,
    executedFeeToken: data.sellToken,
    cancelledAt: null,
    invalidatedOnChain: false,
    presigned: false,
    effectiveValidTo: data.validTo,
  }
}

/**
 * The entry with the part that the solver may fill: the full signed amount. The settlement contract knows how
 * much is filled already.
 */
export function toJitEntry(order: Order, buysNative: boolean): AuctionOrder {
  const remaining = order.kind === 'sell' ? order.sellAmount : order.buyAmount
  return { order, remaining, feePolicies: [], extraGas: extraOrderGas(order, buysNative) }
}

/** The orders that a proposal may trade: those of the auction and its own. */
export function tradable({ orders }: Pick<Auction, 'orders'>, { jitOrders = [] }: Proposal): AuctionOrder[] {
  return jitOrders.length === 0 ? orders : [...orders, ...jitOrders]
}

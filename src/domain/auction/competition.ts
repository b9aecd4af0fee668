import type { Address } from '../evm/address.ts'
import type { Bytes32 } from '../evm/hex.ts'
import type { FeePolicy } from '../fee/policy.ts'
import type { OrderEvent } from '../order/event.ts'
import type { Trade } from '../order/trade.ts'
import type { OrderUid } from '../order/uid.ts'

/** A stored competition. */
export interface StoredAuction {
  id: bigint
  chainId: number
  block: number
  deadlineBlock: number
}

export interface NativePrice {
  token: Address
  /** Native atoms for 10^18 token atoms. */
  price: bigint
}

export interface StoredSolution {
  auctionId: bigint
  uid: number
  ranking: number
  solver: Address
  isWinner: boolean
  filteredOut: boolean
  score: bigint
  referenceScore: bigint | null
}

/** The execution of one order in a solution: sell amount with all fees, buy amount after all fees. */
export interface ProposedExecution {
  auctionId: bigint
  solutionUid: number
  orderUid: OrderUid
  chainId: number
  sellToken: Address
  buyToken: Address
  executedSell: bigint
  executedBuy: bigint
}

export interface ProtocolFee {
  token: Address
  amount: bigint
}

/** The execution of one order in a settlement on chain. */
export interface OrderExecution {
  auctionId: bigint
  executedFee: bigint
  executedFeeToken: Address
  blockNumber: number
  protocolFees: ProtocolFee[]
  /** The part of executedFee for the network; null if it was not stored. */
  networkFee: bigint | null
}

export interface SettlementAttempt {
  auctionId: bigint
  solutionUid: number
  solver: Address
  startTimestamp: Date
  startBlock: number
  deadlineBlock: number
  txHash: Bytes32 | null
  /** End and outcome of the attempt. The last three members are null together while it runs. */
  endTimestamp: Date | null
  endBlock: number | null
  /** `success`, `timeout` or `driver failed: …`. */
  outcome: string | null
}

/** One auction in the history of one order, reduced to the parts about that order. */
export interface AuctionStory extends StoredAuction {
  /** The prices of the order's two tokens, if the auction had them. */
  nativePrices: NativePrice[]
  proposedSolutions: (StoredSolution & Pick<ProposedExecution, 'executedSell' | 'executedBuy'>)[]
  executions: OrderExecution[]
  settlementAttempts: SettlementAttempt[]
  feePolicies: FeePolicy[]
}

/** The attempts of an auction that would trade the reported order. */
export function attemptsFor<Attempt extends { solutionUid: number }>({
  proposedSolutions,
  settlementAttempts,
}: {
  proposedSolutions: readonly { solutionUid: number }[]
  settlementAttempts: readonly Attempt[]
}): Attempt[] {
  const uids = new Set(proposedSolutions.map(({ solutionUid }) => solutionUid))
  return settlementAttempts.filter(({ solutionUid }) => uids.has(solutionUid))
}

/** The full history of an order. Events are sorted oldest first, auctions by id, trades newest first. */
export interface OrderStory {
  events: OrderEvent[]
  auctions: AuctionStory[]
  trades: Trade[]
}

import type { Address } from '../evm/address.ts'
import type { Bytes32 } from '../evm/hex.ts'
import { standingReasons } from '../order/event.ts'
import type { OrderUid } from '../order/order.ts'

/** A stored competition. */
export interface StoredAuction {
  id: bigint
  chainId: number
  block: number
  deadlineBlock: number
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

interface ProtocolFee {
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

/** A competition of an order book that a network follows, as the order book shows it. */
export interface MirroredCompetition extends Omit<StoredAuction, 'id'> {
  number: bigint
  orders: readonly OrderUid[]
  nativePrices: ReadonlyMap<Address, bigint>
  /** Best first. */
  solutions: readonly MirroredSolution[]
}

export interface MirroredSolution extends Omit<StoredSolution, 'auctionId'> {
  executions: readonly Omit<ProposedExecution, 'auctionId' | 'solutionUid' | 'chainId'>[]
  /** Empty where the order book does not report them. */
  clearingPrices: ReadonlyMap<Address, bigint>
  /** Its settlement, as the order book says; null while there is none. */
  txHash: Bytes32 | null
}

/**
 * Reasons for the refusal of a solution. Solutions refused for a reason up to `reverts` never competed; the
 * others competed and could not win.
 */
export const solutionRefusals = [
  'unknown_order',
  'invalid_price',
  'invalid_amount',
  'no_score',
  'unsupported',
  'own_order',
  'forbidden_call',
  'contract_balance',
  'other_than_claimed',
  'not_revealed',
  'too_many',
  'solver_cannot_pay',
  'gas_too_dear',
  'reverts',
  'reverts_after_others',
  'order_cancelled',
  'unfair',
] as const
export type SolutionRefusal = (typeof solutionRefusals)[number]

/** Results of the request to a solver. */
export const solverAnswers = ['answered', 'late', 'failed', 'not_asked'] as const
export type SolverAnswer = (typeof solverAnswers)[number]

/** Results of a solver for one order in one auction. The first one that holds applies. */
export const solverOutcomes = [
  'not_sent',
  'not_asked',
  'won',
  'beaten',
  'refused',
  'late',
  'failed',
  'no_bid',
] as const

/**
 * Reasons why an auction left out a live order. The last three are not part of an order's standing, because
 * they pass without a change.
 */
export const leftOutReasons = [...standingReasons, 'not_yet_valid', 'expires_soon', 'not_checked'] as const
export type LeftOutReason = (typeof leftOutReasons)[number]

export interface Refused {
  code: SolutionRefusal
  /** The reason as text. */
  message: string
}

/** A solution that never competed. */
export interface RefusedSolution extends Refused {
  /** The solver's own ids of the solution. */
  solutionIds: readonly number[]
  /** The orders that the solution trades. */
  orderUids: readonly OrderUid[]
}

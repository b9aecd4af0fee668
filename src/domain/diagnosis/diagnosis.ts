import type { RefusalCode } from '../errors/refusal-codes.ts'
import type { Address } from '../evm/address.ts'
import type { Bytes32 } from '../evm/hex.ts'
import type { CancellationSource } from '../order/event.ts'
import type { OrderUid } from '../order/uid.ts'
import type { HookOutcome, HookPhase } from '../settlement/hooks.ts'
import type { DiagnosisCode } from './code.ts'

/** Buy atoms for sell atoms. */
export interface PriceAmounts {
  sell: bigint
  buy: bigint
}

export interface AmountsEvidence {
  kind: 'amounts'
  token: Address
  /** Atoms, like the two below. */
  needed: bigint
  available: bigint
  missing: bigint
}

export interface TokenEvidence {
  kind: 'token'
  token: Address
}

export interface PoolEvidence {
  kind: 'pool'
  pool: Address
}

export interface PriceEvidence {
  kind: 'price'
  limit: PriceAmounts
  /** The best price seen; null if none was found. */
  best: PriceAmounts | null
  at: Date | null
  block: number | null
  /** The solver that found the price; null for the service's own router. */
  solver: Address | null
  auctionId: bigint | null
  /**
   * The gap between the newest price and the limit in parts per million of the limit; negative if the price
   * is better.
   */
  gap: bigint | null
  /** The time of that gap; null without a gap. */
  gapSeenAt: Date | null
  /** The movement of the market within the last day, in the same unit; positive towards the limit. */
  dayMovement: bigint | null
  /** The seconds until the market closes the gap at that movement; null if it moves away or is unknown. */
  secondsNeeded: number | null
}

export interface FeeEvidence {
  kind: 'fee'
  /** The sold token. */
  token: Address
  /** The network fee for a settlement of the order alone, in atoms. */
  fee: bigint
  /** The atoms that the price leaves for the fee. */
  left: bigint
  /**
   * The minimum sell atoms with which the order would pay its fee at the same price; null if no size would.
   */
  leastAmount: bigint | null
}

export interface CompetitionEvidence {
  kind: 'competition'
  auctionId: bigint
  /** The solver of the solution. */
  solver: Address
  /** The score in native atoms; null if the solution was refused before scoring. */
  score: bigint | null
  /** The score of the lowest-ranked winner; null without one. */
  winningScore: bigint | null
  /** The difference by which the solution lost. */
  scoreGap: bigint | null
  /** The reason for the refusal; null if the solution was not refused. */
  refusal: string | null
}

export interface BlocksEvidence {
  kind: 'blocks'
  /** The last block that was seen, or that counts. */
  number: number
  /** The time of that block. */
  at: Date | null
  /** The newest known block. */
  head: number | null
}

export interface TransactionEvidence {
  kind: 'transaction'
  txHash: Bytes32
  block: number | null
}

export interface OrderEvidence {
  kind: 'order'
  uid: OrderUid
}

export interface RevertEvidence {
  kind: 'revert'
  /** The reason from the contract; hex if it has no text. */
  reason: string
}

export interface HookEvidence {
  kind: 'hook'
  phase: HookPhase
  target: Address
  /** The outcome in the settlement, or in the simulation. */
  outcome: HookOutcome
  /** The signed limit; null if it is not at hand. */
  gasLimit: bigint | null
  /** The gas that the hook used; null if the trace does not say. */
  gasUsed: bigint | null
}

export interface ValidityEvidence {
  kind: 'validity'
  from: Date | null
  until: Date
  /**
   * The time until which auctions take the order. They leave out orders that expire sooner than the
   * operator's minimum.
   */
  offeredUntil: Date
}

export interface CancellationEvidence {
  kind: 'cancellation'
  by: CancellationSource
  detail: string | null
}

export interface RefusalEvidence {
  kind: 'refusal'
  /** The code with which the service would refuse the order. */
  code: RefusalCode
  /** The member of the order that is at fault; null without one. */
  field: string | null
  message: string
}

export type Evidence =
  | AmountsEvidence
  | TokenEvidence
  | PoolEvidence
  | PriceEvidence
  | FeeEvidence
  | CompetitionEvidence
  | BlocksEvidence
  | TransactionEvidence
  | OrderEvidence
  | RevertEvidence
  | HookEvidence
  | ValidityEvidence
  | CancellationEvidence
  | RefusalEvidence

/** One reason of a diagnosis. */
export interface Reason {
  code: DiagnosisCode
  /** The reason as text, with the figures. */
  summary: string
  /** The start of the condition; null if unknown. */
  since: Date | null
  evidence: readonly Evidence[]
  /** Advice that replaces that of the code, because of other reasons. */
  advice?: string
}

/** The reason to resolve first, and the others in the order in which they must be resolved. */
export interface Diagnosis extends Reason {
  further: readonly Reason[]
}

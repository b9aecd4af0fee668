import type { RefusalCode } from '../errors/refusal-codes.ts'
import type { Address } from '../evm/address.ts'
import type { Bytes32 } from '../evm/hex.ts'
import type { CancellationSource } from '../order/event.ts'
import type { OrderUid } from '../order/uid.ts'
import type { DiagnosisCode } from './code.ts'

/** Buy atoms for sell atoms. */
export interface PriceAmounts {
  sell: bigint
  buy: bigint
}

export interface AmountsEvidence {
  kind: 'amounts'
  token: Address
  /** Atoms, as the two below. */
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
  /** The best that was seen; null where nothing was found. */
  best: PriceAmounts | null
  at: Date | null
  block: number | null
  /** Who found it; null for the router of the service. */
  solver: Address | null
  auctionId: bigint | null
  /** How far the newest price is from the limit, in parts per million of the limit; negative where it is better. */
  gap: bigint | null
  /** When that gap was seen; null where there is none. */
  gapSeenAt: Date | null
  /** How the market moved within the last day, likewise; positive towards the limit. */
  dayMovement: bigint | null
  /** The time that the market would need for the gap at that movement; null where it moves away, or is not known. */
  secondsNeeded: number | null
}

export interface FeeEvidence {
  kind: 'fee'
  /** The token that is sold. */
  token: Address
  /** The fee of the network for a settlement of the order alone, in atoms. */
  fee: bigint
  /** Atoms that the price leaves for it. */
  left: bigint
  /** Atoms to sell from which the order would pay its fee at the same price; null where no size would. */
  leastAmount: bigint | null
}

export interface CompetitionEvidence {
  kind: 'competition'
  auctionId: bigint
  /** Whose solution it is. */
  solver: Address
  /** Native atoms; null where it was refused before it was scored. */
  score: bigint | null
  /** Of the worst winner; null without one. */
  winningScore: bigint | null
  /** By how much it lost. */
  scoreGap: bigint | null
  /** Why it was refused; null where it was not. */
  refusal: string | null
}

export interface BlocksEvidence {
  kind: 'blocks'
  /** The last block that was seen, or that counts. */
  number: number
  /** Its time. */
  at: Date | null
  /** The newest that is known. */
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
  /** In the contract’s words; hex where it has none. */
  reason: string
}

export interface ValidityEvidence {
  kind: 'validity'
  from: Date | null
  until: Date
  /** Until when auctions take it: they leave out what expires sooner than the operator says. */
  offeredUntil: Date
}

export interface CancellationEvidence {
  kind: 'cancellation'
  by: CancellationSource
  detail: string | null
}

export interface RefusalEvidence {
  kind: 'refusal'
  /** With which the service would refuse to place the order. */
  code: RefusalCode
  /** The member of the order that is at fault; null where it is none. */
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
  | ValidityEvidence
  | CancellationEvidence
  | RefusalEvidence

/** One reason. */
export interface Reason {
  code: DiagnosisCode
  /** In words, with the figures. */
  summary: string
  /** Since when it is so; null where that is not known. */
  since: Date | null
  evidence: readonly Evidence[]
  /** What to do, where other reasons make it another than that of its code. */
  advice?: string
}

/** The reason that has to be solved first, and the others in the order in which they have to be solved. */
export interface Diagnosis extends Reason {
  further: readonly Reason[]
}

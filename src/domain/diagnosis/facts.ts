import type { Address } from '../evm/address.ts'
import type { Bytes32 } from '../evm/hex.ts'
import type { CancellationSource, Failing, StandingReason } from '../order/event.ts'
import type { Order } from '../order/order.ts'
import type { OrderUid } from '../order/uid.ts'
import type { HookOutcome } from '../settlement/hooks.ts'
import type { PriceAmounts } from './diagnosis.ts'
import type { TokenWords } from './words.ts'

/** The members of an order that a diagnosis needs. */
export type JudgedOrder = Pick<
  Order,
  | 'sellToken'
  | 'buyToken'
  | 'sellAmount'
  | 'buyAmount'
  | 'kind'
  | 'partiallyFillable'
  | 'signingScheme'
  | 'creationDate'
  | 'validFrom'
  | 'effectiveValidTo'
  | 'executedSellAmount'
  | 'executedBuyAmount'
  | 'executedFeeAmount'
  | 'cancelledAt'
  | 'invalidatedOnChain'
  | 'presigned'
  | 'placementError'
  | 'placementDetail'
> & {
  /** True if the order has calls of its own that run before it. */
  hasPreHooks: boolean
}

/** The standing of the order in the last auction that checked it. */
export interface StandingFacts {
  /** The reason that blocks the order; null while auctions include it. */
  reason: StandingReason | null
  since: Date
  /** The time when these figures were written. Small changes are not written again. */
  at: Date
  /** Parts per million; see `OrderStanding`. */
  marketGap: bigint | null
  feeShare: bigint | null
  /** The share of the volume that fee policies take. */
  policyShare: bigint | null
  /** The sell atoms that the order lacks. */
  missing: bigint | null
  /** The account's balance and the vault relayer's allowance in sell atoms; null if they were not checked. */
  funds: { balance: bigint; allowance: bigint } | null
  /** The order that takes precedence for the balance. */
  takenBy: OrderUid | null
  /** The answer of a contract, unchanged. */
  revert: string | null
  /** The token or pool that makes trades fail, with that answer. */
  failing: Failing | null
  /** Tokens without a price. */
  unpriced: readonly Address[]
  /** The last result of the router; null if it did not look, `none` if it found nothing. */
  routed: (PriceAmounts & { block: number | null }) | 'none' | null
  /** The best result of the router for the order so far. */
  best: (PriceAmounts & { block: number | null; at: Date }) | null
}

/** The newest solution for the order that may be shown: the best one of its auction. */
export interface BidFacts extends PriceAmounts {
  auctionId: bigint
  at: Date
  block: number
  solver: Address
  score: bigint
  isWinner: boolean
  filteredOut: boolean
  /** The score of the best winner; null without a winner. */
  winningScore: bigint | null
}

export interface AttemptFacts {
  auctionId: bigint
  solver: Address
  startedAt: Date
  endedAt: Date | null
  /** The outcome; null while the attempt runs. */
  outcome: string | null
  txHash: Bytes32 | null
  deadlineBlock: number
  /** The block in which it reverted on chain; null if it did not. */
  revertedBlock: number | null
  /** The block in which it was on chain until a reorganisation replaced that block. */
  replacedBlock: number | null
}

/** The hooks after the order's trades that failed: the newest one. */
export interface FailedHookFacts {
  target: Address
  outcome: HookOutcome
  /** The contract's answer; null without one. */
  reason: string | null
  gasUsed: bigint | null
  txHash: Bytes32
  block: number
  /** The number of hooks that failed, in all trades. */
  failed: number
}

/** The newest refused solution with the order that never competed, and that may be shown. */
export interface RefusalFacts {
  auctionId: bigint
  solver: Address
  reason: string
  at: Date
}

/** Token prices in native atoms for 10^18 atoms. */
export interface PairPrice {
  at: Date
  sell: bigint
  buy: bigint
}

/** The input of a diagnosis: stored facts, and at most one lookup on chain. */
export interface DiagnosisFacts {
  now: Date
  /** True if the order has ended, so that its reasons are described in the past tense. */
  isPast?: boolean
  order: JudgedOrder
  /** The tokens, for texts. */
  tokens: { sell: TokenWords | null; buy: TokenWords | null }
  cancellation: { by: CancellationSource; detail: string | null; at: Date | null } | null
  lastTrade: { txHash: Bytes32; block: number; at: Date | null } | null
  failedHook: FailedHookFacts | null
  standing: StandingFacts | null
  bid: BidFacts | null
  /** The best price in any solution that may be shown. */
  bestBid: BidFacts | null
  attempt: AttemptFacts | null
  refusal: RefusalFacts | null
  /** The market prices now, and a day ago or as far back as they are known. */
  market: { newest: PairPrice; oldest: PairPrice } | null
  /** The tokens that the operator denies. */
  deniedTokens: readonly Address[]
  service: {
    /** The newest block whose events are stored. */
    indexed: { block: number; at: Date | null } | null
    /** The newest block that was seen at that time. */
    head: number | null
    /** The time of the last auction. */
    auctionAt: Date | null
    /** The minimum time until an order expires with which auctions take it, in seconds. */
    minLifetime: number
    /** The pause between auctions. */
    auctionPauseMs: number
    blockTimeMs: number
  }
  /** The current funds of the account; null if they were not checked. */
  look: { balance: bigint; allowance: bigint } | 'away' | null
}

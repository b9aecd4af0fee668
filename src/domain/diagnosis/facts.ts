import type { Address } from '../evm/address.ts'
import type { Bytes32 } from '../evm/hex.ts'
import type { CancellationSource, Failing, StandingReason } from '../order/event.ts'
import type { Order } from '../order/order.ts'
import type { OrderUid } from '../order/uid.ts'
import type { PriceAmounts } from './diagnosis.ts'
import type { TokenWords } from './words.ts'

/** What the judgement needs of an order. */
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
  /** Whether it has calls of its own that run before it. */
  hasPreHooks: boolean
}

/** Where the order stood when an auction looked at it last. */
export interface StandingFacts {
  /** Null while auctions hold it. */
  reason: StandingReason | null
  since: Date
  /** When these figures were written: those that moved little are not written again. */
  at: Date
  /** Parts per million; see `OrderStanding`. */
  marketGap: bigint | null
  feeShare: bigint | null
  /** What fee policies take of the volume. */
  policyShare: bigint | null
  /** Sell atoms that the order lacks. */
  missing: bigint | null
  /** What its account had, and what the vault relayer might take, in sell atoms; null where that was not looked at. */
  funds: { balance: bigint; allowance: bigint } | null
  /** The order that comes first for the balance. */
  takenBy: OrderUid | null
  /** What a contract answered, in its words. */
  revert: string | null
  /** What makes trades of it fail, with that answer. */
  failing: Failing | null
  /** Tokens without a price. */
  unpriced: readonly Address[]
  /** What the router found last; null where it did not look, `none` where it found nothing. */
  routed: (PriceAmounts & { block: number | null }) | 'none' | null
  /** The best of what it ever found for the order. */
  best: (PriceAmounts & { block: number | null; at: Date }) | null
}

/** The newest solution for the order that may be shown: the best of its auction. */
export interface BidFacts extends PriceAmounts {
  auctionId: bigint
  at: Date
  block: number
  solver: Address
  score: bigint
  isWinner: boolean
  filteredOut: boolean
  /** Of the best winner; null without a winner. */
  winningScore: bigint | null
}

export interface AttemptFacts {
  auctionId: bigint
  solver: Address
  startedAt: Date
  endedAt: Date | null
  /** Null while it runs. */
  outcome: string | null
  txHash: Bytes32 | null
  deadlineBlock: number
  /** Whether it reverted on chain. */
  revertedBlock: number | null
  /** Where it was on chain, until a reorganisation replaced that block. */
  replacedBlock: number | null
}

/** The newest solution with the order that was refused before it competed, and that may be shown. */
export interface RefusalFacts {
  auctionId: bigint
  solver: Address
  reason: string
  at: Date
}

/** Of a token, in native atoms for 10^18 atoms. */
export interface PairPrice {
  at: Date
  sell: bigint
  buy: bigint
}

/** What the judgement is made from: what is stored, and at most one look at the chain. */
export interface DiagnosisFacts {
  now: Date
  /** Whether the order is over, so that what kept it is told as past. */
  isPast?: boolean
  order: JudgedOrder
  /** For the words. */
  tokens: { sell: TokenWords | null; buy: TokenWords | null }
  cancellation: { by: CancellationSource; detail: string | null; at: Date | null } | null
  lastTrade: { txHash: Bytes32; block: number; at: Date | null } | null
  standing: StandingFacts | null
  bid: BidFacts | null
  /** Of the best price in any solution that may be shown. */
  bestBid: BidFacts | null
  attempt: AttemptFacts | null
  refusal: RefusalFacts | null
  /** What the market gave: now, and a day ago or as far back as it is known. */
  market: { newest: PairPrice; oldest: PairPrice } | null
  /** Of the operator. */
  deniedTokens: readonly Address[]
  service: {
    /** The newest block whose events are stored. */
    indexed: { block: number; at: Date | null } | null
    /** The newest block that was seen when it was stored. */
    head: number | null
    /** When an auction was held last. */
    auctionAt: Date | null
    /** The smallest time until the order expires with which auctions take it, in seconds. */
    minLifetime: number
    /** From one auction to the next. */
    auctionPauseMs: number
    blockTimeMs: number
  }
  /** What its account has now; null if it was not looked at. */
  look: { balance: bigint; allowance: bigint } | 'away' | null
}

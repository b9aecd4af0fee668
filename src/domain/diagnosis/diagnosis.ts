import type { Address } from '../evm/address.ts'
import type { Bytes32 } from '../evm/hex.ts'
import type { CancellationSource, Failing, StandingReason } from '../order/event.ts'
import { filledAmount, type Order, type OrderUid } from '../order/order.ts'
import type { GeneratorStatus } from '../programmatic/statuses.ts'
import type { HookOutcome } from '../settlement/hooks.ts'
import { foreign, type TokenLabel, toSentences } from '../text/readable.ts'
import { type DiagnosisCode, diagnosisTexts } from './code.ts'
import type { Evidence, EvidenceOf, PriceAmounts } from './evidence.ts'

/** One reason of a diagnosis. */
export interface Reason {
  code: DiagnosisCode
  /** The reason as text, with the figures. */
  summary: string
  /** The same without texts of strangers: tokens by their addresses. */
  ownSummary: string
  /** The start of the condition; null if unknown. */
  since: Date | null
  evidence: readonly Evidence[]
  /** Advice that replaces that of the code, because of other reasons. */
  advice?: string
}

/** The reason to resolve first, and the other reasons in the order in which they must be resolved. */
export interface Diagnosis extends Reason {
  further: readonly Reason[]
}

/** The members of an order that a diagnosis needs. */
export type DiagnosedOrder = Pick<
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
export interface ObservedStanding {
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

/** The standing of an order that no auction has checked, with the facts that are known otherwise. */
export function standingOf(
  { now }: Pick<DiagnosisInput, 'now'>,
  found: Partial<ObservedStanding>,
): ObservedStanding {
  return {
    reason: null,
    since: now,
    at: now,
    marketGap: null,
    feeShare: null,
    policyShare: null,
    missing: null,
    funds: null,
    takenBy: null,
    revert: null,
    failing: null,
    unpriced: [],
    routed: null,
    best: null,
    ...found,
  }
}

/** The newest solution for the order that may be shown: the best one of its auction. */
export interface ObservedBid extends PriceAmounts {
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

export interface ObservedAttempt {
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
  /** The place among the hooks after the trade. */
  index: number
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
export interface ObservedRefusal {
  auctionId: bigint
  solver: Address
  reason: string
  at: Date
}

/** The programmatic order whose part an order is, as the part's signature says. */
export interface ObservedProgrammaticOrder {
  owner: Address
  hash: Bytes32
  /** Null if it is not known: for example one of a Merkle root. */
  status: GeneratorStatus | null
  /** The first block at which the contract was seen not to authorise it; null while it does. */
  removedBlock: number | null
  /** The newest part of it in the book that is newer than the order; null without one. */
  newerPart: OrderUid | null
}

/** Token prices in native atoms for 10^18 atoms. */
export interface PairPrice {
  at: Date
  sell: bigint
  buy: bigint
}

/** The input of a diagnosis: stored facts, and at most one lookup on chain. */
export interface DiagnosisInput {
  now: Date
  /** True if the order has ended, so that its reasons are described in the past tense. */
  isPast?: boolean
  order: DiagnosedOrder
  /** The tokens, for texts. */
  tokens: { sell: TokenLabel | null; buy: TokenLabel | null }
  cancellation: { by: CancellationSource; detail: string | null; at: Date | null } | null
  lastTrade: { txHash: Bytes32; block: number; at: Date | null } | null
  failedHook: FailedHookFacts | null
  standing: ObservedStanding | null
  bid: ObservedBid | null
  /** The best price in any solution that may be shown. */
  bestBid: ObservedBid | null
  attempt: ObservedAttempt | null
  refusal: ObservedRefusal | null
  /** Null for an order that is no part. */
  programmatic: ObservedProgrammaticOrder | null
  /** The market prices now, and a day ago or as far back as they are known. */
  market: { newest: PairPrice; oldest: PairPrice } | null
  /** The tokens that the operator denies. */
  deniedTokens: readonly Address[]
  /** The tokens for which a followed order book has no price. */
  unpriced?: readonly Address[]
  service: {
    /** True if auctions are held elsewhere: the network follows an order book. */
    isFollowed?: boolean | undefined
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
  /** The current funds of the account; null if they were not checked, or could not be read in time. */
  look: { balance: bigint; allowance: bigint } | 'away' | null
}

/**
 * Creates a reason.
 * @param summary the meaning of the code, without figures, if left out; with marks of `foreign`
 */
export function reasonOf(
  code: DiagnosisCode,
  since: Date | null,
  evidence: readonly Evidence[] = [],
  summary: string = diagnosisTexts[code].meaning,
): Reason {
  const { whole, own } = toSentences(summary)
  return { code, summary: whole, ownSummary: own, since, evidence }
}

export function amountsOf(token: Address, needed: bigint, available: bigint): EvidenceOf<'amounts'> {
  return { kind: 'amounts', token, needed, available, missing: needed > available ? needed - available : 0n }
}

/** The signed atoms of the fixed side, and the number of filled atoms. */
export function fillOf(order: DiagnosedOrder): { token: Address; target: bigint; filled: bigint } {
  return order.kind === 'sell'
    ? { token: order.sellToken, target: order.sellAmount, filled: filledAmount(order) }
    : { token: order.buyToken, target: order.buyAmount, filled: filledAmount(order) }
}

/** The sell atoms that remain to be filled. */
export function remainingSell(order: DiagnosedOrder): bigint {
  const filled = filledAmount(order)
  return order.kind === 'sell'
    ? order.sellAmount - filled
    : order.sellAmount - (order.sellAmount * filled) / order.buyAmount
}

/** One of the order's tokens, for texts that become summaries: its symbol is marked. */
export function tokenOf({ order, tokens }: Pick<DiagnosisInput, 'order' | 'tokens'>, token: Address) {
  const { symbol = null, decimals = null } = (token === order.sellToken ? tokens.sell : tokens.buy) ?? {}
  return { address: token, symbol: symbol === null ? null : foreign(symbol, token), decimals }
}

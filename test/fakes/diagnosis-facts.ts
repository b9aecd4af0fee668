import type {
  DiagnosisInput,
  ObservedAttempt,
  ObservedBid,
  ObservedStanding,
} from '../../src/domain/diagnosis/diagnosis.ts'
import type { Order } from '../../src/domain/order/order.ts'
import { numbered, sampleOrder } from './order.ts'

export const now = new Date('2026-01-01T12:00:00Z')
/** Seconds from now. */
export const at = (seconds: number) => new Date(now.getTime() + seconds * 1_000)
export const nowSeconds = now.getTime() / 1_000
export const solver = numbered('50')

export const judged = (order: Partial<Order> = {}, hasPreHooks = false): DiagnosisInput['order'] => ({
  ...sampleOrder({ creationDate: at(-600), ...order }),
  hasPreHooks,
})

/**
 * An open order that sells 1 WETH for 2,900 USDC, of which nothing else is known, and a service that runs.
 */
export function sampleFacts(more: Partial<DiagnosisInput> = {}): DiagnosisInput {
  return {
    now,
    order: judged(),
    tokens: { sell: { symbol: 'WETH', decimals: 18 }, buy: { symbol: 'USDC', decimals: 6 } },
    cancellation: null,
    lastTrade: null,
    standing: null,
    bid: null,
    bestBid: null,
    attempt: null,
    failedHook: null,
    refusal: null,
    programmatic: null,
    market: null,
    deniedTokens: [],
    look: null,
    service: {
      indexed: { block: 100, at: at(-12) },
      head: 101,
      auctionAt: at(-24),
      minLifetime: 60,
      auctionPauseMs: 24_000,
      blockTimeMs: 12_000,
    },
    ...more,
  }
}

export const standingSince = at(-300)

/** Where auctions hold the order, unless told otherwise. */
export const sampleStanding = (more: Partial<ObservedStanding> = {}): ObservedStanding => ({
  reason: null,
  since: standingSince,
  at: at(-15),
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
  ...more,
})

/** A solution that lost. */
export const sampleBid = (more: Partial<ObservedBid> = {}): ObservedBid => ({
  auctionId: 5n,
  at: at(-100),
  block: 95,
  solver,
  score: 5n,
  isWinner: false,
  filteredOut: false,
  winningScore: 9n,
  sell: 10n ** 18n,
  buy: 2_850n * 10n ** 6n,
  ...more,
})

/** A settlement that runs. */
export const sampleAttempt = (more: Partial<ObservedAttempt> = {}): ObservedAttempt => ({
  auctionId: 5n,
  solver,
  startedAt: at(-90),
  endedAt: null,
  outcome: null,
  txHash: null,
  deadlineBlock: 103,
  revertedBlock: null,
  replacedBlock: null,
  ...more,
})

import type { Address } from '../domain/address.ts'
import type { Interaction, OrderKind } from '../domain/order.ts'

/** One trade of somebody who need not hold anything, as a settlement of it alone. */
export interface TradeQuestion {
  kind: OrderKind
  /** The trader. The zero address stands for anybody. */
  from: Address
  /** Who gets the buy tokens; null means the trader. */
  receiver: Address | null
  sellToken: Address
  /** The native marker too: the settlement unwraps then. */
  buyToken: Address
  /** Atoms taken from the trader. */
  sellAmount: bigint
  /** Atoms paid out. */
  buyAmount: bigint
  /** Before the sell tokens come in: an estimate's own ones, then the order's hooks. */
  preInteractions: readonly Interaction[]
  /** Between the two. */
  interactions: readonly Interaction[]
  /** The order's hooks after it. */
  postInteractions: readonly Interaction[]
  /** Sends the transaction. */
  txOrigin: Address
  /** Whose state it is played on; null is the newest block. */
  block: number | null
}

/** What the settlement contract did. */
export type TradeAnswer =
  | {
      outcome: 'settled'
      /** Gas units of the whole transaction. */
      gas: bigint
      /** Atoms that the settlement contract has more (less, when negative) of each token than before: nobody's part of the trade. */
      sellSurplus: bigint
      /** The wrapped form and the native coin count together. */
      buySurplus: bigint
      /** Atoms that the receiver has more of. */
      received: bigint
    }
  | { outcome: 'failed'; reason: string }

/**
 * Settles it in a call that changes nothing, with balance, allowance, signature and the allow-list overridden, in one round trip.
 * @returns undefined where this cannot be played: the token's storage is not understood and the trader lacks the funds
 * @throws Outage when the node is away, or knows no state overrides
 */
export type CheckTrade = (question: TradeQuestion, signal?: AbortSignal) => Promise<TradeAnswer | undefined>

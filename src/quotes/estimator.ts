import type { Address } from '../domain/evm/address.ts'
import type { OrderKind, QuoteCalls } from '../domain/order/order.ts'
import type { Route } from '../domain/routing/route.ts'

/** A question to the market: one pair, one exact amount. */
export interface Ask {
  kind: OrderKind
  sellToken: Address
  /** As the order names it: the native marker too. */
  buyToken: Address
  /** Sell atoms of a sell order, buy atoms of a buy order. Positive. */
  amount: bigint
}

/** What a settlement would call. Where the native coin is bought, the calls leave buy tokens in wrapped form. */
export interface Execution extends QuoteCalls {
  /** Who sends the transaction, where that matters to what is called. */
  txOrigin: Address | null
}

/**
 * How much an estimate can be believed. `computed`: our own arithmetic over the pools of a block. `simulated`: what the settlement
 * contract did in a call. `claimed`: somebody's word, nothing more.
 */
export type Standing = 'claimed' | 'computed' | 'simulated'

/** What the market does for one exact amount. Both amounts are positive. */
export interface Estimate {
  /** Who says so. */
  estimator: string
  /** Submission address of the solver that would settle it so. */
  solver: Address
  /** Atoms in for the amount asked for, or the amount itself for a sell order. */
  sellAmount: bigint
  /** Atoms out, or the amount itself for a buy order. */
  buyAmount: bigint
  /** Gas units of a settlement of this trade alone, without hooks and contract signatures. Positive. */
  gas: bigint
  standing: Standing
  /** What was claimed or computed, still, once the standing is `simulated`. null where it cannot be simulated. */
  execution: Execution | null
  /** The way through the pools, where it is known. */
  route: Route | null
  /** The block whose state it holds for; null is the newest, whichever that was. */
  block: number | null
}

export interface Estimator {
  name: string
  /**
   * @param signal aborts when nobody waits any more; the estimate ends soon after
   * @throws Refusal that says why there is none: NoLiquidity, UnsupportedToken, UnsupportedOrderType, TradingOutsideAllowedWindow,
   * TokenTemporarilySuspended, InsufficientLiquidity, CustomSolverError; Outage when it is away, slow or talks nonsense
   */
  estimate(ask: Ask, signal: AbortSignal): Promise<Estimate>
}

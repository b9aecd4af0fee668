import type { Address } from '../domain/evm/address.ts'
import type { OrderKind, QuoteCalls } from '../domain/order/order.ts'
import type { Route } from '../domain/routing/route.ts'

/** What an estimator is asked to price: one pair, one exact amount. */
export interface Ask {
  kind: OrderKind
  sellToken: Address
  /** As in the order: it may be the native marker. */
  buyToken: Address
  /** Sell atoms of a sell order, buy atoms of a buy order. Positive. */
  amount: bigint
}

/** The calls of a settlement. Where the native coin is bought, they leave it in wrapped form. */
export interface Execution extends QuoteCalls {
  /** Sender of the transaction, where the calls depend on it. */
  txOrigin: Address | null
}

/**
 * How an estimate was obtained. `computed`: the service's own arithmetic over the pools of a block. `simulated`: a call of the
 * settlement contract. `claimed`: an outside estimator's response, unchecked.
 */
export type Standing = 'claimed' | 'computed' | 'simulated'

/** An estimated trade of one exact amount. Both amounts are positive. */
export interface Estimate {
  /** Name of the estimator. */
  estimator: string
  /** Submission address of the solver that would settle it. */
  solver: Address
  /** Atoms in for the amount asked for, or the amount itself for a sell order. */
  sellAmount: bigint
  /** Atoms out, or the amount itself for a buy order. */
  buyAmount: bigint
  /** Gas units of a settlement of this trade alone, without hooks and contract signatures. Positive. */
  gas: bigint
  standing: Standing
  /** The claimed or computed calls, also after a simulation. null if it cannot be simulated. */
  execution: Execution | null
  /** The route through the pools, if known. */
  route: Route | null
  /** The block that it was computed at; null if it is not known, but was the newest. */
  block: number | null
}

export interface Estimator {
  name: string
  /**
   * @param signal aborts when no caller waits any more; the estimate ends soon after
   * @param refuted its last estimate of the ask, which does not settle on the newest block: it is not given again from memory
   * @throws Refusal with the reason why there is none: NoLiquidity, SellAmountDoesNotCoverFee, UnsupportedToken, UnsupportedOrderType,
   * TradingOutsideAllowedWindow, TokenTemporarilySuspended, InsufficientLiquidity, CustomSolverError; Outage when the estimator
   * is down, slow or sends invalid data
   */
  estimate(ask: Ask, signal: AbortSignal, refuted?: Estimate): Promise<Estimate>
}

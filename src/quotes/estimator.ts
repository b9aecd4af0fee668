import type { Address } from '../domain/evm/address.ts'
import type { OrderKind, QuoteCalls } from '../domain/order/order.ts'
import type { Route } from '../domain/routing/route.ts'

/** A request to an estimator: one pair, one exact amount. */
export interface Ask {
  kind: OrderKind
  sellToken: Address
  /** The buy token as in the order: it may be the native marker. */
  buyToken: Address
  /** The fixed amount: sell atoms of a sell order, buy atoms of a buy order. Positive. */
  amount: bigint
}

/** The calls of a settlement. If the native coin is bought, they leave it in wrapped form. */
export interface Execution extends QuoteCalls {
  /** The sender of the transaction, if the calls depend on it. */
  txOrigin: Address | null
}

/**
 * The origin of an estimate.
 * - `computed`: the service's own arithmetic over the pools of a block.
 * - `simulated`: a call of the settlement contract.
 * - `claimed`: an outside estimator's unchecked response.
 */
export type Standing = 'claimed' | 'computed' | 'simulated'

/** An estimated trade of one exact amount. Both amounts are positive. */
export interface Estimate {
  /** The name of the estimator. */
  estimator: string
  /** The submission address of the solver that would settle it. */
  solver: Address
  /** The atoms in for the requested amount, or the amount itself for a sell order. */
  sellAmount: bigint
  /** The atoms out, or the amount itself for a buy order. */
  buyAmount: bigint
  /** The gas units of a settlement of this trade alone, without hooks and contract signatures. Positive. */
  gas: bigint
  standing: Standing
  /** The claimed or computed calls, also after a simulation; null if the trade cannot be simulated. */
  execution: Execution | null
  /** The route through the pools, if known. */
  route: Route | null
  /** The block of the computation; null if it is unknown but was the newest. */
  block: number | null
}

export interface Estimator {
  name: string
  /**
   * Estimates the trade.
   * @param signal aborts when no caller waits any more; the estimate ends soon after
   * @param refuted its last estimate of the ask, which does not settle on the newest block: the answer must
   *   not come from memory
   * @throws Refusal with the reason why there is none: NoLiquidity, SellAmountDoesNotCoverFee,
   *   UnsupportedToken, UnsupportedOrderType, TradingOutsideAllowedWindow, TokenTemporarilySuspended,
   *   InsufficientLiquidity, CustomSolverError; Outage if the estimator is down, slow or sends invalid data
   */
  estimate(ask: Ask, signal: AbortSignal, refuted?: Estimate): Promise<Estimate>
}

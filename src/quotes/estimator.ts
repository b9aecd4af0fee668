import { Outage, Refusal } from '../domain/errors/error.ts'
import type { RefusalCode } from '../domain/errors/refusal-codes.ts'
import type { Address } from '../domain/evm/address.ts'
import type { OrderKind, QuoteCalls } from '../domain/order/order.ts'
import type { Route } from '../domain/routing/route.ts'

/** A request to an estimator: one pair, one exact amount. */
export interface EstimateRequest {
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
export type EstimateOrigin = 'claimed' | 'computed' | 'simulated'

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
  standing: EstimateOrigin
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
  estimate(ask: EstimateRequest, signal: AbortSignal, refuted?: Estimate): Promise<Estimate>
}

/** The reason why an estimator has no estimate: its error. */
export interface Fault {
  /** True if the estimator is the service's own router. */
  own: boolean
  reason: unknown
}

/** The failure of every outside estimator when no other was asked. */
export class EstimatorsAway extends Outage {
  constructor(cause: unknown) {
    super('every estimator', cause)
    this.name = 'EstimatorsAway'
  }
}

/**
 * The severity of codes: the code that helps a trader most wins. Any other error means that the estimator
 * failed.
 */
const severities: Partial<Record<RefusalCode, number>> = {
  TradingOutsideAllowedWindow: 5,
  TokenTemporarilySuspended: 5,
  InsufficientLiquidity: 5,
  CustomSolverError: 5,
  UnsupportedToken: 4,
  SellAmountDoesNotCoverFee: 3,
  NoLiquidity: 2,
  UnsupportedOrderType: 1,
}
/** The severity up to which a code depends on the market, and counts only if the router worked. */
const maxMarketSeverity = 4

/**
 * The error to throw if no estimator has an estimate. An outside estimator that failed counts as one without
 * an estimate. If the router failed, the market is unknown.
 */
export function worstFault(faults: readonly Fault[], hasOwn: boolean): unknown {
  const refusals = faults.filter((fault) => severityOf(fault) > 0)
  const [worst] = refusals.toSorted((a, b) => severityOf(b) - severityOf(a))
  const routerFailure = faults.find((fault) => fault.own && severityOf(fault) === 0)
  if (worst && (!routerFailure || severityOf(worst) > maxMarketSeverity)) return worst.reason
  if (routerFailure) return routerFailure.reason
  return hasOwn || faults.length === 0 ? noLiquidity() : new EstimatorsAway(faults[0]?.reason)
}

function severityOf({ reason }: Fault): number {
  return (reason instanceof Refusal && severities[reason.code]) || 0
}

export function noLiquidity(): Refusal {
  return new Refusal('NoLiquidity', 'no route trades this pair at this size')
}

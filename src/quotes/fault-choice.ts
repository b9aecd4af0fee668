import { Outage, Refusal } from '../domain/errors/error.ts'
import type { RefusalCode } from '../domain/errors/refusal-codes.ts'

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

import { Outage, Refusal } from '../domain/errors/error.ts'
import type { RefusalCode } from '../domain/errors/refusal-codes.ts'

/** Why an estimator has no estimate: what it threw. */
export interface Fault {
  /** Whether it is our own router's. */
  own: boolean
  reason: unknown
}

/** What tells a trader most is told first. Whatever is not here means that the estimator did not work. */
const severities: Partial<Record<RefusalCode, number>> = {
  TradingOutsideAllowedWindow: 4,
  TokenTemporarilySuspended: 4,
  InsufficientLiquidity: 4,
  CustomSolverError: 4,
  UnsupportedToken: 3,
  NoLiquidity: 2,
  UnsupportedOrderType: 1,
}
/** Up to this it is about the market, which is not known without our own router. */
const aboutMarket = 3

/**
 * The one thing to say where nobody has an estimate. An estimator that did not work counts as one that has none, but our own:
 * without it nothing can be said about the market.
 */
export function worstFault(faults: readonly Fault[], hasOwn: boolean): unknown {
  const words = faults.filter((fault) => severityOf(fault) > 0)
  const [worst] = words.toSorted((a, b) => severityOf(b) - severityOf(a))
  const broken = faults.find((fault) => fault.own && severityOf(fault) === 0)
  if (worst && (!broken || severityOf(worst) > aboutMarket)) return worst.reason
  if (broken) return broken.reason
  return hasOwn || faults.length === 0 ? noLiquidity() : new Outage('every estimator', faults[0]?.reason)
}

function severityOf({ reason }: Fault): number {
  return (reason instanceof Refusal && severities[reason.code]) || 0
}

export function noLiquidity(): Refusal {
  return new Refusal('NoLiquidity', 'no route trades this pair at this size')
}

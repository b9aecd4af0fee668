import { Outage, Refusal } from '../domain/error.ts'
import type { RefusalCode } from '../domain/refusal-codes.ts'

/** Why an estimator has no estimate: what it threw. */
export interface Fault {
  /** Whether it is our own router's. */
  own: boolean
  reason: unknown
}

const rateLimited = 5
const outOfOrder = 4

/** What tells a trader most is told first. Whatever is not here means that the estimator did not work. */
const severities: Partial<Record<RefusalCode, number>> = {
  TradingOutsideAllowedWindow: 6,
  TokenTemporarilySuspended: 6,
  InsufficientLiquidity: 6,
  CustomSolverError: 6,
  RateLimited: rateLimited,
  UnsupportedToken: 3,
  NoLiquidity: 2,
  UnsupportedOrderType: 1,
}

/**
 * The one thing to say where nobody has an estimate. An estimator that did not work counts as one that has none, but our own:
 * without it nothing can be said about the market.
 */
export function worstFault(faults: readonly Fault[], hasOwn: boolean): unknown {
  const [worst] = faults.toSorted((a, b) => severityOf(b) - severityOf(a))
  if (!worst) return noLiquidity()
  const severity = severityOf(worst)
  if (severity !== rateLimited && severity !== outOfOrder) return worst.reason
  const broken = faults.find((fault) => fault.own && severityOf(fault) === outOfOrder)
  if (broken) return broken.reason
  return hasOwn ? noLiquidity() : new Outage('every estimator', worst.reason)
}

function severityOf({ reason }: Fault): number {
  return (reason instanceof Refusal && severities[reason.code]) || outOfOrder
}

export function noLiquidity(): Refusal {
  return new Refusal('NoLiquidity', 'no route trades this pair at this size')
}

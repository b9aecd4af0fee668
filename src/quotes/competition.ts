import type { ThrottledWarn } from '../concurrency/throttled-log.ts'
import { Refusal } from '../domain/errors/error.ts'
import type { Log } from '../domain/log.ts'
import { aborted, late } from './deadline.ts'
import { type Estimate, type EstimateRequest, type Estimator, type Fault, worstFault } from './estimator.ts'
import type { VerificationPolicy } from './verification/policy.ts'
import type { Verification } from './verification/verify.ts'

export interface QuoteContest {
  ask: EstimateRequest
  /** The service's own router, if it takes part. */
  router: Estimator | null
  others: readonly Estimator[]
  verificationPolicy: VerificationPolicy
  /** Simulates an estimate. @throws Outage if the simulation cannot run */
  verify(estimate: Estimate, signal: AbortSignal): Promise<Verification>
  /** Reports whether there is a newer block than at the start of the contest. @throws Outage */
  hasMoved(): Promise<boolean>
  /** The value by which estimates are compared: more is better. */
  value: Promise<(estimate: Estimate) => bigint>
  /** The number of usable estimates after which the contest ends; if absent, it waits for all. */
  enough?: number
  /** The signal after which the estimates so far count, and estimators that are still running may stop. */
  signal: AbortSignal
  log: Pick<Log, 'debug'>
  warn: ThrottledWarn
}

/**
 * Asks all estimators in parallel and yields each estimate that is better than the previous one; the last is
 * the best. An estimator that hangs delays nothing beyond `signal`.
 * @throws Refusal from the generator if there is no estimate: the severest fault, or QuoteNotVerified; Outage
 */
export function competeForQuote(contest: QuoteContest): AsyncGenerator<Estimate, void> {
  const { router, others } = contest
  const entries = [...(router ? [router] : []), ...others].map((estimator) => enter(estimator, contest))
  return improvements(entries, contest)
}

type Result = { estimate: Estimate } | { reason: unknown }

interface Entry {
  own: boolean
  result: Promise<Result & { entry: Entry }>
  /** The estimate during its simulation. */
  unchecked: Estimate | undefined
}

function enter(estimator: Estimator, contest: QuoteContest): Entry {
  const run = async (): Promise<Result & { entry: Entry }> => {
    const note = (estimate: Estimate | undefined) => {
      entry.unchecked = estimate
    }
    const result = await verifiedResult(estimator, contest, note).catch((reason: unknown) => ({ reason }))
    return { ...result, entry }
  }
  const entry: Entry = { own: estimator === contest.router, unchecked: undefined, result: run() }
  return entry
}

/**
 * The estimator's estimate, simulated if the policy requires it. An estimate that is refuted after the market
 * moved is requested once more, because it may have been right for the previous block. A node may also answer
 * for a block with the state of the block that it is mining.
 */
async function verifiedResult(
  estimator: Estimator,
  contest: QuoteContest,
  onUnchecked: (estimate: Estimate | undefined) => void,
  refuted?: Estimate,
): Promise<Result> {
  const { ask, verificationPolicy, verify, hasMoved, signal, log, warn } = contest
  const estimate = await estimator.estimate(ask, signal, refuted)
  /** Reports without data of the request, except in debug lines: any client can cause this. */
  const report = (message: string, details: Readonly<Record<string, unknown>> = {}) => {
    warn(message, { estimator: estimator.name })
    log.debug(message, { estimator: estimator.name, ...ask, amount: `${ask.amount}`, ...details })
  }
  if (!fitsRequest(estimate, ask)) {
    report('an estimate does not fit the request')
    return { reason: new Error('the estimate does not fit the request') }
  }
  if (!mustBeSimulated(estimate, verificationPolicy)) return { estimate }
  onUnchecked(estimate)
  const verification = await verify(estimate, signal).catch((fault: unknown) => {
    if (!signal.aborted) report('an estimate could not be simulated', { fault: String(fault) })
    return { verdict: 'unplayable' as const }
  })
  if (verification.verdict === 'unplayable') return { estimate }
  if (verification.verdict === 'held') return { estimate: verification.estimate }
  report('an estimate was refuted', { block: estimate.block, reason: verification.reason })
  onUnchecked(undefined)
  if (!refuted && !signal.aborted && (await hasMoved()))
    return verifiedResult(estimator, contest, onUnchecked, estimate)
  return {
    reason: new Refusal('NoLiquidity', 'the trade does not settle: its simulation failed'),
  }
}

/**
 * Reports whether an estimate fits: its fixed amount equals the ask's, and both amounts and the gas are
 * positive.
 */
function fitsRequest({ sellAmount, buyAmount, gas }: Estimate, { kind, amount }: EstimateRequest): boolean {
  const fixed = kind === 'sell' ? sellAmount : buyAmount
  return fixed === amount && sellAmount > 0n && buyAmount > 0n && gas > 0n
}

function mustBeSimulated({ standing }: Estimate, { simulates }: VerificationPolicy): boolean {
  return simulates === 'everything'
    ? standing !== 'simulated'
    : simulates === 'claims' && standing === 'claimed'
}

async function* improvements(
  entries: readonly Entry[],
  contest: QuoteContest,
): AsyncGenerator<Estimate, void> {
  const { verificationPolicy, signal, enough = Number.POSITIVE_INFINITY } = contest
  const value = await contest.value
  const waiting = new Set(entries)
  const faults: Fault[] = []
  const claims: Estimate[] = []
  const over = aborted(signal)
  let best: Estimate | undefined
  let unproven = false
  let usable = 0

  /** Considers an estimate. @returns whether it is the best so far */
  const consider = (estimate: Estimate): boolean => {
    if (verificationPolicy.requiresSimulated && estimate.standing !== 'simulated') unproven = true
    else if (estimate.standing === 'claimed') claims.push(estimate)
    else {
      usable++
      if (best && !beats(estimate, best, value, verificationPolicy)) return false
      best = estimate
      return true
    }
    return false
  }

  while (waiting.size > 0 && usable < enough) {
    const next = await Promise.race([...[...waiting].map(({ result }) => result), over])
    if (!next) break
    waiting.delete(next.entry)
    if ('reason' in next) faults.push({ own: next.entry.own, reason: next.reason })
    else if (consider(next.estimate)) yield next.estimate
  }
  if (usable >= enough) return
  for (const { own, unchecked } of waiting) {
    // A computed estimate counts although its simulation did not end, unless the policy requires one. A
    // claimed one does not.
    if (unchecked?.standing !== 'computed' || verificationPolicy.requiresSimulated)
      faults.push({ own, reason: late() })
    else if (consider(unchecked)) yield unchecked
  }
  if (best) return
  const [bestClaim] = claims.toSorted((a, b) => compare(value(b), value(a)))
  if (bestClaim) yield bestClaim
  else if (unproven) throw notVerified()
  else throw worstFault(faults, contest.router !== null)
}

function beats(
  one: Estimate,
  other: Estimate,
  value: (estimate: Estimate) => bigint,
  { prefersSimulated }: VerificationPolicy,
): boolean {
  const rank = ({ standing }: Estimate) => Number(prefersSimulated && standing === 'simulated')
  return (rank(one) - rank(other) || compare(value(one), value(other))) > 0
}

function compare(a: bigint, b: bigint): number {
  return a > b ? 1 : a < b ? -1 : 0
}

function notVerified(): Refusal {
  return new Refusal('QuoteNotVerified', 'no estimate could be simulated, which this quote requires')
}

import { abortable } from '../../concurrency/abortable.ts'
import { maxUint256 } from '../../domain/amount.ts'
import { createLruCache } from '../../domain/derived.ts'
import { Outage, Refusal } from '../../domain/errors/error.ts'
import type { Clock, Log } from '../../domain/log.ts'
import { maxTransactionGas } from '../../domain/settlement/gas.ts'
import { invalidResponse, OutsideFault } from '../../outside/fault.ts'
import { createHealth, type HealthLimits } from '../../outside/health.ts'
import type { Estimate, EstimateRequest, Estimator } from '../estimator.ts'

export interface GuardLimits extends HealthLimits {
  /** The total time limit of one estimate. */
  limitMs: number
  /** The time for which an estimate is cached. */
  rememberMs: number
}

interface EstimatorGuardOptions {
  limits: GuardLimits
  now: Clock
  log: Log
}

/** The number of cached estimates. Entries can be as large as a transaction's calldata. */
const maxCached = 200

/**
 * Wraps an estimator for many clients. Equal asks share one request, a breaker pauses the estimator while it
 * is down, and its estimates are checked. A request without a waiting client runs on to its time limit, so
 * that a hanging estimator is noticed and the result is cached.
 */
export function guardedEstimator(
  estimator: Estimator,
  { limits, now, log }: EstimatorGuardOptions,
): Estimator {
  const { name } = estimator
  const { limitMs, rememberMs } = limits
  const health = createHealth({ name, limits, now, log })
  const cache = createLruCache<string, Promise<Estimate>>({
    max: maxCached,
    ttlResolution: 0,
    perf: { now },
  })

  const request = (ask: EstimateRequest) =>
    health.ask(async () => {
      const limit = AbortSignal.timeout(limitMs)
      const late = () => new OutsideFault(name, 'did not answer in time')
      return checked(name, ask, await abortable(estimator.estimate(ask, limit), limit, late))
    })

  async function cachedRequest(ask: EstimateRequest, refuted: Estimate | undefined): Promise<Estimate> {
    const key = [ask.kind, ask.sellToken, ask.buyToken, ask.amount].join()
    const isRefuted = async (cached: Promise<Estimate>) =>
      refuted !== undefined && (await cached.catch(() => undefined)) === refuted
    const cached = cache.get(key)
    if (cached && !(await isRefuted(cached))) return cached
    // Other callers whose estimate was refuted may have asked again meanwhile.
    const renewed = cached && cache.get(key)
    if (renewed && renewed !== cached) return renewed
    const estimate = request(ask)
    const remember = () =>
      void (cache.peek(key) === estimate && cache.set(key, estimate, { ttl: rememberMs }))
    const forget = () => void (cache.peek(key) === estimate && cache.delete(key))
    cache.set(key, estimate)
    estimate.then(remember, (fault) => (fault instanceof Refusal ? remember() : forget()))
    return estimate
  }

  return {
    name,
    async estimate(ask, signal, refuted) {
      const abandoned = () => new Outage(name, 'the request was abandoned')
      if (signal.aborted) throw abandoned()
      return abortable(cachedRequest(ask, refuted), signal, abandoned)
    },
  }
}

/** Checks an estimate. @throws OutsideFault if it cannot be right for the ask */
function checked(name: string, { kind, amount }: EstimateRequest, estimate: Estimate): Estimate {
  const { sellAmount, buyAmount, gas } = estimate
  const fits = (value: bigint) => value > 0n && value <= maxUint256
  if (!fits(sellAmount) || !fits(buyAmount)) throw invalidResponse(name, 'an amount is out of range')
  if ((kind === 'sell' ? sellAmount : buyAmount) !== amount)
    throw invalidResponse(name, 'it trades another amount')
  if (gas <= 0n || gas > maxTransactionGas) throw invalidResponse(name, 'no transaction uses this much gas')
  return estimate
}

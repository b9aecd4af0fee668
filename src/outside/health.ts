import {
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  ExponentialBackoff,
  handleWhen,
  isBrokenCircuitError,
  noJitterGenerator,
} from 'cockatiel'
import { createThrottledLog } from '../concurrency/throttled-log.ts'
import { Refusal } from '../domain/errors/error.ts'
import type { Clock, Log } from '../domain/log.ts'
import { OutsideFault, Throttled } from './fault.ts'
import { announceSource, observed } from './telemetry/work.ts'

export interface HealthLimits {
  /** The number of consecutive failures that open the breaker. */
  failures: number
  /** The time for which the breaker stays open, doubled each time that the trial call also fails. */
  pauseMs: { min: number; max: number }
  /** The back-off after a 429, doubled with each one in a row. A longer Retry-After takes precedence. */
  backOffMs: { min: number; max: number }
  /** The number of concurrent calls. */
  atOnce: number
}

interface HealthOptions {
  name: string
  limits: HealthLimits
  now: Clock
  log: Log
}

/** The circuit breaker, back-off and concurrency limit of one provider. */
export interface Health {
  /**
   * Runs a call.
   * @throws the errors of `call`; OutsideFault at once, without a call, while the provider is paused
   */
  ask<T>(call: () => Promise<T>): Promise<T>
  state(): HealthState
}

/**
 * The state of a provider. `open`: paused after failures in a row; `trial`: called once to try it;
 * `throttled`: paused at its request.
 */
export type HealthState = 'closed' | 'open' | 'trial' | 'throttled'

/**
 * Creates a breaker. Only an `OutsideFault` is a failure: a refusal is a valid answer, and another Outage is
 * not the provider's fault.
 */
export function createHealth({ name, limits, now, log }: HealthOptions): Health {
  const { failures, pauseMs, backOffMs, atOnce } = limits
  const throttledWarn = createThrottledLog({ now, log })
  const breaker = circuitBreaker(
    handleWhen((fault) => fault instanceof OutsideFault && !(fault instanceof Throttled)),
    {
      breaker: new ConsecutiveBreaker(failures),
      halfOpenAfter: new ExponentialBackoff({
        generator: noJitterGenerator,
        initialDelay: pauseMs.min,
        maxDelay: pauseMs.max,
      }),
    },
  )
  breaker.onBreak(() => throttledWarn('an outside source is paused', { source: name }))
  breaker.onReset(() => log.info('an outside source is used again', { source: name }))
  const work = { kind: 'source', name: 'ask', of: name } as const
  let running = 0
  let quietUntil = Number.NEGATIVE_INFINITY
  let throttledInARow = 0

  /** Starts a back-off. Concurrent calls that get 429 together count as one. */
  function backOff({ retryAfterMs = 0 }: Throttled): void {
    if (now() < quietUntil) return
    const pause = Math.max(backOffMs.min * 2 ** throttledInARow, retryAfterMs)
    quietUntil = now() + Math.min(pause, backOffMs.max)
    throttledInARow++
  }

  const warn = (reason: string) => throttledWarn('an outside source failed', { source: name, reason })

  function checkOpen(): void {
    if (now() < quietUntil) throw new Throttled(name, 'requested a pause', quietUntil - now())
    if (breaker.state === CircuitState.HalfOpen) throw new OutsideFault(name, 'is being retried')
    if (running < atOnce) return
    warn('too many calls under way')
    throw new Throttled(name, 'too many calls under way')
  }

  function state(): HealthState {
    if (breaker.state === CircuitState.Open) return 'open'
    if (breaker.state === CircuitState.HalfOpen) return 'trial'
    return now() < quietUntil ? 'throttled' : 'closed'
  }
  announceSource({ name, state })

  return {
    state,
    async ask(call) {
      checkOpen()
      running++
      try {
        // A refusal passes the breaker as a value, because a thrown one would not reset the count of
        // failures.
        const outcome = await breaker.execute(() =>
          observed(work, call).then((value) => ({ value }), toRefusal),
        )
        throttledInARow = 0
        if ('refusal' in outcome) throw outcome.refusal
        return outcome.value
      } catch (fault) {
        if (isBrokenCircuitError(fault)) throw new OutsideFault(name, 'is paused after failures')
        if (fault instanceof Throttled) backOff(fault)
        if (fault instanceof OutsideFault) warn(fault.reason)
        throw fault
      } finally {
        running--
      }
    },
  }
}

function toRefusal(fault: unknown): { refusal: Refusal } {
  if (fault instanceof Refusal) return { refusal: fault }
  throw fault
}

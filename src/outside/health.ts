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

export interface HealthLimits {
  /** Failures in a row, after which nobody asks for a while. */
  failures: number
  /** That while: doubled each time that the one who then tries fails too. */
  pauseMs: { least: number; most: number }
  /**
   * How long nobody asks after a 429: doubled with each in a row. What the answer itself asks for counts
   * where it is longer.
   */
  backOffMs: { least: number; most: number }
  /** Calls under way. */
  atOnce: number
}

export interface HealthOptions {
  name: string
  limits: HealthLimits
  /** Of `Date.now`'s time. */
  now: Clock
  log: Log
}

/** Lets a source be asked while that makes sense. */
export interface Health {
  /**
   * @throws what `call` throws; OutsideFault at once, without a call, when there is no point in asking now
   */
  ask<T>(call: () => Promise<T>): Promise<T>
}

/**
 * Only a source's own faults count: a refusal is an answer, and an outage of something else is not its
 * failure.
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
        initialDelay: pauseMs.least,
        maxDelay: pauseMs.most,
      }),
    },
  )
  breaker.onBreak(() => log.warn('an outside source is left alone', { source: name }))
  breaker.onReset(() => log.info('an outside source is asked again', { source: name }))
  let underWay = 0
  let quietUntil = Number.NEGATIVE_INFINITY
  let throttledInARow = 0

  /** Calls that were under way together are told 429 together: that is one time, not many. */
  function backOff({ retryAfterMs = 0 }: Throttled): void {
    if (now() < quietUntil) return
    const pause = Math.max(backOffMs.least * 2 ** throttledInARow, retryAfterMs)
    quietUntil = now() + Math.min(pause, backOffMs.most)
    throttledInARow++
  }

  const warn = (reason: string) => throttledWarn('an outside source failed', { source: name, reason })

  function checkOpen(): void {
    if (now() < quietUntil) throw new Throttled(name, 'asked to be left alone', quietUntil - now())
    if (breaker.state === CircuitState.HalfOpen) throw new OutsideFault(name, 'is being tried again')
    if (underWay < atOnce) return
    warn('too many calls under way')
    throw new Throttled(name, 'too many calls under way')
  }

  return {
    async ask(call) {
      checkOpen()
      underWay++
      try {
        // A refusal goes through the breaker as a value: thrown, it would not end a row of failures.
        const outcome = await breaker.execute(() => call().then((value) => ({ value }), toRefused))
        throttledInARow = 0
        if ('refusal' in outcome) throw outcome.refusal
        return outcome.value
      } catch (fault) {
        if (isBrokenCircuitError(fault)) throw new OutsideFault(name, 'is left alone')
        if (fault instanceof Throttled) backOff(fault)
        if (fault instanceof OutsideFault) warn(fault.reason)
        throw fault
      } finally {
        underWay--
      }
    },
  }
}

function toRefused(fault: unknown): { refusal: Refusal } {
  if (fault instanceof Refusal) return { refusal: fault }
  throw fault
}

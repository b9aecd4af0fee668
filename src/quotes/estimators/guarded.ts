import { LRUCache } from 'lru-cache'
import { whileWaited } from '../../concurrency/waiting.ts'
import { maxUint256 } from '../../domain/amount.ts'
import { Outage, Refusal } from '../../domain/errors/error.ts'
import type { Clock, Log } from '../../domain/log.ts'
import { maxTransactionGas } from '../../domain/settlement/gas.ts'
import { nonsense, OutsideFault } from '../../outside/fault.ts'
import { createHealth, type HealthLimits } from '../../outside/health.ts'
import type { Ask, Estimate, Estimator } from '../estimator.ts'

export interface GuardLimits extends HealthLimits {
  /** For one estimate, whatever it waits for. */
  limitMs: number
  /** How long an answer serves who asks the same. */
  rememberMs: number
}

export interface GuardOptions {
  limits: GuardLimits
  now: Clock
  log: Log
}

/** Each can hold a transaction's calldata. */
const maxRemembered = 200

/**
 * The same estimator, for use by many: asked once for many who ask the same, left alone while it is down, and checked in what it says.
 * What nobody waits for any more runs on within its time: only so is it seen that it hangs, and the next who asks has an answer.
 */
export function guarded(estimator: Estimator, { limits, now, log }: GuardOptions): Estimator {
  const { name } = estimator
  const { limitMs, rememberMs } = limits
  const health = createHealth({ name, limits, now, log })
  const known = new LRUCache<string, Promise<Estimate>>({
    max: maxRemembered,
    ttlResolution: 0,
    perf: { now },
  })

  const ask = (question: Ask) =>
    health.ask(async () => {
      const limit = AbortSignal.timeout(limitMs)
      const late = () => new OutsideFault(name, 'did not answer in time')
      return checked(name, question, await whileWaited(estimator.estimate(question, limit), limit, late))
    })

  function shared(question: Ask): Promise<Estimate> {
    const key = [question.kind, question.sellToken, question.buyToken, question.amount].join()
    const before = known.get(key)
    if (before) return before
    const asked = ask(question)
    const remember = () => void (known.peek(key) === asked && known.set(key, asked, { ttl: rememberMs }))
    const forget = () => void (known.peek(key) === asked && known.delete(key))
    known.set(key, asked)
    asked.then(remember, (fault) => (fault instanceof Refusal ? remember() : forget()))
    return asked
  }

  return {
    name,
    async estimate(question, signal) {
      const left = () => new Outage(name, 'nobody waits for it any more')
      if (signal.aborted) throw left()
      return whileWaited(shared(question), signal, left)
    },
  }
}

/** @throws OutsideFault when this can't be an answer to the question */
function checked(name: string, { kind, amount }: Ask, estimate: Estimate): Estimate {
  const { sellAmount, buyAmount, gas } = estimate
  const fits = (value: bigint) => value > 0n && value <= maxUint256
  if (!fits(sellAmount) || !fits(buyAmount)) throw nonsense(name, 'an amount is out of range')
  if ((kind === 'sell' ? sellAmount : buyAmount) !== amount) throw nonsense(name, 'it trades another amount')
  if (gas <= 0n || gas > maxTransactionGas) throw nonsense(name, 'no transaction uses this much gas')
  return estimate
}

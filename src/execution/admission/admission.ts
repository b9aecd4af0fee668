import type { Caller } from '../../http/caller.ts'
import { type Charge, oneRead } from './charge.ts'
import type { RateLimits, Verdict } from './rate-limits.ts'

/** A request that was let in, and what it counts as so far. */
export interface Admission {
  /** Whether anything is counted at all. */
  isCounted: boolean
  /**
   * Counts the rest, when it is known what is asked. What was counted at arrival is given back when the request
   * counts in other kinds alone, and when this refuses, but for what it took to read it.
   * @throws Refusal RateLimited; QueryTooComplex when it counts as more than anybody may ask at once
   */
  reserve(wanted: Wanted): void
  /** Counts what the answer took instead of the estimate: never less than the charge. */
  settle(units: () => number): void
}

export interface Wanted {
  /** The least that it counts as. */
  charge: Charge
  /** Units that it may take; more than may be held back counts as that. */
  estimate?: (() => number) | undefined
  /** Units that it took to find this out, where that was less than the first. */
  read?: number | undefined
}

export interface Gate {
  /**
   * Counts the first unit of a request, before anything is done for it, and says on the answer what is left.
   * @param charge what it counts as at least, where that is known
   * @throws Refusal as `reserve` does
   */
  arrive(caller: Caller, charge?: Charge): Admission
}

/** @param onLimited told of every request that is over a limit */
export function createGate(limits: RateLimits | undefined, onLimited?: (limit: string) => void): Gate {
  if (!limits) return { arrive: () => unlimited }

  function noteVerdict(caller: Caller, verdict: Verdict | undefined): void {
    if (!verdict) return
    caller.setHeader('RateLimit-Policy', verdict.policy)
    caller.setHeader('RateLimit', verdict.state)
    if (!verdict.refusal) return
    if (verdict.over) onLimited?.(verdict.over)
    throw verdict.refusal
  }

  return {
    arrive(caller, charge = oneRead) {
      const { client } = caller
      let least = charge
      let counted = charge
      noteVerdict(caller, limits.take(client, charge))
      return {
        isCounted: true,
        reserve({ charge: whole, estimate, read = 1 }) {
          const isEstimated = estimate !== undefined && whole.reads > 0 && limits.maxReserved > 0
          const reads = isEstimated ? Math.min(estimate(), limits.maxReserved) : 0
          const wanted = { ...whole, reads: Math.max(whole.reads, reads) }
          const verdict = limits.take(client, wanted, counted)
          if (verdict?.refusal) {
            if (counted.reads > 0) limits.settle(client, counted, read - counted.reads)
            counted = { ...counted, reads: 0 }
            // How long to wait is told of the whole.
            noteVerdict(caller, limits.take(client, wanted))
          }
          noteVerdict(caller, verdict)
          least = whole
          counted = wanted
        },
        settle(units) {
          if (limits.maxReserved === 0 || counted.reads === 0) return
          const reads = Math.max(least.reads, units())
          noteVerdict(caller, limits.settle(client, counted, reads - counted.reads))
          counted = { ...counted, reads }
        },
      }
    },
  }
}

const unlimited: Admission = { isCounted: false, reserve() {}, settle() {} }

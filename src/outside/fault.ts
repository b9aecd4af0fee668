import { Outage } from '../domain/errors/error.ts'

/**
 * A provider (an engine, a price source) is unreachable, slow or sends an invalid answer, and the fault is its own.
 * `reason` is our text: never a URL, which can hold a key, and never received data.
 */
export class OutsideFault extends Outage {
  readonly reason: string

  constructor(name: string, reason: string) {
    super(name, reason)
    this.name = 'OutsideFault'
    this.reason = reason
  }
}

/** The answer is invalid. @param what our text */
export function nonsense(name: string, what: string): OutsideFault {
  return new OutsideFault(name, `talks nonsense: ${what}`)
}

/** The provider asks for fewer requests, or the limit of concurrent calls is reached. */
export class Throttled extends OutsideFault {
  /** The pause that the provider asks for, if it names one. A hint. */
  readonly retryAfterMs: number | undefined

  constructor(name: string, reason: string, retryAfterMs?: number) {
    super(name, reason)
    this.name = 'Throttled'
    this.retryAfterMs = retryAfterMs
  }
}

/** Text of a provider made safe to show: one bounded line of visible characters, without URLs. `undefined` if empty. */
export function printable(text: string, maxCharacters = 200): string | undefined {
  const line = text
    .slice(0, maxCharacters * 4)
    .replace(/\b\w+:\/\/\S*/g, '…')
    .replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S}]+/gu, ' ')
    .trim()
  return [...line].slice(0, maxCharacters).join('') || undefined
}

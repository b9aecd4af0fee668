import { Outage } from '../domain/errors/error.ts'

/**
 * The fault of a provider (an engine, a price source) that is unreachable, slow or sends an invalid answer.
 * `reason` is our text: never a URL, which can contain a key, and never received data.
 */
export class OutsideFault extends Outage {
  readonly reason: string

  constructor(name: string, reason: string, retryAfterMs?: number) {
    super(name, reason, retryAfterMs)
    this.name = 'OutsideFault'
    this.reason = reason
  }
}

/** Creates the fault of an invalid answer. @param what our text */
export function invalidResponse(name: string, what: string): OutsideFault {
  return new OutsideFault(name, `sends an invalid answer: ${what}`)
}

/** The fault of a provider that requests fewer calls, or whose limit of concurrent calls is reached. */
export class Throttled extends OutsideFault {
  /** @param retryAfterMs the pause that the provider requests, if it names one: a hint */
  constructor(name: string, reason: string, retryAfterMs?: number) {
    super(name, reason, retryAfterMs)
    this.name = 'Throttled'
  }
}

/**
 * Makes a provider's text safe to show: one bounded line of visible characters, without URLs; undefined if
 * empty.
 */
export function printable(text: string, maxCharacters = 200): string | undefined {
  const line = text
    .slice(0, maxCharacters * 4)
    .replace(/\b\w+:\/\/\S*/g, '…')
    .replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S}]+/gu, ' ')
    .trim()
  return [...line].slice(0, maxCharacters).join('') || undefined
}

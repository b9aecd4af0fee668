import { Outage } from '../domain/errors/error.ts'

/**
 * Somebody outside whom we ask (an engine, a price source) is away, slow or talks nonsense, and is itself to
 * blame. The reason is in our own words: never a URL, which can hold a key, and nothing that was received.
 */
export class OutsideFault extends Outage {
  readonly reason: string

  constructor(name: string, reason: string) {
    super(name, reason)
    this.name = 'OutsideFault'
    this.reason = reason
  }
}

/** What was answered cannot be. In our own words. */
export function nonsense(name: string, what: string): OutsideFault {
  return new OutsideFault(name, `talks nonsense: ${what}`)
}

/** It asks for fewer requests, or has as many under way as it may. */
export class Throttled extends OutsideFault {
  /** What it asks to wait, where it says so. A hint. */
  readonly retryAfterMs: number | undefined

  constructor(name: string, reason: string, retryAfterMs?: number) {
    super(name, reason)
    this.name = 'Throttled'
    this.retryAfterMs = retryAfterMs
  }
}

const longestText = 200

/**
 * A stranger's words as they may be shown: one bounded line of visible characters, without addresses of
 * machines. `undefined` when nothing is left.
 */
export function printable(text: string): string | undefined {
  const line = text
    .slice(0, longestText * 4)
    .replace(/\b\w+:\/\/\S*/g, '…')
    .replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S}]+/gu, ' ')
    .trim()
  return [...line].slice(0, longestText).join('') || undefined
}

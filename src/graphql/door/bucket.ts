/** How much may pass: `rate` in a second, `burst` at once. */
export interface Allowance {
  rate: number
  burst: number
}

/** Times are sums of fractions, which are not exact: the smaller the numbers, the better. */
const slackMs = 0.01

/**
 * A bucket is one number: the time in milliseconds at which it is full again; one that was never used is full
 * since `-Infinity`.
 * @returns that time after `amount` more was taken
 */
export function fullAfter(fullAt: number, amount: number, { rate, burst }: Allowance, now: number): number {
  // No bucket is emptier than empty: a clock that was set back must not keep anybody out.
  const from = Math.min(Math.max(fullAt, now), now + (burst * 1_000) / rate)
  return from + (amount * 1_000) / rate
}

/** Milliseconds until a bucket holds what was taken from it; 0 when it did. */
export function waitMs(fullAt: number, { rate, burst }: Allowance, now: number): number {
  const wait = fullAt - now - (burst * 1_000) / rate
  return wait > slackMs ? wait : 0
}

/** Whole units that a bucket holds. */
export function heldDown(fullAt: number, { rate, burst }: Allowance, now: number): number {
  const missing = (Math.max(0, fullAt - now - slackMs) * rate) / 1_000
  return Math.max(0, Math.floor(burst - missing))
}

/** A token bucket: `rate` per second, `burst` at once. */
export interface Allowance {
  rate: number
  burst: number
  /** How far below empty `fullAfterUse` may bring the bucket; 0 when left out. */
  debt?: number
}

/** Tolerance for rounding errors of times, which are sums of fractions. */
const slackMs = 0.01

/**
 * A bucket is one number: the time in milliseconds at which it is full again, `-Infinity` for an unused one.
 * @param amount negative to give units back
 * @returns that time after `amount` more was taken
 */
export function fullAfter(fullAt: number, amount: number, allowance: Allowance, now: number): number {
  // Clamped, so that a clock that was set back does not lock clients out.
  const from = Math.min(Math.max(fullAt, now), emptiestAt(allowance, now))
  return from + (amount * 1_000) / allowance.rate
}

/** The same for units that were used already: may bring the bucket into debt. */
export function fullAfterUse(fullAt: number, amount: number, allowance: Allowance, now: number): number {
  return Math.min(fullAfter(fullAt, amount, allowance, now), emptiestAt(allowance, now))
}

function emptiestAt({ rate, burst, debt = 0 }: Allowance, now: number): number {
  return now + ((burst + debt) * 1_000) / rate
}

/** Milliseconds until a bucket holds the amount that `fullAfter` took; 0 if it holds it now. */
export function waitMs(fullAt: number, { rate, burst }: Allowance, now: number): number {
  const wait = fullAt - now - (burst * 1_000) / rate
  return wait > slackMs ? wait : 0
}

/** Whole units that a bucket holds. */
export function heldDown(fullAt: number, { rate, burst }: Allowance, now: number): number {
  const missing = (Math.max(0, fullAt - now - slackMs) * rate) / 1_000
  return Math.max(0, Math.floor(burst - missing))
}

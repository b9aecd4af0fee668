/** How much may pass: `rate` in a second, `burst` at once. */
export interface Allowance {
  rate: number
  burst: number
  /** How far below empty what was taken afterwards can bring it; not at all when left out. */
  debt?: number
}

/** Times are sums of fractions, which are not exact: the smaller the numbers, the better. */
const slackMs = 0.01

/**
 * A bucket is one number: the time in milliseconds at which it is full again; one that was never used is full
 * since `-Infinity`.
 * @param amount negative for what is given back
 * @returns that time after `amount` more was taken
 */
export function fullAfter(fullAt: number, amount: number, allowance: Allowance, now: number): number {
  // No bucket is emptier than that: a clock that was set back must not keep anybody out.
  const from = Math.min(Math.max(fullAt, now), emptiestAt(allowance, now))
  return from + (amount * 1_000) / allowance.rate
}

/** The same for what was used already, whether the bucket held it or not. */
export function fullAfterUse(fullAt: number, amount: number, allowance: Allowance, now: number): number {
  return Math.min(fullAfter(fullAt, amount, allowance, now), emptiestAt(allowance, now))
}

function emptiestAt({ rate, burst, debt = 0 }: Allowance, now: number): number {
  return now + ((burst + debt) * 1_000) / rate
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

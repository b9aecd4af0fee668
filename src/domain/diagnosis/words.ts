import { formatUnits } from '../amount.ts'

/** A token as stored; null if its contract does not report the value. */
export interface TokenWords {
  symbol: string | null
  decimals: number | null
}

/** Formats parts per million as per cent: 32500 is 3.25. */
export function formatPercent(parts: bigint): string {
  return parts < 0n ? `-${formatUnits(-parts, 4)}` : formatUnits(parts, 4)
}

/**
 * Formats parts per million as per cent for people, rounded down: 32519 is 3.25. Below one per cent all
 * digits are shown.
 */
export function readablePercent(parts: bigint): string {
  return parts < 10_000n ? formatUnits(parts, 4) : formatUnits(parts / 100n, 2)
}

const units: readonly (readonly [seconds: number, name: string])[] = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
]

/** Formats a duration in the largest unit of which there are at least two, rounded up. */
export function formatSeconds(seconds: number): string {
  const [size, name] = units.find(([size]) => seconds >= 2 * size) ?? [1, 'second']
  const count = Math.ceil(seconds / size)
  return `${count} ${name}${count === 1 ? '' : 's'}`
}

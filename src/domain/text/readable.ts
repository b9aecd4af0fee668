import { divUp, formatUnits } from '../amount.ts'
import type { Token } from '../token/token.ts'

/** Amounts for people, with up to six significant digits. */

type ReadableToken = Pick<Token, 'address' | 'symbol' | 'decimals'>

const significantDigits = 6

/** An amount with symbol, rounded down; atoms and address if the contract has no decimals or symbol. */
export function readableDown(amount: bigint, token: ReadableToken): string {
  return readable(amount, token, (atoms, unit) => atoms / unit)
}

/** An amount with symbol, rounded up, for missing amounts. */
export function readableUp(amount: bigint, token: ReadableToken): string {
  return readable(amount, token, divUp)
}

function readable(
  amount: bigint,
  { decimals, symbol, address }: ReadableToken,
  divide: (atoms: bigint, unit: bigint) => bigint,
): string {
  if (decimals === null) return `${grouped(amount.toString())} atoms of ${symbol ?? address}`
  // The value is negative for zeros after the point.
  const wholeDigits = amount.toString().length - decimals
  const shown = Math.min(decimals, Math.max(0, significantDigits - wholeDigits))
  const digits = divide(amount, 10n ** BigInt(decimals - shown))
  return `${grouped(formatUnits(digits, shown))} ${symbol ?? address}`
}

/** Groups digits: "1234567.5" becomes "1,234,567.5". */
export function grouped(plain: string): string {
  const [whole = '', fraction] = plain.split('.')
  const groups: string[] = []
  for (let end = whole.length; end > 0; end -= 3) groups.unshift(whole.slice(Math.max(0, end - 3), end))
  return fraction === undefined ? groups.join(',') : `${groups.join(',')}.${fraction}`
}

/** A token as stored; null if its contract does not report the value. */
export interface TokenLabel {
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

/**
 * Marks a text of a stranger within a sentence of the program's.
 * @param own what the program says in its place, such as the address of a token
 */
export function foreign(text: string, own = 'see the evidence'): string {
  return `\u2068${own}\u2066${text.replace(/[\u2066-\u2069]/g, ' ')}\u2069`
}

/** A sentence with its marked texts, and the same in the program's own words alone. */
export function toSentences(text: string): { whole: string; own: string } {
  const [first = '', ...others] = text.split('\u2068')
  const parts = others.map((part) => part.split(/[\u2066\u2069]/))
  const joined = (at: 0 | 1) => parts.reduce((all, part) => `${all}${part[at] ?? ''}${part[2] ?? ''}`, first)
  return { whole: joined(1), own: joined(0) }
}

/** Removes characters that control a terminal: symbols of tokens and reverts are strangers' texts. */
export function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')
}

import { divUp, formatUnits } from '../amount.ts'
import type { Token } from './token.ts'

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

/** Token amounts are `bigint` atoms, never floating point numbers. */
export const maxUint256 = 2n ** 256n - 1n

/** Native prices are whole numbers: native atoms for 10^18 atoms of the token. */
export const priceScale = 10n ** 18n

const maxInputLength = 100

type ParsedAmount = { amount: bigint } | { fault: 'malformed' | 'overflow' }

/**
 * Parses decimal digits and nothing else: no sign, point, exponent, hex or JSON number. Drops leading zeros.
 * More than 100 characters are `malformed`, without parsing. Only well-formed digits can overflow.
 */
export function parseAmount(input: unknown): ParsedAmount {
  if (typeof input !== 'string' || input.length > maxInputLength || !/^[0-9]+$/.test(input)) {
    return { fault: 'malformed' }
  }
  const amount = BigInt(input)
  return amount > maxUint256 ? { fault: 'overflow' } : { amount }
}

/** Returns a · b / c, rounded towards zero. All three are non-negative; c is not zero. */
export function mulDivDown(a: bigint, b: bigint, c: bigint): bigint {
  return (a * b) / c
}

/** Returns a · b / c, rounded away from zero. All three are non-negative; c is not zero. */
export function mulDivUp(a: bigint, b: bigint, c: bigint): bigint {
  return (a * b + c - 1n) / c
}

export function divUp(a: bigint, b: bigint): bigint {
  return (a + b - 1n) / b
}

export function minOf(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

export function maxOf(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}

/** Formats atoms as a plain decimal: 1500000 with 6 decimals is "1.5". Exact, no rounding. */
export function formatUnits(amount: bigint, decimals: number): string {
  if (amount < 0n) return `-${formatUnits(-amount, decimals)}`
  const text = amount.toString().padStart(decimals + 1, '0')
  const whole = text.slice(0, text.length - decimals)
  const fraction = withoutEndingZeros(text.slice(text.length - decimals))
  return fraction ? `${whole}.${fraction}` : whole
}

function withoutEndingZeros(digits: string): string {
  let end = digits.length
  while (digits[end - 1] === '0') end--
  return digits.slice(0, end)
}

/** The inverse of `formatUnits`, for trusted plain decimals. Digits beyond `decimals` are dropped. */
export function parseUnits(text: string, decimals: number): bigint {
  const [whole = '', fraction = ''] = text.split('.')
  return BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0'))
}

/**
 * Formats numerator / denominator as a plain decimal with `digits` significant digits, rounded down. Use it
 * only for displayed values such as a token price, never for amounts that are traded.
 */
export function formatRatioDown(numerator: bigint, denominator: bigint, digits = 18): string {
  if (denominator === 0n) throw new RangeError('division by zero')
  let scale = 0
  while (numerator * 10n ** BigInt(scale) < denominator * 10n ** BigInt(digits - 1) && scale < 80) scale++
  return formatUnits((numerator * 10n ** BigInt(scale)) / denominator, scale)
}

import { formatRatioDown, mulDivDown, parseUnits } from '../amount.ts'
import { decimal, derived, described, from, objectOf, token, type ValueOf } from '../described.ts'
import { sourceFields } from './sourced.ts'

export const usdPrice = described('UsdPrice', 'The value of a token in US dollars, and its source.', {
  price: from(
    'value',
    decimal('US dollars for one whole token: up to 18 significant digits, more than nothing.'),
  ),
  ...sourceFields,
})

export const market = described(
  'Market',
  'Two tokens, and the price of the first in the second. What is not known is null; an error means that it cannot be read now.',
  {
    base: token('The token that is priced, as it was named.'),
    quote: token('The token that it is priced in, as it was named.'),
  },
)
export type MarketKey = ValueOf<typeof market> & { chainId: number }

export const marketSpot = described('MarketSpot', 'The price of a market’s base token now.', {
  price: derived(
    decimal('Whole quote tokens for one whole base token: 18 significant digits, rounded down.'),
    spotPriceDown,
  ),
  base: objectOf(usdPrice)('The value of the base token.'),
  quote: objectOf(usdPrice)('The value of the quote token.'),
})

function spotPriceDown({ base, quote }: Record<'base' | 'quote', { value: string }>): string {
  // Prices have 18 digits in at most 80 decimal places.
  return formatRatioDown(parseUnits(base.value, 98), parseUnits(quote.value, 98))
}

/**
 * The maximum price of one whole token in dollars. A higher one must be a mistake, and doubles lose their
 * cents there.
 */
const maxDollars = 10n ** 15n

export function isAbsurdPrice(numerator: bigint, denominator: bigint): boolean {
  return numerator > maxDollars * denominator
}

/**
 * The price as a plain decimal with at most 18 significant digits; undefined if the first 80 decimal places
 * are 0.
 */
export function usdPriceDown(numerator: bigint, denominator: bigint): string | undefined {
  const price = formatRatioDown(numerator, denominator)
  return price === '0' ? undefined : price
}

/**
 * The shortest decimal of a double, as JavaScript prints it, as a fraction; undefined for NaN, Infinity (the
 * value of `1e400`) and negative numbers, minus zero included.
 */
export function ratioOfDouble(value: number): { numerator: bigint; denominator: bigint } | undefined {
  const [, whole = '', fraction = '', exponent = '0'] =
    /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) ?? []
  if (whole === '' || Object.is(value, -0)) return undefined
  const digits = BigInt(whole + fraction)
  const places = fraction.length - Number(exponent)
  return {
    numerator: places < 0 ? digits * 10n ** BigInt(-places) : digits,
    denominator: places > 0 ? 10n ** BigInt(places) : 1n,
  }
}

/** A double as a plain decimal, without an exponent; "0" if it is not a price. */
export function plainDecimal(value: number): string {
  const ratio = ratioOfDouble(value)
  return ratio ? formatRatioDown(ratio.numerator, ratio.denominator) : '0'
}

/** The value of native atoms in dollars, at this price of one whole coin: up to 18 significant digits. */
export function dollarsDown(nativeAtoms: bigint, price: string): string {
  return formatRatioDown(nativeAtoms * parseUnits(price, 40), 10n ** 58n)
}

/**
 * The value of a token: `tokenAmount` atoms buy `nativeAmount` native atoms. It is a fraction to avoid
 * rounding.
 */
export interface NativeRate {
  nativeAmount: bigint
  tokenAmount: bigint
}

/** The value of an amount in native atoms, rounded down. */
export function nativeWorthDown(atoms: bigint, { nativeAmount, tokenAmount }: NativeRate): bigint {
  return mulDivDown(atoms, nativeAmount, tokenAmount)
}

/**
 * The value of an amount in dollars.
 * @param price dollars for one whole token, a plain decimal
 * @returns a plain decimal of at most 18 significant digits, rounded down
 */
export function usdWorthDown(atoms: bigint, price: string, decimals: number): string {
  const [whole = '', fraction = ''] = price.split('.')
  return formatRatioDown(atoms * BigInt(whole + fraction), 10n ** BigInt(fraction.length + decimals))
}

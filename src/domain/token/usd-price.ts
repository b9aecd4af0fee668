import { formatRatioDown } from '../amount.ts'

/** Dollars for one whole token, over which a price is a mistake: nothing is worth that much, and doubles lose their cents there. */
const maxDollars = 10n ** 15n

export function isAbsurdPrice(numerator: bigint, denominator: bigint): boolean {
  return numerator > maxDollars * denominator
}

/** As a plain decimal of at most 18 significant digits. `undefined` where nothing is left in the first 80 decimal places. */
export function usdPriceDown(numerator: bigint, denominator: bigint): string | undefined {
  const price = formatRatioDown(numerator, denominator)
  return price === '0' ? undefined : price
}

import { formatRatioDown } from '../amount.ts'

/** A higher price of one whole token, in dollars, must be a mistake. Doubles also lose their cents there. */
const maxDollars = 10n ** 15n

export function isAbsurdPrice(numerator: bigint, denominator: bigint): boolean {
  return numerator > maxDollars * denominator
}

/** A plain decimal with at most 18 significant digits; `undefined` when the first 80 decimal places are 0. */
export function usdPriceDown(numerator: bigint, denominator: bigint): string | undefined {
  const price = formatRatioDown(numerator, denominator)
  return price === '0' ? undefined : price
}

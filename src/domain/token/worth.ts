import { formatRatioDown, mulDivDown } from '../amount.ts'
import type { NativeRate } from './native-rate.ts'

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

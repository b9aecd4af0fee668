import type { Address } from '../domain/address.ts'
import { mulDivDown, priceScale } from '../domain/amount.ts'
import type { Pool } from '../domain/pool.ts'
import { bestRouteForBuy } from '../domain/route.ts'
import { wrappedForm } from '../domain/token.ts'

/** What a token is worth: `tokenAmount` atoms buy `nativeAmount` native atoms. Kept as a fraction, so that nothing is rounded yet. */
export interface NativeRate {
  nativeAmount: bigint
  tokenAmount: bigint
}

/** The size that prices are asked for: 0.1 of the native coin. Small enough not to move a pool, large enough to be a price. */
const askedFor = 10n ** 17n

/** How many atoms of the token buy a fixed native amount. `undefined` when no route leads to the native coin. */
export function nativeRate(
  pools: readonly Pool[],
  wrappedNative: Address,
  token: Address,
): NativeRate | undefined {
  if (wrappedForm(token, wrappedNative) === wrappedNative) return { nativeAmount: 1n, tokenAmount: 1n }
  const route = bestRouteForBuy(pools, token, wrappedNative, askedFor)
  return route && { nativeAmount: askedFor, tokenAmount: route.amountIn }
}

/** Native atoms for 10^18 token atoms, rounded down: the form that auctions are stored in. */
export function normalizedPriceDown({ nativeAmount, tokenAmount }: NativeRate): bigint {
  return mulDivDown(nativeAmount, priceScale, tokenAmount)
}

import type { Address } from '../domain/address.ts'
import { mulDivDown, priceScale } from '../domain/amount.ts'
import { Refusal } from '../domain/error.ts'
import type { NativeRate } from '../domain/native-rate.ts'
import type { Network } from '../domain/network.ts'
import type { Pool } from '../domain/pool.ts'
import { bestRouteForBuy } from '../domain/route.ts'
import { wrappedForm } from '../domain/token.ts'
import type { TradingPolicy } from './tradable.ts'

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

/** What prices are read from. */
export interface PriceDesk {
  network: Network
  policy: Pick<TradingPolicy, 'deniedTokens'>
  /** Pools for routes between these pairs at the newest block. @throws Outage */
  pools(pairs: readonly [Address, Address][]): Promise<readonly Pool[]>
}

/** All in one look at the market. A token that no route leads from is left out; one that is not traded here has a Refusal. */
export async function readNativeRates(
  tokens: readonly Address[],
  { network: { wrappedNative }, policy: { deniedTokens }, pools }: PriceDesk,
): Promise<Map<Address, NativeRate | Refusal>> {
  const pairs = tokens
    .filter((token) => !deniedTokens.has(token) && wrappedForm(token, wrappedNative) !== wrappedNative)
    .map((token): [Address, Address] => [token, wrappedNative])
  const found = pairs.length > 0 ? await pools(pairs) : []
  const rates = new Map<Address, NativeRate | Refusal>()
  for (const token of tokens) {
    const rate = deniedTokens.has(token)
      ? new Refusal('UnsupportedToken', `${token} is not traded here`)
      : nativeRate(found, wrappedNative, token)
    if (rate) rates.set(token, rate)
  }
  return rates
}

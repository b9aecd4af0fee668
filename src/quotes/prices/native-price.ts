import { mulDivDown, priceScale } from '../../domain/amount.ts'
import { Outage, Refusal } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Network } from '../../domain/network/network.ts'
import type { TradingPolicy } from '../../domain/order/trading-policy.ts'
import type { Pool } from '../../domain/routing/pool.ts'
import { bestRouteForBuy } from '../../domain/routing/route.ts'
import type { NativeRate } from '../../domain/token/native-rate.ts'
import { wrappedForm } from '../../domain/token/token.ts'
import type { TokenPair } from '../../market/pools/pairs.ts'
import type { MarketView } from '../../market/pools/pools.ts'
import { inTime, startDeadline } from '../deadline.ts'
import type { OutsidePrice } from './outside-price.ts'

/** So little that dividing it over pools would bring nothing. */
const onePath = { maxPaths: 1 }

/** How many atoms of the token buy a fixed native amount. `undefined` when no route leads to the native coin. */
export function nativeRate(
  pools: readonly Pool[],
  { wrappedNative, priceAmount }: Pick<Network, 'wrappedNative' | 'priceAmount'>,
  token: Address,
): NativeRate | undefined {
  if (wrappedForm(token, wrappedNative) === wrappedNative) return { nativeAmount: 1n, tokenAmount: 1n }
  const route = bestRouteForBuy(pools, token, wrappedNative, priceAmount, onePath)
  return route && { nativeAmount: priceAmount, tokenAmount: route.amountIn }
}

/** Native atoms for 10^18 token atoms, rounded down: the form that auctions are stored in. */
export function normalizedPriceDown({ nativeAmount, tokenAmount }: NativeRate): bigint {
  return mulDivDown(nativeAmount, priceScale, tokenAmount)
}

/** What prices are read from. */
export interface NativePriceServices {
  network: Network
  policy: TradingPolicy
  /** The market for routes between these pairs. @throws Outage */
  look(pairs: readonly TokenPair[]): Promise<MarketView>
  /** What others say of a token that no pool of ours leads from. */
  outsidePrice: OutsidePrice
  /** @throws Refusal UnsupportedToken for one that transfers wrongly; Outage */
  checkTokens(tokens: readonly Address[]): Promise<void>
}

/** Of one token, as the pools have it, else as others say. @throws Refusal why there is none; Outage */
export async function readNativeRate(
  token: Address,
  { pools }: Pick<MarketView, 'pools'>,
  { network, outsidePrice }: Pick<NativePriceServices, 'network' | 'outsidePrice'>,
): Promise<NativeRate> {
  return nativeRate(pools, network, token) ?? (await outsidePrice(token))
}

/** For prices that a client asks for by themselves, in milliseconds. */
const maxMs = 5_000

/** As `priceAll`, in bounded time. @throws Refusal Unavailable when that is over; Outage */
export async function readNativeRates(
  tokens: readonly Address[],
  services: NativePriceServices,
): Promise<Map<Address, NativeRate | Refusal>> {
  const deadline = startDeadline(maxMs)
  try {
    return await inTime(priceAll(tokens, services), deadline.signal)
  } finally {
    deadline.end()
  }
}

/**
 * All in one look at the market. A token that nobody has a price for is left out; one that is not traded, or not now, has a Refusal.
 * @throws Outage when there is no market to look at
 */
async function priceAll(
  tokens: readonly Address[],
  services: NativePriceServices,
): Promise<Map<Address, NativeRate | Refusal>> {
  const { wrappedNative } = services.network
  const isCoin = (token: Address) => wrappedForm(token, wrappedNative) === wrappedNative
  const { deniedTokens } = services.policy
  const pairs = tokens
    .filter((token) => !deniedTokens.has(token) && !isCoin(token))
    .map((token): TokenPair => [token, wrappedNative])
  const view = pairs.length > 0 ? await services.look(pairs) : { pools: [] }
  const read = async (token: Address): Promise<NativeRate> => {
    if (deniedTokens.has(token)) throw new Refusal('UnsupportedToken', `${token} is not traded here`)
    const rate = await readNativeRate(token, view, services)
    if (!isCoin(token)) await services.checkTokens([token])
    return rate
  }
  const rates = await Promise.all(
    tokens.map(async (token) => [token, await read(token).catch(refusalOf)] as const),
  )
  return new Map(rates.filter(([, rate]) => !(rate instanceof Refusal && rate.code === 'NoLiquidity')))
}

/** Whoever is away takes only its own token with it. */
function refusalOf(fault: unknown): Refusal {
  if (fault instanceof Refusal) return fault
  if (fault instanceof Outage) return new Refusal('Unavailable', fault.message)
  throw fault
}

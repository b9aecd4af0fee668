import type { Network } from '../../domain/network/network.ts'
import { bestRouteForBuy, bestRouteForSell, type Route } from '../../domain/routing/route.ts'
import { gasUnits } from '../../domain/settlement/gas.ts'
import type { MarketView } from '../../market/pools/pools.ts'
import type { Ask } from '../estimator.ts'
import { nativeRate } from './native-price.ts'

/**
 * The market's route for an amount through the pools, for quotes and live orders alike. Each further swap
 * must earn its gas, in atoms of the side that is not fixed. If these atoms have no price, gas does not
 * count.
 * @param ask with the native coin as its wrapped form
 * @param rateOf rates of tokens that are already known
 * @returns undefined if nothing is paid
 */
export function marketRoute(
  { kind, sellToken, buyToken, amount }: Ask,
  { pools, gasPrice }: Pick<MarketView, 'pools' | 'gasPrice'>,
  network: Pick<Network, 'wrappedNative' | 'priceAmount'>,
  rateOf: (token: Ask['sellToken']) => ReturnType<typeof nativeRate> = (token) =>
    nativeRate(pools, network, token),
): Route | undefined {
  const rate = rateOf(kind === 'sell' ? buyToken : sellToken)
  const hopCost = rate ? (gasUnits.hop * gasPrice * rate.tokenAmount) / rate.nativeAmount : 0n
  const search = kind === 'sell' ? bestRouteForSell : bestRouteForBuy
  const route = search(pools, sellToken, buyToken, amount, { hopCost })
  return route && route.amountIn > 0n && route.amountOut > 0n ? route : undefined
}

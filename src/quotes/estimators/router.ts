import type { Address } from '../../domain/evm/address.ts'
import type { Network } from '../../domain/network/network.ts'
import { bestRouteForBuy, bestRouteForSell, hopsOf, type Route } from '../../domain/routing/route.ts'
import { routeCalls } from '../../domain/settlement/calldata.ts'
import { gasUnits, hopCostDown, settlementGas, tradeGas } from '../../domain/settlement/gas.ts'
import { wrappedForm } from '../../domain/token/token.ts'
import type { TokenPair } from '../../market/pools/pairs.ts'
import type { MarketView } from '../../market/pools/pools.ts'
import { buysNothing } from '../amounts.ts'
import { type Estimate, type EstimateRequest, type Estimator, noLiquidity } from '../estimator.ts'
import { nativeRate } from '../native-price.ts'

/**
 * The market's route for an amount through the pools, for quotes and live orders alike. Each further swap
 * must earn its gas, in atoms of the side that is not fixed. If these atoms have no price, gas does not
 * count.
 * @param ask with the native coin as its wrapped form
 * @param rateOf rates of tokens that are already known
 * @returns undefined if nothing is paid
 */
export function marketRoute(
  { kind, sellToken, buyToken, amount }: EstimateRequest,
  { pools, gasPrice }: Pick<MarketView, 'pools' | 'gasPrice'>,
  network: Pick<Network, 'wrappedNative' | 'priceAmount'>,
  rateOf: (token: EstimateRequest['sellToken']) => ReturnType<typeof nativeRate> = (token) =>
    nativeRate(pools, network, token),
): Route | undefined {
  const rate = rateOf(kind === 'sell' ? buyToken : sellToken)
  const hopCost = rate ? hopCostDown(gasPrice, rate) : 0n
  const search = kind === 'sell' ? bestRouteForSell : bestRouteForBuy
  const route = search(pools, sellToken, buyToken, amount, { hopCost })
  return route && route.amountIn > 0n && route.amountOut > 0n ? route : undefined
}

interface RouterOptions {
  network: Network
  /** The submission address of the built-in solver, which would settle these routes. */
  solver: Address
  look(pairs: readonly TokenPair[]): Promise<MarketView>
}

/** Creates the service's own estimator: the best route through the pools of one block, in exact integers. */
export function createRouter({ network, solver, look }: RouterOptions): Estimator {
  const name = 'router'
  return {
    name,
    async estimate(ask) {
      const buyToken = wrappedForm(ask.buyToken, network.wrappedNative)
      if (ask.sellToken === buyToken) return { ...unswapped(ask), estimator: name, solver }
      const { pools, block, gasPrice } = await look([[ask.sellToken, buyToken]])
      const find = (wanted: Partial<EstimateRequest> = {}) =>
        marketRoute({ ...ask, buyToken, ...wanted }, { pools, gasPrice }, network)
      const route = find()
      if (!route) {
        const cheapest = ask.kind === 'sell' ? find({ kind: 'buy', amount: 1n }) : undefined
        throw cheapest && cheapest.amountIn > ask.amount ? buysNothing('sellAmountAfterFee') : noLiquidity()
      }
      const hops = hopsOf(route)
      return {
        estimator: name,
        solver,
        sellAmount: route.amountIn,
        buyAmount: route.amountOut,
        gas: settlementGas(1, hops.length) + (buyToken === ask.buyToken ? 0n : gasUnits.unwrapNative),
        standing: 'computed',
        execution: {
          preInteractions: [],
          interactions: routeCalls(route.paths, network.settlement),
          txOrigin: null,
        },
        route,
        block,
      }
    },
  }
}

/** The estimate for a token against itself, or against the native coin that it wraps, without a swap. */
function unswapped({ amount, sellToken, buyToken }: EstimateRequest): Omit<Estimate, 'estimator' | 'solver'> {
  const overhead = gasUnits.solverCheck + tradeGas
  return {
    sellAmount: amount,
    buyAmount: amount,
    gas: overhead + (sellToken === buyToken ? 0n : gasUnits.unwrapNative),
    standing: 'computed',
    execution: { preInteractions: [], interactions: [], txOrigin: null },
    route: null,
    block: null,
  }
}

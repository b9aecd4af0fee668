import type { Address } from '../../domain/evm/address.ts'
import type { Network } from '../../domain/network/network.ts'
import { hopsOf } from '../../domain/routing/route.ts'
import { gasUnits, settlementGas, tradeGas } from '../../domain/settlement/gas.ts'
import { wrappedForm } from '../../domain/token/token.ts'
import type { TokenPair } from '../../market/pools/pairs.ts'
import type { MarketView } from '../../market/pools/pools.ts'
import { routeCalls } from '../../solvers/route-calls.ts'
import { buysNothing } from '../amounts.ts'
import type { Ask, Estimate, Estimator } from '../estimator.ts'
import { noLiquidity } from '../fault-choice.ts'
import { marketRoute } from '../prices/market-route.ts'

export interface RouterOptions {
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
      const find = (wanted: Partial<Ask> = {}) =>
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
function unswapped({ amount, sellToken, buyToken }: Ask): Omit<Estimate, 'estimator' | 'solver'> {
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

import type { Address } from '../domain/address.ts'
import { gasUnits, settlementGas } from '../domain/gas.ts'
import type { Network } from '../domain/network.ts'
import type { OrderKind } from '../domain/order.ts'
import type { Pool } from '../domain/pool.ts'
import { bestRouteForBuy, bestRouteForSell, hopsOf } from '../domain/route.ts'
import { wrappedForm } from '../domain/token.ts'

/** What the market does for one exact amount. */
export interface Estimate {
  sellAmount: bigint
  buyAmount: bigint
  /** Gas units of a settlement of this trade alone. */
  gas: bigint
}

export interface Ask {
  kind: OrderKind
  sellToken: Address
  buyToken: Address
  /** Sell atoms of a sell order, buy atoms of a buy order. */
  amount: bigint
}

/** The best route over these pools, up to two swaps; `undefined` when none leads there or pays anything. */
export function estimate(pools: readonly Pool[], { wrappedNative }: Network, ask: Ask): Estimate | undefined {
  const buyToken = wrappedForm(ask.buyToken, wrappedNative)
  const search = ask.kind === 'sell' ? bestRouteForSell : bestRouteForBuy
  const route = search(pools, ask.sellToken, buyToken, ask.amount)
  if (!route) return undefined
  const unwrap = buyToken === ask.buyToken ? 0n : gasUnits.unwrapNative
  return {
    sellAmount: route.amountIn,
    buyAmount: route.amountOut,
    gas: settlementGas(1, hopsOf(route).length) + unwrap,
  }
}

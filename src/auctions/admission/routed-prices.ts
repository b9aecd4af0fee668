import { setImmediate as nextTurn } from 'node:timers/promises'
import { limitGap } from '../../domain/auction/admission.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Network } from '../../domain/network/network.ts'
import { filledAmount, type Order } from '../../domain/order/order.ts'
import { hopsOf } from '../../domain/routing/route.ts'
import type { NativeRate } from '../../domain/token/prices.ts'
import { wrappedForm } from '../../domain/token/token.ts'
import type { MarketView } from '../../market/pools/pools.ts'
import { marketRoute } from '../../quotes/estimators/router.ts'
import { nativeRate } from '../../quotes/native-price.ts'

/**
 * The amounts for which pools traded the rest of an order, before all fees but those of pools: the price of
 * a quote for as much at this block.
 */
export interface RoutedPrice {
  sell: bigint
  buy: bigint
  block: number
  /** Milliseconds. */
  at: number
  /** See `limitGap`. */
  gap: bigint
  /** Swaps that it takes. */
  hops: number
}

/** A block at which no route traded the whole rest of the order. */
export interface NoRoute {
  block: number
  gap?: undefined
}

type PoolMarket = Pick<MarketView, 'pools' | 'gasPrice'>

/** Routes of live orders, found in turns: a few orders after each auction. */
export interface RoutedPrices {
  /** Sets what `find` works on. @param orders the most likely first */
  look(orders: readonly Order[], market: PoolMarket, block: number, at: number): void
  /** Routes orders that never were first, then those that were routed longest ago, until its time is over. */
  find(): Promise<void>
  of(order: Pick<Order, 'id'>): RoutedPrice | NoRoute | undefined
  /** The best of what was ever found for the order by this process. */
  bestOf(order: Pick<Order, 'id'>): RoutedPrice | undefined
}

/** Milliseconds of work before others have their turn. */
const sliceMs = 5
/** Below every gap. */
const farthest = 10n ** 30n

interface View {
  orders: readonly Order[]
  market: PoolMarket
  block: number
  at: number
  rateOf(token: Address): NativeRate | undefined
}

/** Each found once. */
function ratesOf({ pools }: PoolMarket, network: Pick<Network, 'wrappedNative' | 'priceAmount'>) {
  const rates = new Map<Address, NativeRate | undefined>()
  return (token: Address) => {
    if (!rates.has(token)) rates.set(token, nativeRate(pools, network, token))
    return rates.get(token)
  }
}

/** @param budgetMs time of one `find`, in milliseconds */
export function createRoutedPrices(
  network: Pick<Network, 'wrappedNative' | 'priceAmount'>,
  budgetMs: number,
): RoutedPrices {
  /** The one that was routed longest ago first. */
  const prices = new Map<bigint, RoutedPrice | NoRoute>()
  const best = new Map<bigint, RoutedPrice>()
  let view: View | undefined

  function price(order: Order, { market, rateOf, block, at }: View): RoutedPrice | NoRoute {
    const { kind, sellToken } = order
    const amount = (kind === 'sell' ? order.sellAmount : order.buyAmount) - filledAmount(order)
    const buyToken = wrappedForm(order.buyToken, network.wrappedNative)
    const priced = (sell: bigint, buy: bigint, hops: number) => {
      const found = { sell, buy }
      return { ...found, block, at, gap: limitGap(order, found), hops }
    }
    if (sellToken === buyToken) return priced(amount, amount, 0)
    const route = marketRoute({ kind, sellToken, buyToken, amount }, market, network, rateOf)
    return route ? priced(route.amountIn, route.amountOut, hopsOf(route).length) : { block }
  }

  return {
    look(orders, market, block, at) {
      view = { orders, market, block, at, rateOf: ratesOf(market, network) }
    },
    async find() {
      if (!view) return
      const { orders } = view
      const looked = view
      view = undefined
      const byId = new Map(orders.map((order) => [order.id, order]))
      for (const id of prices.keys()) {
        if (byId.has(id)) continue
        prices.delete(id)
        best.delete(id)
      }
      const queue = [...orders.filter(({ id }) => !prices.has(id)).map(({ id }) => id), ...prices.keys()]
      const started = performance.now()
      let slice = started
      for (const id of queue) {
        const order = byId.get(id)
        if (!order) continue
        prices.delete(id)
        const found = price(order, looked)
        prices.set(id, found)
        if (found.gap !== undefined && found.gap > (best.get(id)?.gap ?? -farthest)) best.set(id, found)
        const now = performance.now()
        if (now - started > budgetMs) return
        if (now - slice < sliceMs) continue
        await nextTurn()
        slice = performance.now()
      }
    },
    of: ({ id }) => prices.get(id),
    bestOf: ({ id }) => best.get(id),
  }
}

import { setImmediate as nextTurn } from 'node:timers/promises'
import { limitGap } from '../../domain/auction/admission.ts'
import type { Address } from '../../domain/evm/address.ts'
import { filledAmount, type Order } from '../../domain/order/order.ts'
import type { Pool } from '../../domain/routing/pool.ts'
import { bestRouteForBuy, bestRouteForSell, hopsOf } from '../../domain/routing/route.ts'
import { wrappedForm } from '../../domain/token/token.ts'

/** What pools gave for what remained of an order, before all fees but those of pools. */
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

/** At this block there was no way from one token to the other for all that is left. */
export interface NoRoute {
  block: number
  gap?: undefined
}

/** What the router finds for live orders, in turns: a few orders after each auction. */
export interface RoutedPrices {
  /** Sets what `find` works on. @param orders the most likely first */
  look(orders: readonly Order[], pools: readonly Pool[], block: number, at: number): void
  /** Routes orders that never were first, then those that were routed longest ago, until its time is over. */
  find(): Promise<void>
  of(order: Pick<Order, 'id'>): RoutedPrice | NoRoute | undefined
  /** The best of what was ever found for the order by this process. */
  bestOf(order: Pick<Order, 'id'>): RoutedPrice | undefined
}

/** Milliseconds of work before others have their turn. */
const sliceMs = 5
const search = { maxPaths: 1 }
/** Below every gap. */
const farthest = 10n ** 30n

/** @param budgetMs time of one `find`, in milliseconds */
export function createRoutedPrices(wrappedNative: Address, budgetMs: number): RoutedPrices {
  /** The one that was routed longest ago first. */
  const prices = new Map<bigint, RoutedPrice | NoRoute>()
  const best = new Map<bigint, RoutedPrice>()
  let view: { orders: readonly Order[]; pools: readonly Pool[]; block: number; at: number } | undefined

  function price(order: Order, { pools, block, at }: NonNullable<typeof view>): RoutedPrice | NoRoute {
    const amount = (order.kind === 'sell' ? order.sellAmount : order.buyAmount) - filledAmount(order)
    const findRoute = order.kind === 'sell' ? bestRouteForSell : bestRouteForBuy
    const route = findRoute(
      pools,
      order.sellToken,
      wrappedForm(order.buyToken, wrappedNative),
      amount,
      search,
    )
    if (!route) return { block }
    const found = { sell: route.amountIn, buy: route.amountOut }
    return { ...found, block, at, gap: limitGap(order, found), hops: hopsOf(route).length }
  }

  return {
    look(orders, pools, block, at) {
      view = { orders, pools, block, at }
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

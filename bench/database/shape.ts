/**
 * The content of the bench database. Everything is a function of the order's number, so two fills of one size
 * are equal. Orders come in groups of 20 that meet in the same 5 auctions, like orders that are open at the
 * same time. Each auction has prices of the group's 10 tokens and 4 solutions that trade every order of the
 * group; the first one wins and is attempted, and the last one or two attempts succeed: every fourth order is
 * filled in two trades, the others in one. Owners have 20 orders, spread over the whole time; one of them,
 * the collector, has 1,200. Brief orders, if any, follow in the tables: never traded, with one or two events,
 * from separate owners and the same time.
 */
export const shape = {
  network: { name: 'bench', chainId: 31_337 },
  groupSize: 20,
  auctions: 5,
  solutions: 4,
  prices: 10,
  tokens: 100,
  documents: 50,
  ordersOfOwner: 20,
  ordersOfCollector: 1_200,
} as const

/** The minimum: with fewer orders, the collector would own most. */
export const minOrders = 5_000

export interface Size {
  orders: number
  /** Every order whose number is a multiple of this is the collector's. */
  stride: number
  /** The number of owners except the collector. */
  owners: number
  /** Further orders, with one or two events. */
  brief: number
}

export function sizeOf(orders: number, brief = 0): Size {
  const stride = Math.floor(orders / shape.ordersOfCollector)
  const others = orders - Math.floor(orders / stride)
  return { orders, stride, owners: Math.floor(others / shape.ordersOfOwner), brief }
}

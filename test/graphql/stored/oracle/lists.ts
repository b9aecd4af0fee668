import { orderStatus } from '../../../../src/domain/order/status.ts'
import { byKey } from './fields.ts'
import { domainOrder } from './order-fields.ts'
import type { List } from './page.ts'
import type { Row, Rows } from './rows.ts'

type OrderRow = Row<'orders'>

/** Rows are read in milliseconds; cursors count microseconds. */
const micros = (date: Date) => date.getTime() * 1_000

function list<Item>(items: readonly Item[], more: Omit<List<Item>, 'items'>): List<Item> {
  return { ...more, items: items.slice().sort(byKey(more.keyOf, more.descends ? -1 : 1)) }
}

export const eventsOfOrder = ({ id }: OrderRow, { events }: Rows): List<Row<'events'>> =>
  list(
    events.filter(({ orderId }) => orderId === id),
    { keyOf: (event) => [micros(event.timestamp), event.id], letter: 'e' },
  )

export const tradesOfOrder = ({ id }: OrderRow, { trades }: Rows): List<Row<'trades'>> =>
  list(
    trades.filter(({ orderId }) => orderId === id),
    { keyOf: ({ blockNumber, logIndex }) => [blockNumber, logIndex], letter: 't', descends: true },
  )

export function auctionsOfOrder({ id }: OrderRow, { auctions, auctionOrders }: Rows): List<Row<'auctions'>> {
  const ids = auctionOrders.filter(({ orderId }) => orderId === id).map(({ auctionId }) => auctionId)
  const held = auctions.filter((auction) => ids.includes(auction.id))
  return list(held, { keyOf: (auction) => [auction.id], letter: 'c' })
}

export interface MarketPrice {
  at: Date
  price: { numerator: bigint; denominator: bigint } | null
}

/** Milliseconds. */
function endOf(order: OrderRow, { events }: Rows): number {
  const expiry = Number(order.effectiveValidTo) * 1_000
  if (!['fulfilled', 'cancelled'].includes(orderStatus(domainOrder(order), 0))) return expiry
  const ends = events.filter(
    ({ orderId, label }) => orderId === order.id && (label === 'traded' || label === 'cancelled'),
  )
  return ends.length > 0 ? Math.max(...ends.map(({ timestamp }) => timestamp.getTime())) : expiry
}

/** At the times at which both tokens have a price, until the order ended. */
export function marketPricesOfOrder(order: OrderRow, rows: Rows): List<MarketPrice> {
  const { marketPrices, priceSeries } = rows
  const end = endOf(order, rows)
  const pricesOf = (token: string) => {
    const series = priceSeries.find((one) => one.chainId === order.chainId && one.token === token)
    return marketPrices.filter(({ seriesId }) => seriesId === series?.id)
  }
  const bought = pricesOf(order.buyToken)
  const prices = pricesOf(order.sellToken).flatMap(({ at, price }): MarketPrice[] => {
    const other = bought.find((one) => one.at.getTime() === at.getTime())
    if (!other || at < order.createdAt || at.getTime() > end) return []
    const [numerator, denominator] = [BigInt(price), BigInt(other.price)]
    return [{ at, price: denominator > 0n ? { numerator, denominator } : null }]
  })
  return list(prices, { keyOf: ({ at }) => [micros(at)], letter: 'm', descends: true })
}

export interface Report {
  auction: Row<'auctions'>
  order: OrderRow
}

export function reportsOfOrder(order: OrderRow, rows: Rows): List<Report> {
  const reports = auctionsOfOrder(order, rows).items.map((auction) => ({ auction, order }))
  return list(reports, { keyOf: ({ auction }) => [auction.id], letter: 'c' })
}

/** Reports whether an account's list may lack items, which are still to be read. */
export function isPartial(
  list: 'orders' | 'trades',
  account: string | null | undefined,
  { accountHistories, orderBooks, trades }: Rows,
): boolean {
  const lacks = ({ chainId }: Row<'orderBooks'>) =>
    !accountHistories.some((each) => each.chainId === chainId && each.account === account) ||
    (list === 'orders' &&
      trades.some((each) => each.chainId === chainId && each.owner === account && each.orderId === null))
  return account != null && orderBooks.some(lacks)
}

/** On all networks, newest first. */
export const newestOrders = (orders: readonly OrderRow[]): List<OrderRow> =>
  list(orders, { keyOf: ({ createdAt, id }) => [micros(createdAt), id], letter: 'o', descends: true })

export const newestNotifications = (
  notifications: readonly Row<'notifications'>[],
): List<Row<'notifications'>> =>
  list(notifications, { keyOf: ({ timestamp, id }) => [micros(timestamp), id], letter: 'h', descends: true })

/** A trade of a stored order, or of a network that follows an order book: its order may be read later. */
export const isListed = ({ orderId, chainId }: Row<'trades'>, { orderBooks }: Rows) =>
  orderId !== null || orderBooks.some((book) => book.chainId === chainId)

export const newestTrades = (trades: readonly Row<'trades'>[]): List<Row<'trades'>> =>
  list(trades, {
    keyOf: ({ blockNumber, logIndex, chainId }) => [blockNumber, logIndex, chainId],
    letter: 'n',
    descends: true,
  })

export const newestAuctions = (auctions: readonly Row<'auctions'>[]): List<Row<'auctions'>> =>
  list(auctions, { keyOf: ({ id }) => [id], letter: 'a', descends: true })

export const newestSettlements = (settlements: readonly Row<'settlements'>[]): List<Row<'settlements'>> =>
  list(settlements, {
    keyOf: ({ blockNumber, logIndex }) => [blockNumber, logIndex],
    letter: 'e',
    descends: true,
  })

export function ordersOfAuction({ id }: Row<'auctions'>, { orders, auctionOrders }: Rows): List<OrderRow> {
  const ids = auctionOrders.filter(({ auctionId }) => auctionId === id).map(({ orderId }) => orderId)
  return list(
    orders.filter((order) => ids.includes(order.id)),
    { keyOf: (order) => [order.id], letter: 'h' },
  )
}

/** A feed entry is its notification at a position in the feed. */
type Entry = Row<'notifications'> & { place: number }

export function feedOf(account: string, { entries, notifications }: Rows): List<Entry> {
  const own = entries.filter((entry) => entry.account === account)
  const items = own.flatMap(({ place, notificationId }) =>
    notifications.filter((each) => each.id === notificationId).map((each) => ({ ...each, place })),
  )
  return list(items, { keyOf: ({ place }) => [place], letter: '', startsAtEnd: true })
}

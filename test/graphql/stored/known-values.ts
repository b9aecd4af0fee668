import { keccakText } from '../../../src/domain/evm/keccak.ts'
import type { Choices } from './choices.ts'
import { type Arguments, idOf, type OrderConditions } from './oracle/fields.ts'
import {
  auctionsOfOrder,
  eventsOfOrder,
  feedOf,
  newestAuctions,
  newestNotifications,
  newestOrders,
  newestSettlements,
  newestTrades,
  ordersOfAuction,
  tradesOfOrder,
} from './oracle/lists.ts'
import { cursorOf, type List } from './oracle/page.ts'
import type { Rows } from './oracle/rows.ts'

const unknownHash = keccakText('nothing has this hash')

/** Values for arguments taken from rows, and a few that match no row. */
export function valuesOf(rows: Rows) {
  const { orders, trades, auctions } = rows
  const owners = [...new Set(orders.map(({ owner }) => owner))]
  const nodes = [
    ...orders.map(({ uid }) => idOf('Order', uid)),
    ...auctions.map(({ id }) => idOf('Auction', id)),
    ...trades.map(({ chainId, blockNumber, logIndex }) => idOf('Trade', chainId, blockNumber, logIndex)),
    ...rows.solutions.map(({ auctionId, uid }) => idOf('Solution', auctionId, uid)),
    ...rows.settlements.map(({ chainId, blockNumber, logIndex }) =>
      idOf('Settlement', chainId, blockNumber, logIndex),
    ),
    ...rows.notifications.map(({ id }) => idOf('Notification', id)),
    ...rows.affiliates.map(({ wallet }) => idOf('Affiliate', wallet)),
    ...rows.tokens.map(({ chainId, address }) => idOf('Token', chainId, address)),
    ...owners.map((owner) => idOf('Account', owner)),
    idOf('Auction', 7),
  ]
  return {
    addresses: [...owners, ...rows.affiliates.map(({ wallet }) => wallet), `0x${'9'.repeat(40)}`],
    auctionIds: [...auctions.map(({ id }) => id), 7],
    codes: rows.affiliates.filter(({ enabled }) => enabled).map(({ code }) => code),
    documents: [...rows.appData.map(({ hash }) => hash), unknownHash],
    nodes,
    pairs: orders.map(({ sellToken, buyToken }) => ({ sellToken, buyToken })),
    times: orders.map(({ createdAt }) => createdAt.toISOString()),
    tokens: rows.tokens.map(({ address }) => address),
    transactions: [...new Set(trades.map(({ txHash }) => txHash)), unknownHash],
    uids: [...orders.map(({ uid }) => uid), `0x${'9'.repeat(112)}`],
    cursors: {
      auctions: orders.flatMap((order) => cursorsOf(auctionsOfOrder(order, rows))),
      newestAuctions: cursorsOf(newestAuctions(auctions)),
      auctionOrders: auctions.flatMap((auction) => cursorsOf(ordersOfAuction(auction, rows))),
      events: orders.flatMap((order) => cursorsOf(eventsOfOrder(order, rows))),
      notificationHistory: cursorsOf(newestNotifications(rows.notifications)),
      notifications: ['earliest', ...owners.flatMap((owner) => cursorsOf(feedOf(owner, rows)))],
      orders: cursorsOf(newestOrders(orders)),
      orderTrades: orders.flatMap((order) => cursorsOf(tradesOfOrder(order, rows))),
      settlements: cursorsOf(newestSettlements(rows.settlements)),
      trades: cursorsOf(newestTrades(trades)),
    } as Record<string, string[]>,
  }
}

export type Values = ReturnType<typeof valuesOf>

function cursorsOf<Item>({ items, letter, keyOf }: List<Item>): string[] {
  return items.map((item) => cursorOf(letter, keyOf(item)))
}

const notifications = ['ORDER_FILLED', 'ORDER_EXPIRED', 'ORDER_CANCELLED']
const statuses = ['OPEN', 'FULFILLED', 'CANCELLED', 'EXPIRED', 'PRESIGNATURE_PENDING']

function filterFor(choices: Choices, { pairs, times }: Values): OrderConditions {
  return {
    ...(choices.once(3) && { statuses: [choices.of(statuses), choices.of(statuses)] }),
    ...(choices.once(4) && { pair: choices.of(pairs) }),
    ...(choices.once(3) && { kind: choices.of(['SELL', 'BUY']) }),
    ...(choices.once(4) && { class: choices.of(['LIMIT', 'MARKET', 'LIQUIDITY']) }),
    ...(choices.once(4) && { appCode: choices.of(['an app', 'no app']) }),
    ...(choices.once(5) && { createdFrom: choices.of(times) }),
    ...(choices.once(5) && { createdUntil: choices.of(times) }),
  }
}

const filters = (choices: Choices, values: Values): Arguments => ({
  ...(choices.once(2) && { filter: filterFor(choices, values) }),
})

const notificationFilters = (choices: Choices, { uids, times }: Values): Arguments => ({
  ...(choices.once(2) && {
    filter: {
      ...(choices.once(3) && { types: [choices.of(notifications), choices.of(notifications)] }),
      ...(choices.once(3) && { orderUid: choices.of(uids) }),
      ...(choices.once(5) && { from: choices.of(times) }),
      ...(choices.once(5) && { until: choices.of(times) }),
      ...(choices.once(3) && { unread: choices.once(2) }),
    },
  }),
})

const listNames: Record<string, string> = {
  'Auction.orders': 'auctionOrders',
  'Order.trades': 'orderTrades',
  'DebugReport.trades': 'orderTrades',
  'Query.auctions': 'newestAuctions',
}

/** Cursors of any list of the kind; a cursor need not point into the list that it bounds. */
function pageFor(place: string, choices: Choices, { cursors }: Values): Arguments {
  const [, field = ''] = place.split('.')
  const known = cursors[listNames[place] ?? field] ?? []
  const size = 1 + choices.below(4)
  const sized: Arguments = choices.of([{ first: size }, { last: size }, { first: size }])
  return {
    ...sized,
    ...(known.length > 0 && choices.once(4) && { after: choices.of(known) }),
    ...(known.length > 0 && choices.once(6) && { before: choices.of(known) }),
  }
}

type Give = (choices: Choices, values: Values) => Arguments

const given: Record<string, Give> = {
  'Query.order': (choices, { uids }) => ({ uid: choices.of(uids) }),
  'Query.ordersByUids': (choices, { uids }) => ({
    uids: [choices.of(uids), choices.of(uids), choices.of(uids)],
  }),
  'Query.transactionOrders': (choices, { transactions }) => ({ hash: choices.of(transactions) }),
  'Query.settlementsOfTransaction': (choices, { transactions }) => ({ hash: choices.of(transactions) }),
  'Query.settlements': (choices, { addresses }) => ({
    ...(choices.once(2) && { solver: choices.of(addresses) }),
  }),
  'Query.auctionOfTransaction': (choices, { transactions }) => ({ hash: choices.of(transactions) }),
  'Query.account': (choices, { addresses }) => ({ address: choices.of(addresses) }),
  'Query.auction': (choices, { auctionIds }) => ({ id: choices.of(auctionIds) }),
  'Query.notifications': (choices, { addresses }) => ({ account: choices.of(addresses) }),
  'Query.node': (choices, { nodes }) => ({ id: choices.of(nodes) }),
  'Query.appData': (choices, { documents }) => ({ hash: choices.of(documents) }),
  'Query.affiliate': (choices, { addresses }) => ({ wallet: choices.of(addresses) }),
  'Query.referralCode': (choices, { codes }) => ({ code: choices.of([...codes, 'NOBODYS']) }),
  'Query.token': (choices, { tokens }) => ({ address: choices.of(tokens) }),
  'Query.tokens': (choices, { tokens }) => ({ addresses: [choices.of(tokens), choices.of(tokens)] }),
  'Query.trades': (choices, { addresses, uids }) =>
    choices.of([{}, { owner: choices.of(addresses) }, { orderUid: choices.of(uids) }]),
  'Query.orders': (choices, values) => ({
    ...(choices.once(2) && { owner: choices.of(values.addresses) }),
    ...filters(choices, values),
  }),
  'Account.orders': filters,
  'Account.notificationHistory': notificationFilters,
  'Account.latestNotifications': (choices) => ({ first: 1 + choices.below(4) }),
}

/** Arguments of the field `Type.field`. */
export function argumentsFor(place: string, isPage: boolean, choices: Choices, values: Values): Arguments {
  const own = given[place]?.(choices, values) ?? {}
  return isPage ? { ...own, ...pageFor(place, choices, values) } : own
}

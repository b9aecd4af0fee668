/** A paged list and how a test queries it. */
export interface Walked {
  name: string
  /** The query up to the list; `<page>` stands for its arguments. */
  query: string
  /** The field that identifies an item. */
  key: string
  /** SQL that selects the keys in the list's order. */
  items: string
  /** The cursor of the first page, where one is needed. */
  start?: string
  /** Set if a page may end before it is full: the items among those that the count looks at. */
  looks?: { total: number }
}

const mine = 'o.owner = $owner'
const newest = 'ORDER BY o.created_at DESC, o.id DESC'
const orderId = `'Order:0x' || encode(o.uid, 'hex')`
const orders = (where: string) => `SELECT ${orderId} FROM orders o WHERE ${where} ${newest}`
const trades = `SELECT 'Trade:' || concat_ws(':', chain_id, block_number, log_index) FROM trades ORDER BY block_number DESC, log_index DESC`
const events = 'SELECT reason FROM order_events WHERE order_id = $id ORDER BY timestamp, id'
const feed = `SELECT notification_id::text FROM feed_entries WHERE account = $owner ORDER BY place`
const marketPrices = `SELECT DISTINCT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS at FROM market_prices ORDER BY at DESC`
const auctionIds = 'SELECT id::text FROM auctions ORDER BY id'

export const lists: readonly Walked[] = [
  { name: 'Order.events', query: 'order(uid: <uid>) { events(<page>)', key: 'detail', items: events },
  {
    name: 'Order.marketPrices',
    query: 'order(uid: <uid>) { marketPrices(<page>)',
    key: 'at',
    items: marketPrices,
  },
  { name: 'Order.trades', query: 'order(uid: <uid>) { trades(<page>)', key: 'id', items: trades },
  {
    name: 'Order.auctions',
    query: 'order(uid: <uid>) { auctions(<page>)',
    key: 'auctionId',
    items: auctionIds,
  },
  {
    name: 'DebugReport.events',
    query: 'order(uid: <uid>) { debugReport { events(<page>)',
    key: 'detail',
    items: events,
  },
  {
    name: 'DebugReport.trades',
    query: 'order(uid: <uid>) { debugReport { trades(<page>)',
    key: 'id',
    items: trades,
  },
  {
    name: 'DebugReport.auctions',
    query: 'order(uid: <uid>) { debugReport { auctions(<page>)',
    key: 'auctionId',
    items: auctionIds,
  },
  {
    name: 'Account.orders',
    query: 'account(address: <owner>) { orders(<page>)',
    key: 'id',
    items: orders(mine),
  },
  { name: 'Account.trades', query: 'account(address: <owner>) { trades(<page>)', key: 'id', items: trades },
  {
    name: 'Account.notifications',
    query: 'account(address: <owner>) { notifications(<page>)',
    key: 'notificationId',
    items: feed,
    start: 'earliest',
  },
  {
    name: 'Query.notifications',
    query: 'notifications(account: <owner>, <page>)',
    key: 'notificationId',
    items: feed,
    start: 'earliest',
  },
  {
    name: 'Auction.orders',
    query: 'auction(id: 103) { orders(<page>)',
    key: 'id',
    items: `SELECT ${orderId} FROM orders o JOIN auction_orders ho ON ho.order_id = o.id
      WHERE ho.auction_id = 103 ORDER BY o.id`,
  },
  { name: 'Query.trades of an owner', query: 'trades(owner: <owner>, <page>)', key: 'id', items: trades },
  { name: 'Query.trades of an order', query: 'trades(orderUid: <uid>, <page>)', key: 'id', items: trades },
  {
    name: 'Query.orders of an owner',
    query: 'orders(owner: <owner>, <page>)',
    key: 'id',
    items: orders(mine),
  },
  {
    name: 'Query.orders by owner and statuses',
    query: 'orders(owner: <owner>, filter: { statuses: [OPEN, EXPIRED] }, <page>)',
    key: 'id',
    items: orders(mine),
  },
  {
    name: 'Query.orders by owner, status and kind',
    query: 'orders(owner: <many>, status: OPEN, filter: { kind: BUY }, <page>)',
    key: 'id',
    items: orders(`o.owner = $many AND o.kind = 'buy'`),
  },
  {
    name: 'Query.orders of a rare class',
    query: 'orders(filter: { class: LIQUIDITY }, <page>)',
    key: 'id',
    items: orders(`o.class = 'liquidity'`),
  },
  {
    name: 'Query.orders by time',
    query: 'orders(owner: <owner>, filter: { createdUntil: "2026-01-02T00:00:00Z" }, <page>)',
    key: 'id',
    items: orders(`o.owner = $owner AND o.created_at < timestamptz '2026-01-02'`),
  },
  {
    name: 'Query.orders by owner and class, beyond what one page looks at',
    query: 'orders(owner: <many>, filter: { class: LIQUIDITY }, <page>)',
    key: 'id',
    items: orders(`o.owner = $many AND o.class = 'liquidity'`),
    looks: { total: 23 },
  },
  {
    name: 'Query.orders by app and kind, beyond what one page looks at',
    query: 'orders(filter: { appCode: "an app", kind: BUY }, <page>)',
    key: 'id',
    items: orders(`o.app_code = 'an app' AND o.kind = 'buy'`),
    looks: { total: 23 },
  },
]

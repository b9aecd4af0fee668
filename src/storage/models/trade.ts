import { auctionNumberSql } from '../../domain/auction/key.ts'
import type { Address } from '../../domain/evm/address.ts'
import { type OrderUid, orderTexts, type Trade } from '../../domain/order/order.ts'
import { bytea, raw } from '../database/columns.ts'
import { feedScan, orderFacets, placeFaults, placeKey } from '../feeds/book.ts'
import { Prisma } from '../generated/client.ts'
import {
  address,
  amount,
  boolean,
  bytes32,
  hexText,
  orderUid,
  rowKey,
  safeInt,
  smallInt,
  string,
  time,
} from '../query/codec.ts'
import type { FeedSource } from '../query/feed-source.ts'
import type { RowFields } from '../query/json.ts'
import {
  column,
  derived,
  hasAll,
  type Model,
  modelNamed,
  orNull,
  type PageSource,
  type Relation,
} from '../query/model.ts'
import { nodeId } from '../query/node-id.ts'
import type { PageKey } from '../query/page-key.ts'
import { nativePrices } from './auction/auction.ts'
import { feePolicy } from './auction/fee-policy.ts'
import { arePoliciesKnown, execution } from './auction/report.ts'
import { areTradesComplete, areTradesOfComplete, isAny, isListComplete, isOwnBook } from './completeness.ts'
import { tokenIn } from './token.ts'

const fields = {
  blockNumber: column(safeInt, 'tr.block_number', 'Block of the log.'),
  logIndex: column(smallInt, 'tr.log_index', 'Index of the log in its block.'),
  orderUid: column(orderUid, 'tr.order_uid', 'The order traded.'),
  owner: column(address, 'tr.owner', 'The order’s owner.'),
  sellAmount: column(amount, 'tr.sell_amount', 'Taken from the owner, signed fee included.'),
  sellAmountBeforeFees: derived(
    amount,
    'tr.sell_amount - tr.fee_amount',
    'sellAmount without the signed fee.',
  ),
  buyAmount: column(amount, 'tr.buy_amount', 'Paid to the receiver.'),
  txHash: column(bytes32, 'tr.tx_hash', 'The settlement’s transaction.'),
  auctionId: orNull(
    derived(
      rowKey,
      auctionNumberSql('tr.auction_id'),
      'The auction it settles; null when it is not one of this service.',
    ),
  ),
}

/** SQL condition: the fees of the protocol from trade `tr` are known. */
const areFeesKnown = `(tr.reported_fees IS NOT NULL OR ${isAny(`executions x
  WHERE x.order_id = tr.order_id AND x.auction_id = tr.auction_id AND x.block_number = tr.block_number AND ${arePoliciesKnown}`)})`

export const trade: Model = {
  name: 'Trade',
  description: 'A trade that the settlement contract logged.',
  isFollowed: true,
  fields: {
    id: nodeId('Trade', 'tr.chain_id', 'tr.block_number', 'tr.log_index'),
    ...fields,
    isReverted: derived(
      boolean,
      // No EXISTS: the planner may hash the whole table for one.
      `(SELECT true FROM trades lt WHERE lt.chain_id = tr.chain_id AND lt.block_number = tr.block_number
        AND lt.log_index = tr.log_index AND lt.tx_hash = tr.tx_hash AND lt.order_uid = tr.order_uid) IS NULL`,
      'True if a reorg undid the trade. Only feeds, and trades by their changes, have such ones.',
    ),
    timestamp: orNull(
      derived(
        time,
        `(SELECT max(te.timestamp) FROM order_events te
          WHERE te.order_id = tr.order_id AND te.label = 'traded' AND te.block_number = tr.block_number)`,
        'The time of its event in the order’s history: when the service stored the trade, or the time of its block if it was stored late. Null if the service does not store the order, or no longer its event.',
      ),
    ),
    ...hasAll(
      'executedProtocolFees',
      areFeesKnown,
      'where they are not known: the order book’s report of them is not read yet, or the trade is no execution of an auction of this service.',
    ),
    ...hasAll(
      'nativePrices',
      'tr.auction_id IS NOT NULL',
      'where auctionId is null; else a token without a price had none.',
    ),
  },
  relations: {
    sellToken: tokenIn('tr.chain_id', 'tr.sell_token', orderTexts.sellToken),
    buyToken: tokenIn('tr.chain_id', 'tr.buy_token', orderTexts.buyToken),
    order: {
      kind: 'one',
      model: modelNamed('Order'),
      nullable: true,
      rows: 'orders o WHERE o.id = tr.order_id',
      description: 'The order traded.',
    },
    auction: {
      kind: 'one',
      model: modelNamed('Auction'),
      nullable: true,
      rows: 'auctions a WHERE a.id = tr.auction_id',
      description: 'The auction it settles; null when it is not one of this service.',
    },
    settlement: {
      kind: 'one',
      model: modelNamed('Settlement'),
      nullable: true,
      rows: `settlements st WHERE st.chain_id = tr.chain_id AND st.block_number = tr.block_number AND st.log_index > tr.log_index
        AND st.tx_hash = tr.tx_hash ORDER BY st.log_index LIMIT 1`,
      description: 'The settlement that it is part of.',
    },
    execution: {
      kind: 'one',
      model: () => execution,
      nullable: true,
      rows: `executions x JOIN orders o ON o.id = x.order_id
        WHERE x.order_id = tr.order_id AND x.auction_id = tr.auction_id AND x.block_number = tr.block_number`,
      description:
        'The trade as the execution of its auction, with the network fee; null when it settles none of this service, and when another block has the execution.',
    },
    nativePrices: {
      ...nativePrices(
        `auctions a JOIN auction_prices np ON np.auction_id = a.id
        WHERE a.id = tr.auction_id AND np.token IN (tr.sell_token, tr.buy_token) ORDER BY np.token = tr.buy_token`,
        'Prices of both tokens in its auction, the sell token first; those that the auction did not have are missing.',
      ),
      items: 2,
    },
    executedProtocolFees: {
      kind: 'many',
      model: () => executedProtocolFee,
      rows: `(SELECT pf.token, pf.amount, pf.place, p.kind, p.factor, p.max_volume_factor, NULL::jsonb AS quote
        FROM executions x, unnest(x.protocol_fee_tokens, x.protocol_fee_amounts) WITH ORDINALITY AS pf(token, amount, place)
          JOIN fee_policies p ON p.order_id = tr.order_id AND p.auction_id = tr.auction_id
        WHERE x.order_id = tr.order_id AND x.auction_id = tr.auction_id AND x.block_number = tr.block_number AND p.position = pf.place - 1
        UNION ALL SELECT decode(substr(rf.fee->>'token', 3), 'hex'), (rf.fee->>'amount')::numeric, rf.place, rf.fee->>'kind',
          (rf.fee->>'factor')::numeric * 1000000, (rf.fee->>'maxVolumeFactor')::numeric * 1000000, rf.fee->'quote'
        FROM jsonb_array_elements(tr.reported_fees) WITH ORDINALITY AS rf(fee, place)) pf
        CROSS JOIN LATERAL (SELECT pf.kind, pf.factor, pf.max_volume_factor, pf.quote) p ORDER BY pf.place`,
      items: 2,
      description:
        'Fees of the protocol, by policy; of a followed order book as it reports them, once they are read.',
    },
  },
  identity: { chainId: derived(safeInt, 'tr.chain_id', '') },
}

const executedProtocolFee: Model = {
  name: 'ExecutedProtocolFee',
  description: 'The fee of one policy from a trade.',
  fields: { amount: derived(amount, 'pf.amount', 'The amount of the fee.') },
  relations: {
    token: tokenIn('tr.chain_id', 'pf.token', 'The token of amount.'),
    policy: { kind: 'same', model: () => feePolicy, description: 'The policy.' },
  },
}

export const tradeRow: RowFields<Trade> = {
  ...fields,
  chainId: column(smallInt, 'tr.chain_id', ''),
  sellToken: column(address, 'tr.sell_token', ''),
  buyToken: column(address, 'tr.buy_token', ''),
  feeAmount: column(amount, 'tr.fee_amount', ''),
}

/** Trades of one order, and so of one network, newest first. */
const orderTradesKey: PageKey = {
  letter: 't',
  parts: [
    { sql: 'tr.block_number', type: 'number' },
    { sql: 'tr.log_index', type: 'number' },
  ],
  order: 'DESC',
}

/** Trades of several networks, newest first on each. */
export const tradesKey: PageKey = {
  letter: 'n',
  parts: [...orderTradesKey.parts, { sql: 'tr.chain_id', type: 'number' }],
  order: 'DESC',
}

/** Trades of order `o`. */
export const orderTrades: Relation = {
  kind: 'page',
  model: () => trade,
  rows: 'trades tr WHERE tr.order_id = o.id',
  isComplete: areTradesComplete,
  key: orderTradesKey,
  description: 'Trades of this order, newest first.',
}

export type TradeFilter = { owner: Address } | { orderUid: OrderUid }

/** All trades of the chain, also of orders that the service does not store. */
const allTrades = (chainId: number) => Prisma.sql`trades tr WHERE tr.chain_id = ${chainId}`

/** Trades of orders that the service stores or follows, one index range for each network. */
export function tradeRanges(
  filters: (chainId: number) => readonly Prisma.Sql[],
  chainIds: readonly number[],
  isComplete: Prisma.Sql,
): PageSource {
  return {
    isComplete,
    ranges: chainIds.flatMap((chainId) => filters(chainId).map((filter) => tradesWhere(filter, chainId))),
  }
}

/** Selects trades. On a network that follows an order book, a trade may come before its order is read. */
const tradesWhere = (filter: Prisma.Sql, chainId: number) =>
  Prisma.sql`trades tr WHERE ${filter} AND tr.chain_id = ${chainId}
    AND (tr.order_id IS NOT NULL OR EXISTS (SELECT FROM order_books ob WHERE ob.chain_id = ${chainId}))`

/** Trades of orders that the account owns, and of those that it placed for a contract to own. */
export const tradesOfAccount =
  (account: Prisma.Sql) =>
  (chainId: number): Prisma.Sql[] => [
    Prisma.sql`tr.owner = ${account}`,
    Prisma.sql`tr.order_id IN (SELECT po.id FROM orders po WHERE po.onchain_user = ${account} AND po.chain_id = ${chainId})`,
  ]

const conditionsOf = (filter: TradeFilter) =>
  'owner' in filter
    ? tradesOfAccount(Prisma.sql`${bytea(filter.owner)}`)
    : () => [Prisma.sql`tr.order_uid = ${bytea(filter.orderUid)}`]

export const isCompleteFor = (filter: TradeFilter, chainIds: readonly number[]) =>
  'owner' in filter ? isListComplete('trades', filter.owner, chainIds) : areTradesOfComplete(filter.orderUid)

/** SQL for members of the trades among `rows` over REST that are not known. */
export const unknownOfTrades = (rows: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`(SELECT 'executedProtocolFees' FROM (SELECT ${raw(areFeesKnown)} AS is_known FROM ${rows}) u WHERE NOT u.is_known LIMIT 1)`

interface TradePage {
  filter: TradeFilter
  chainId: number
  offset: number
  limit: number
}

/** Newest first. The REST contract pages by offset. */
export const pageOfTrades = ({ filter, chainId, offset, limit }: TradePage): Prisma.Sql =>
  Prisma.sql`(${Prisma.join(
    conditionsOf(filter)(chainId).map(
      (condition) => Prisma.sql`(SELECT tr.* FROM ${tradesWhere(condition, chainId)}
        ORDER BY tr.block_number DESC, tr.log_index DESC LIMIT ${offset + limit})`,
    ),
    ' UNION ALL ',
  )}) tr ORDER BY tr.block_number DESC, tr.log_index DESC LIMIT ${limit} OFFSET ${offset}`

export const listedTrades: Relation = {
  kind: 'page',
  model: () => trade,
  rows: ({ filter, chainIds, isByChange }: ListedTrades) =>
    isByChange
      ? changedTrades(filter, chainIds)
      : filter
        ? tradeRanges(conditionsOf(filter), chainIds, isCompleteFor(filter, chainIds))
        : { ranges: chainIds.map(allTrades), isComplete: isOwnBook(chainIds), mayBeEmpty: true },
  key: tradesKey,
  description:
    'Trades, newest first on each network: all that the settlement contracts logged, or those of an owner’s orders or of one order. Give owner or orderUid, not both.',
}

interface ListedTrades {
  filter: TradeFilter | null
  chainIds: readonly number[]
  /** True for the order of their last changes, with those that a reorg undid. */
  isByChange: boolean
}

/**
 * SQL for the trade `tr` of an entry `f`, as it was or is: a feed reads the same at any time.
 * @param at the row with the trade's place on its chain
 * @param removal condition and order of entry `r` that may have taken the trade back
 */
const tradeAt = (at: string, removal: string, isLive: string) => {
  const isAt = (row: string) =>
    `${row}.chain_id = ${at}.chain_id AND ${row}.block_number = ${at}.block_number AND ${row}.log_index = ${at}.log_index`
  const removed = `trade_feed r WHERE ${isAt('r')} AND r.removed IS NOT NULL AND ${removal}`
  return `(SELECT t.* FROM (SELECT r.removed FROM ${removed} LIMIT 1) r, jsonb_populate_record(NULL::trades, r.removed) t
    UNION ALL SELECT t.* FROM trades t WHERE ${isAt('t')} AND ${isLive} AND NOT EXISTS (SELECT FROM ${removed})) tr`
}

/** Entry `f` of the feed of trades. */
const tradeOfEntry = tradeAt('f', 'r.place >= f.place ORDER BY r.place', 'f.removed IS NULL')

/**
 * SQL for the trade `tr` of entry `f` in the feed of the book. A trade is stored and taken back before its
 * event, at an earlier place.
 */
export const tradeOfEvent = (event: string) => `(SELECT bo.chain_id, ev.block_number, ev.log_index
    FROM ${event}, orders bo WHERE bo.id = f.order_id AND ev.label = 'traded') xt
  CROSS JOIN LATERAL ${tradeAt(
    'xt',
    `(r.place > f.place) = (f.removed IS NULL) ORDER BY abs(r.place - f.place)`,
    'f.removed IS NULL',
  )}`

/** Entry `f` of the feed of trades. */
export const tradeEvent: Model = {
  name: 'TradeEvent',
  description: 'A trade in the feed of trades: new, changed, or undone by a reorg.',
  fields: {
    cursor: derived(
      string,
      'f.place::text',
      'The place of the entry: a stream that starts behind it continues with the next one.',
    ),
    isRemoved: derived(
      boolean,
      'f.removed IS NOT NULL',
      'True if a reorg undid the trade, which an earlier entry contained.',
    ),
  },
  relations: {
    trade: {
      kind: 'one',
      model: () => trade,
      rows: tradeOfEntry,
      description: 'The trade, as it is now, or as it was when a reorg undid it.',
    },
  },
}

/** Trades of all orders, by filters. */
export const tradeFeed = {
  name: 'trade',
  table: 'trade_feed',
  entry: tradeEvent,
  rows: 'trade_feed f WHERE true',
  key: '',
  keyType: 'filter',
  facets: {
    joins: `LEFT JOIN orders xo ON xo.id = f.order_id LEFT JOIN LATERAL ${tradeOfEntry} ON true`,
    texts: {
      ...orderFacets,
      network: ['f.chain_id::text'],
      label: [`'traded'`],
      owner: [hexText('tr.owner'), hexText('xo.onchain_user')],
      token: [hexText('tr.sell_token'), hexText('tr.buy_token')],
      sellToken: [hexText('tr.sell_token')],
      buyToken: [hexText('tr.buy_token')],
    },
  },
} satisfies FeedSource

/** Trades after a place in their feed, each once with its last change. */
function changedTrades(filter: TradeFilter | null, chainIds: readonly number[]): PageSource {
  const ofFilter = filter
    ? chainIds.map(
        (id) =>
          Prisma.sql`(tr.chain_id = ${id} AND (${Prisma.join([...conditionsOf(filter)(id)], ' OR ')}) AND tr.order_id IS NOT NULL)`,
      )
    : [Prisma.sql`tr.chain_id = ANY(${[...chainIds]}::int[])`]
  const isLast = Prisma.sql`NOT EXISTS (SELECT FROM trade_feed l WHERE l.chain_id = tr.chain_id
    AND l.block_number = tr.block_number AND l.log_index = tr.log_index AND l.place > tr.place)`
  return {
    ranges: [
      Prisma.sql`(SELECT tr.*, f.place FROM trade_feed f CROSS JOIN LATERAL ${Prisma.raw(tradeOfEntry)}) tr WHERE true`,
    ],
    scan: { limit: feedScan, condition: Prisma.sql`(${Prisma.join(ofFilter, ' OR ')}) AND ${isLast}` },
    isComplete: filter ? isCompleteFor(filter, chainIds) : isOwnBook(chainIds),
    mayBeEmpty: true,
    ordered: { key: placeKey('tr'), faults: placeFaults('trade') },
  }
}

import { hasEnded, type OrderStatus, orderStatuses } from '../../domain/order-status.ts'
import { statusCase } from '../order-status.ts'
import {
  amount,
  bool,
  graphWord,
  hex,
  hexText,
  listOf,
  many,
  nodeId,
  nothing,
  number,
  orNull,
  same,
  string,
  time,
  token,
  word,
} from './expressions.ts'
import type { Child, Leaf, Noun } from './noun.ts'
import { effectiveReceiver, executedFraction, executedPrice, limitPrice, surplus } from './order-value.ts'
import { auctionReport, event, trade } from './story-nouns.ts'
import { literal, sql, toSql } from './text.ts'

/** The status at `$1` (Unix seconds), in the words of whoever asks. */
export const statusIn = (words: Record<OrderStatus, string>): Leaf => word(statusCase('$1', words))

const status = statusIn({
  fulfilled: 'FULFILLED',
  cancelled: 'CANCELLED',
  expired: 'EXPIRED',
  presignaturePending: 'PRESIGNATURE_PENDING',
  open: 'OPEN',
})

const ended = Object.fromEntries(orderStatuses.map((status) => [status, `${hasEnded(status)}`]))

/** Until the order has ended, nobody is told what its settlement may call: whoever knows can run ahead of it. */
const orderHasEnded = `${statusCase('$1', ended as Record<OrderStatus, string>)}::bool`

/** Most quotes have none: nobody asks for the status of their orders. */
const metadata: Leaf = {
  text: sql(`CASE WHEN q.metadata IS NOT NULL AND ${orderHasEnded} THEN q.metadata::text END`),
  nullable: true,
}

export const quote: Noun = {
  name: 'OrderQuote',
  leaves: {
    gasAmount: amount('q.gas_amount'),
    gasPrice: amount('q.gas_price'),
    sellTokenPrice: word('q.sell_token_price'),
    sellAmount: amount('q.sell_amount'),
    buyAmount: amount('q.buy_amount'),
    feeAmount: amount('q.fee_amount'),
    solver: hex('q.solver'),
    verified: bool('q.verified'),
    metadata,
  },
  children: {},
}

const interaction: Noun = {
  name: 'Interaction',
  leaves: {
    target: word(`i.item->>'target'`),
    value: word(`i.item->>'value'`),
    callData: word(`i.item->>'callData'`),
  },
  children: {},
}

/** Most orders have none: nothing is taken apart for them. */
const interactionsOf = (stage: 'pre' | 'post'): Child => ({
  noun: () => interaction,
  wrap: (item) =>
    sql(
      `CASE WHEN o.interactions IS NULL THEN '[]' ELSE ${toSql(listOf(item, `jsonb_array_elements(o.interactions->'${stage}') AS i(item)`))} END`,
    ),
})

export const interactions: Noun = {
  name: 'Interactions',
  leaves: {},
  children: { pre: interactionsOf('pre'), post: interactionsOf('post') },
}

const events = many(() => event, `order_events ev WHERE ev.order_id = o.id ORDER BY ev.timestamp, ev.id`)

const tradesOf = (more: string) =>
  many(
    () => trade,
    `trades tr WHERE tr.order_id = o.id ORDER BY tr.block_number DESC, tr.log_index DESC${more}`,
  )

const eitherToken = token(
  'o.chain_id',
  'side.token',
  (column) =>
    `(SELECT tk.${column} FROM tokens tk WHERE tk.chain_id = o.chain_id AND tk.address = side.token)`,
)
const tokens: Child = {
  ...eitherToken,
  wrap: (item) =>
    listOf(item, '(VALUES (0, o.sell_token), (1, o.buy_token)) AS side(place, token) ORDER BY side.place'),
}

const debugReport: Noun = {
  name: 'DebugReport',
  leaves: { orderUid: hex('o.uid') },
  children: {
    order: same(() => order),
    events,
    auctions: many(
      () => auctionReport,
      `auction_orders ao JOIN auctions a ON a.id = ao.auction_id WHERE ao.order_id = o.id ORDER BY a.id`,
    ),
    trades: tradesOf(' LIMIT 100'),
  },
}

/** What an order has in the REST contract. */
export const contractLeaves: Noun['leaves'] = {
  uid: hex('o.uid'),
  owner: hex('o.owner'),
  from: hex('o.owner'),
  receiver: orNull(hex('o.receiver')),
  sellAmount: amount('o.sell_amount'),
  buyAmount: amount('o.buy_amount'),
  feeAmount: amount('o.fee_amount'),
  validTo: number('o.valid_to'),
  validFrom: orNull(number('o.valid_from')),
  kind: graphWord('o.kind'),
  partiallyFillable: bool('o.partially_fillable'),
  sellTokenBalance: graphWord('o.sell_token_balance'),
  buyTokenBalance: graphWord('o.buy_token_balance'),
  signingScheme: graphWord('o.signing_scheme'),
  signature: hex('o.signature'),
  appData: hex('o.app_data'),
  appDataHash: hex('o.app_data'),
  fullAppData: orNull(string('(SELECT d.document FROM app_data d WHERE d.hash = o.app_data)')),
  settlementContract: hex('o.settlement'),
  creationDate: time('o.created_at'),
  class: graphWord('o.class'),
  isLiquidityOrder: bool(`o.class = 'liquidity'`),
  status,
  invalidated: bool('o.cancelled_at IS NOT NULL OR o.invalidated'),
  executedSellAmount: amount('o.executed_sell'),
  executedSellAmountBeforeFees: amount('(o.executed_sell - o.executed_signed_fee)'),
  executedBuyAmount: amount('o.executed_buy'),
  executedFeeAmount: amount('o.executed_signed_fee'),
  executedFee: amount('o.executed_fee'),
  executedFeeToken: hex('coalesce(o.executed_fee_token, o.sell_token)'),
  availableBalance: nothing,
  quoteId: orNull(number('o.quote_id')),
  fullBalanceCheck: bool('o.full_balance_check'),
  onchainUser: nothing,
}

export const order: Noun = {
  name: 'Order',
  leaves: {
    ...contractLeaves,
    id: nodeId('Order', hexText('o.uid')),
    effectiveReceiver,
    executedFraction,
  },
  children: {
    sellToken: token('o.chain_id', 'o.sell_token', (column) => `ts.${column}`),
    buyToken: token('o.chain_id', 'o.buy_token', (column) => `tb.${column}`),
    tokens,
    limitPrice,
    executedPrice,
    surplus,
    quote: {
      noun: () => quote,
      wrap: (item) =>
        sql(`coalesce((SELECT ${toSql(item)} FROM order_quotes q WHERE q.order_id = o.id), 'null')`),
    },
    interactions: same(() => interactions),
    /** Only orders placed on chain have these two, and they are not stored yet. */
    onchainOrderData: { noun: () => placement, wrap: () => literal('null') },
    ethflowData: { noun: () => ethflow, wrap: () => literal('null') },
    events,
    trades: tradesOf(''),
    debugReport: same(() => debugReport),
  },
}

/** Null, whatever is asked of it. */
const placement: Noun = {
  name: 'OnchainOrderData',
  leaves: { sender: nothing, placementError: nothing },
  children: {},
}
const ethflow: Noun = {
  name: 'EthflowData',
  leaves: { refundTxHash: nothing, userValidTo: nothing },
  children: {},
}

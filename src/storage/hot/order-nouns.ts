import type { OrderStatus } from '../../domain/order-status.ts'
import { amount, hex, many, same, time, token, word } from './expressions.ts'
import type { Noun } from './noun.ts'
import { auctionReport, event, trade } from './story-nouns.ts'

/** The status at `$1` (Unix seconds): the same decision as `statusSql`, in the words of whoever asks. */
export const statusIn = (words: Record<OrderStatus, string>) => `(CASE
  WHEN CASE o.kind WHEN 'buy' THEN o.executed_buy > 0 AND o.executed_buy = o.buy_amount
    ELSE o.executed_sell > 0 AND o.executed_sell - o.executed_signed_fee = o.sell_amount END THEN '${words.fulfilled}'
  WHEN o.cancelled_at IS NOT NULL OR o.invalidated THEN '${words.cancelled}'
  WHEN o.effective_valid_to < $1 THEN '${words.expired}'
  WHEN o.signing_scheme = 'presign' AND NOT o.presigned THEN '${words.presignaturePending}'
  ELSE '${words.open}' END)`

const status = statusIn({
  fulfilled: 'FULFILLED',
  cancelled: 'CANCELLED',
  expired: 'EXPIRED',
  presignaturePending: 'PRESIGNATURE_PENDING',
  open: 'OPEN',
})

export const quote: Noun = {
  name: 'OrderQuote',
  leaves: {
    gasAmount: amount('q.gas_amount'),
    gasPrice: amount('q.gas_price'),
    sellTokenPrice: 'q.sell_token_price',
    sellAmount: amount('q.sell_amount'),
    buyAmount: amount('q.buy_amount'),
    feeAmount: amount('q.fee_amount'),
    solver: hex('q.solver'),
    verified: 'q.verified',
    metadata: 'NULL',
  },
  children: {},
}

const interaction: Noun = {
  name: 'Interaction',
  leaves: { target: `i.item->>'target'`, value: `i.item->>'value'`, callData: `i.item->>'callData'` },
  children: {},
}

export const interactions: Noun = {
  name: 'Interactions',
  leaves: {},
  children: {
    pre: many(
      () => interaction,
      `json_array_elements(coalesce(o.interactions->'pre', '[]')::json) AS i(item)`,
    ),
    post: many(
      () => interaction,
      `json_array_elements(coalesce(o.interactions->'post', '[]')::json) AS i(item)`,
    ),
  },
}

const events = many(() => event, `order_events ev WHERE ev.order_id = o.id ORDER BY ev.timestamp, ev.id`)

const tradesOf = (more: string) =>
  many(
    () => trade,
    `trades tr WHERE tr.order_id = o.id ORDER BY tr.block_number DESC, tr.log_index DESC${more}`,
  )

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

export const order: Noun = {
  name: 'Order',
  leaves: {
    uid: hex('o.uid'),
    owner: hex('o.owner'),
    from: hex('o.owner'),
    receiver: hex('o.receiver'),
    sellAmount: amount('o.sell_amount'),
    buyAmount: amount('o.buy_amount'),
    feeAmount: amount('o.fee_amount'),
    validTo: 'o.valid_to',
    validFrom: 'o.valid_from',
    kind: word('o.kind'),
    partiallyFillable: 'o.partially_fillable',
    sellTokenBalance: word('o.sell_token_balance'),
    buyTokenBalance: word('o.buy_token_balance'),
    signingScheme: word('o.signing_scheme'),
    signature: hex('o.signature'),
    appData: hex('o.app_data'),
    appDataHash: hex('o.app_data'),
    fullAppData: '(SELECT d.document FROM app_data d WHERE d.hash = o.app_data)',
    settlementContract: hex('o.settlement'),
    creationDate: time('o.created_at'),
    class: word('o.class'),
    isLiquidityOrder: `(o.class = 'liquidity')`,
    status,
    invalidated: '(o.cancelled_at IS NOT NULL OR o.invalidated)',
    executedSellAmount: amount('o.executed_sell'),
    executedSellAmountBeforeFees: amount('(o.executed_sell - o.executed_signed_fee)'),
    executedBuyAmount: amount('o.executed_buy'),
    executedFeeAmount: amount('o.executed_signed_fee'),
    executedFee: amount('o.executed_fee'),
    executedFeeToken: hex('coalesce(o.executed_fee_token, o.sell_token)'),
    availableBalance: 'NULL',
    quoteId: 'o.quote_id',
    fullBalanceCheck: 'o.full_balance_check',
    onchainUser: 'NULL',
  },
  children: {
    sellToken: token('o.chain_id', 'o.sell_token'),
    buyToken: token('o.chain_id', 'o.buy_token'),
    quote: {
      noun: () => quote,
      sql: (item) => `(SELECT ${item} FROM order_quotes q WHERE q.order_id = o.id)`,
    },
    interactions: same(() => interactions),
    /** Only orders placed on chain have these two, and they are not stored yet. */
    onchainOrderData: { noun: () => placement, sql: () => 'NULL' },
    ethflowData: { noun: () => ethflow, sql: () => 'NULL' },
    events,
    trades: tradesOf(''),
    debugReport: same(() => debugReport),
  },
}

/** Null, whatever is asked of it. */
const placement: Noun = {
  name: 'OnchainOrderData',
  leaves: { sender: 'NULL', placementError: 'NULL' },
  children: {},
}
const ethflow: Noun = {
  name: 'EthflowData',
  leaves: { refundTxHash: 'NULL', userValidTo: 'NULL' },
  children: {},
}

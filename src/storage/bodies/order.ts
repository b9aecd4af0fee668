import { executedFeeToken, order } from '../models/order/order.ts'
import { orderQuote } from '../models/order/quote.ts'
import { interactions, isPlacedOnChain, refundTx } from '../models/order/relations.ts'
import { address, boolean } from '../query/codec.ts'
import { column, derived } from '../query/model.ts'
import type { Body } from './body.ts'
import { absent, fieldsOf, listOf, modelOf, wholeBody } from './fields.ts'

export const interactionsBody: Body = {
  pre: listOf(interactions, 'pre'),
  post: listOf(interactions, 'post'),
}

const { validFrom, quoteId, onchainUser, cancelledBy } = fieldsOf(
  order,
  'validFrom',
  'quoteId',
  'onchainUser',
  'cancelledBy',
)

export const onchainOrderDataBody: Body = fieldsOf(
  modelOf(order, 'onchainOrderData'),
  'sender',
  'placementError',
)

export const ethflowDataBody: Body = {
  ...wholeBody(modelOf(order, 'ethflowData')),
  isRefunded: derived(boolean, `${refundTx} IS NOT NULL`, 'Whether the coins were given back.'),
}

/** A row for an order placed on chain. */
const placement = `(VALUES (true)) AS placement(is_placed) WHERE ${isPlacedOnChain}`

/** Order `o`, as in lists. */
export const listedOrder: Body = {
  ...fieldsOf(
    order,
    'uid',
    'owner',
    'from',
    'receiver',
    'sellAmount',
    'buyAmount',
    'feeAmount',
    'validTo',
    'kind',
    'partiallyFillable',
    'sellTokenBalance',
    'buyTokenBalance',
    'signingScheme',
    'signature',
    'appData',
    'appDataHash',
    'fullAppData',
    'settlementContract',
    'creationDate',
    'class',
    'isLiquidityOrder',
    'status',
    'invalidated',
    'executedSellAmount',
    'executedSellAmountBeforeFees',
    'executedBuyAmount',
    'executedFeeAmount',
    'executedFee',
    'fullBalanceCheck',
    'availableBalance',
  ),
  executedFeeToken,
  sellToken: column(address, 'o.sell_token', 'What is sold.'),
  buyToken: column(address, 'o.buy_token', 'What is bought.'),
  interactions: { object: interactionsBody },
  validFrom: absent(validFrom),
  quoteId: absent(quoteId),
  onchainUser: absent(onchainUser),
  cancelledBy: absent(cancelledBy),
  // Only for orders that are placed on chain.
  onchainOrderData: { one: onchainOrderDataBody, rows: placement },
  ethflowData: { one: ethflowDataBody, rows: placement },
}

/** Order `o` with its quote, as in single reads and the debug report. */
export const fullOrder: Body = {
  ...listedOrder,
  quote: { one: wholeBody(orderQuote), rows: 'order_quotes q WHERE q.order_id = o.id' },
}

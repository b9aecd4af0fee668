import { orderTexts } from '../../domain/order/order.ts'
import { plainStages } from '../../domain/order/status.ts'
import { executedFeeToken, order } from '../models/order/order.ts'
import { executedAmounts, orderProgress, plainStageSql, solverProposal } from '../models/order/progress.ts'
import { interactions, isPlacedOnChain, orderQuote, refundTx } from '../models/order/relations.ts'
import { address, boolean, enumOf } from '../query/codec.ts'
import { column, derived } from '../query/model.ts'
import { absent, type Body, fieldsOf, listOf, modelOf, rowsOf, wholeBody } from './body.ts'

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
  isRefunded: derived(boolean, `${refundTx} IS NOT NULL`, 'True if the coins were refunded.'),
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
  sellToken: column(address, 'o.sell_token', orderTexts.sellToken),
  buyToken: column(address, 'o.buy_token', orderTexts.buyToken),
  interactions: { object: interactionsBody },
  validFrom: absent(validFrom),
  quoteId: absent(quoteId),
  onchainUser: absent(onchainUser),
  cancelledBy: absent(cancelledBy),
  // Only for orders that are placed on chain.
  onchainOrderData: { one: onchainOrderDataBody, rows: placement },
  ethflowData: { one: ethflowDataBody, rows: placement },
}

/** Clients of the interface read whole units of gas. */
const { exactGasAmount: _, exactGasPrice: __, ...wholeGas } = wholeBody(orderQuote)
export const orderQuoteBody: Body = wholeGas

/** Order `o` with its quote, as in single reads and the debug report. */
export const fullOrder: Body = {
  ...listedOrder,
  quote: { one: orderQuoteBody, rows: 'order_quotes q WHERE q.order_id = o.id' },
}

const stage = derived(
  enumOf('OrderStage', plainStages),
  plainStageSql,
  'Stage by its trades, or else its end, or else its newest event. One that has expired is open; one that was replaced, invalidated or refunded is cancelled.',
)
const solutions = orderProgress.relations?.solutions

export const solverProposalBody: Body = {
  ...wholeBody(solverProposal),
  executedAmounts: {
    object: wholeBody(executedAmounts),
    unless: 'px.order_id IS NULL',
    description: solverProposal.relations?.executedAmounts?.description ?? '',
  },
}

/** Progress of order `o`. `value` is left out before the order is in a competition. */
export const orderProgressBody: Body = {
  type: stage,
  value: {
    perhaps: solverProposalBody,
    rows: rowsOf(orderProgress, 'solutions'),
    unless: (solutions && 'unless' in solutions && solutions.unless) || 'false',
    description: 'For solved, executing and traded: the solutions of that competition, worst first.',
  },
}

import { orderTexts } from '../../domain/order/order.ts'
import {
  currentAuction,
  currentAuctionOrder,
  currentOrders,
  currentPrices,
} from '../models/auction/auction.ts'
import { order } from '../models/order/order.ts'
import { interactions, orderQuote } from '../models/order/relations.ts'
import { address, amount, type Codec, safeInt } from '../query/codec.ts'
import { aliasField, column, derived } from '../query/model.ts'
import { type Body, fieldsOf, type ListMember, listOf, textOf, valuesOf } from './body.ts'
import { nativePricesBody } from './competition.ts'
import { feePoliciesOf } from './trade.ts'

const { auctionId, block } = fieldsOf(currentAuction, 'auctionId', 'block')
const { filled } = fieldsOf(currentAuctionOrder, 'filled')

const preInteractions: ListMember = {
  ...listOf(interactions, 'pre'),
  only: 'o.interactions IS NOT NULL AND e.filled = 0',
  description: 'Calls before the trade; none once a part is filled.',
}

export const auctionFeePolicies = feePoliciesOf('o.id')

/** A value of quote `q`, of which an order may have none. */
const quoted = (column: string, otherwise: string, description: string) =>
  derived(amount as Codec<bigint>, `coalesce(q.${column}, ${otherwise})`, description)

const noSolver = `'\\x${'00'.repeat(20)}'::bytea`

/** The quote that an order was stored with; without one, its own terms. */
const quoteOf: Body = {
  sellAmount: quoted('sell_amount', 'o.sell_amount', textOf(orderQuote, 'sellAmount')),
  buyAmount: quoted('buy_amount', '0', 'Quoted buy amount; 0 without a quote.'),
  fee: quoted('fee_amount', 'o.fee_amount', textOf(orderQuote, 'feeAmount')),
  solver: derived(address, `coalesce(q.solver, ${noSolver})`, 'Its solver; zeros without a quote.'),
}

/** Order `o` as entry `e` of an auction. */
export const auctionOrder: Body = {
  ...fieldsOf(order, 'uid', 'sellAmount', 'buyAmount', 'validTo', 'kind', 'receiver', 'owner'),
  sellToken: column(address, 'o.sell_token', orderTexts.sellToken),
  buyToken: column(address, 'o.buy_token', orderTexts.buyToken),
  protocolFees: {
    ...listOf(currentAuctionOrder, 'feePolicies', {}),
    list: { variants: auctionFeePolicies, by: 'p.kind' },
  },
  created: derived(
    safeInt,
    'extract(epoch FROM o.created_at)::bigint',
    'The time of its creation, in Unix seconds.',
  ),
  ...fieldsOf(order, 'partiallyFillable'),
  executed: aliasField(filled, filled.description),
  preInteractions,
  postInteractions: listOf(interactions, 'post'),
  ...fieldsOf(order, 'sellTokenBalance', 'buyTokenBalance', 'class', 'appData', 'signingScheme', 'signature'),
  quote: { object: quoteOf, description: 'The quote of the order.' },
}

/** Current auction `ca`. */
export const currentAuctionBody: Body = {
  id: auctionId,
  block,
  orders: {
    list: auctionOrder,
    rows: `${currentOrders} LEFT JOIN order_quotes q ON q.order_id = o.id ORDER BY e.order_id`,
    description: 'Oldest first, with the signed amounts.',
  },
  prices: nativePricesBody(`(SELECT * FROM ${currentPrices} ORDER BY np.token) np`),
  surplusCapturingJitOrderOwners: valuesOf(currentAuction, 'surplusCapturingJitOrderOwners'),
}

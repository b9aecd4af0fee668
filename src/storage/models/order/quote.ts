import type { OrderQuote } from '../../../domain/order/order.ts'
import { orderHasEnded } from '../../order/status.ts'
import { address, amount, boolean, decimal, json } from '../../query/codec.ts'
import { column, derived, type Model, orNull } from '../../query/model.ts'
import type { RowFields } from '../../query/row.ts'
import { now } from '../../query/selected.ts'

const fields = {
  gasAmount: column(amount, 'q.gas_amount', 'Gas units of the estimate.'),
  gasPrice: column(amount, 'q.gas_price', 'Wei for one unit of gas.'),
  sellTokenPrice: column(decimal, 'q.sell_token_price', 'Native atoms for one sell token atom.'),
  sellAmount: column(amount, 'q.sell_amount', 'Quoted sell amount, without fee.'),
  buyAmount: column(amount, 'q.buy_amount', 'Quoted buy amount.'),
  feeAmount: column(amount, 'q.fee_amount', 'Quoted fee in sell token atoms.'),
  solver: column(address, 'q.solver', 'Who estimated it.'),
  verified: column(boolean, 'q.verified', 'Whether a simulation confirmed it.'),
}

/** Quote `q` of order `o`. */
export const orderQuote: Model = {
  name: 'OrderQuote',
  description: 'The quote that an order was stored with.',
  fields: {
    ...fields,
    // The calls stay hidden until the order has ended, so that no trader can front-run it. Most quotes have none: then the order's status is not computed.
    metadata: orNull(
      derived(
        json,
        `CASE WHEN q.metadata IS NOT NULL AND ${orderHasEnded(now)} THEN q.metadata END`,
        'What a settlement at the quoted price would have called: version, interactions, preInteractions, jitOrders. Null until the order has ended, so that no trader can front-run it, and if the quote has no calls.',
      ),
    ),
  },
}

export const orderQuoteRow: RowFields<OrderQuote> = fields

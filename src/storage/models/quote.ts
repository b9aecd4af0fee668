import { orderKinds } from '../../domain/order/order.ts'
import { type Quote, quoteKinds } from '../../domain/quote/quote.ts'
import { address, amount, boolean, decimal, enumOf, rowKey, smallInt, time } from '../query/codec.ts'
import type { RowFields } from '../query/json.ts'
import { column } from '../query/model.ts'

/** A stored quote; its calls and the details of its reply are JSON in other columns. */
export const quoteRow: RowFields<Omit<Quote, 'id' | 'calls'>> & { id: ReturnType<typeof column<bigint>> } = {
  id: column(rowKey, 'quotes.id', ''),
  chainId: column(smallInt, 'quotes.chain_id', ''),
  kind: column(enumOf('OrderKind', orderKinds), 'quotes.kind', ''),
  quoteKind: column(enumOf('QuoteKind', quoteKinds), 'quotes.quote_kind', ''),
  sellToken: column(address, 'quotes.sell_token', ''),
  buyToken: column(address, 'quotes.buy_token', ''),
  sellAmount: column(amount, 'quotes.sell_amount', ''),
  buyAmount: column(amount, 'quotes.buy_amount', ''),
  feeAmount: column(amount, 'quotes.fee_amount', ''),
  gasAmount: column(amount, 'quotes.gas_amount', ''),
  gasPrice: column(amount, 'quotes.gas_price', ''),
  sellTokenPrice: column(decimal, 'quotes.sell_token_price', ''),
  solver: column(address, 'quotes.solver', ''),
  verified: column(boolean, 'quotes.verified', ''),
  expiration: column(time, 'quotes.expiration', ''),
}

import type { Quote } from '../quote/quote.ts'
import type { OrderData } from './order.ts'

/**
 * Whether an order asks for more than its quote gives after the fee. The products are compared, so that nothing is rounded but
 * the fee's share of what a seller gets, which is rounded down. `storage/order/out-of-market.ts` says the same in SQL.
 */
export function isOutOfMarket(
  order: Pick<OrderData, 'kind' | 'sellAmount' | 'buyAmount'>,
  quote: Pick<Quote, 'sellAmount' | 'buyAmount' | 'feeAmount'>,
): boolean {
  if (order.kind === 'buy')
    return order.sellAmount * quote.buyAmount < (quote.sellAmount + quote.feeAmount) * order.buyAmount
  const pays = quote.buyAmount - (quote.feeAmount * quote.buyAmount) / quote.sellAmount
  return order.sellAmount * pays < quote.sellAmount * order.buyAmount
}

import type { Quote } from '../quote/quote.ts'
import type { OrderData } from './order.ts'

/**
 * Whether an order asks for more than its quote gives after the fee. Products are compared, so only the fee in buy atoms of a sell
 * order is rounded (down). `storage/order/out-of-market.ts` has the same rule in SQL.
 */
export function isOutOfMarket(
  order: Pick<OrderData, 'kind' | 'sellAmount' | 'buyAmount'>,
  quote: Pick<Quote, 'sellAmount' | 'buyAmount' | 'feeAmount'>,
): boolean {
  if (order.kind === 'buy')
    return order.sellAmount * quote.buyAmount < (quote.sellAmount + quote.feeAmount) * order.buyAmount
  const buyAmountAfterFee = quote.buyAmount - (quote.feeAmount * quote.buyAmount) / quote.sellAmount
  return order.sellAmount * buyAmountAfterFee < quote.sellAmount * order.buyAmount
}

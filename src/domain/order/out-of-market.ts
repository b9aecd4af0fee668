import type { Quote } from '../quote/quote.ts'
import type { OrderData, OrderQuote } from './order.ts'

type Limits = Pick<OrderData, 'kind' | 'sellAmount' | 'buyAmount'>

/**
 * Reports whether an order demands a better price than its quote after the fee. Products are compared, so
 * only the fee in buy atoms of a sell order is rounded (down). `storage/order/out-of-market.ts` has the same
 * rule in SQL.
 */
export function isOutOfMarket(
  order: Limits,
  quote: Pick<Quote, 'sellAmount' | 'buyAmount' | 'feeAmount'>,
): boolean {
  if (order.kind === 'buy')
    return order.sellAmount * quote.buyAmount < (quote.sellAmount + quote.feeAmount) * order.buyAmount
  const buyAmountAfterFee = quote.buyAmount - (quote.feeAmount * quote.buyAmount) / quote.sellAmount
  return order.sellAmount * buyAmountAfterFee < quote.sellAmount * order.buyAmount
}

/**
 * Reports whether an order's stored quote meets its limit. An order without a quote, or with an empty one, is
 * out of market.
 */
export function isInMarket(
  order: Limits & { quote: Pick<OrderQuote, 'sellAmount' | 'buyAmount' | 'feeAmount'> | null },
): boolean {
  const { quote } = order
  return quote !== null && quote.sellAmount > 0n && quote.buyAmount > 0n && !isOutOfMarket(order, quote)
}

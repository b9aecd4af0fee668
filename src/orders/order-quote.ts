import type { NewOrderQuote } from '../domain/order/order.ts'
import type { Quote } from '../domain/quote/quote.ts'

/** What is stored of a quote with an order. */
export function toOrderQuote({
  gasAmount,
  gasPrice,
  sellTokenPrice,
  sellAmount,
  buyAmount,
  feeAmount,
  solver,
  verified,
  calls,
}: Quote): NewOrderQuote {
  return { gasAmount, gasPrice, sellTokenPrice, sellAmount, buyAmount, feeAmount, solver, verified, calls }
}

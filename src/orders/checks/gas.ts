import { Refusal } from '../../domain/error.ts'
import type { Quote } from '../../domain/quote.ts'
import type { OrderLimits } from '../check.ts'

/** What the quote says a settlement of the order needs stays within what one may use. */
export function checkGas(quote: Quote | null, { maxGas }: OrderLimits): void {
  if (quote && quote.gasAmount > maxGas) {
    throw new Refusal('TooMuchGas', `the order needs ${quote.gasAmount} gas, ${maxGas} are allowed`)
  }
}

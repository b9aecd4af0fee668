import { Refusal } from '../../domain/errors/error.ts'
import type { OrderData } from '../../domain/order/order.ts'
import type { Check, Draft } from '../check.ts'

/** Refuses values that the signed type allows but the service does not trade. */
export const form: Check<Draft> = ({ order }) => checkForm(order)

export function checkForm(order: OrderData): void {
  if (order.feeAmount > 0n && order.partiallyFillable) {
    throw new Refusal('UnsupportedOrderType', 'a partially fillable order can’t carry a signed fee', {
      field: 'feeAmount',
    })
  }
  if (order.buyTokenBalance !== 'erc20') {
    throw new Refusal('UnsupportedBuyTokenDestination', 'buyTokenBalance must be erc20', {
      field: 'buyTokenBalance',
    })
  }
  if (order.sellTokenBalance !== 'erc20') {
    throw new Refusal('UnsupportedSellTokenSource', 'sellTokenBalance must be erc20', {
      field: 'sellTokenBalance',
    })
  }
}

import { maxUint256 } from '../../domain/amount.ts'
import { Refusal } from '../../domain/errors/error.ts'
import type { OrderData } from '../../domain/order/order.ts'
import type { Check, Draft } from '../check.ts'

/** Both amounts are positive, and the amount that the vault relayer pulls fits uint256. */
export const amounts: Check<Draft> = ({ order }) => checkAmounts(order)

export function checkAmounts(order: OrderData): void {
  if (order.sellAmount === 0n)
    throw new Refusal('ZeroAmount', 'sellAmount must be positive', { field: 'sellAmount' })
  if (order.buyAmount === 0n)
    throw new Refusal('ZeroAmount', 'buyAmount must be positive', { field: 'buyAmount' })
  if (order.sellAmount + order.feeAmount > maxUint256) {
    throw new Refusal('SellAmountOverflow', 'sellAmount + feeAmount exceeds uint256', { field: 'sellAmount' })
  }
}

import { maxUint256 } from '../../domain/amount.ts'
import { Refusal } from '../../domain/errors/error.ts'
import type { Check, Draft } from '../check.ts'

/** Both sides are positive, and what the vault relayer pulls fits uint256. */
export const amounts: Check<Draft> = ({ data }) => {
  if (data.sellAmount === 0n)
    throw new Refusal('ZeroAmount', 'sellAmount must be positive', { field: 'sellAmount' })
  if (data.buyAmount === 0n)
    throw new Refusal('ZeroAmount', 'buyAmount must be positive', { field: 'buyAmount' })
  if (data.sellAmount + data.feeAmount > maxUint256) {
    throw new Refusal('SellAmountOverflow', 'sellAmount + feeAmount exceeds uint256', { field: 'sellAmount' })
  }
}

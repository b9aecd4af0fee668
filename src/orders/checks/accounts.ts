import { checkParties } from '../../domain/order/trading-policy.ts'
import type { Check, Draft } from '../check.ts'

/** Neither the owner nor the receiver is on the deny list. */
export const accounts: Check<Draft> = ({ order: { receiver }, owner }, { policy }) =>
  checkParties({ owner, receiver }, policy)

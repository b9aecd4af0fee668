import { checkParties } from '../../domain/order/trading-policy.ts'
import type { Check, Draft } from '../check.ts'

/** Nobody on the deny list trades, or is paid. */
export const accounts: Check<Draft> = ({ data: { receiver }, owner }, { policy }) =>
  checkParties({ owner, receiver }, policy)

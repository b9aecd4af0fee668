import { checkPair } from '../../domain/order/trading-policy.ts'
import type { Check, Draft } from '../check.ts'

/** The service trades the two tokens for each other. */
export const tokens: Check<Draft> = ({ order }, { network, policy }) => checkPair(order, network, policy)

import { checkPair } from '../../domain/order/trading-policy.ts'
import type { Check, Draft } from '../check.ts'

/** Two tokens that this service trades for each other. */
export const tokens: Check<Draft> = ({ data }, { network, policy }) => checkPair(data, network, policy)

import { z } from 'zod'
import { notificationTypes } from '../../../domain/notification.ts'
import { address, amount, bytes32, count, orderUid, timestamp } from './primitives.ts'

export const notificationMetadata = z.object({
  orderId: orderUid.meta({ description: 'The order.' }),
  chainId: count.meta({ description: 'Where it trades.' }),
  executedAmount: amount.optional().meta({ description: 'On fills: atoms of the fixed side.' }),
  txHash: bytes32.optional().meta({ description: 'The transaction that is the cause.' }),
  validTo: count.optional().meta({ description: 'On expiry: Unix seconds.' }),
  source: z.enum(['api', 'policy', 'replacement', 'chain']).optional().meta({
    description: 'On cancellation: who cancelled.',
  }),
  replacedBy: orderUid.optional().meta({ description: 'On cancellation by replacement: the new order.' }),
  reason: z.string().optional().meta({ description: 'On cancellation by policy: why.' }),
  reverted: z.boolean().optional().meta({
    description: 'true once a reorg took the cause away for good.',
  }),
})

export const notification = z.object({
  id: z.string(),
  account: address,
  type: z.enum(notificationTypes),
  message: z.string(),
  timestamp,
  metadata: notificationMetadata,
})

export const notifications = z.array(notification)

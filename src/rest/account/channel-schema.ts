import { z } from 'zod'
import { channelKinds, channelStates, deliveryStates } from '../../domain/notification/channel.ts'
import { notificationTypes } from '../../domain/notification/notification.ts'
import {
  confirmChannelInput,
  pushKeysInput,
  replayChannelInput,
  subscribeChannelInput,
  updateChannelInput,
} from '../../graphql/account/channel/input.ts'
import { count, decimal, timestamp } from '../openapi/schemas/primitives.ts'

export const pushKeysBody = pushKeysInput.schema
/** Accounts and ids stand in the path. */
export const subscriptionBody = subscribeChannelInput.schema.omit({ account: true })
export const confirmationBody = confirmChannelInput.schema.omit({ account: true })
export const channelUpdateBody = updateChannelInput.schema.omit({ account: true, id: true }).strict()
export const replayBody = replayChannelInput.schema.omit({ account: true, id: true, from: true }).extend({
  from: z.iso
    .datetime({ offset: true, error: 'must be a time such as 2027-01-15T08:00:00Z' })
    .meta({ description: 'Deliveries written since then, at most 1,000, oldest first.' }),
})

export const channel = z.object({
  id: z.uuid(),
  kind: z.enum(channelKinds),
  state: z.enum(channelStates),
  address: z.string().optional(),
  types: z.array(z.enum(notificationTypes)),
  networks: z.array(z.string()),
  leastImprovement: decimal.optional(),
  createdAt: timestamp,
  confirmedAt: timestamp.optional(),
})

export const channels = z.array(channel)

export const subscribedChannel = channel.extend({
  secret: z
    .string()
    .optional()
    .meta({ description: 'Of a webhook: what its messages are signed with. It is shown this once.' }),
  confirmationLink: z
    .url()
    .optional()
    .meta({ description: 'Of Telegram: opens the bot in a chat, which is confirmed by starting it.' }),
})

export const endedChannel = z.object({ id: z.uuid() })
export const testEvent = z.object({ messageId: z.string() })
export const replayed = z.object({ deliveries: count })

export const delivery = z.object({
  messageId: z.string(),
  notificationId: z.string().optional(),
  revision: count,
  state: z.enum(deliveryStates),
  attempts: count,
  createdAt: timestamp,
  attemptedAt: timestamp.optional(),
  endedAt: timestamp.optional(),
  status: count.optional(),
  fault: z.string().optional(),
})

export const deliveries = z.object({
  deliveries: z.array(delivery).meta({ description: 'Newest first.' }),
  next: z
    .string()
    .optional()
    .meta({ description: 'Give it as `after` to get the next page; left out on the last.' }),
})

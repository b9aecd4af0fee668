import { z } from 'zod'
import { channelKinds } from '../../../domain/notification/channel.ts'
import { notificationTypes } from '../../../domain/notification/notification.ts'
import { isPushKey } from '../../../notifications/channels/push.ts'
import { ChannelKind, DeliveryState, NotificationType } from '../../enums.ts'
import { addressField, enumField, objectExpected, scalarField, textField } from '../../input/fields.ts'
import { inputType } from '../../input/input-type.ts'

const account = addressField.meta({
  description: 'Whose channel. Needs a session of this account, or the key of the content system.',
})
const channelId = scalarField('ID', z.uuid('must be the id of a channel')).meta({
  description: 'The channel.',
})
const channelOf = { account, id: channelId }
const leastImprovement = scalarField(
  'Decimal',
  z.string().regex(/^(0|[1-9][0-9]{0,3})(\.[0-9]{1,6})?$/, 'must be a decimal number with at most 6 places'),
)
const maxNetworks = 100

const filter = {
  types: z
    .array(enumField(NotificationType, notificationTypes))
    .nullish()
    .meta({ description: 'What is sent; all types when it is left out or empty.' }),
  networks: z
    .array(scalarField('NetworkName', z.string()))
    .max(maxNetworks, `must name at most ${maxNetworks}`)
    .nullish()
    .meta({ description: 'Networks of which it is sent; all when it is left out or empty.' }),
  leastImprovement: leastImprovement
    .nullish()
    .meta({ description: 'Smaller price improvements are not sent: a share, such as 0.01.' }),
}

/** Bytes in base64url, as a browser’s subscription has them. */
const keyField = (bytes: number) =>
  textField.refine(
    (text) => /^[\w-]{16,100}=*$/.test(text) && Buffer.from(text, 'base64url').length === bytes,
    `must be ${bytes} bytes in base64url`,
  )

export const pushKeysInput = inputType('PushKeysInput', {
  description: 'Keys of a browser’s push subscription (RFC 8291).',
  schema: z.object(
    {
      p256dh: keyField(65)
        .refine(isPushKey, 'must be a public key of P-256')
        .meta({ description: 'Its public key, in base64url.' }),
      auth: keyField(16).meta({ description: 'Its secret, in base64url.' }),
    },
    objectExpected,
  ),
})

export const subscribeChannelInput = inputType('SubscribeChannelInput', {
  description: 'Where an account wants its notifications.',
  schema: z.object(
    {
      account,
      kind: enumField(ChannelKind, channelKinds).meta({ description: 'How notifications are sent.' }),
      address: textField.max(2_000, 'must have at most 2000 characters').nullish().meta({
        description:
          'The URL of a webhook, an e-mail address, or the endpoint of a push subscription; none for Telegram.',
      }),
      pushKeys: pushKeysInput.schema.nullish().meta({ description: 'Of a push subscription.' }),
      ...filter,
    },
    objectExpected,
  ),
})

export const confirmChannelInput = inputType('ConfirmChannelInput', {
  description: 'Proof that a channel’s receiver wants it.',
  schema: z.object(
    {
      account: addressField.nullish().meta({ description: 'Whose channel it must be, if given.' }),
      token: textField
        .max(100, 'must have at most 100 characters')
        .meta({ description: 'The token that was sent to the channel.' }),
    },
    objectExpected,
  ),
})

export const updateChannelInput = inputType('UpdateChannelInput', {
  description:
    'What is to be sent to a channel from now on. What is left out stays; null and an empty list mean all.',
  schema: z.object({ ...channelOf, ...filter }, objectExpected),
})

export const channelInput = inputType('ChannelInput', {
  description: 'A channel of an account.',
  schema: z.object(channelOf, objectExpected),
})

const replayed = ['dead', 'delivered'] as const

export const replayChannelInput = inputType('ReplayChannelInput', {
  description: 'What is to be sent to a channel again.',
  schema: z.object(
    {
      ...channelOf,
      from: scalarField('DateTime', z.date()).meta({
        description: 'Deliveries written since then, at most 1,000, oldest first.',
      }),
      state: enumField(DeliveryState, replayed).nullish().meta({
        description: 'Only those that are DEAD, or only those that are DELIVERED; both when it is left out.',
      }),
    },
    objectExpected,
  ),
})

import { z } from 'zod'
import { described, id, objectOf, text, uint32 } from '../../domain/described.ts'
import { Refusal } from '../../domain/errors/error.ts'
import {
  type Channel,
  type ChannelFilter,
  channelKinds,
  channelType,
  toEmailAddress,
} from '../../domain/notification/channel.ts'
import { notificationTypes } from '../../domain/notification/notification.ts'
import {
  changeChannel,
  confirmChannel,
  replayChannel,
  rotateChannelSecret,
  subscribeChannel,
  testChannel,
  unsubscribeChannel,
} from '../../notifications/channels/manage.ts'
import { isPushKey } from '../../notifications/channels/push.ts'
import { messageId } from '../../notifications/channels/webhook.ts'
import { builder } from '../builder.ts'
import { requireChannelsOf, requireFeature } from '../context/access.ts'
import type { Context } from '../context/context.ts'
import { tradingOn } from '../context/networks.ts'
import { storing } from '../context/stored-bytes.ts'
import { describedRef } from '../described.ts'
import { ChannelKind, DeliveryState, NotificationType } from '../enums.ts'
import { addressField, enumField, objectExpected, scalarField, textField } from '../input/fields.ts'
import { inputArgument, inputType } from '../input/input-type.ts'

const account = addressField.meta({
  description:
    'The account of the channel. Needs a session of this account, or the key of the content system.',
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
    .meta({ description: 'The types that are sent; all if left out or empty.' }),
  networks: z
    .array(scalarField('NetworkName', z.string()))
    .max(maxNetworks, `must name at most ${maxNetworks}`)
    .nullish()
    .meta({ description: 'Networks of which it is sent; all when it is left out or empty.' }),
  leastImprovement: leastImprovement
    .nullish()
    .meta({ description: channelType.fields.leastImprovement.description }),
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
  description: 'A new channel for the notifications of an account.',
  schema: z.object(
    {
      account,
      kind: enumField(ChannelKind, channelKinds).meta({ description: channelType.fields.kind.description }),
      address: textField.max(2_000, 'must have at most 2000 characters').nullish().meta({
        description:
          'The URL of a webhook, an e-mail address, or the endpoint of a push subscription; none for Telegram.',
      }),
      pushKeys: pushKeysInput.schema.nullish().meta({ description: 'The keys of a push subscription.' }),
      ...filter,
    },
    objectExpected,
  ),
})

export const confirmChannelInput = inputType('ConfirmChannelInput', {
  description: 'Proof that the receiver accepts the channel.',
  schema: z.object(
    {
      account: addressField
        .nullish()
        .meta({ description: 'The account whose channel it must be, if given.' }),
      token: textField
        .max(100, 'must have at most 100 characters')
        .meta({ description: 'The token that was sent to the channel.' }),
    },
    objectExpected,
  ),
})

export const updateChannelInput = inputType('UpdateChannelInput', {
  description: 'The new filter of a channel. Omitted members stay; null and an empty list mean all.',
  schema: z.object({ ...channelOf, ...filter }, objectExpected),
})

export const channelInput = inputType('ChannelInput', {
  description: 'A channel of an account.',
  schema: z.object(channelOf, objectExpected),
})

const replayed = ['dead', 'delivered'] as const

export const replayChannelInput = inputType('ReplayChannelInput', {
  description: 'The deliveries to send to a channel again.',
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

const needsSession = 'Needs a session of the account, or the key of the content system.'

const channelNow = objectOf<typeof channelType, Channel>(channelType)('The channel as it is now.')

const ChannelPayloadRef = describedRef(
  described('ChannelPayload', 'A channel after a change.', { channel: channelNow }),
)
const ChannelSecretPayloadRef = describedRef(
  described('ChannelSecretPayload', 'A channel and its new secret.', {
    channel: channelNow,
    secret: text('The key that signs its messages. Shown once.'),
  }),
)
const SubscribeChannelPayloadRef = describedRef(
  described('SubscribeChannelPayload', 'A channel that waits for its confirmation, or is confirmed.', {
    channel: channelNow,
    secret: text.orNull('The key that signs the messages of a webhook. It is shown this once.'),
    confirmationLink: text.orNull(
      'A link that opens the Telegram bot in a chat. Starting the bot confirms the channel. The link works once.',
    ),
  }),
)
const TestChannelPayloadRef = describedRef(
  described('TestChannelPayload', 'A test event in the queue.', {
    messageId: text('The id of its message.'),
  }),
)
const ReplayChannelPayloadRef = describedRef(
  described('ReplayChannelPayload', 'The deliveries that are sent again.', {
    deliveries: uint32('The number of deliveries.'),
  }),
)
const UnsubscribeChannelPayloadRef = describedRef(
  described('UnsubscribeChannelPayload', 'A channel that ended.', { id: id('The channel’s id.') }),
)

builder.mutationFields((t) => ({
  subscribeChannel: t.field({
    type: SubscribeChannelPayloadRef,
    description: `Subscribes a channel, and sends it the token that confirms it. Of an address that waits for its confirmation, another token is sent. ${needsSession}`,
    args: { input: inputArgument(t.arg, subscribeChannelInput) },
    async resolve(_root, { input }, context) {
      const { account, kind, pushKeys } = input
      await requireChannelsOf(context, account)
      const address = addressOf(input)
      const filter = { types: [], chainIds: [], leastImprovement: null, ...filterOf(input, context) }
      const channel = { account, kind, address, ...(pushKeys && { pushKeys }), ...filter }
      const { stored, client } = context
      stored?.check('channels', client)
      const onStored = () => stored?.add('channels', client, Buffer.byteLength(address))
      return subscribeChannel(channel, { ...context.channels, onStored })
    },
  }),
  confirmChannel: t.field({
    type: ChannelPayloadRef,
    description:
      'Confirms a channel by the token that was sent to it. Needs nothing but the token, which works once. A chat is confirmed by its link alone.',
    args: { input: inputArgument(t.arg, confirmChannelInput) },
    async resolve(_root, { input: { token, account } }, context) {
      requireFeature(context, 'cms')
      return { channel: await confirmChannel(token, 'token', context.channels, account ? { account } : {}) }
    },
  }),
  updateChannel: t.field({
    type: ChannelPayloadRef,
    description: `Changes what is sent to a channel. ${needsSession}`,
    args: { input: inputArgument(t.arg, updateChannelInput) },
    async resolve(_root, { input }, context) {
      await requireChannelsOf(context, input.account)
      return {
        channel: await changeChannel(input.account, input.id, filterOf(input, context), context.channels),
      }
    },
  }),
  rotateChannelSecret: t.field({
    type: ChannelSecretPayloadRef,
    description: `Gives a webhook a new secret. For a day its messages are signed with the previous one too; after three rotations in a day another one is refused. ${needsSession}`,
    args: { input: inputArgument(t.arg, channelInput) },
    async resolve(_root, { input: { account, id } }, context) {
      await requireChannelsOf(context, account)
      return rotateChannelSecret(account, id, context.channels)
    },
  }),
  testChannel: t.field({
    type: TestChannelPayloadRef,
    description: `Sends a test event to a channel, behind what waits. ${needsSession}`,
    args: { input: inputArgument(t.arg, channelInput) },
    async resolve(_root, { input: { account, id } }, context) {
      await requireChannelsOf(context, account)
      const send = () => testChannel(account, id, context.channels)
      return { messageId: messageId({ id: await storing(context, 'test deliveries', send) }) }
    },
  }),
  replayChannel: t.field({
    type: ReplayChannelPayloadRef,
    description: `Sends what has ended again, in its order and with the same ids. ${needsSession}`,
    args: { input: inputArgument(t.arg, replayChannelInput) },
    async resolve(_root, { input: { account, id, from, state } }, context) {
      await requireChannelsOf(context, account)
      const replayed = { from, ...(state && { state }) }
      return { deliveries: await replayChannel(account, id, replayed, context.channels) }
    },
  }),
  unsubscribeChannel: t.field({
    type: UnsubscribeChannelPayloadRef,
    description: `Ends a channel for good. What waits is not sent, and its address is forgotten. ${needsSession}`,
    args: { input: inputArgument(t.arg, channelInput) },
    async resolve(_root, { input: { account, id } }, context) {
      await requireChannelsOf(context, account)
      await unsubscribeChannel(account, id, context.channels)
      return { id }
    },
  }),
}))

/** @throws Refusal InvalidParameter */
function addressOf({ kind, address, pushKeys }: z.output<typeof subscribeChannelInput.schema>): string {
  const refuse = (field: string, expectation: string): never => {
    throw new Refusal('InvalidParameter', `${field} ${expectation}`, { field })
  }
  if ((kind === 'push') !== (pushKeys != null))
    refuse('pushKeys', kind === 'push' ? 'is required for PUSH' : 'is for PUSH only')
  if (kind === 'telegram') {
    if (address != null) refuse('address', 'is not given for TELEGRAM: the chat confirms itself')
    return ''
  }
  if (address == null) return refuse('address', 'is required')
  if (kind !== 'email') return address
  return toEmailAddress(address) ?? refuse('address', 'must be one plain e-mail address')
}

/** Only the members that are given. @throws Refusal InvalidParameter for an unknown network */
function filterOf(
  {
    types,
    networks,
    leastImprovement,
  }: Pick<z.output<typeof updateChannelInput.schema>, 'types' | 'networks' | 'leastImprovement'>,
  context: Context,
): Partial<ChannelFilter> {
  return {
    ...(types !== undefined && { types: [...new Set(types)] }),
    ...(networks !== undefined && {
      chainIds: [...new Set(networks?.map((name) => tradingOn(context, name, 'networks').network.chainId))],
    }),
    ...(leastImprovement !== undefined && { leastImprovement }),
  }
}

import { channelKinds, maskedAddress } from '../../domain/notification/channel.ts'
import { messageId } from '../../notifications/channels/webhook.ts'
import { findChannel, findChannels } from '../../storage/channels/channels.ts'
import { findDeliveries } from '../../storage/channels/deliveries.ts'
import { builder } from '../builder.ts'
import { requireChannelsOf } from '../context/access.ts'
import { ChannelKind, ChannelState, DeliveryState, NotificationType } from '../enums.ts'
import { parseInput } from '../input/parse.ts'
import { NetworkRef } from '../network.ts'
import { checkFirst, connectionRef, cursorArguments, pageOf, placeIn } from '../paging.ts'
import {
  ChannelPayloadRef,
  ChannelRef,
  ChannelSecretPayloadRef,
  DeliveryRef,
  SubscribeChannelPayloadRef,
} from '../refs.ts'
import { channelInput } from './channel-mutations.ts'

ChannelRef.implement({
  description: 'A receiver for the notifications of an account.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Names it in mutations.' }),
    kind: t.expose('kind', { type: ChannelKind, description: 'The way in which notifications are sent.' }),
    state: t.expose('state', { type: ChannelState, description: 'The state.' }),
    address: t.string({
      nullable: true,
      description: 'Enough of the address to know it again; null for a chat that is not confirmed.',
      resolve: maskedAddress,
    }),
    types: t.field({
      type: [NotificationType],
      description: 'The types that are sent; all if empty.',
      resolve: ({ types }) => [...types],
    }),
    networks: t.field({
      type: [NetworkRef],
      description: 'Networks of which it is sent; all when it is empty.',
      resolve: ({ chainIds }, _args, { networks }) =>
        chainIds.flatMap((chainId) => networks.byChainId(chainId)?.network ?? []),
    }),
    leastImprovement: t.expose('leastImprovement', {
      type: 'Decimal',
      nullable: true,
      description: 'Smaller price improvements are not sent: a share, such as 0.01.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'The time of the subscription.' }),
    confirmedAt: t.expose('confirmedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'The time at which its receiver confirmed it.',
    }),
  }),
})

ChannelPayloadRef.implement({
  description: 'A channel after a change.',
  fields: (t) => ({
    channel: t.expose('channel', { type: ChannelRef, description: 'The channel as it is now.' }),
  }),
})

ChannelSecretPayloadRef.implement({
  description: 'A channel and its new secret.',
  fields: (t) => ({
    channel: t.expose('channel', { type: ChannelRef, description: 'The channel as it is now.' }),
    secret: t.exposeString('secret', { description: 'The key that signs its messages. Shown once.' }),
  }),
})

SubscribeChannelPayloadRef.implement({
  description: 'A channel that waits for its confirmation, or is confirmed.',
  fields: (t) => ({
    channel: t.expose('channel', { type: ChannelRef, description: 'The channel as it is now.' }),
    secret: t.exposeString('secret', {
      nullable: true,
      description: 'The key that signs the messages of a webhook. It is shown this once.',
    }),
    confirmationLink: t.exposeString('confirmationLink', {
      nullable: true,
      description:
        'A link that opens the Telegram bot in a chat. Starting the bot confirms the channel. The link works once.',
    }),
  }),
})

builder.queryFields((t) => ({
  enabledChannelKinds: t.field({
    type: [ChannelKind],
    description: 'Kinds of channels that can be subscribed here; none where notifications are disabled.',
    resolve: (_root, _args, { channels, features }) =>
      features?.cms === false ? [] : channelKinds.filter((kind) => channels.senders[kind]),
  }),
  pushPublicKey: t.string({
    nullable: true,
    description:
      'The key with which a browser subscribes (applicationServerKey), in base64url; null if web push is not enabled.',
    resolve: (_root, _args, { channels, features }) =>
      features?.cms === false ? null : (channels.pushPublicKey ?? null),
  }),
  channelSubscriptions: t.field({
    type: [ChannelRef],
    description:
      'Channels of an account that have not ended, oldest first. Needs a session of the account, or the key of the content system.',
    args: { account: t.arg({ type: 'Address', required: true, description: 'Whose.' }) },
    async resolve(_root, { account }, context) {
      await requireChannelsOf(context, account)
      return context.countItems(await findChannels(context.db, account))
    },
  }),
  channelSubscription: t.field({
    type: ChannelRef,
    nullable: true,
    description:
      'A channel of an account, unless it has ended. Needs a session of the account, or the key of the content system.',
    args: {
      account: t.arg({ type: 'Address', required: true, description: 'Whose.' }),
      id: t.arg.id({ required: true, description: 'The channel.' }),
    },
    async resolve(_root, { account, id }, context) {
      await requireChannelsOf(context, account)
      return findChannel(context.db, account, parseInput(channelInput.schema.pick({ id: true }), { id }).id)
    },
  }),
}))

const maxPage = 100

DeliveryRef.implement({
  description: 'A message that was sent to a channel, or waits.',
  fields: (t) => ({
    messageId: t.string({
      description: 'The same in each attempt: receivers drop what they have seen.',
      resolve: messageId,
    }),
    notificationId: t.string({
      nullable: true,
      description: 'The notification’s number; null for a test event.',
      resolve: ({ notificationId }) => notificationId?.toString() ?? null,
    }),
    revision: t.expose('revision', {
      type: 'Uint32',
      description: '0; one more each time that the notification was reverted, or happened after all.',
    }),
    state: t.expose('state', { type: DeliveryState, description: 'The state.' }),
    attempts: t.expose('attempts', { type: 'Uint32', description: 'Attempts that were begun.' }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      description: 'The time at which it was written, with its notification.',
    }),
    attemptedAt: t.expose('attemptedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'The time at which the last attempt began.',
    }),
    endedAt: t.expose('endedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'The time at which it was accepted or given up.',
    }),
    status: t.expose('status', {
      type: 'Uint32',
      nullable: true,
      description: 'The HTTP status of the receiver’s last answer.',
    }),
    fault: t.exposeString('fault', { nullable: true, description: 'The reason of the last failure.' }),
  }),
})

const DeliveryConnectionRef = connectionRef({
  item: DeliveryRef,
  description: 'A page of deliveries, newest first.',
  placeOf: ({ id }) => `d${id}`,
})

builder.objectField(ChannelRef, 'deliveries', (t) =>
  t.field({
    type: DeliveryConnectionRef,
    description: 'Messages that were sent to it, or wait, newest first.',
    args: {
      ...cursorArguments(t.arg, 20, maxPage),
      state: t.arg({ type: DeliveryState, required: false, description: 'Only those in this state.' }),
    },
    async resolve({ id }, { first, after, state }, context) {
      checkFirst(first, maxPage)
      const [before] = after == null ? [] : placeIn(after, /^d([0-9]{1,18})$/)
      const deliveries = await findDeliveries(context.db, id, {
        limit: first + 1,
        ...(before !== undefined && { before: BigInt(before) }),
        ...(state && { state }),
      })
      return pageOf(deliveries, first, context)
    },
  }),
)

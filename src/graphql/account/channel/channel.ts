import { channelKinds, maskedAddress } from '../../../domain/notification/channel.ts'
import { findChannel, findChannels } from '../../../storage/channels/channels.ts'
import { builder } from '../../builder.ts'
import { requireChannelsOf } from '../../context/access.ts'
import { ChannelKind, ChannelState, NotificationType } from '../../enums.ts'
import { parseInput } from '../../errors/input.ts'
import {
  ChannelPayloadRef,
  ChannelRef,
  ChannelSecretPayloadRef,
  NetworkRef,
  SubscribeChannelPayloadRef,
} from '../../refs.ts'
import { channelInput } from './input.ts'

ChannelRef.implement({
  description: 'Where an account wants its notifications.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Names it in mutations.' }),
    kind: t.expose('kind', { type: ChannelKind, description: 'How notifications are sent.' }),
    state: t.expose('state', { type: ChannelState, description: 'Where it stands.' }),
    address: t.string({
      nullable: true,
      description: 'Enough of the address to know it again; null for a chat that is not confirmed.',
      resolve: maskedAddress,
    }),
    types: t.field({
      type: [NotificationType],
      description: 'What is sent; all types when it is empty.',
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
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was subscribed.' }),
    confirmedAt: t.expose('confirmedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When its receiver confirmed it.',
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
    secret: t.exposeString('secret', {
      description: 'What its messages are signed with. It is shown this once.',
    }),
  }),
})

SubscribeChannelPayloadRef.implement({
  description: 'A channel that waits for its confirmation, or is confirmed.',
  fields: (t) => ({
    channel: t.expose('channel', { type: ChannelRef, description: 'The channel as it is now.' }),
    secret: t.exposeString('secret', {
      nullable: true,
      description: 'Of a webhook: what its messages are signed with. It is shown this once.',
    }),
    confirmationLink: t.exposeString('confirmationLink', {
      nullable: true,
      description: 'Of Telegram: opens the bot in a chat, which is confirmed by starting it. It works once.',
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
      'What a browser subscribes with (applicationServerKey), in base64url; null where web push is not enabled.',
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

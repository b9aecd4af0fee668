import { maskedAddress } from '../../../domain/notification/channel.ts'
import { findChannels } from '../../../storage/channels/channels.ts'
import { builder } from '../../builder.ts'
import { requireAccount } from '../../context/access.ts'
import { ChannelKind, ChannelState, NotificationType } from '../../enums.ts'
import { ChannelPayloadRef, ChannelRef, ChannelSecretPayloadRef, NetworkRef } from '../../refs.ts'

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
      nullable: true,
      description: 'Of a webhook: what its messages are signed with. It is shown this once.',
    }),
  }),
})

builder.queryField('channelSubscriptions', (t) =>
  t.field({
    type: [ChannelRef],
    description:
      'Channels of an account that have not ended, oldest first. Needs a session of the account, or the key of the content system.',
    args: { account: t.arg({ type: 'Address', required: true, description: 'Whose.' }) },
    async resolve(_root, { account }, context) {
      await requireAccount(context, account)
      return context.countItems(await findChannels(context.db, account))
    },
  }),
)

import { type Channel, channelKinds, channelType } from '../../domain/notification/channel.ts'
import { messageId } from '../../notifications/channels/webhook.ts'
import { findChannel, findChannels } from '../../storage/channels/channels.ts'
import { type DeliveryRecord, deliveryType, findDeliveries } from '../../storage/channels/deliveries.ts'
import { builder } from '../builder.ts'
import { requireChannelsOf } from '../context/access.ts'
import { describedRef } from '../described.ts'
import { ChannelKind, DeliveryState } from '../enums.ts'
import { parseInput } from '../input/parse.ts'
import { NetworkRef } from '../network.ts'
import { checkFirst, connectionRef, cursorArguments, pageOf, placeIn } from '../paging.ts'
import { channelInput } from './channel-mutations.ts'

const ChannelRef = describedRef<typeof channelType, Channel>(channelType)

builder.objectField(ChannelRef, 'networks', (t) =>
  t.field({
    type: [NetworkRef],
    description: 'Networks of which it is sent; all when it is empty.',
    resolve: ({ chainIds }, _args, { networks }) =>
      chainIds.flatMap((chainId) => networks.byChainId(chainId)?.network ?? []),
  }),
)

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
      id: t.arg.id({ required: true, description: 'The channel to read.' }),
    },
    async resolve(_root, { account, id }, context) {
      await requireChannelsOf(context, account)
      return findChannel(context.db, account, parseInput(channelInput.schema.pick({ id: true }), { id }).id)
    },
  }),
}))

const maxPage = 100

const DeliveryRef = describedRef<typeof deliveryType, DeliveryRecord>(deliveryType)

builder.objectField(DeliveryRef, 'messageId', (t) =>
  t.string({
    description: 'The same in each attempt: receivers drop what they have seen.',
    resolve: messageId,
  }),
)

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

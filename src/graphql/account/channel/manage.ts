import type { z } from 'zod'
import { Refusal } from '../../../domain/errors/error.ts'
import type { ChannelFilter } from '../../../domain/notification/channel.ts'
import { toEmailAddress } from '../../../domain/notification/email-address.ts'
import {
  changeChannel,
  confirmChannel,
  replayChannel,
  subscribeChannel,
  testChannel,
  unsubscribeChannel,
} from '../../../notifications/channels/manage.ts'
import { rotateChannelSecret } from '../../../notifications/channels/rotation.ts'
import { messageId } from '../../../notifications/channels/webhook.ts'
import { builder } from '../../builder.ts'
import { requireChannelsOf } from '../../context/access.ts'
import type { Context } from '../../context/context.ts'
import { requireFeature } from '../../context/features.ts'
import { tradingOn } from '../../context/networks.ts'
import { storing } from '../../context/stored-bytes.ts'
import { inputArgument } from '../../input/input-type.ts'
import {
  ChannelPayloadRef,
  ChannelSecretPayloadRef,
  ReplayChannelPayloadRef,
  SubscribeChannelPayloadRef,
  TestChannelPayloadRef,
  UnsubscribeChannelPayloadRef,
} from '../../refs.ts'
import {
  channelInput,
  confirmChannelInput,
  replayChannelInput,
  subscribeChannelInput,
  updateChannelInput,
} from './input.ts'

const needsSession = 'Needs a session of the account, or the key of the content system.'

TestChannelPayloadRef.implement({
  description: 'A test event that is to be sent.',
  fields: (t) => ({
    messageId: t.string({
      description: 'The id of its message.',
      resolve: ({ delivery }) => messageId({ id: delivery }),
    }),
  }),
})

ReplayChannelPayloadRef.implement({
  description: 'What is sent again.',
  fields: (t) => ({
    deliveries: t.expose('deliveries', { type: 'Uint32', description: 'How many deliveries.' }),
  }),
})

UnsubscribeChannelPayloadRef.implement({
  description: 'A channel that ended.',
  fields: (t) => ({ id: t.exposeID('id', { description: 'The channel’s id.' }) }),
})

builder.mutationFields((t) => ({
  subscribeChannel: t.field({
    type: SubscribeChannelPayloadRef,
    description: `Subscribes a channel, and sends it the token that confirms it. Of an address that waits for its confirmation, another token is sent. ${needsSession}`,
    args: { input: inputArgument(t.arg, subscribeChannelInput, 'Where, and what.') },
    async resolve(_root, { input }, context) {
      const { account, kind, pushKeys } = input
      await requireChannelsOf(context, account)
      const address = addressOf(input)
      const filter = { types: [], chainIds: [], leastImprovement: null, ...filterOf(input, context) }
      const channel = { account, kind, address, ...(pushKeys && { pushKeys }), ...filter }
      return storing(
        context,
        'channels',
        () => subscribeChannel(channel, context.channels),
        () => Buffer.byteLength(address),
      )
    },
  }),
  confirmChannel: t.field({
    type: ChannelPayloadRef,
    description:
      'Confirms a channel by the token that was sent to it. Needs nothing but the token, which works once. A chat is confirmed by its link alone.',
    args: { input: inputArgument(t.arg, confirmChannelInput, 'The token.') },
    async resolve(_root, { input: { token, account } }, context) {
      requireFeature(context, 'cms')
      return { channel: await confirmChannel(token, 'token', context.channels, account ? { account } : {}) }
    },
  }),
  updateChannel: t.field({
    type: ChannelPayloadRef,
    description: `Changes what is sent to a channel. ${needsSession}`,
    args: { input: inputArgument(t.arg, updateChannelInput, 'Which channel, and what.') },
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
    args: { input: inputArgument(t.arg, channelInput, 'Which channel.') },
    async resolve(_root, { input: { account, id } }, context) {
      await requireChannelsOf(context, account)
      return rotateChannelSecret(account, id, context.channels)
    },
  }),
  testChannel: t.field({
    type: TestChannelPayloadRef,
    description: `Sends a test event to a channel, behind what waits. ${needsSession}`,
    args: { input: inputArgument(t.arg, channelInput, 'Which channel.') },
    async resolve(_root, { input: { account, id } }, context) {
      await requireChannelsOf(context, account)
      return { delivery: await testChannel(account, id, context.channels) }
    },
  }),
  replayChannel: t.field({
    type: ReplayChannelPayloadRef,
    description: `Sends what has ended again, in its order and with the same ids. ${needsSession}`,
    args: { input: inputArgument(t.arg, replayChannelInput, 'Which channel, and since when.') },
    async resolve(_root, { input: { account, id, from, state } }, context) {
      await requireChannelsOf(context, account)
      const replayed = { from, ...(state && { state }) }
      return { deliveries: await replayChannel(account, id, replayed, context.channels) }
    },
  }),
  unsubscribeChannel: t.field({
    type: UnsubscribeChannelPayloadRef,
    description: `Ends a channel for good. What waits is not sent, and its address is forgotten. ${needsSession}`,
    args: { input: inputArgument(t.arg, channelInput, 'Which channel.') },
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

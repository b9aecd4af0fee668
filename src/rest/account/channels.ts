import { z } from 'zod'
import { Refusal } from '../../domain/errors/error.ts'
import { deliveryStates } from '../../domain/notification/channel.ts'
import {
  channelInput,
  confirmChannelInput,
  pushKeysInput,
  replayChannelInput,
  subscribeChannelInput,
  updateChannelInput,
} from '../../graphql/account/channel-mutations.ts'
import { DeliveryState } from '../../graphql/enums.ts'
import { enumField } from '../../graphql/input/fields.ts'
import { parseInput } from '../../graphql/input/parse.ts'
import { fieldSchema, selected, withoutNulls } from '../openapi/selected.ts'
import { inputWithin } from '../routing/request.ts'
import { present, type RestRequest, type Route, route } from '../routing/route.ts'

export const pushKeysBody = pushKeysInput.schema
/** The body without account and ids, which are in the path. */
export const subscriptionBody = subscribeChannelInput.schema.omit({ account: true })
export const confirmationBody = confirmChannelInput.schema.omit({ account: true })
export const channelUpdateBody = updateChannelInput.schema.omit({ account: true, id: true }).strict()
export const replayBody = replayChannelInput.schema.omit({ account: true, id: true, from: true }).extend({
  from: z.iso
    .datetime({ offset: true, error: 'must be a time such as 2027-01-15T08:00:00Z' })
    .meta({ description: 'Sends deliveries written since then, at most 1,000, oldest first.' }),
})

const fields = 'id kind state address types networks { name } leastImprovement createdAt confirmedAt'
const deliveryFields =
  'messageId notificationId revision state attempts createdAt attemptedAt endedAt status fault'
const testFields = 'messageId'
const replayFields = 'deliveries'

const channelId = { id: z.uuid() }

export const channel = withoutNulls(
  selected('Channel', fields, { ...channelId, networks: z.array(z.string()) }),
)

export const channels = z.array(channel)

export const subscribedChannel = channel.extend({
  secret: fieldSchema('SubscribeChannelPayload.secret', z.string().optional()),
  confirmationLink: fieldSchema('SubscribeChannelPayload.confirmationLink', z.url().optional()),
})

export const endedChannel = z.object(channelId)
export const testEvent = selected('TestChannelPayload', testFields)
export const replayed = selected('ReplayChannelPayload', replayFields)

export const delivery = withoutNulls(selected('Delivery', deliveryFields))

export const deliveries = z.object({
  deliveries: z.array(delivery).meta({ description: 'The page, newest first.' }),
  next: z.string().optional().meta({ description: 'The `after` of the next page; left out on the last.' }),
})

const accountPath = channelInput.schema.pick({ account: true })
const accountOf = ({ path }: RestRequest) => parseInput(accountPath, path)
const channelOf = ({ path }: RestRequest) => parseInput(channelInput.schema, path)

/** Writes a channel without members that are null. */
function write<Channel extends { networks: readonly { name: string }[] }>({ networks, ...channel }: Channel) {
  return present({ ...channel, networks: networks.map(({ name }) => name) })
}

const missing = 'the account has no such channel'
const deliveryState = z.object({ state: enumField(DeliveryState, deliveryStates).optional() })
const maxDeliveries = 100

/** Routes of the channels to which an account has its notifications sent. */
export const channelRoutes: Route[] = [
  route({
    on: 'GET /accounts/:account/channels',
    needs: 'cms',
    run: `query ($account: Address!) { channelSubscriptions(account: $account) { ${fields} } }`,
    variables: accountOf,
    answer: ({ channelSubscriptions }) => channelSubscriptions.map(write),
  }),
  route({
    on: 'POST /accounts/:account/channels',
    needs: 'cms',
    run: `mutation ($input: SubscribeChannelInput!) {
      subscribeChannel(input: $input) { secret confirmationLink channel { ${fields} } }
    }`,
    variables: (request) => ({ input: inputWithin(accountOf(request), subscriptionBody, request.body) }),
    answer: ({ subscribeChannel: { channel, ...more } }) => ({ ...write(channel), ...present(more) }),
    status: () => 201,
  }),
  route({
    on: 'POST /accounts/:account/channels/confirmation',
    needs: 'cms',
    run: `mutation ($input: ConfirmChannelInput!) { confirmChannel(input: $input) { channel { ${fields} } } }`,
    variables: (request) => ({ input: inputWithin(accountOf(request), confirmationBody, request.body) }),
    answer: ({ confirmChannel }) => write(confirmChannel.channel),
  }),
  route({
    on: 'GET /accounts/:account/channels/:id',
    needs: 'cms',
    run: `query ($account: Address!, $id: ID!) { channelSubscription(account: $account, id: $id) { ${fields} } }`,
    variables: channelOf,
    answer: ({ channelSubscription }) => channelSubscription && write(channelSubscription),
    missing,
  }),
  route({
    on: 'GET /accounts/:account/channels/:id/deliveries',
    needs: 'cms',
    run: `query ($account: Address!, $id: ID!, $limit: Int!, $after: String, $state: DeliveryState) {
      channelSubscription(account: $account, id: $id) {
        deliveries(first: $limit, after: $after, state: $state) {
          nodes { ${deliveryFields} }
          pageInfo { hasNextPage endCursor }
        }
      }
    }`,
    variables: (request) => ({ ...channelOf(request), ...deliveryPage(request) }),
    answer: ({ channelSubscription }) => {
      if (!channelSubscription) return null
      const { nodes, pageInfo } = channelSubscription.deliveries
      const next = pageInfo.hasNextPage ? pageInfo.endCursor : null
      return { deliveries: nodes.map((node) => present(node)), ...present({ next }) }
    },
    missing,
  }),
  route({
    on: 'PATCH /accounts/:account/channels/:id',
    needs: 'cms',
    run: `mutation ($input: UpdateChannelInput!) { updateChannel(input: $input) { channel { ${fields} } } }`,
    variables: (request) => ({ input: inputWithin(channelOf(request), channelUpdateBody, request.body) }),
    answer: ({ updateChannel }) => write(updateChannel.channel),
  }),
  route({
    on: 'POST /accounts/:account/channels/:id/secret',
    needs: 'cms',
    hasNoBody: true,
    run: `mutation ($input: ChannelInput!) { rotateChannelSecret(input: $input) { secret channel { ${fields} } } }`,
    variables: (request) => ({ input: channelOf(request) }),
    answer: ({ rotateChannelSecret: { channel, secret } }) => ({ ...write(channel), secret }),
  }),
  route({
    on: 'POST /accounts/:account/channels/:id/test',
    needs: 'cms',
    hasNoBody: true,
    run: `mutation ($input: ChannelInput!) { testChannel(input: $input) { ${testFields} } }`,
    variables: (request) => ({ input: channelOf(request) }),
    answer: ({ testChannel }) => testChannel,
  }),
  route({
    on: 'POST /accounts/:account/channels/:id/replay',
    needs: 'cms',
    run: `mutation ($input: ReplayChannelInput!) { replayChannel(input: $input) { ${replayFields} } }`,
    variables: (request) => ({ input: inputWithin(channelOf(request), replayBody, request.body) }),
    answer: ({ replayChannel }) => replayChannel,
  }),
  route({
    on: 'DELETE /accounts/:account/channels/:id',
    needs: 'cms',
    hasNoBody: true,
    run: 'mutation ($input: ChannelInput!) { unsubscribeChannel(input: $input) { id } }',
    variables: (request) => ({ input: channelOf(request) }),
    answer: ({ unsubscribeChannel }) => unsubscribeChannel,
  }),
]

/** @throws Refusal InvalidParameter */
function deliveryPage({ query }: RestRequest) {
  const text = query.get('limit') ?? '20'
  const limit = /^[0-9]{1,3}$/.test(text) ? Number(text) : 0
  if (limit < 1 || limit > maxDeliveries)
    throw new Refusal('InvalidParameter', `limit must be a whole number from 1 to ${maxDeliveries}`, {
      field: 'limit',
    })
  return {
    limit,
    after: query.get('after'),
    ...parseInput(deliveryState, { state: query.get('state') ?? undefined }),
  }
}

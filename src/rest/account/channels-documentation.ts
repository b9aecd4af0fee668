import { z } from 'zod'
import { deliveryStates } from '../../domain/notification/channel.ts'
import type { Operations, WrittenExample } from '../openapi/operation.ts'
import { sample } from '../openapi/sample.ts'
import { fieldText } from '../openapi/selected.ts'
import {
  channel,
  channels,
  channelUpdateBody,
  confirmationBody,
  deliveries,
  endedChannel,
  replayBody,
  replayed,
  subscribedChannel,
  subscriptionBody,
  testEvent,
} from './channels.ts'

const headers = { Authorization: `Bearer ${sample.session}` }
const ofAccount = { path: { account: sample.trader }, headers }
const ofChannel = { path: { account: sample.trader, id: sample.channel }, headers }

const hook = {
  id: sample.channel,
  kind: 'webhook',
  state: 'active',
  address: 'https://hooks.example.com/…',
  types: [],
  networks: [],
  createdAt: '2027-01-15T07:43:20Z',
  confirmedAt: '2027-01-15T07:43:21Z',
}
const pending = {
  id: sample.pendingChannel,
  kind: 'webhook',
  state: 'pending',
  address: 'https://later.example.com/…',
  types: [],
  networks: [],
  createdAt: '2027-01-15T07:43:20Z',
}
const subscription = {
  kind: 'webhook',
  address: 'https://hooks.example.com/fills?key=secret',
  types: ['order_filled'],
  networks: ['sepolia'],
}
const secret = 'whsec_BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc='

const unknown = {
  summary: 'Another channel',
  path: { account: sample.trader, id: '00000000-0000-4000-8000-000000000000' },
  headers,
}
const notFound: WrittenExample = {
  ...unknown,
  refused: ['ChannelNotFound', 'the account has no such channel'],
}
const withoutSession: WrittenExample = {
  summary: 'Without a session',
  path: { account: sample.trader },
  refused: ['Unauthorized', 'send the token of a session of this account as Authorization: Bearer …'],
}

const current = { 200: { description: fieldText('ChannelPayload.channel'), schema: channel } }

export const channelOperations: Operations = {
  'GET /accounts/:account/channels': {
    id: 'channels',
    summary: 'Channels of an account',
    needsSession: true,
    answers: { 200: { description: 'The channels; an empty list when there are none.', schema: channels } },
    examples: {
      two: { summary: 'Two webhooks', ...ofAccount, answer: [hook, pending] },
      withoutSession,
    },
  },
  'POST /accounts/:account/channels': {
    id: 'subscribeChannel',
    summary: 'Subscribe a channel',
    description:
      'The receiver gets a token that confirms the channel. An address that waits for its confirmation gets another token.',
    needsSession: true,
    body: subscriptionBody,
    answers: {
      201: { description: 'The channel, and the members that are shown once.', schema: subscribedChannel },
    },
    codes: [
      'FeatureDisabled',
      'ChannelExists',
      'TooManyChannels',
      'TooManyConfirmations',
      'ChannelUnreachable',
    ],
    examples: {
      webhook: {
        summary: 'A webhook for fills',
        ...ofAccount,
        body: subscription,
        answer: {
          id: '5e2a7c90-1b3d-4f68-8a9c-d0e1f2a3b4c5',
          kind: 'webhook',
          state: 'pending',
          address: 'https://hooks.example.com/…',
          types: ['order_filled'],
          networks: ['sepolia'],
          createdAt: '2027-01-15T08:00:00Z',
          secret,
        },
      },
      inside: {
        summary: 'An address that is not public',
        ...ofAccount,
        body: { ...subscription, address: 'https://10.0.0.1/' },
        refused: ['InvalidParameter', 'address must have a host name'],
      },
      email: {
        summary: 'A kind that is not enabled',
        ...ofAccount,
        body: { kind: 'email', address: 'trader@example.com' },
        refused: [
          'FeatureDisabled',
          'channels of the kind email are not enabled here: they need the settings SMTP_URL, SMTP_FROM and PUBLIC_URL',
        ],
      },
      withoutSession: { ...withoutSession, body: subscription },
    },
  },
  'POST /accounts/:account/channels/confirmation': {
    id: 'confirmChannel',
    summary: 'Confirm a channel',
    description: 'Takes only the token that was sent to its receiver. The token works once.',
    body: confirmationBody,
    answers: current,
    codes: ['ChannelNotFound', 'ChannelExists'],
    examples: {
      token: {
        summary: 'The token',
        path: { account: sample.trader },
        body: { token: sample.confirmation },
        answer: { ...pending, state: 'active', confirmedAt: '2027-01-15T08:00:00Z' },
      },
      again: {
        summary: 'The same once more',
        path: { account: sample.trader },
        body: { token: sample.confirmation },
        refused: ['ChannelNotFound', 'no channel waits for this token'],
      },
    },
  },
  'GET /accounts/:account/channels/:id': {
    id: 'channel',
    summary: 'One channel',
    needsSession: true,
    answers: current,
    examples: {
      webhook: { summary: 'A webhook', ...ofChannel, answer: hook },
      unknown: { ...unknown, refused: 'missing' },
    },
  },
  'GET /accounts/:account/channels/:id/deliveries': {
    id: 'channelDeliveries',
    summary: 'Sent and waiting deliveries of a channel',
    needsSession: true,
    query: {
      limit: {
        description: 'The maximum number of items; 20 when left out.',
        schema: z.int().min(1).max(100),
      },
      after: { description: 'The `next` of the previous page.', schema: z.string() },
      state: { description: 'Returns only deliveries in this state.', schema: z.enum(deliveryStates) },
    },
    answers: { 200: { description: 'A page, newest first.', schema: deliveries } },
    examples: {
      delivered: {
        summary: 'A test event that the receiver accepted',
        ...ofChannel,
        query: { limit: '10', state: 'delivered' },
        answer: {
          deliveries: [
            {
              messageId: 'msg_1',
              revision: 0,
              state: 'delivered',
              attempts: 1,
              createdAt: '2027-01-15T07:43:20Z',
              attemptedAt: '2027-01-15T07:43:22Z',
              endedAt: '2027-01-15T07:43:23Z',
              status: 204,
            },
          ],
        },
      },
      unknown: { ...unknown, refused: 'missing' },
      malformed: {
        summary: 'Too many',
        ...ofChannel,
        query: { limit: '101' },
        refused: ['InvalidParameter', 'limit must be a whole number from 1 to 100'],
      },
    },
  },
  'PATCH /accounts/:account/channels/:id': {
    id: 'updateChannel',
    summary: 'Change what is sent to a channel',
    needsSession: true,
    body: channelUpdateBody,
    answers: current,
    codes: ['ChannelNotFound'],
    examples: {
      improvements: {
        summary: 'Fills, and improvements of at least 1 %',
        ...ofChannel,
        body: { types: ['order_filled', 'price_improvement'], leastImprovement: '0.01' },
        answer: { ...hook, types: ['order_filled', 'price_improvement'], leastImprovement: '0.01' },
      },
      all: {
        summary: 'Everything again',
        ...ofChannel,
        body: { types: [], leastImprovement: null },
        answer: hook,
      },
      unknownNetwork: {
        summary: 'A network that is not served',
        ...ofChannel,
        body: { networks: ['gnosis'] },
        refused: ['NotFound', 'gnosis is not served here, but sepolia'],
      },
      unknown: { ...notFound, body: { types: [] } },
    },
  },
  'POST /accounts/:account/channels/:id/secret': {
    id: 'rotateChannelSecret',
    summary: 'Give a webhook a new secret',
    description:
      'The previous secret also signs its messages for a day; a fourth rotation within a day is refused.',
    needsSession: true,
    answers: {
      200: { description: 'The channel, and the secret, which is shown once.', schema: subscribedChannel },
    },
    codes: ['ChannelNotFound', 'TooManySecrets'],
    examples: {
      rotated: { summary: 'A new secret', ...ofChannel, answer: { ...hook, secret } },
      unknown: notFound,
    },
  },
  'POST /accounts/:account/channels/:id/test': {
    id: 'testChannel',
    summary: 'Send a test event',
    description: 'Queues the event behind waiting deliveries.',
    needsSession: true,
    answers: { 200: { description: fieldText('TestChannelPayload.messageId'), schema: testEvent } },
    codes: ['ChannelNotFound'],
    examples: {
      sent: { summary: 'A test event', ...ofChannel, answer: { messageId: 'msg_2' } },
      unknown: notFound,
    },
  },
  'POST /accounts/:account/channels/:id/replay': {
    id: 'replayChannel',
    summary: 'Send ended deliveries again',
    description: 'Keeps their order and ids.',
    needsSession: true,
    body: replayBody,
    answers: { 200: { description: 'The number of deliveries that are sent again.', schema: replayed } },
    codes: ['ChannelNotFound'],
    examples: {
      delivered: {
        summary: 'Deliveries since a time',
        ...ofChannel,
        body: { from: '2027-01-15T07:00:00Z', state: 'delivered' },
        answer: { deliveries: 1 },
      },
      malformed: {
        summary: 'A malformed time',
        ...ofChannel,
        body: { from: 'yesterday' },
        refused: ['InvalidParameter', 'from must be a time such as 2027-01-15T08:00:00Z'],
      },
      unknown: { ...notFound, body: { from: '2027-01-15T07:00:00Z' } },
    },
  },
  'DELETE /accounts/:account/channels/:id': {
    id: 'unsubscribeChannel',
    summary: 'End a channel',
    description: 'Ends a channel permanently. Waiting deliveries are not sent, and its address is deleted.',
    needsSession: true,
    answers: { 200: { description: 'The channel has ended.', schema: endedChannel } },
    codes: ['ChannelNotFound'],
    examples: {
      ended: { summary: 'A webhook', ...ofChannel, answer: { id: sample.channel } },
      again: {
        summary: 'The same once more',
        ...ofChannel,
        refused: ['ChannelNotFound', 'the account has no such channel'],
      },
    },
  },
}

import type { Address } from '../domain/address.ts'
import type { FeedEntry } from '../domain/notification.ts'
import { listNotifications } from '../storage/feed.ts'
import { builder } from './builder.ts'
import type { Context } from './context.ts'
import { NotificationType } from './enums.ts'
import { requireFeature } from './features.ts'
import { checkFirst, cursorArguments } from './paging.ts'
import { AccountRef, NodeRef, NotificationEdgeRef, NotificationPageRef, NotificationRef } from './refs.ts'

NotificationRef.implement({
  description: 'Something an account should know. Its ids stay the same when it is updated.',
  interfaces: [NodeRef],
  fields: (t) => ({
    notificationId: t.exposeID('id', { description: 'Its number, as REST and messages tell it.' }),
    account: t.expose('account', { type: 'Address', description: 'Whom it is for.' }),
    type: t.expose('type', { type: NotificationType, description: 'What it tells.' }),
    message: t.exposeString('message', { description: 'The same for people.' }),
    timestamp: t.expose('timestamp', { type: 'DateTime', description: 'When it was written.' }),
    metadata: t.expose('metadata', {
      type: 'JSON',
      description:
        'orderId, chainId, executedAmount on fills, and more; reverted is true once a reorg took the cause away for good.',
    }),
  }),
})

NotificationEdgeRef.implement({
  description: 'A notification in its place in the feed.',
  fields: (t) => ({
    cursor: t.exposeString('cursor', {
      description: 'Continues behind this notification, with a page or a stream.',
    }),
    notification: t.expose('notification', { type: NotificationRef, description: 'The notification.' }),
    node: t.expose('notification', { type: NotificationRef, description: 'Equal to notification.' }),
  }),
})

NotificationPageRef.implement({
  description: 'A part of an account’s feed, oldest first.',
  fields: (t) => ({
    cursor: t.exposeString('cursor', {
      description:
        'Continues here, with another page or a stream: nothing is lost or repeated between the two.',
    }),
    hasMore: t.exposeBoolean('hasMore', { description: 'Whether more is stored behind cursor.' }),
    edges: t.expose('entries', {
      type: [NotificationEdgeRef],
      description: 'Notifications with their cursors.',
    }),
    nodes: t.field({
      type: [NotificationRef],
      description: 'The notifications alone.',
      resolve: ({ entries }) => entries.map(({ notification }) => notification),
    }),
  }),
})

builder.queryField('notifications', (t) =>
  t.field({
    type: NotificationPageRef,
    description:
      'An account’s feed: the latest part, or what follows a cursor. after: "earliest" starts at the beginning.',
    args: {
      account: t.arg({ type: 'Address', required: true, description: 'Whose feed.' }),
      ...cursorArguments(t.arg),
    },
    resolve: (_root, { account, ...page }, context) => readPage(account, page, context),
  }),
)

builder.objectFields(AccountRef, (t) => ({
  notifications: t.field({
    type: NotificationPageRef,
    description: 'The account’s feed: the latest part, or what follows a cursor.',
    args: cursorArguments(t.arg),
    resolve: ({ address }, page, context) => readPage(address, page, context),
  }),
  latestNotifications: t.field({
    type: [NotificationRef],
    description: 'The latest notifications, newest first, each once.',
    args: { first: cursorArguments(t.arg).first },
    resolve: async ({ address }, { first }, context) => {
      requireFeature(context, 'cms')
      checkFirst(first)
      return context.spend(await listNotifications(context.db, address, first))
    },
  }),
}))

builder.subscriptionField('notifications', (t) =>
  t.field({
    type: NotificationEdgeRef,
    description:
      'Notifications as they are committed. Without after it starts now; with a cursor it first gives what was missed, once and in order.',
    args: {
      account: t.arg({ type: 'Address', required: true, description: 'Whose feed.' }),
      after: t.arg.string({ required: false, description: 'A cursor, or "earliest".' }),
    },
    subscribe(_root, { account, after }, context) {
      requireFeature(context, 'cms')
      return context.feed.stream(account, after ?? null, context.clientSignal)
    },
    resolve: (entry: FeedEntry) => entry,
  }),
)

async function readPage(
  account: Address,
  { first, after }: { first: number; after?: string | null | undefined },
  context: Context,
) {
  requireFeature(context, 'cms')
  checkFirst(first)
  const page = await context.feed.page(account, first, after ?? null)
  return { ...page, entries: context.spend(page.entries) }
}

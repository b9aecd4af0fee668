import type { GraphQLResolveInfo } from 'graphql'
import { account } from '../../storage/models/account.ts'
import { feedOfAddress } from '../../storage/models/notification/feed.ts'
import { notification } from '../../storage/models/notification/notification.ts'
import type { PageRows } from '../../storage/query/model.ts'
import { builder } from '../builder.ts'
import { requireFeature } from '../context/features.ts'
import { edgeRef } from '../stored/connection.ts'
import { exposeModel } from '../stored/expose.ts'
import { feedReading } from '../stored/resolve.ts'
import { storedRoot } from '../stored/root.ts'

exposeModel(notification)

builder.queryFields((t) => ({
  notifications: storedRoot(t, feedOfAddress, {
    args: { account: t.arg({ type: 'Address', required: true, description: 'Whose feed.' }) },
    rowArguments: (args, environment) => {
      requireFeature(environment, 'cms')
      return args
    },
  }),
}))

builder.subscriptionField('notifications', (t) =>
  t.field({
    type: edgeRef(account.relations?.notifications as PageRows),
    description:
      'Notifications as they are committed. Without after it starts now; with a cursor it first gives what was missed, once and in order.',
    args: {
      account: t.arg({ type: 'Address', required: true, description: 'Whose feed.' }),
      after: t.arg.string({ required: false, description: 'A cursor, or "earliest".' }),
    },
    subscribe(_root, { account, after }, context, info: GraphQLResolveInfo) {
      requireFeature(context, 'cms')
      return context.feed.stream(account, after ?? null, context.clientSignal, feedReading(context, info))
    },
    resolve: (entry) => JSON.parse(entry) as never,
  }),
)

import type { Address } from '../../domain/evm/address.ts'
import { account } from '../../storage/models/account.ts'
import { edgeSelection, feedOfAddress } from '../../storage/models/notification/feed.ts'
import { notification } from '../../storage/models/notification/notification.ts'
import type { PageRows } from '../../storage/query/model.ts'
import { builder } from '../builder.ts'
import { requireFeature } from '../context/features.ts'
import { edgeRef } from '../stored/connection.ts'
import { exposeModel } from '../stored/expose.ts'
import { feedField } from '../stored/feed-field.ts'
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
    ...feedField<{ account: Address; after?: string | null }>({
      find({ account, after }, environment) {
        requireFeature(environment, 'cms')
        return { feed: environment.feeds.account, key: account, after: after ?? null }
      },
      entryOf: (edge) => ({ selection: edgeSelection(edge) }),
    }),
  }),
)

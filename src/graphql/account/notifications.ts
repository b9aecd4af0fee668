import { z } from 'zod'
import { type Described, derived, described, flag, uint32 } from '../../domain/described.ts'
import { Refusal } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import {
  type Announcement,
  announcement,
  announcementLocations,
} from '../../domain/notification/announcement.ts'
import { notificationTypes } from '../../domain/notification/notification.ts'
import { account } from '../../storage/models/account.ts'
import { accountByAddress } from '../../storage/models/keyed.ts'
import { edgeSelection, feedOfAddress } from '../../storage/models/notification/feed.ts'
import type { NotificationFilter } from '../../storage/models/notification/history.ts'
import { notification } from '../../storage/models/notification/notification.ts'
import { markRead, type ReadNotifications } from '../../storage/notifications.ts'
import type { PageRows } from '../../storage/query/model.ts'
import { builder } from '../builder.ts'
import { requireChannelsOf, requireFeature } from '../context/access.ts'
import { describedRef } from '../described.ts'
import { defineEnum, NotificationType } from '../enums.ts'
import {
  addressField,
  enumField,
  flagField,
  objectExpected,
  orderUidField,
  scalarField,
} from '../input/fields.ts'
import { inputArgument, inputType } from '../input/input-type.ts'
import { parseInput } from '../input/parse.ts'
import { type Arguments, feedCursorArgument } from '../paging.ts'
import { AccountRef } from '../refs.ts'
import { edgeRef, exposeModel, storedRoot } from '../stored/expose.ts'
import { feedField } from '../stored/feed-field.ts'
import { identityOf, keyedResolver, type StoredValue } from '../stored/resolve.ts'

exposeModel(notification)

const accountArgument = (arg: Arguments) =>
  arg({ type: 'Address', required: true, description: 'The account of the feed.' })

builder.queryFields((t) => ({
  notifications: storedRoot(t, feedOfAddress, {
    args: { account: accountArgument(t.arg) },
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
      account: accountArgument(t.arg),
      after: feedCursorArgument(t.arg),
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

const timeField = scalarField('DateTime', z.date())

const notificationFilter = inputType('NotificationFilter', {
  description: 'Notifications that meet every condition given.',
  schema: z.object({
    types: z
      .array(enumField(NotificationType, notificationTypes))
      .min(1, 'must name at least one')
      .nullish()
      .meta({ description: 'The types, one or more.' }),
    orderUid: orderUidField.nullish().meta({ description: 'About this order.' }),
    from: timeField.nullish().meta({ description: 'Written at this time or later.' }),
    until: timeField.nullish().meta({ description: 'Written before this time.' }),
    unread: flagField
      .nullish()
      .meta({ description: 'Only those that are not marked as read; false: only those that are.' }),
  }),
})

export const NotificationFilterInput = notificationFilter.type

/**
 * Validates the filter itself, because compiled operations bypass the builder.
 * @throws Refusal InvalidParameter
 */
export function toNotificationFilter(
  input: z.output<typeof notificationFilter.schema> | null | undefined,
): NotificationFilter {
  const { types, ...conditions } = parseInput(notificationFilter.schema, input ?? {})
  const filter = { ...conditions, types: types && [...new Set(types)] }
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value != null))
}

const maxIds = 1_000
/** The notifications that one mutation marks. */
const maxMarked = 10_000

interface Marked {
  account: Address
  marked: number
}

const MarkNotificationsReadPayloadRef = describedRef<Described, Marked>(
  described('MarkNotificationsReadPayload', 'The notifications that were marked as read.', {
    marked: uint32('The number of newly marked notifications.'),
    hasMore: derived(
      flag(`True if some may be left: one mutation marks up to ${maxMarked}. Send it again then.`),
      ({ marked }: Marked) => marked === maxMarked,
    ),
  }),
)

builder.objectField(MarkNotificationsReadPayloadRef, 'account', (t) =>
  t.field({
    type: AccountRef,
    description: 'The account as it is now.',
    resolve: keyedResolver(accountByAddress, ({ account }) => account),
  }),
)

const notificationId = scalarField(
  'String',
  z
    .string()
    .regex(/^[0-9]{1,18}$/, 'must be the notificationId of a notification')
    .transform(BigInt),
)

const readInput = inputType('MarkNotificationsReadInput', {
  description: 'The notifications that were read: either upTo or notificationIds.',
  schema: z.object(
    {
      account: addressField.meta({
        description:
          'The account of the notifications. Needs a session of this account, or the key of the content system.',
      }),
      upTo: notificationId.nullish().meta({
        description: 'The notificationId of the newest that was shown: it and all that were written before.',
      }),
      notificationIds: z
        .array(notificationId)
        .min(1, 'must name at least one')
        .max(maxIds, `must name at most ${maxIds}`)
        .nullish()
        .meta({ description: 'These. Those of other accounts are left as they are.' }),
    },
    objectExpected,
  ),
})

builder.mutationField('markNotificationsRead', (t) =>
  t.field({
    type: MarkNotificationsReadPayloadRef,
    description:
      'Marks notifications of an account as read. One that a reorg takes back later is unread again. Needs a session of the account, or the key of the content system.',
    args: { input: inputArgument(t.arg, readInput) },
    async resolve(_root, { input: { account, ...input } }, context) {
      await requireChannelsOf(context, account)
      const limits = { now: new Date(context.now()), limit: maxMarked }
      return { account, marked: await markRead(context.db, account, whichOf(input), limits) }
    },
  }),
)

/** @throws Refusal InvalidParameter */
function whichOf({
  upTo,
  notificationIds: ids,
}: {
  upTo?: bigint | null | undefined
  notificationIds?: bigint[] | null | undefined
}): ReadNotifications {
  if (upTo != null && ids == null) return { upTo }
  if (ids != null && upTo == null) return { ids }
  throw new Refusal('InvalidParameter', 'give either upTo or notificationIds', { field: 'upTo' })
}

defineEnum(
  'AnnouncementLocation',
  'The place at which an announcement is meant to be shown.',
  announcementLocations,
  { default: 'The list of notifications.', speechBubble: 'The list, and a speech bubble.' },
)

/** The accounts whose announcements one request may select. */
const maxAccounts = 8

builder.objectField(AccountRef, 'announcements', (t) =>
  t.field({
    type: [describedRef<typeof announcement, Announcement>(announcement)],
    nullable: true,
    description:
      'Messages of the connected content system to the account, newest first, up to 100. Null if none is connected; an error Unavailable if it does not answer.',
    extensions: { needsOutsideSource: true },
    async resolve(parent, _args, context) {
      requireFeature(context, 'cms')
      const { announcements, countItems } = context
      if (!announcements) return null
      context.countUse(
        'announcements',
        maxAccounts,
        `announcements of more than ${maxAccounts} accounts are requested at once`,
      )
      const { address } = identityOf<{ address: Address }>(parent as StoredValue)
      return countItems(await announcements.of(address))
    },
  }),
)

import { z } from 'zod'
import { Refusal } from '../../domain/errors/error.ts'
import { accountByAddress } from '../../storage/models/keyed.ts'
import { markRead, type ReadNotifications } from '../../storage/notification-reads.ts'
import { builder } from '../builder.ts'
import { requireChannelsOf } from '../context/access.ts'
import { addressField, objectExpected, scalarField } from '../input/fields.ts'
import { inputArgument, inputType } from '../input/input-type.ts'
import { AccountRef, MarkNotificationsReadPayloadRef } from '../refs.ts'
import { resolveKeyed, type StoredValue } from '../stored/resolve.ts'

const maxIds = 1_000
/** That one mutation marks. */
const maxMarked = 10_000

MarkNotificationsReadPayloadRef.implement({
  description: 'What was marked as read.',
  fields: (t) => ({
    marked: t.expose('marked', { type: 'Uint32', description: 'How many were not marked before.' }),
    hasMore: t.boolean({
      description: `Whether some may be left: one mutation marks ${maxMarked} at most. Send it again then.`,
      resolve: ({ marked }) => marked === maxMarked,
    }),
    account: t.field({
      type: AccountRef,
      description: 'The account as it is now.',
      resolve: async ({ account }, _args, context, info) =>
        (await resolveKeyed(accountByAddress, account, context, info)) as StoredValue,
    }),
  }),
})

const notificationId = scalarField(
  'String',
  z
    .string()
    .regex(/^[0-9]{1,18}$/, 'must be the notificationId of a notification')
    .transform(BigInt),
)

const readInput = inputType('MarkNotificationsReadInput', {
  description: 'Which notifications were read: either upTo or notificationIds.',
  schema: z.object(
    {
      account: addressField.meta({
        description: 'Whose. Needs a session of this account, or the key of the content system.',
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
    args: { input: inputArgument(t.arg, readInput, 'Which.') },
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

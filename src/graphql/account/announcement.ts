import { Refusal } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import { announcementLocations } from '../../domain/notification/announcement.ts'
import { builder } from '../builder.ts'
import type { Context } from '../context/context.ts'
import { requireFeature } from '../context/features.ts'
import { defineEnum } from '../enums.ts'
import { AccountRef, AnnouncementRef } from '../refs.ts'
import { identityOf, type StoredValue } from '../stored/resolve.ts'

const AnnouncementLocation = defineEnum(
  'AnnouncementLocation',
  'Where an announcement is meant to be shown.',
  announcementLocations,
  { default: 'In the list of notifications.', speechBubble: 'In a speech bubble as well.' },
)

AnnouncementRef.implement({
  description: 'What the operator tells an account, or all.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The content system’s number.' }),
    title: t.exposeString('title', { description: 'Plain text.' }),
    description: t.exposeString('description', {
      description: 'Text that may be Markdown, as it was written.',
    }),
    url: t.exposeString('url', {
      nullable: true,
      description: 'Where it leads: an http or https URL, or a path of the page that shows it.',
    }),
    thumbnail: t.exposeString('thumbnail', { nullable: true, description: 'URL of a picture.' }),
    location: t.expose('location', {
      type: AnnouncementLocation,
      description: 'Where it is meant to be shown.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was written.' }),
    isForAll: t.boolean({
      description: 'Whether it is for every account.',
      resolve: ({ account }) => account === null,
    }),
  }),
})

/** Accounts of one request whose announcements may be asked for. */
const maxAccounts = 8
const asked = new WeakMap<Context, number>()

builder.objectField(AccountRef, 'announcements', (t) =>
  t.field({
    type: [AnnouncementRef],
    nullable: true,
    description:
      'What the connected content system tells the account, newest first, at most 100. Null where none is connected; an error Unavailable where it does not answer.',
    extensions: { needsOutsideSource: true },
    async resolve(parent, _args, context) {
      requireFeature(context, 'cms')
      const { announcements, countItems } = context
      if (!announcements) return null
      const count = (asked.get(context) ?? 0) + 1
      asked.set(context, count)
      if (count > maxAccounts)
        throw new Refusal(
          'QueryTooComplex',
          `announcements of more than ${maxAccounts} accounts are asked for at once`,
        )
      const { address } = identityOf<{ address: Address }>(parent as StoredValue)
      return countItems(await announcements.of(address))
    },
  }),
)

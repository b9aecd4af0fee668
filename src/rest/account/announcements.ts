import { z } from 'zod'
import { Outage } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Announcement } from '../../domain/notification/announcement.ts'
import type { Announcements } from '../../notifications/announcements.ts'
import { address } from '../openapi/primitives.ts'
import { fieldSchema, selected } from '../openapi/selected.ts'

/** An announcement in the shape of a notification, with a type of its own. */
export const announcement = z.object({
  id: z.string().meta({ description: '`announcement-` and the content system’s number.' }),
  account: address.meta({ description: 'The account of the list.' }),
  type: z.literal('announcement').meta({ description: 'Distinguishes it from notifications.' }),
  message: z.string().meta({ description: 'Title and description.' }),
  timestamp: fieldSchema('Announcement.createdAt'),
  metadata: selected('Announcement', 'title description url thumbnail location isForAll').meta({
    description: 'Its parts.',
  }),
})

/**
 * Returns the announcements for the account; undefined during an outage of the content system, which does not
 * hide stored notifications.
 */
export async function announcementsFor(
  account: Address,
  announcements: Announcements | undefined,
): Promise<readonly Announcement[] | undefined> {
  try {
    return (await announcements?.of(account)) ?? []
  } catch (fault) {
    if (fault instanceof Outage) return undefined
    throw fault
  }
}

/**
 * Merges both lists, newest first, at most `limit`.
 * @param stored JSON of notifications, newest first
 */
export function mergedList(
  stored: string,
  announcements: readonly Announcement[],
  account: Address,
  limit: number,
): string {
  if (announcements.length === 0) return stored
  const notifications = JSON.parse(stored) as { timestamp: string }[]
  const own = announcements.map((each) => toNotification(each, account))
  return JSON.stringify(
    [...notifications, ...own]
      .map((item) => ({ item, at: Date.parse(item.timestamp) }))
      .sort((one, other) => other.at - one.at)
      .slice(0, limit)
      .map(({ item }) => item),
  )
}

function toNotification(each: Announcement, account: Address) {
  const { id, title, description, url, thumbnail, location, createdAt } = each
  return {
    id: `announcement-${id}`,
    account,
    type: 'announcement',
    message: description === '' ? title : `${title}\n${description}`,
    timestamp: createdAt.toISOString().replace('.000Z', 'Z'),
    metadata: { title, description, url, thumbnail, location, isForAll: each.account === null },
  }
}

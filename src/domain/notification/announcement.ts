import { dateTime, derived, described, flag, id, oneOf, text, type ValueOf } from '../described.ts'
import type { Address } from '../evm/address.ts'

export const announcementLocations = ['default', 'speechBubble'] as const
/** The place where clients show an announcement. */
type AnnouncementLocation = (typeof announcementLocations)[number]

export const announcement = described(
  'Announcement',
  'A message of the operator to one account, or to all.',
  {
    id: id('The content system’s number.'),
    title: text('Plain text.'),
    description: text('Text, which may be Markdown.'),
    url: text.orNull('The target of its link: an http or https URL, or a path of the page that shows it.'),
    thumbnail: text.orNull('URL of a picture.'),
    location: oneOf<AnnouncementLocation>('AnnouncementLocation')('The place to show it.'),
    createdAt: dateTime('The time at which the operator wrote it.'),
    isForAll: derived(
      flag('True if it is for every account.'),
      ({ account }: { account: Address | null }) => account === null,
    ),
  },
)

/** People write it by hand; it is never about an order. */
export interface Announcement extends ValueOf<typeof announcement> {
  /** The recipient; null for all accounts. */
  account: Address | null
}

/**
 * Puts values into a template. A placeholder is `{{ key }}` with one space on each side. As in the content
 * system, only the first placeholder of a key is replaced. Values are not escaped, and not searched for
 * placeholders.
 */
export function renderTemplate(template: string, values: Readonly<Record<string, unknown>>): string {
  const used = new Set<string>()
  return template.replace(/\{\{ ([\w.-]{1,60}) \}\}/g, (placeholder, key: string) => {
    const value = Object.hasOwn(values, key) ? values[key] : undefined
    if (used.has(key) || (typeof value !== 'string' && typeof value !== 'number')) return placeholder
    used.add(key)
    return String(value)
  })
}

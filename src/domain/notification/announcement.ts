import type { Address } from '../evm/address.ts'

export const announcementLocations = ['default', 'speechBubble'] as const
/** The place where clients show an announcement. */
export type AnnouncementLocation = (typeof announcementLocations)[number]

/**
 * An announcement of the content system to one account or to all. People write it by hand; it is never about
 * an order.
 */
export interface Announcement {
  /** The content system's number. */
  id: string
  /** The recipient; null for all accounts. */
  account: Address | null
  title: string
  /** Plain text or Markdown, unchanged: the client decides how to show it. */
  description: string
  url: string | null
  thumbnail: string | null
  location: AnnouncementLocation
  createdAt: Date
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

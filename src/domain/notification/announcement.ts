import type { Address } from '../evm/address.ts'

export const announcementLocations = ['default', 'speechBubble'] as const
/** Where clients show it. */
export type AnnouncementLocation = (typeof announcementLocations)[number]

/** What the content system announces to an account, or all. It is written by hand, and never about an order. */
export interface Announcement {
  /** The content system’s number. */
  id: string
  /** Null where it is for all. */
  account: Address | null
  title: string
  /** May be Markdown, which stays as it is: who shows it decides. */
  description: string
  url: string | null
  thumbnail: string | null
  location: AnnouncementLocation
  createdAt: Date
}

/**
 * Puts values into a template. A placeholder is `{{ key }}` with one space on each side, and only the first of a key is replaced, as the
 * content system has it. Values are not escaped, and not read for placeholders.
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

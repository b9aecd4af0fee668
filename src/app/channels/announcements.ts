import type { Clock, Log } from '../../domain/log.ts'
import { type Announcements, createAnnouncements } from '../../notifications/announcements.ts'
import type { Settings } from '../settings.ts'

/** Of the content system that settings connect; nothing without one. */
export function composeAnnouncements({ settings, now, log }: { settings: Settings; now: Clock; log: Log }): {
  announcements?: Announcements
} {
  const { CMS_URL: url, CMS_API_KEY: apiKey, CMS_ENABLED } = settings
  if (url === undefined || apiKey === undefined || CMS_ENABLED === false) return {}
  return { announcements: createAnnouncements({ url, apiKey, now, log }) }
}

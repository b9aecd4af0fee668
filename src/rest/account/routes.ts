import { notificationBody } from '../../storage/bodies/notification.ts'
import { listOfBodies, readBody } from '../../storage/bodies/read.ts'
import { newestNotifications } from '../../storage/models/notification/roots.ts'
import { readAddress } from '../row/parameters.ts'
import type { StoredRoute } from '../row/stored-route.ts'
import { announcementsFor, mergedList } from './merged.ts'

const notificationList = listOfBodies(notificationBody)

/** The path has no pages: it returns the newest. */
const maxNotifications = 1_000

/** Of a list without the announcements that may be there. */
const incomplete = { 'Cache-Control': 'no-cache', Warning: '199 - "Announcements Are Missing"' }

export const notificationRoutes: StoredRoute[] = [
  {
    on: 'GET /accounts/:account/notifications',
    needs: 'cms',
    items: () => maxNotifications,
    headers: { 'Cache-Control': 'public, max-age=300' },
    read: async ({ path }, { db, ambient, announcements }) => {
      const account = readAddress('account', path.account)
      const rows = newestNotifications({ account, first: maxNotifications })
      const [row, announced] = await Promise.all([
        readBody(db, notificationList, rows, ambient),
        announcementsFor(account, announcements),
      ])
      if (!row) return null
      if (!announced) return { body: row[0], headers: incomplete }
      return { body: mergedList(row[0], announced, account, maxNotifications) }
    },
  },
]

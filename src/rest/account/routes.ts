import { notificationBody } from '../../storage/bodies/notification.ts'
import { listOfBodies, readBody } from '../../storage/bodies/read.ts'
import { newestNotifications } from '../../storage/models/notification/roots.ts'
import { readAddress } from '../row/parameters.ts'
import type { StoredRoute } from '../row/stored-route.ts'

const notificationList = listOfBodies(notificationBody)

/** The path has no pages: it returns the newest. */
const maxNotifications = 1_000

export const notificationRoutes: StoredRoute[] = [
  {
    on: 'GET /accounts/:account/notifications',
    needs: 'cms',
    items: () => maxNotifications,
    headers: { 'Cache-Control': 'public, max-age=300' },
    read: async ({ path }, { db, ambient }) => {
      const account = readAddress('account', path.account)
      const row = await readBody(
        db,
        notificationList,
        newestNotifications({ account, first: maxNotifications }),
        ambient,
      )
      return row ? { body: row[0] } : null
    },
  },
]

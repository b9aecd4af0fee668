import { notificationBody } from '../../storage/bodies/notification.ts'
import { listOfBodies, readBody } from '../../storage/bodies/read.ts'
import { newestNotifications } from '../../storage/models/notification/history.ts'
import { notifications } from '../openapi/body-schemas.ts'
import type { Operations } from '../openapi/operation.ts'
import { sample } from '../openapi/sample.ts'
import type { StoredRoute } from '../routing/endpoint.ts'
import { readAddress } from '../routing/request.ts'
import { announcementsFor, mergedList } from './announcements.ts'

const notificationList = listOfBodies(notificationBody)

/** The path has no pages: it returns the newest notifications. */
const maxNotifications = 1_000

/** Headers of a list from which announcements may be missing. */
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

export const notificationOperations: Operations = {
  'GET /accounts/:account/notifications': {
    id: 'notifications',
    summary: 'Notifications of an account',
    description:
      'Returns the newest 1000, newest first, with announcements of a connected content system among them. For more, and for a stream without gaps, use `/graphql` and `/graphql/stream`.',
    answers: {
      200: { description: 'An empty list when there are none.', schema: notifications, headers: ['ETag'] },
    },
    examples: {
      filled: {
        summary: 'A fill',
        path: { account: sample.otherTrader },
        answer: [
          {
            id: '1',
            account: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
            type: 'order_filled',
            message: 'Order filled: 1 WETH for 2,940 USDC',
            timestamp: '2027-01-15T07:43:23Z',
            metadata: {
              txHash: '0xabababababababababababababababababababababababababababababababab',
              chainId: 11155111,
              orderId:
                '0xb8d5324dba0b1933165ed1dea75ac1a296070f2f44b36a1127d594e7afcbd36570997970c51812dc3a010c7d01b50e0d17dc79c877359400',
              executedAmount: '2940000000',
            },
          },
        ],
      },
      none: { summary: 'No notifications', path: { account: sample.newcomer }, answer: [] },
      malformed: {
        summary: 'No address',
        path: { account: '0x12' },
        refused: ['InvalidParameter', 'account must be an address: 20 bytes of hex with 0x in front'],
      },
    },
  },
}

import { Refusal } from '../../domain/errors/error.ts'
import { checkNamed } from '../../graphql/context/context.ts'
import { parseInput } from '../../graphql/errors/input.ts'
import { orderUidsInput } from '../../graphql/order/uids-input.ts'
import { checkLimit } from '../../graphql/relay/paging.ts'
import { debugReportBody, oldestReported } from '../../storage/bodies/debug-report.ts'
import { fullOrder, listedOrder } from '../../storage/bodies/order.ts'
import { orderProgressBody } from '../../storage/bodies/order-progress.ts'
import { type BodyRow, listOfBodies, listOfWrapped, oneBody, readBody } from '../../storage/bodies/read.ts'
import {
  namedOrders,
  oneOrder,
  ordersOfAccount,
  ordersOfTransaction,
  progressOfOrder,
} from '../../storage/models/order/roots.ts'
import { page } from '../row/page.ts'
import { readAddress, readHash, readUid } from '../row/parameters.ts'
import type { StoredReading, StoredRoute } from '../row/stored-route.ts'

const orderBody = oneBody(fullOrder)
const orderList = listOfBodies(listedOrder)
const wrappedOrderList = listOfWrapped('order', fullOrder)
const progressBody = oneBody(orderProgressBody)
const reportBody = oneBody(debugReportBody, [oldestReported])

const answerOf = (row: BodyRow | undefined) => (row ? { body: row[0] } : null)

export const orderRoutes: StoredRoute[] = [
  {
    on: 'GET /api/v1/orders/:uid',
    missing: 'Order was not found',
    read: async ({ path }, { db, network, ambient }) => {
      const uid = readUid('uid', path.uid)
      return answerOf(await readBody(db, orderBody, oneOrder({ uid, chainId: network.chainId }), ambient))
    },
  },
  {
    on: 'POST /api/v1/orders/by_uids',
    items: ({ body }) => (Array.isArray(body) ? body.length : 1),
    read: async ({ body }, { db, network, ambient, ...limits }) => {
      const uids = parseInput(orderUidsInput, body)
      checkNamed(uids, 'uids', limits)
      const rows = namedOrders({ uids: [...new Set(uids)], chainId: network.chainId })
      return answerOf(await readBody(db, wrappedOrderList, rows, ambient))
    },
  },
  {
    on: 'GET /api/v1/orders/:uid/status',
    missing: 'no order has this UID, or no competition is stored for where it stands',
    read: async ({ path }, { db, network, ambient }) => {
      const uid = readUid('uid', path.uid)
      return answerOf(
        await readBody(db, progressBody, progressOfOrder({ uid, chainId: network.chainId }), ambient),
      )
    },
  },
  {
    on: 'GET /api/v1/transactions/:hash/orders',
    read: async ({ path }, { db, network, ambient }) => {
      const hash = readHash('hash', path.hash)
      return answerOf(
        await readBody(db, orderList, ordersOfTransaction({ hash, chainId: network.chainId }), ambient),
      )
    },
  },
  {
    on: 'GET /api/v1/account/:owner/orders',
    items: ({ query }) => page(query).limit,
    read: async ({ path, query }, { db, network, ambient }) => {
      const owner = readAddress('owner', path.owner)
      const { offset, limit } = page(query)
      checkLimit(limit, 'LIMIT_OUT_OF_BOUNDS')
      const rows = ordersOfAccount({ owner, chainId: network.chainId, offset, limit })
      return answerOf(await readBody(db, orderList, rows, ambient))
    },
  },
  ...['', '/restricted'].map((prefix) => ({
    on: `GET ${prefix}/api/v1/debug/order/:uid`,
    missing: 'Order was not found',
    restricted: prefix !== '',
    read: readReport,
  })),
]

async function readReport(
  { path, query }: Parameters<StoredRoute['read']>[0],
  { db, network, ambient, reportAuctions }: StoredReading,
) {
  const uid = readUid('uid', path.uid)
  const auctionsBefore = readAuctionsBefore(query.get('auctionsBefore'))
  const rows = oneOrder({ uid, chainId: network.chainId })
  const row = await readBody(db, reportBody, rows, { ...ambient, values: [auctionsBefore, reportAuctions] })
  if (!row) return null
  const [body, nextAuction] = row
  return {
    body,
    ...(nextAuction !== null && { headers: { Link: `<?auctionsBefore=${nextAuction}>; rel="next"` } }),
  }
}

/** @throws Refusal InvalidParameter */
function readAuctionsBefore(text: string | null): bigint | null {
  if (text === null) return null
  if (/^[0-9]{1,18}$/.test(text)) return BigInt(text)
  throw new Refusal('InvalidParameter', 'auctionsBefore must be the id of an auction', {
    field: 'auctionsBefore',
  })
}

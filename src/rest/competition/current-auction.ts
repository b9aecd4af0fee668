import { currentAuctionId } from '../../storage/auction/current.ts'
import { currentAuctionBody } from '../../storage/bodies/current-auction.ts'
import { oneBody, readBody } from '../../storage/bodies/read.ts'
import { type Db, sharedDb } from '../../storage/database/database.ts'
import { currentAuctionOf } from '../../storage/models/auction/current.ts'
import type { StoredReading, StoredRoute } from '../row/stored-route.ts'

const auctionBody = oneBody(currentAuctionBody, ['ca.auction_id::text'])

interface Kept {
  auctionId: bigint
  body: Buffer
}

/** The newest body of each network, by chain id, and the one that is being read. */
interface Bodies {
  kept: Map<number, Kept>
  reading: Map<number, Promise<Kept | undefined>>
}

const bodiesOf = new WeakMap<Db, Bodies>()

/** Auctions replace it in the database, maybe in another process. Its text is written once for each of them, however many ask. */
export const currentAuctionRoutes: StoredRoute[] = [
  {
    on: 'GET /api/v1/auction',
    missing: 'no order can be settled at the moment',
    access: { to: 'currentAuction' },
    statuses: { FeatureDisabled: 403 },
    isKept: true,
    // A cache has to ask again, and with the same permission.
    headers: { 'Cache-Control': 'private, no-cache' },
    read: async (_request, reading) => {
      const auctionId = await currentAuctionId(reading.db, reading.network.chainId)
      const kept = auctionId === undefined ? undefined : await bodyFor(auctionId, reading)
      return kept ? { body: kept.body } : null
    },
  },
]

async function bodyFor(auctionId: bigint, given: StoredReading): Promise<Kept | undefined> {
  const reading = { ...given, db: sharedDb(given.db) }
  const { chainId } = reading.network
  const bodies = bodiesOf.get(reading.db) ?? { kept: new Map(), reading: new Map() }
  bodiesOf.set(reading.db, bodies)
  const kept = bodies.kept.get(chainId)
  if (kept?.auctionId === auctionId) return kept
  const pending =
    bodies.reading.get(chainId) ??
    readCurrent(reading).finally(() => {
      bodies.reading.delete(chainId)
    })
  bodies.reading.set(chainId, pending)
  const read = await pending
  if (read) bodies.kept.set(chainId, read)
  return read
}

async function readCurrent({ db, network, ambient }: StoredReading): Promise<Kept | undefined> {
  const row = await readBody(db, auctionBody, currentAuctionOf(network.chainId), ambient)
  return row && { body: Buffer.from(row[0]), auctionId: BigInt(row[1] ?? 0) }
}

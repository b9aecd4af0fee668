import { Refusal } from '../../domain/errors/error.ts'
import { competition, competitionV1 } from '../../storage/bodies/competition.ts'
import { type BodyRead, oneBody, readBody } from '../../storage/bodies/read.ts'
import { isOver } from '../../storage/models/auction/auction.ts'
import { auctionOfTransaction, latestAuction, oneAuction } from '../../storage/models/auction/roots.ts'
import { ownParam } from '../../storage/query/selected.ts'
import { unchanging } from '../row/caching.ts'
import { readHash } from '../row/parameters.ts'
import type { RestRequest } from '../row/route.ts'
import type { StoredReading, StoredRoute } from '../row/stored-route.ts'

const missing = 'there is no such competition'

type FindRows = (path: RestRequest<string>['path'], chainId: number) => ReturnType<typeof oneAuction>

const findsByPath: Record<string, FindRows> = {
  ':auctionId': (path, chainId) => oneAuction({ id: readAuctionId(path), chainId }),
  latest: (_path, chainId) => latestAuction({ chainId }),
  'by_tx_hash/:hash': (path, chainId) => auctionOfTransaction({ hash: readHash('hash', path.hash), chainId }),
}

/** A column beside the body: whether the competition can no longer change. */
const overColumn = isOver(`${ownParam(0)}::int`)

const bodies: [string, BodyRead][] = [
  ['v1', oneBody(competitionV1, [overColumn])],
  ['v2', oneBody(competition, [overColumn])],
]

/** Competitions of auctions, in both versions of the interface. The restricted path answers before the deadline too. */
export const competitionRoutes: StoredRoute[] = [
  ...bodies.flatMap(([version, body]) =>
    Object.entries(findsByPath).map(([path, findRows]) => ({
      on: `GET /api/${version}/solver_competition/${path}`,
      missing,
      isCached: path !== 'latest',
      read: createRead(body, findRows, path !== 'latest'),
    })),
  ),
  {
    on: 'GET /restricted/api/v2/solver_competition/:auctionId',
    missing,
    restricted: true,
    read: createRead(bodies[1]?.[1] as BodyRead, findsByPath[':auctionId'] as FindRows, false),
  },
]

/** @param isCacheable whether caches may keep a final competition: not for `latest`, nor for the operator's path */
function createRead(body: BodyRead, findRows: FindRows, isCacheable: boolean): StoredRoute['read'] {
  return async ({ path }, { db, network: { chainId, finalityBlocks }, ambient }: StoredReading) => {
    const rows = findRows(path, chainId)
    const row = await readBody(db, body, rows, { ...ambient, values: [finalityBlocks] })
    if (!row) return null
    const [text, isOver] = row
    return { body: text, ...(isCacheable && isOver === 't' && { headers: { 'Cache-Control': unchanging } }) }
  }
}

/** An id above the safe integers is unknown, not malformed. */
function readAuctionId({ auctionId = '' }: RestRequest<string>['path']): number {
  if (!/^[0-9]{1,100}$/.test(auctionId)) {
    throw new Refusal('InvalidParameter', 'auctionId must be a whole number', { field: 'auctionId' })
  }
  const id = Number(auctionId)
  if (!Number.isSafeInteger(id)) throw new Refusal('NotFound', missing)
  return id
}

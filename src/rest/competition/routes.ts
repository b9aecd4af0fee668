import { Refusal } from '../../domain/errors/error.ts'
import { competition, competitionV1 } from '../../storage/bodies/competition.ts'
import { type BodyRead, oneBody, readBody } from '../../storage/bodies/read.ts'
import { isOver } from '../../storage/models/auction/auction.ts'
import { auctionOfTransaction, latestAuction, oneAuction } from '../../storage/models/auction/roots.ts'
import { param } from '../../storage/query/selected.ts'
import { unchanging } from '../row/caching.ts'
import { readHash } from '../row/parameters.ts'
import type { RestRequest } from '../row/route.ts'
import type { StoredReading, StoredRoute } from '../row/stored-route.ts'

const missing = 'there is no such competition'

type Find = (
  path: RestRequest<string>['path'],
  chainId: number,
  env: { hidesCompetitions: boolean },
) => ReturnType<typeof oneAuction>

const finds: Record<string, Find> = {
  ':auctionId': (path, chainId, env) => oneAuction({ id: auctionId(path), chainId }, env),
  latest: (_path, chainId, env) => latestAuction({ chainId }, env),
  'by_tx_hash/:hash': (path, chainId, env) =>
    auctionOfTransaction({ hash: readHash('hash', path.hash), chainId }, env),
}

/** Beside the body: whether it can still change. */
const over = isOver(`${param(1)}::int`)

const bodies: [string, BodyRead][] = [
  ['v1', oneBody(competitionV1, [over])],
  ['v2', oneBody(competition, [over])],
]

/** What solvers proposed for an auction, in both versions of the interface. The restricted path tells before the deadline too. */
export const competitionRoutes: StoredRoute[] = [
  ...bodies.flatMap(([version, body]) =>
    Object.entries(finds).map(([path, find]) => ({
      on: `GET /api/${version}/solver_competition/${path}`,
      missing,
      isCached: path !== 'latest',
      read: reader(body, find, path !== 'latest'),
    })),
  ),
  {
    on: 'GET /restricted/api/v2/solver_competition/:auctionId',
    missing,
    restricted: true,
    read: reader(bodies[1]?.[1] as BodyRead, finds[':auctionId'] as Find, false),
  },
]

/** @param isKept whether caches may keep what can't change any more: the newest is another one later, the operator's is for no cache */
function reader(body: BodyRead, find: Find, isKept: boolean): StoredRoute['read'] {
  return async (
    { path },
    { db, network: { chainId, finalityBlocks }, now, hidesCompetitions = false }: StoredReading,
  ) => {
    const rows = find(path, chainId, { hidesCompetitions })
    const row = await readBody(db, body, rows, { now, values: [finalityBlocks] })
    if (!row) return null
    const [text, isOver] = row
    return { body: text, ...(isKept && isOver === 't' && { headers: { 'Cache-Control': unchanging } }) }
  }
}

/** An id beyond what the store numbers is unknown, not malformed. */
function auctionId({ auctionId = '' }: RestRequest<string>['path']): number {
  if (!/^[0-9]{1,100}$/.test(auctionId)) {
    throw new Refusal('InvalidParameter', 'auctionId must be a whole number', { field: 'auctionId' })
  }
  const id = Number(auctionId)
  if (!Number.isSafeInteger(id)) throw new Refusal('NotFound', missing)
  return id
}

import { Refusal } from '../domain/error.ts'
import { type RestRequest, type Route, route } from './route.ts'
import {
  type CompetitionResult,
  competitionFields,
  projectCompetitionV1,
  writeCompetition,
} from './shapes/competition.ts'

type Read = Required<Pick<Route, 'run' | 'given'>> & { path: string }

const byId: Read = {
  path: ':auctionId',
  run: `query ($network: String!, $id: SafeInt!) { auction(network: $network, id: $id) { ${competitionFields} } }`,
  given: ({ network, path }) => ({ network, id: auctionId(path) }),
}

const reads: Read[] = [
  byId,
  {
    path: 'latest',
    run: `query ($network: String!) { auction: latestAuction(network: $network) { ${competitionFields} } }`,
    given: ({ network }) => ({ network }),
  },
  {
    path: 'by_tx_hash/:hash',
    run: `query ($network: String!, $hash: Bytes32!) {
      auction: auctionOfTransaction(network: $network, hash: $hash) { ${competitionFields} }
    }`,
    given: ({ network, path }) => ({ network, hash: path.hash }),
  },
]

const missing = 'there is no such competition'

/** What solvers proposed for an auction, in both versions of the interface. The restricted path tells before the deadline too. */
export const competitionRoutes: Route[] = [
  ...reads.flatMap(({ path, ...read }) => [
    route<{ auction: CompetitionResult | null }>({
      on: `GET /api/v1/solver_competition/${path}`,
      ...read,
      answer: ({ auction }) => auction && projectCompetitionV1(writeCompetition(auction)),
      missing,
    }),
    competitionRoute(`/api/v2/solver_competition/${path}`, read),
  ]),
  { ...competitionRoute(`/restricted/api/v2/solver_competition/${byId.path}`, byId), restricted: true },
]

function competitionRoute(path: string, { run, given }: Omit<Read, 'path'>): Route {
  return route<{ auction: CompetitionResult | null }>({
    on: `GET ${path}`,
    run,
    given,
    answer: ({ auction }) => auction && writeCompetition(auction),
    missing,
  })
}

/** An id beyond what the store numbers is unknown, not malformed. */
function auctionId({ auctionId = '' }: RestRequest['path']): number {
  if (!/^[0-9]{1,100}$/.test(auctionId)) {
    throw new Refusal('InvalidParameter', 'auctionId must be a whole number', { field: 'auctionId' })
  }
  const id = Number(auctionId)
  if (!Number.isSafeInteger(id)) throw new Refusal('NotFound', missing)
  return id
}

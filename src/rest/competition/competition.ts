import { Refusal } from '../../domain/errors/error.ts'
import { competition, competitionV1 } from '../../storage/bodies/competition.ts'
import { type BodyRead, oneBody, readBody } from '../../storage/bodies/read.ts'
import {
  auctionOfTransaction,
  isOver,
  latestAuction,
  lookedAge,
  oneAuction,
  readAge,
  unknownOfCompetition,
} from '../../storage/models/auction/auction.ts'
import { membersWhere } from '../../storage/models/completeness.ts'
import { ownParam } from '../../storage/query/selection.ts'
import { competitionSchema, competitionV1Schema } from '../openapi/body-schemas.ts'
import type { HeaderName, Operations, WrittenExample, WrittenOperation } from '../openapi/operation.ts'
import { hashParameter } from '../openapi/parameters.ts'
import { sample } from '../openapi/sample.ts'
import { ageHeader, unknownHeader } from '../routing/completeness.ts'
import type { StoredReading, StoredRoute } from '../routing/endpoint.ts'
import { readHash } from '../routing/request.ts'
import { type RestRequest, unchanging } from '../routing/route.ts'

const missing = 'there is no such competition'

type FindRows = (path: RestRequest<string>['path'], chainId: number) => ReturnType<typeof oneAuction>

const findsByPath: Record<string, FindRows> = {
  ':auctionId': (path, chainId) => oneAuction({ id: readAuctionId(path), chainId }),
  latest: (_path, chainId) => latestAuction({ chainId }),
  'by_tx_hash/:hash': (path, chainId) => auctionOfTransaction({ hash: readHash('hash', path.hash), chainId }),
}

/** Columns next to the body: whether the competition is final, two ages, and members that are not known. */
const columns = [isOver(`${ownParam(0)}::int`), readAge, lookedAge, membersWhere(unknownOfCompetition)]

const bodies: [string, BodyRead][] = [
  ['v1', oneBody(competitionV1, columns)],
  ['v2', oneBody(competition, columns)],
]

/** Competitions of auctions, in both versions. The restricted path also answers before the deadline. */
export const competitionRoutes: StoredRoute[] = [
  ...bodies.flatMap(([version, body]) =>
    Object.entries(findsByPath).map(([path, findRows]) => ({
      on: `GET /api/${version}/solver_competition/${path}`,
      missing,
      isPassedOn: 'unless stored' as const,
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

/** @param isCacheable whether caches may keep final competitions: not for `latest` or the operator's path */
function createRead(body: BodyRead, findRows: FindRows, isCacheable: boolean): StoredRoute['read'] {
  return async ({ path }, { db, network: { chainId, finalityBlocks }, ambient }: StoredReading) => {
    const rows = findRows(path, chainId)
    const row = await readBody(db, body, rows, { ...ambient, values: [finalityBlocks] })
    if (!row) return null
    const [text, isOver, age, latestAge, unknown] = row
    const caching = isCacheable && isOver === 't' ? { 'Cache-Control': unchanging } : {}
    return {
      body: text,
      headers: {
        ...caching,
        ...ageHeader(findRows === findsByPath.latest ? latestAge : age),
        ...unknownHeader(unknown),
      },
    }
  }
}

/** Treats an id above the safe integers as unknown, not malformed. */
function readAuctionId({ auctionId = '' }: RestRequest<string>['path']): number {
  if (!/^[0-9]{1,100}$/.test(auctionId)) {
    throw new Refusal('InvalidParameter', 'auctionId must be a whole number', { field: 'auctionId' })
  }
  const id = Number(auctionId)
  if (!Number.isSafeInteger(id)) throw new Refusal('NotFound', missing)
  return id
}

const auction = {
  orders: [
    '0xb8d5324dba0b1933165ed1dea75ac1a296070f2f44b36a1127d594e7afcbd36570997970c51812dc3a010c7d01b50e0d17dc79c877359400',
  ],
  prices: {
    '0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa': '1000000000000000000',
    '0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb': '333333333333333333333333333',
    '0xcccccccccccccccccccccccccccccccccccccccc': '166666666666666',
  },
}

const sampleCompetition = {
  auctionId: 9,
  auctionStartBlock: 100,
  auctionDeadlineBlock: 103,
  transactionHashes: ['0xabababababababababababababababababababababababababababababababab'],
  referenceScores: {
    '0x5050505050505050505050505050505050505050': '999',
  },
  auction,
  solutions: [
    {
      solverAddress: '0x5050505050505050505050505050505050505050',
      score: '999',
      ranking: 2,
      clearingPrices: {},
      orders: [
        {
          id: '0xb8d5324dba0b1933165ed1dea75ac1a296070f2f44b36a1127d594e7afcbd36570997970c51812dc3a010c7d01b50e0d17dc79c877359400',
          sellAmount: '1000000000000000000',
          buyAmount: '2939000000',
          sellToken: '0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
          buyToken: '0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb',
        },
      ],
      isWinner: false,
      filteredOut: false,
      txHash: null,
      referenceScore: null,
    },
    {
      solverAddress: '0x5050505050505050505050505050505050505050',
      score: '1000',
      ranking: 1,
      clearingPrices: {},
      orders: [
        {
          id: '0xb8d5324dba0b1933165ed1dea75ac1a296070f2f44b36a1127d594e7afcbd36570997970c51812dc3a010c7d01b50e0d17dc79c877359400',
          sellAmount: '1000000000000000000',
          buyAmount: '2940000000',
          sellToken: '0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
          buyToken: '0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb',
        },
      ],
      isWinner: true,
      filteredOut: false,
      txHash: '0xabababababababababababababababababababababababababababababababab',
      referenceScore: '999',
    },
  ],
}

const sampleCompetitionV1 = {
  auctionId: 9,
  transactionHashes: ['0xabababababababababababababababababababababababababababababababab'],
  auctionStartBlock: 100,
  competitionSimulationBlock: 100,
  auction,
  solutions: [
    {
      solver: '0x5050505050505050505050505050505050505050',
      solverAddress: '0x5050505050505050505050505050505050505050',
      score: '999',
      ranking: 2,
      clearingPrices: {},
      orders: [
        {
          id: '0xb8d5324dba0b1933165ed1dea75ac1a296070f2f44b36a1127d594e7afcbd36570997970c51812dc3a010c7d01b50e0d17dc79c877359400',
          sellAmount: '1000000000000000000',
          buyAmount: '2939000000',
        },
      ],
      isWinner: false,
      filteredOut: false,
    },
    {
      solver: '0x5050505050505050505050505050505050505050',
      solverAddress: '0x5050505050505050505050505050505050505050',
      score: '1000',
      ranking: 1,
      clearingPrices: {},
      orders: [
        {
          id: '0xb8d5324dba0b1933165ed1dea75ac1a296070f2f44b36a1127d594e7afcbd36570997970c51812dc3a010c7d01b50e0d17dc79c877359400',
          sellAmount: '1000000000000000000',
          buyAmount: '2940000000',
        },
      ],
      isWinner: true,
      filteredOut: false,
    },
  ],
}

const hiddenNote =
  'If the deployment hides competitions, the answer is 404 until the deadline block has passed.'

const cacheNote = 'Caches may keep a final competition permanently.'
const headers: readonly HeaderName[] = ['Cache-Control', 'ETag', 'Age', 'X-Unknown-Members']

const paths = {
  ':auctionId': {
    settled: { summary: 'An auction that was settled', path: { auctionId: '9' } },
    unknown: { summary: 'An unknown id', path: { auctionId: '999' }, refused: 'missing' },
    malformed: {
      summary: 'A malformed id',
      path: { auctionId: 'last' },
      refused: ['InvalidParameter', 'auctionId must be a whole number'],
    },
  },
  latest: { settled: { summary: 'The newest' } },
  'by_tx_hash/:hash': {
    settled: { summary: 'A settlement', path: { hash: sample.transaction } },
    unknown: { summary: 'An unknown transaction', path: { hash: sample.unknownHash }, refused: 'missing' },
  },
} satisfies Record<string, Record<string, WrittenExample>>

const versions = {
  v1: {
    schema: competitionV1Schema,
    answer: sampleCompetitionV1,
    suffix: 'V1',
    versionSuffix: ', in the first version',
  },
  v2: { schema: competitionSchema, answer: sampleCompetition, suffix: '', versionSuffix: '' },
}

function read(
  version: keyof typeof versions,
  path: keyof typeof paths,
  { id, summary, ...more }: Pick<WrittenOperation, 'id' | 'summary' | 'description' | 'path'>,
  isCacheable = false,
): WrittenOperation {
  const { schema, answer, suffix, versionSuffix } = versions[version]
  const description = 'The competition.'
  const { settled, ...others } = paths[path]
  return {
    id: id + suffix,
    summary: summary + versionSuffix,
    ...more,
    answers: {
      200: isCacheable
        ? { description: `${description} ${cacheNote}`, schema, headers }
        : { description, schema, headers: ['Age', 'X-Unknown-Members'] },
    },
    examples: { settled: { ...settled, answer }, ...others },
  }
}

const inBothVersions = (path: keyof typeof paths, documentation: Parameters<typeof read>[2]): Operations =>
  Object.fromEntries(
    (['v2', 'v1'] as const).map((version) => [
      `GET /api/${version}/solver_competition/${path}`,
      read(version, path, documentation, path !== 'latest'),
    ]),
  )

export const competitionOperations: Operations = {
  ...inBothVersions(':auctionId', {
    id: 'competition',
    summary: 'The competition of an auction',
    description: hiddenNote,
  }),
  ...inBothVersions('latest', { id: 'latestCompetition', summary: 'The newest competition' }),
  ...inBothVersions('by_tx_hash/:hash', {
    id: 'competitionOfTransaction',
    summary: 'The competition that a transaction settles',
    path: { hash: { ...hashParameter, description: 'The transaction of a settlement.' } },
  }),
  'GET /restricted/api/v2/solver_competition/:auctionId': read('v2', ':auctionId', {
    id: 'restrictedCompetition',
    summary: 'The competition of an auction, also before its deadline',
    description: 'Intended for the operator, who must block this path for other clients.',
  }),
}

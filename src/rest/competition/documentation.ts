import type { HeaderName } from '../openapi/headers.ts'
import type { Operations, WrittenExample, WrittenOperation } from '../openapi/operation.ts'
import { hashParameter } from '../openapi/path-parameters.ts'
import { sample } from '../openapi/sample.ts'
import { competition, competitionV1 } from '../openapi/schemas/stored.ts'
import { sampleCompetition, sampleCompetitionV1 } from './example.ts'

const hiddenNote =
  'Where a deployment hides competitions, the answer is 404 until the deadline block has passed.'

const cacheNote = 'Once nothing of it can change, caches may keep it for good.'
const headers: readonly HeaderName[] = ['Cache-Control', 'ETag']

const paths = {
  ':auctionId': {
    settled: { summary: 'An auction that was settled', path: { auctionId: '9' } },
    unknown: { summary: 'An unknown id', path: { auctionId: '999' }, refused: 'missing' },
    malformed: {
      summary: 'No id',
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
    schema: competitionV1,
    answer: sampleCompetitionV1,
    suffix: 'V1',
    versionSuffix: ', in the first version',
  },
  v2: { schema: competition, answer: sampleCompetition, suffix: '', versionSuffix: '' },
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
        : { description, schema },
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
    path: { hash: { ...hashParameter, description: 'The settlement’s transaction.' } },
  }),
  'GET /restricted/api/v2/solver_competition/:auctionId': read('v2', ':auctionId', {
    id: 'restrictedCompetition',
    summary: 'The competition of an auction, also before its deadline',
    description: 'For the operator, who has to block this path for other clients.',
  }),
}

import { sampleCompetition, sampleCompetitionV1 } from '../examples/competition.ts'
import type { Example, Operation, Operations } from '../operation.ts'
import { hashParameter } from '../path-parameters.ts'
import { sample } from '../sample.ts'
import { competition, competitionV1 } from '../schemas/competition.ts'

const hash = { ...hashParameter, description: 'The settlement’s transaction.' }

const success = {
  v1: { answers: { 200: { description: 'The competition.', schema: competitionV1 } } },
  v2: { answers: { 200: { description: 'The competition.', schema: competition } } },
}
const answers = { v1: sampleCompetitionV1, v2: sampleCompetition }

const unknown = { errorType: 'NotFound', description: 'there is no such competition' }

function read(
  version: 'v1' | 'v2',
  examples: Record<string, Example>,
): Pick<Operation, 'tag' | 'answers' | 'examples'> {
  return { tag: 'Competitions', ...success[version], examples }
}

function byId(version: 'v1' | 'v2') {
  return read(version, {
    settled: {
      summary: 'An auction that was settled',
      path: { auctionId: '9' },
      status: 200,
      answer: answers[version],
    },
    unknown: { summary: 'No auction’s id', path: { auctionId: '999' }, status: 404, answer: unknown },
    malformed: {
      summary: 'No id',
      path: { auctionId: 'last' },
      status: 400,
      answer: { errorType: 'InvalidParameter', description: 'auctionId must be a whole number' },
    },
  })
}

function latest(version: 'v1' | 'v2') {
  return read(version, {
    settled: { summary: 'The newest', status: 200, answer: answers[version] },
  })
}

function byTransaction(version: 'v1' | 'v2') {
  return {
    ...read(version, {
      settled: {
        summary: 'A settlement',
        path: { hash: sample.transaction },
        status: 200,
        answer: answers[version],
      },
      unknown: {
        summary: 'Nothing that we know',
        path: { hash: sample.unknownHash },
        status: 404,
        answer: unknown,
      },
    }),
    path: { hash },
  }
}

const v2 = '/api/v2/solver_competition'
const v1 = '/api/v1/solver_competition'
const hidden = 'Where a deployment hides competitions, one is not there before its deadline block has passed.'

export const competitionOperations: Operations = {
  [`GET ${v2}/:auctionId`]: {
    ...byId('v2'),
    id: 'competition',
    summary: 'The competition of an auction',
    description: hidden,
  },
  [`GET ${v2}/latest`]: { ...latest('v2'), id: 'latestCompetition', summary: 'The newest competition' },
  [`GET ${v2}/by_tx_hash/:hash`]: {
    ...byTransaction('v2'),
    id: 'competitionOfTransaction',
    summary: 'The competition that a transaction settles',
  },
  [`GET ${v1}/:auctionId`]: {
    ...byId('v1'),
    id: 'competitionV1',
    summary: 'The competition of an auction, in the first version',
    description: hidden,
  },
  [`GET ${v1}/latest`]: {
    ...latest('v1'),
    id: 'latestCompetitionV1',
    summary: 'The newest competition, in the first version',
  },
  [`GET ${v1}/by_tx_hash/:hash`]: {
    ...byTransaction('v1'),
    id: 'competitionOfTransactionV1',
    summary: 'The competition that a transaction settles, in the first version',
  },
  [`GET /restricted${v2}/:auctionId`]: {
    ...byId('v2'),
    id: 'restrictedCompetition',
    summary: 'The competition of an auction, also before its deadline',
    description: 'For the operator: whoever runs the service keeps this path from others.',
  },
}

import { z } from 'zod'
import { noticesJson } from '../../storage/auction/solver-messages.ts'
import type { Operations } from '../openapi/operation.ts'
import { anyAddress } from '../openapi/parameters.ts'
import { count, timestamp } from '../openapi/primitives.ts'
import { sample } from '../openapi/sample.ts'
import type { StoredRoute } from '../routing/endpoint.ts'
import { readAddress } from '../routing/request.ts'

const listed = 100

/** Routes of notices to outside solvers about their solutions. */
export const noticeRoutes: StoredRoute[] = [
  {
    on: 'GET /api/v1/solver_notices/:solver',
    items: () => listed,
    read: async ({ path }, { db, network: { chainId }, ambient: { hidesCompetitions } }) => ({
      body: await noticesJson(db, {
        chainId,
        solver: readAddress('solver', path.solver),
        limit: listed,
        hidesCompetitions,
      }),
    }),
  },
]

export const solverNotices = z.array(
  z.object({
    auctionId: count.describe('The auction that the notice is about.'),
    solutionIds: z
      .array(z.string())
      .describe('The solver’s own ids; empty if the notice is about its whole answer.'),
    kind: z.string().describe('The kind of the notice, as in `POST /notify` of the solver protocol.'),
    reason: z.string().describe('The reason in words.'),
    timestamp: timestamp.describe('The time of the notification.'),
  }),
)

export const noticeOperations: Operations = {
  'GET /api/v1/solver_notices/:solver': {
    id: 'solverNotices',
    summary: 'Notices to an outside solver about its solutions',
    description:
      'Returns the newest 100 notices to the solver whose settlements this account submits, newest first. If the deployment hides competitions, notices about an auction appear after its deadline block.',
    path: {
      solver: { description: 'The account that submits the solver’s settlements.', schema: anyAddress },
    },
    answers: {
      200: { description: 'The notices; an empty list when there are none.', schema: solverNotices },
    },
    examples: {
      none: { summary: 'No notices', path: { solver: sample.newcomer }, answer: [] },
      malformed: {
        summary: 'A malformed address',
        path: { solver: '0x12' },
        refused: ['InvalidParameter', 'solver must be an address: 20 bytes of hex with 0x in front'],
      },
    },
  },
}

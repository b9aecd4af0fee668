import type { Operations, WrittenOperation } from '../openapi/operation.ts'
import { sample } from '../openapi/sample.ts'
import { count } from '../openapi/schemas/primitives.ts'
import { debugReport } from '../openapi/schemas/stored.ts'
import { settledReport } from './debug-report-example.ts'
import { noSuchOrder } from './no-such-order.ts'

const shared: Omit<WrittenOperation, 'id' | 'summary'> = {
  description:
    'Auctions by id, as many of the newest as the deployment says (usually 200); the `Link` header leads to older ones. Trades: the newest 100.',
  query: { auctionsBefore: { description: 'Only auctions whose id is below this one.', schema: count } },
  answers: {
    200: {
      description: 'Lists are always there; what is not known inside them is left out.',
      schema: debugReport,
      headers: ['Link'],
    },
  },
  examples: {
    fulfilled: {
      summary: 'A fully settled order',
      path: { uid: sample.settled },
      answer: settledReport,
    },
    ...noSuchOrder,
  },
}

export const debugReportOperations: Operations = {
  'GET /api/v1/debug/order/:uid': {
    ...shared,
    id: 'debugReport',
    summary: 'Everything that happened to an order',
  },
  'GET /restricted/api/v1/debug/order/:uid': {
    ...shared,
    id: 'restrictedDebugReport',
    summary: 'The same, at the path that other deployments keep for the operator',
  },
}

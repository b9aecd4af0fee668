import { settledReport } from '../examples/debug-report.ts'
import { noSuchOrder } from '../examples/no-such-order.ts'
import type { Operation, Operations } from '../operation.ts'
import { sample } from '../sample.ts'
import { debugReport } from '../schemas/debug-report.ts'

const shared: Omit<Operation, 'id' | 'summary'> = {
  tag: 'Orders',
  answers: {
    200: {
      description: 'Lists are always there; what is not known inside them is left out.',
      schema: debugReport,
    },
  },
  examples: {
    fulfilled: {
      summary: 'An order that was settled whole',
      path: { uid: sample.settled },
      status: 200,
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
    summary: 'The same, at the path that is the operator’s elsewhere',
  },
}

import type { Operations } from '../../openapi/operation.ts'
import { sample } from '../../openapi/sample.ts'
import { noSuchOrder } from '../no-such-order.ts'
import { orderDiagnosis } from './schema.ts'

export const sampleDiagnosis = {
  code: 'filled',
  summary: 'The order is filled.',
  since: null,
  retryable: false,
  advice: 'Nothing is left to do.',
  evidence: [
    { kind: 'transaction', txHash: sample.transaction, block: 109 },
    {
      kind: 'amounts',
      token: '0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
      needed: '1000000000000000000',
      available: '1000000000000000000',
      missing: '0',
    },
  ],
  further: [],
}

export const diagnosisOperations: Operations = {
  'GET /api/v1/orders/:uid/diagnosis': {
    id: 'orderDiagnosis',
    summary: 'Why an order is not filled, or how it ended',
    description:
      'The reason that has to be solved first, and the others, with what proves them: from what is stored, and at most one look at the chain. What a hidden competition hides is left out.',
    answers: { 200: { description: 'The diagnosis.', schema: orderDiagnosis } },
    examples: {
      filled: { summary: 'A filled order', path: { uid: sample.settled }, answer: sampleDiagnosis },
      ...noSuchOrder,
    },
  },
}

import type { Operations, WrittenExample } from '../openapi/operation.ts'
import { text } from '../openapi/schemas/text.ts'

const elsewhere: WrittenExample = {
  summary: 'A network that is not served',
  path: { network: 'atlantis' },
  refused: ['NotFound', 'there is no network atlantis, but sepolia'],
}

export const networkOperations: Operations = {
  'GET /api/v1/version': {
    id: 'version',
    summary: 'Which version answers',
    answers: { 200: { description: 'Its name.', schema: text } },
    examples: { version: { summary: 'A release', answer: '0.1.0' }, elsewhere },
  },
  'GET /api/v1/ready': {
    id: 'ready',
    summary: 'Whether everything that a network’s answers depend on answers now',
    description: 'Nothing, with 200 or 503.',
    answers: { 200: { description: 'It is ready.', schema: text } },
    examples: { ready: { summary: 'Ready', answer: '' }, elsewhere },
  },
}

import { z } from 'zod'
import type { Operations, WrittenExample } from './openapi/operation.ts'
import { plainText } from './openapi/primitives.ts'
import { fieldSchema } from './openapi/selected.ts'

const elsewhere: WrittenExample = {
  summary: 'A network that is not served',
  path: { network: 'atlantis' },
  refused: ['NotFound', 'there is no network atlantis, but sepolia'],
}

export const aboutText = 'The program and its version.'

export const about = z.object({
  name: z.string().meta({ description: 'The program.' }),
  version: fieldSchema('Query.version'),
  gitCommitHash: z.string().optional().meta({ description: 'Its commit, if the deployment sets it.' }),
})

export const serviceOperations: Operations = {
  'GET /about': {
    id: 'about',
    summary: 'The program and its version',
    description: '`/{network}/api/v1/ready` reports whether it is ready.',
    answers: { 200: { description: aboutText, schema: about, headers: ['ETag'] } },
    examples: { about: { summary: 'A release', answer: { name: 'Tradegraph', version: '0.1.0' } } },
  },
  'GET /api/v1/version': {
    id: 'version',
    summary: 'The version of the service',
    answers: { 200: { description: 'Its name.', schema: plainText } },
    examples: { version: { summary: 'A release', answer: '0.1.0' }, elsewhere },
  },
  'GET /api/v1/ready': {
    id: 'ready',
    summary: 'Whether a network is ready',
    description: '200 while the database and the node of the network answer, else 503. The body is empty.',
    answers: { 200: { description: 'It is ready.', schema: plainText } },
    examples: { ready: { summary: 'Ready', answer: '' }, elsewhere },
  },
}

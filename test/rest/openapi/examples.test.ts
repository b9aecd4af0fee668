import { afterAll, beforeAll, expect, test } from 'vitest'
import type { z } from 'zod'
import { describedRows } from '../../../src/rest/openapi/document.ts'
import type { Operation } from '../../../src/rest/openapi/operation.ts'
import { codesByStatus, pathItemOperation } from '../../../src/rest/openapi/path-item.ts'
import { accountError, orderBookError } from '../../../src/rest/openapi/primitives.ts'
import { quoteResponse } from '../../../src/rest/quote.ts'
import type { TestServer } from '../../setup/server.ts'
import { replay } from './replay.ts'
import { openSampleWorld } from './world.ts'

/**
 * Sends every example of the document, in its order, to a world with fixed seeds: "the same once more" comes
 * after its first. Responses equal the documented ones except for ids and secrets that are new each time.
 */

let server: TestServer
beforeAll(async () => {
  server = await openSampleWorld()
})
afterAll(() => server?.[Symbol.asyncDispose]())

const errors = { orderBook: orderBookError, account: accountError }

/** Parsing drops members that the schema lacks, so the two would differ. */
function expectToFit(schema: z.ZodType, body: unknown): void {
  expect(schema.parse(body)).toEqual(body)
}

function schemaFor({ answers }: Operation, status: number, family: keyof typeof errors): z.ZodType {
  return answers[status]?.schema ?? errors[family]
}

/**
 * Without what is new each time: ids that the database assigns, ids of channels, secrets, and pauses of
 * streams.
 */
const withoutNew = (body: unknown) =>
  JSON.parse(
    JSON.stringify(body)
      .replace(/(\\?"id\\?":)[0-9]+/g, '$10')
      .replace(/retry: [0-9]+/, 'retry: 2000')
      .replace(/("id":")[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"/g, '$1"')
      .replace(/("messageId":"msg_)[0-9]+"/g, '$1"')
      .replace(/(whsec_)[\w+/]{43}=/g, '$1')
      .replace(/(tgs_)[\w-]{43}/g, '$1')
      .replace(/("nonce":")[0-9a-f]{32}"/g, '$1"'),
  ) as unknown

/** Headers that are only sent when they apply. */
const occasional = [
  'X-Is-Complete',
  'X-Unknown-Members',
  'X-Unavailable-Tokens',
  'X-Pending-Settlements',
  'RateLimit',
  'RateLimit-Policy',
  'Idempotent-Replayed',
  'Warning',
  'Retry-After',
  'Link',
]

const cases = describedRows().flatMap((described) =>
  Object.entries(described.operation.examples).map(
    ([name, example]) => [`${described.row.on}: ${name}`, described, example] as const,
  ),
)

test.each(cases)('%s', async (_, described, example) => {
  const { operation, family, row } = described
  const { status, headers, body } = await replay(server.url, described, example)
  expect([status, withoutNew(body)]).toEqual([example.status, withoutNew(example.answer)])

  const schema = schemaFor(operation, status, family)
  expectToFit(schema, body)
  expectToFit(schema, example.answer)
  if (family === 'orderBook' && status >= 400) {
    expect(codesByStatus(row, family, operation).get(status)).toContain(body.errorType)
  }

  const documented = pathItemOperation(described).responses[status]
  const [contentType = ''] = headers.get('content-type')?.split(';', 1) ?? []
  const types = [
    contentType,
    ...(status < 400 && row.stream ? ['text/event-stream'] : []),
    ...(status >= 400 ? ['application/problem+json'] : []),
  ]
  expect(Object.keys(documented.content)).toEqual(types)
  // What comes from another order book has an age.
  const ofMirrored: readonly string[] = /\/(order|trades|solver_competition)/.test(row.on) ? ['Age'] : []
  const required = Object.keys(documented.headers).filter(
    (header) => !occasional.includes(header) && !ofMirrored.includes(header),
  )
  // If stored data decides, both headers are sent or neither.
  const together = status === 200 && row.isCached && !headers.has('ETag') ? ['Cache-Control', 'ETag'] : []
  expect(required.filter((header) => !headers.has(header))).toEqual(together)
  for (const header of ['ETag', 'Age']) {
    if (headers.has(header)) expect(status >= 400 || required.includes(header)).toBe(true)
  }
})

test('each event of a stream is a quote', async () => {
  const described = describedRows().find(({ operation }) => operation.id === 'quoteStream')
  const example = described?.operation.examples.sell
  if (!described || !example) throw new Error('the stream has no example')
  const { body } = await replay(server.url, described, example)
  const events = String(body).split('\n\n').filter(Boolean)
  expect(events).toHaveLength(1)
  for (const event of events) expectToFit(quoteResponse, JSON.parse(event.replace('data: ', '')))
})

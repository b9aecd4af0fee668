import { afterAll, beforeAll, expect, test } from 'vitest'
import { describedRows } from '../../../src/rest/openapi/document.ts'
import type { Example } from '../../../src/rest/openapi/operation.ts'
import type { TestServer } from '../../setup/server.ts'
import { replay } from './replay.ts'
import { openSampleWorld } from './world.ts'

/**
 * Sends the examples of the document that succeed, each with the prefix 0x of one address, hash, UID or
 * signature left out: in the path, in the query and at any depth of the body.
 */

let server: TestServer
beforeAll(async () => {
  server = await openSampleWorld()
})
afterAll(() => server?.[Symbol.asyncDispose]())

type Request = Pick<Example, 'path' | 'query' | 'body'>

/** The values with hex in them, and copies of `value` without the prefix of each, by its place. */
function* bare(value: unknown, place = ''): Generator<[place: string, copy: unknown]> {
  if (typeof value === 'string' && /^0x[0-9a-fA-F]+(,|$)/.test(value)) yield [place, value.slice(2)]
  if (typeof value !== 'object' || value === null) return
  for (const [key, member] of Object.entries(value)) {
    for (const [at, copy] of bare(member, place ? `${place}.${key}` : key))
      yield [at, Array.isArray(value) ? value.with(Number(key), copy) : { ...value, [key]: copy }]
  }
}

const cases = describedRows().flatMap((described) => {
  const example = Object.values(described.operation.examples).find(({ status }) => status < 300)
  if (!example) return []
  const { path, query, body } = example
  return [...bare({ path, query, body })].map(
    ([place, copy]) => [described.row.on, place, described, { ...example, ...(copy as Request) }] as const,
  )
})

/** The interface has one answer to each wrong signature of an affiliate, malformed ones included. */
const expected = (place: string) => (place === 'body.signedMessage' ? 401 : 400)

test('many members of many operations take hex', () => {
  expect(cases.length).toBeGreaterThan(60)
})

test.each(cases)('%s refuses %s without 0x', async (_on, place, described, example) => {
  const { status, body } = await replay(server.url, described, example)
  expect([status, body.errorType ?? 'InvalidParameter']).toEqual([expected(place), 'InvalidParameter'])
})

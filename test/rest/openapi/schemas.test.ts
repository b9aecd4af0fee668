import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { z } from 'zod'
import { addressField, amountField, hexField, orderUidField } from '../../../src/graphql/input/fields.ts'
import {
  competitionSchema,
  competitionV1Schema,
  debugReport,
  order,
  orderProgress,
  orders,
  trades,
} from '../../../src/rest/openapi/body-schemas.ts'
import { schemaOf } from '../../../src/rest/openapi/components.ts'
import { randomStory, storeStory } from '../../fakes/random-story.ts'
import { openTestServer, type TestServer } from '../../setup/server.ts'
import { request } from '../../setup/trader.ts'

let server: TestServer
beforeAll(async () => {
  server = await openTestServer()
})
afterAll(() => server?.[Symbol.asyncDispose]())

test('orders of every kind fit the document in every form, without undocumented members', async () => {
  const property = fc.asyncProperty(randomStory, async (story) => {
    const { uid, owner } = await storeStory(server.database.db, story)
    const forms: [string, z.ZodType][] = [
      [`orders/${uid}`, order],
      [`debug/order/${uid}`, debugReport],
      [`orders/${uid}/status`, orderProgress],
      [`account/${owner}/orders`, orders],
      ...(['v1', 'v2'] as const).map((version): [string, z.ZodType] => [
        `../${version}/trades?orderUid=${uid}`,
        trades,
      ]),
    ]
    for (const [path, schema] of forms) {
      const { status, body } = await request(new URL(path, `${server.url}/sepolia/api/v1/`).href)
      if (path.endsWith('/status') && status === 404) continue
      expect([path, status]).toEqual([path, 200])
      expect(schema.parse(body)).toEqual(body)
    }
    const latest = (version: string) =>
      request(`${server.url}/sepolia/api/${version}/solver_competition/latest`)
    const [first, second] = await Promise.all([latest('v1'), latest('v2')])
    if (second.status === 200) {
      expect(competitionV1Schema.parse(first.body)).toEqual(first.body)
      expect(competitionSchema.parse(second.body)).toEqual(second.body)
    }
  })
  await fc.assert(property, { numRuns: 25 })
})

test('an extra or a missing member does not fit', () => {
  const event = { label: 'created', timestamp: '2027-01-15T07:43:20Z' }
  const report = { orderUid: `0x${'12'.repeat(56)}`, events: [event], auctions: [], trades: [] }
  const schema = debugReport.omit({ order: true })
  expect(schema.parse(report)).toEqual(report)
  const more = { ...report, events: [{ ...event, colour: 'red' }] }
  expect(schema.parse(more)).not.toEqual(more)
  expect(schema.safeParse({ ...report, trades: undefined }).success).toBe(false)
})

/** Strings close to valid ones: with and without a prefix, a digit more or less, one invalid character. */
const nearly = (digits: string, lengths: readonly number[]) =>
  fc
    .record({
      prefix: fc.constantFrom('', '0x', '0X', ' '),
      body: fc
        .constantFrom(...lengths)
        .chain((length) => fc.array(fc.constantFrom(...digits), { minLength: length, maxLength: length })),
      tail: fc.constantFrom('', '', '', '\n', 'g', '.'),
    })
    .map(({ prefix, body, tail }) => prefix + body.join('') + tail)

test.each([
  ['an address', addressField, nearly('0123456789abcdefABCDEF', [38, 39, 40, 41])],
  ['an order’s UID', orderUidField, nearly('0189afAF', [40, 111, 112, 113])],
  ['bytes', hexField, nearly('0189afAF', [0, 1, 2, 7, 8])],
  ['an amount', amountField(), nearly('0123456789', [0, 1, 18, 77, 101])],
] as const)('the pattern of %s takes what its reader takes', (_, reader, text) => {
  const pattern = new RegExp(String(schemaOf(reader).pattern))
  const property = fc.property(text, (candidate) => {
    expect([candidate, pattern.test(candidate)]).toEqual([candidate, reader.safeParse(candidate).success])
  })
  fc.assert(property, { numRuns: 500 })
})

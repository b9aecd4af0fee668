import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { badQuotes, goodQuote } from '../../fakes/bad-quotes.ts'
import { graphQuoteField, graphQuoteInput } from '../../fakes/graph-input.ts'
import { openTestServer, type TestServer } from '../../setup/server.ts'
import { request } from '../../setup/trader.ts'

/**
 * Malformed requests are refused before they are quoted, in every interface, and the error names the field.
 */

let server: TestServer
beforeAll(async () => {
  server = await openTestServer({ quote: () => Promise.reject(new Error('quoted all the same')) })
})
afterAll(() => server?.[Symbol.asyncDispose]())

describe.each(badQuotes)('a quote with %s', (_what, { given, field, code = 'InvalidParameter' }) => {
  const quote = { ...goodQuote, ...given }

  test('is refused in REST, naming the field', async () => {
    const { status, body } = await request(`${server.url}/sepolia/api/v1/quote`, 'POST', quote)
    expect([status, body.errorType]).toEqual([400, code])
    expect(body.description).toMatch(
      code === 'AppDataHashMismatch' ? /^appData hashes to/ : new RegExp(`^${field} `),
    )
    expect(server.faults).toEqual([])
  })
})

// In GraphQL the name of the amount gives the kind.
const badInGraph = badQuotes.filter(([, { field }]) => field !== 'kind')

describe.each(badInGraph)('a quote with %s', (_what, { given, field, code = 'InvalidParameter' }) => {
  const quote = { ...goodQuote, ...given }

  test('is refused in GraphQL, naming the field', async () => {
    const query = 'mutation ($input: QuoteInput!) { quote(input: $input) { quoteId } }'
    const variables = { input: graphQuoteInput(quote) }
    const { body } = await request(`${server.url}/graphql`, 'POST', { query, variables })
    expect(body.errors).toHaveLength(1)
    expect(body.errors[0].extensions).toMatchObject({ code, field: graphQuoteField(field, quote) })
    expect(server.faults).toEqual([])
  })
})

test('REST refuses a malformed body before it is read as a quote', async () => {
  const post = (body: unknown) => request(`${server.url}/sepolia/api/v1/quote`, 'POST', body)
  for (const body of ['[]', 'null', '"quote"', '5']) {
    expect((await post(body)).body).toMatchObject({ errorType: 'InvalidParameter' })
  }
  expect((await post(JSON.stringify({ ...goodQuote, appData: 'x'.repeat(17_000) }))).status).toBe(413)
})

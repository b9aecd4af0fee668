import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Reason } from '../../../src/domain/diagnosis/diagnosis.ts'
import { graphQuoteInput } from '../../fakes/graph-input.ts'
import { dollar, numbered, wrapped } from '../../fakes/order.ts'
import { openTestServer, sampleReply, type TestServer } from '../../setup/server.ts'
import { graphql, request } from '../../setup/trader.ts'

let server: TestServer
/** What the service was asked, in its order. */
let asked: string[]
let looked = () => {}
beforeAll(async () => {
  const warning: Reason = {
    code: 'balanceMissing',
    summary: 'Too little.',
    ownSummary: 'Too little.',
    since: null,
    evidence: [{ kind: 'amounts', token: wrapped, needed: 3n, available: 1n, missing: 2n }],
  }
  server = await openTestServer({
    async quote(params) {
      asked.push('quote')
      // A look that began only after the quote would wait for ever.
      if (isWaiting) await new Promise<void>((resolve) => (looked = resolve))
      return sampleReply(params)
    },
    async lookAhead({ from, sellToken, buyToken }) {
      asked.push(`look ${from} ${sellToken} ${buyToken}`)
      looked()
      return { stored: null, funds: null }
    },
    async quoteWarnings(_reply, slippageBps) {
      asked.push(`warnings at ${slippageBps}`)
      return [warning]
    },
    storedQuote: async () => undefined,
  })
})
afterAll(() => server?.[Symbol.asyncDispose]())

let isWaiting = false
beforeEach(() => {
  asked = []
  isWaiting = false
})

const from = numbered('0a')
const body = { kind: 'sell', sellAmountBeforeFee: '1000', sellToken: wrapped, buyToken: dollar, from }
const input = { network: 'sepolia', ...graphQuoteInput(body) }

test('are looked for beside the quote', async () => {
  isWaiting = true
  const { quote } = await graphql(
    server.url,
    `mutation ($input: QuoteInput!) { quote(input: $input) { ...all } }
    fragment all on QuoteResponse { warnings { code summary retryable evidence { ... on AmountsEvidence { missing } } } }`,
    { input },
  )
  expect(quote.warnings).toEqual([
    { code: 'BALANCE_MISSING', summary: 'Too little.', retryable: false, evidence: [{ missing: '2' }] },
    {
      code: 'PRICE_UNKNOWN',
      summary: 'The price cannot be compared: no market price of the tokens is known.',
      retryable: true,
      evidence: [],
    },
  ])
  expect(asked).toEqual(['quote', `look ${from} ${wrapped} ${dollar}`, 'warnings at 50'])
})

test('cost nothing where they are not asked for, or left out', async () => {
  const text = `mutation ($input: QuoteInput!, $asks: Boolean = false) {
    quote(input: $input) { verified warnings @include(if: $asks) { code } }
  }`
  expect((await graphql(server.url, text, { input })).quote).toEqual({ verified: expect.any(Boolean) })
  const rest = await request(`${server.url}/sepolia/api/v1/quote`, 'POST', body)
  expect([rest.status, rest.body.warnings]).toEqual([200, undefined])
  expect(asked).toEqual(['quote', 'quote'])
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ExplainOptions, OrderToExplain } from '../../../src/orders/explain/explain.ts'
import { dollar, numbered, wrapped } from '../../fakes/order.ts'
import { openTestServer, type TestServer } from '../../setup/server.ts'
import { graphql, request } from '../../setup/trader.ts'

let [open, closed]: TestServer[] = []
const asked: [order: OrderToExplain, options: ExplainOptions][] = []
beforeAll(async () => {
  const explainOrder = async (order: OrderToExplain, options: ExplainOptions) => {
    asked.push([order, options])
    const summary = { summary: 'Nothing.', ownSummary: 'Nothing.' }
    return { code: 'placeable', ...summary, since: null, evidence: [], further: [] } as const
  }
  const simulation = (level: 'public' | 'off') =>
    ({ currentAuction: 'public', simulation: level, bookFeed: 'public' }) as const
  open = await openTestServer({ explainOrder }, { access: simulation('public') })
  closed = await openTestServer({ explainOrder }, { access: simulation('off'), hidesCompetitions: true })
})
afterAll(async () => {
  await open?.[Symbol.asyncDispose]()
  await closed?.[Symbol.asyncDispose]()
})

const input = {
  network: 'sepolia',
  sellToken: wrapped,
  buyToken: dollar,
  sellAmount: '3',
  buyAmount: '2',
  validTo: 2_000_000_000,
  appData: '{}',
  feeAmount: '0',
  kind: 'SELL',
  partiallyFillable: false,
  signingScheme: 'EIP712',
  from: numbered('0a'),
}
const url = (server: TestServer | undefined) => server?.url ?? ''

test('is simulated for those who may, and hides what is hidden', async () => {
  const text = 'query ($input: ExplainOrderInput!) { explainOrder(input: $input) { code advice } }'
  for (const server of [open, closed]) {
    const { explainOrder } = await graphql(url(server), text, { input })
    expect(explainOrder).toEqual({ code: 'PLACEABLE', advice: 'Sign and place it.' })
  }
  expect(asked.map(([, options]) => options)).toEqual([
    { simulates: true, hidesCompetitions: false },
    { simulates: false, hidesCompetitions: true },
  ])
  const [order] = asked[0] ?? []
  expect(order).toMatchObject({ signature: null, sellAmount: 3n, sellTokenBalance: 'erc20', receiver: null })
})

test('a few in a request', async () => {
  const fields = (count: number) =>
    Array.from({ length: count }, (_, index) => `f${index}: explainOrder(input: $input) { code }`).join(' ')
  const ask = (count: number) =>
    request(`${url(open)}/graphql`, 'POST', {
      query: `query ($input: ExplainOrderInput!) { ${fields(count)} }`,
      variables: { input },
    })
  expect((await ask(4)).body.errors).toBe(undefined)
  expect((await ask(5)).body.errors[0].extensions.code).toBe('QueryTooComplex')
})

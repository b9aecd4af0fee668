import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { numbered } from '../fakes/order.ts'
import { openTestServer, type TestServer } from '../setup/server.ts'
import { request } from '../setup/trader.ts'

let closed: TestServer
let helpful: TestServer
beforeAll(async () => {
  closed = await openTestServer()
  helpful = await openTestServer({}, { suggests: true })
})
afterAll(async () => {
  await closed?.[Symbol.asyncDispose]()
  await helpful?.[Symbol.asyncDispose]()
})

const input = { sellToken: numbered('aa'), buyToken: numbered('bb'), from: numbered('0f') }
const quote = 'mutation ($input: QuoteInput!) { quote(input: $input) { quoteId } }'
const filtered = 'query ($filter: OrderFilter) { orders(filter: $filter) { nodes { uid } } }'

/** Each is one letter off an existing name. */
const misspelled: [what: string, suggested: string, query: string, variables?: object][] = [
  ['a field', 'version', '{ versio }'],
  ['a type', 'Order', '{ node(id: "x") { ... on Ordr { uid } } }'],
  ['an argument', 'first', '{ orders(firts: 1) { nodes { uid } } }'],
  ['an argument of a directive', 'if', '{ version @skip(iff: true) }'],
  ['a member of an enum', 'OPEN', '{ orders(filter: { statuses: [OPN] }) { nodes { uid } } }'],
  ['a member of an enum, as a string', 'OPEN', '{ orders(filter: { statuses: ["OPN"] }) { nodes { uid } } }'],
  ['a field of an input', 'statuses', '{ orders(filter: { statusez: [OPEN] }) { nodes { uid } } }'],
  ['a member of an enum in a variable', 'OPEN', filtered, { filter: { statuses: ['OPN'] } }],
  ['a field of an input in a variable', 'statuses', filtered, { filter: { statusez: ['OPEN'] } }],
  ['a member of an enum in an input', 'EIP712', quote, { input: { ...input, signingScheme: 'EIP71' } }],
  ['a type of a variable', 'OrderUid', 'query ($uid: OrdrUid!) { order(uid: $uid) { uid } }'],
  ['what has fields of its own', 'networks', '{ networks }'],
]

async function messages(
  server: TestServer,
  query: string,
  variables = {},
  path = '/graphql',
): Promise<string> {
  if (path === '/graphql') {
    const { body } = await request(`${server.url}${path}`, 'POST', { query, variables })
    expect(body.data).toBeUndefined()
    return JSON.stringify(body.errors)
  }
  const response = await fetch(`${server.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ query, variables }),
  })
  return response.text()
}

describe.each(['/graphql', '/graphql/stream'])('at %s', (path) => {
  test.each(misspelled)('%s: nothing is suggested', async (_what, suggested, query, variables) => {
    const text = await messages(closed, query, variables, path)
    expect(text).toContain('extensions')
    expect(text).not.toMatch(/did you mean/i)
    expect(text).not.toContain(`\\"${suggested}\\"?`)
  })

  test.each(misspelled)(
    '%s: in development a name is suggested',
    async (_what, suggested, query, variables) => {
      const text = await messages(helpful, query, variables, path)
      expect(text).toMatch(/Did you mean/)
      expect(text).toContain(suggested)
    },
  )
})

test('the schema is public nevertheless', async () => {
  const { body } = await request(`${closed.url}/graphql`, 'POST', {
    query: '{ __type(name: "Order") { name } }',
  })
  expect(body.data).toEqual({ __type: { name: 'Order' } })
})

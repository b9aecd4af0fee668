import { createHash } from 'node:crypto'
import { getIntrospectionQuery } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { reads } from '../../bench/documents/reads.ts'
import { costRefusal } from '../../src/execution/admission/cost.ts'
import { compiledQuery } from '../../src/execution/compiled/query.ts'
import { checkSize } from '../../src/execution/documents/variables.ts'
import { createExecutor, type Executor } from '../../src/execution/execute.ts'
import { debugQuery } from '../../src/execution/http/handler.ts'
import { noCaller } from '../fakes/caller.ts'
import { bombs, documentedQueries } from '../fakes/documents.ts'
import { fakeOf } from '../fakes/fake-of.ts'
import { numbered, sampleOrder } from '../fakes/order.ts'
import { silentLog } from '../fakes/silent-log.ts'
import { storeSettledOrder } from '../fakes/story.ts'
import { openTestServer, type TestServer } from '../setup/server.ts'

type Services = Parameters<typeof createExecutor>[0]

let server: TestServer
beforeAll(async () => {
  server = await openTestServer({ placeOrder: async () => uid })
  await storeSettledOrder(server.database.db, 9n, numbered('0f'))
})
afterAll(() => server[Symbol.asyncDispose]())

async function ask(body: string) {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${server.url}/graphql`, { method: 'POST', headers, body })
  return (await response.json()) as {
    data?: Record<string, unknown> | null
    errors?: { message: string; extensions: { code: string } }[]
  }
}

const bodyOf = (query: string, variables = '{}') =>
  `{"query":${JSON.stringify(query)},"variables":${variables}}`

/** Not used: the refusal comes first. */
const networks = fakeOf<Services['networks']>({ all: [] })
const services = fakeOf<Services>({ log: silentLog, now: Date.now, networks })
const executor: Executor = createExecutor(services, {
  limits: {
    take: () => undefined,
    takeMore: () => undefined,
    settle: () => undefined,
    spend: () => 0,
    maxReserved: () => 50,
  },
})

/** As REST and GraphQL ask. @returns whether it would be executed */
function isAdmitted(query: string, variables: Record<string, unknown>): boolean {
  try {
    checkSize(variables)
    const operation = executor.read({ query, variables })
    operation.reserve(executor.arrive(noCaller), query.length)
    if (!operation.isValid) return false
    compiledQuery(operation.document)
    const { cost } = operation
    return cost !== undefined && costRefusal(cost) === undefined
  } catch {
    return false
  }
}

/** CPU time of this process alone, which a busy machine does not add to. */
const cpuMs = () => process.cpuUsage().user / 1_000
const rounds = 10
/** Usually one to five. The median counts, since garbage collection of what earlier tests left counts too. */
const maxMs = 60

describe('documents that are refused quickly', () => {
  test.each(Object.entries(bombs))('%s', async (_what, [query, variables = '{}']) => {
    const { data, errors } = await ask(bodyOf(query, variables))
    expect(data).toBeUndefined()
    expect(errors?.[0]?.extensions.code).toMatch(/^(QueryTooComplex|InvalidQuery)$/)
    expect(errors?.length).toBeLessThanOrEqual(11)
    for (const { message } of errors ?? []) expect(message.length).toBeLessThan(600)
    expect(server.faults).toEqual([])

    // Each is another text, since refusals are cached.
    const params = Array.from({ length: rounds }, (_, round) => `${query} #${round}`)
    const given = JSON.parse(variables)
    const took: number[] = []
    for (const text of params) {
      const started = cpuMs()
      expect(isAdmitted(text, given)).toBe(false)
      took.push(cpuMs() - started)
    }
    expect(took.toSorted((a, b) => a - b)[rounds / 2]).toBeLessThan(maxMs)
  })

  test('many at once in one body', async () => {
    const { data, errors } = await ask(`[${Array(5_000).fill('{"query":"{version}"}').join(',')}]`)
    expect([data, errors?.[0]?.extensions.code]).toEqual([undefined, 'InvalidQuery'])
  })

  test('variables and extensions that are too deep, beside a hash', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    const hash = createHash('sha256').update('{version}').digest('hex')
    const named = `"extensions":{"persistedQuery":{"version":1,"sha256Hash":"${hash}"}}`
    expect((await ask(`{"query":"{version}",${named}}`)).data).toEqual({ version: 'test-build' })
    expect((await ask(`{${named}}`)).data).toEqual({ version: 'test-build' })
    for (const given of [
      `${named},"variables":{"a":${deep}}`,
      `"query":"{version}","extensions":{"a":${deep}}`,
    ]) {
      const { errors } = await ask(`{${given}}`)
      expect(errors?.[0]?.extensions.code).toBe('QueryTooComplex')
    }
    expect(server.faults).toEqual([])
  })

  test('a body that is too deep to be parsed', async () => {
    for (const body of ['['.repeat(250_000), `{"a":${'{"a":'.repeat(40)}0${'}'.repeat(41)}`]) {
      expect((await ask(body)).errors?.[0]?.extensions.code).toBe('QueryTooComplex')
      const stream = await fetch(`${server.url}/graphql/stream`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
        body,
      })
      expect((await stream.json()).errors[0].extensions.code).toBe('QueryTooComplex')
    }
    const deepest = `${'['.repeat(32)}${']'.repeat(32)}`
    expect((await ask(bodyOf('{version}', `{"a":${deepest}}`))).data).toEqual({ version: 'test-build' })
  })

  test('a document over a stream', async () => {
    const [query, variables] = bombs['a list of 100,000 in a variable'] ?? ['']
    const response = await fetch(`${server.url}/graphql/stream`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: bodyOf(query, variables),
    })
    expect([response.status, await response.text()]).toEqual([
      400,
      expect.stringContaining('QueryTooComplex'),
    ])
  })
})

/** As tools without fragments write it, with so many nested types. */
const reference = (depth: number) => `${'kind name ofType{'.repeat(depth)}kind name${'}'.repeat(depth)}`
const written = (depth: number) => `{__schema{queryType{name} mutationType{name} subscriptionType{name}
  types{kind name description
    fields(includeDeprecated:true){name description isDeprecated deprecationReason
      args{name description defaultValue type{${reference(depth)}}} type{${reference(depth)}}}
    inputFields{name description defaultValue type{${reference(depth)}}} interfaces{${reference(depth)}}
    enumValues(includeDeprecated:true){name description} possibleTypes{${reference(depth)}}}
  directives{name description locations args{name description defaultValue type{${reference(depth)}}}}}}`

const everything = {
  descriptions: true,
  specifiedByUrl: true,
  directiveIsRepeatable: true,
  schemaDescription: true,
  inputValueDeprecation: true,
  oneOf: true,
}

const uid = sampleOrder().uid
const variables = {
  network: 'sepolia',
  first: 2,
  uid,
  account: numbered('0f'),
  owner: numbered('0f'),
  input: {
    amount: { sellBeforeFee: '5' },
    sellToken: numbered('aa'),
    buyToken: numbered('bb'),
    from: numbered('0f'),
  },
  order: {
    sellToken: numbered('aa'),
    buyToken: numbered('bb'),
    sellAmount: '5',
    buyAmount: '5',
    validTo: 2_000_000_000,
    appData: '{}',
    feeAmount: '0',
    kind: 'SELL',
    partiallyFillable: false,
    signingScheme: 'EIP712',
    signature: `0x${'00'.repeat(65)}`,
  },
}

describe('documents that are admitted and answered', () => {
  test.each([
    ['introspection with everything', getIntrospectionQuery(everything)],
    ['introspection as most tools ask', getIntrospectionQuery()],
    ['introspection without descriptions', getIntrospectionQuery({ descriptions: false })],
    ['introspection without fragments', written(9)],
    ['introspection of types fifteen deep', written(15)],
    ['one type', '{__type(name:"Order"){name fields{name type{name ofType{name fields{name}}}}}}'],
    ['what GraphiQL opens on', debugQuery],
    ...documentedQueries().filter(([, text]) => !text.startsWith('subscription')),
    ...Object.entries(reads),
  ])('%s', async (_what, query) => {
    const { data, errors } = await ask(bodyOf(query, JSON.stringify(variables)))
    expect(errors).toBeUndefined()
    expect(data).toBeTruthy()
  })

  test.each(documentedQueries())('%s', (_where, query) => {
    expect(isAdmitted(query, variables)).toBe(true)
  })

  test('GraphiQL opens with a query that has an order to show', async () => {
    const { data } = await ask(bodyOf(debugQuery))
    expect(data).toMatchObject({
      open: { nodes: expect.any(Array) },
      orders: {
        nodes: [
          {
            status: expect.any(String),
            diagnosis: { code: 'FILLED' },
            debugReport: {
              events: {
                nodes: [
                  { label: 'CREATED' },
                  { label: 'READY' },
                  { label: 'EXECUTING' },
                  { label: 'TRADED' },
                ],
              },
              auctions: {
                nodes: [
                  { auctionId: 9, proposedSolutions: [{ ranking: 1, isWinner: true }, { ranking: 2 }] },
                ],
              },
              trades: { nodes: [{ blockNumber: expect.any(Number) }] },
            },
          },
        ],
      },
    })
    const page = await fetch(`${server.url}/graphql`, { headers: { accept: 'text/html' } })
    expect(await page.text()).toContain('query NewestOrders {')
  })

  test('there are documents to look at', () => {
    expect(documentedQueries().length).toBeGreaterThanOrEqual(3)
  })

  test('many fragments of a client that keeps them beside its components', async () => {
    const fragments = Array.from(
      { length: 25 },
      (_, index) => `fragment Part${index} on Order { uid status owner }`,
    )
    const spreads = fragments.map((_, index) => `...Part${index}`).join(' ')
    const { data, errors } = await ask(
      bodyOf(`{ orders(first: 5) { nodes { ${spreads} } } } ${fragments.join(' ')}`),
    )
    expect([errors, data]).toEqual([undefined, expect.anything()])
  })
})

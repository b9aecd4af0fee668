import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLog, secretsIn } from '../../src/app/observing/log.ts'
import { ask } from '../http/client.ts'
import { startTestChain, type TestChain } from '../setup/chain.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { eventually } from '../setup/eventually.ts'
import { startProgram, unlimited } from '../setup/world.ts'

interface Heard {
  headers: IncomingHttpHeaders
  body: string
}

interface Span {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[]
}

/** Takes what is posted, and answers by `answer`. */
async function startPeer(answer: (body: string) => Promise<string>) {
  const heard: Heard[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    heard.push({ headers: request.headers, body })
    response.setHeader('content-type', 'application/json').end(await answer(body))
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    heard,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

let chain: TestChain
let database: TestDatabase
beforeAll(async () => {
  ;[chain, database] = await Promise.all([startTestChain(), createTestDatabase()])
})
afterAll(async () => {
  await chain?.[Symbol.asyncDispose]()
  await database?.[Symbol.asyncDispose]()
})

const traceId = '0af7651916cd43dd8448eb211c80319c'
const clientSpan = 'b7ad6b7169203331'
const secrets = {
  METRICS_KEY: 'metrics-key-of-the-traces',
  ADMIN_API_KEY: 'admin-key-of-the-traces',
  TRACES_HEADERS: '{"x-api-key":"receiver-key-of-the-traces"}',
  SOLVER_PRIVATE_KEY: `0x${'5e'.repeat(32)}`,
}

async function startTraced(environment: Record<string, string>) {
  const receiver = await startPeer(async () => '{}')
  const node = await startPeer(async (body) => {
    const headers = { 'content-type': 'application/json' }
    return (await fetch(chain.rpcUrl, { method: 'POST', headers, body })).text()
  })
  const lines: string[] = []
  const log = createLog('debug', secretsIn(secrets), { write: (line) => void lines.push(line) })
  const networks = [{ network: chain.market.network, rpcUrl: `${node.url}/key-of-the-node-in-a-path` }]
  const settings = { ...unlimited, ...secrets, TRACES_URL: `${receiver.url}/v1/traces`, ...environment }
  const app = await startProgram({ database, chain }, settings, { networks, log })
  let closed: Promise<void> | undefined
  const close = () => {
    closed ??= app.close()
    return closed
  }
  return {
    receiver,
    node,
    lines,
    app,
    close,
    query: (query: string, traceparent?: string) =>
      ask(`${app.url}/graphql`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: 'Bearer session-token-of-somebody-0123',
          ...(traceparent && { traceparent }),
        },
        body: JSON.stringify({ query }),
      }),
    spans: (): Span[] =>
      receiver.heard.flatMap(({ body }) =>
        JSON.parse(body).resourceSpans.flatMap((resource: { scopeSpans: { spans: Span[] }[] }) =>
          resource.scopeSpans.flatMap(({ spans }) => spans),
        ),
      ),
    async [Symbol.asyncDispose]() {
      await close()
      await receiver[Symbol.asyncDispose]()
      await node[Symbol.asyncDispose]()
    },
  }
}

const uid = `0x${'ab'.repeat(56)}`
const token = (name: 'WETH' | 'USDC') => chain.market.tokens[name].address

test('a request is one trace with its client’s, through statements and calls, and holds no secret', async () => {
  await using traced = await startTraced({ TRACES_SAMPLED: '1' })
  const parent = `00-${traceId}-${clientSpan}-01`
  const answer = await traced.query(`{ order(uid: "${uid}") { status } }`, parent)
  expect([answer.status, answer.headers['x-trace-id']]).toEqual([200, traceId])
  await fetch(`${traced.app.url}/sepolia/api/v1/quote`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', traceparent: parent },
    body: JSON.stringify({
      kind: 'sell',
      sellAmountBeforeFee: '1000000000000000',
      from: chain.market.solver.address,
      sellToken: token('WETH'),
      buyToken: token('USDC'),
    }),
  })
  await eventually('both have arrived', () =>
    ['POST /graphql', 'POST /:network/api/v1/quote'].every((name) =>
      traced.spans().some((span) => span.name === name),
    ),
  )
  const spans = traced.spans().filter((span) => span.traceId === traceId)
  const named = (name: string) => spans.find((span) => span.name === name)
  const request = named('POST /graphql')
  expect(request).toMatchObject({ parentSpanId: clientSpan, kind: 2 })
  const attributes = request?.attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue])
  expect(Object.fromEntries(attributes ?? [])).toEqual({
    'http.request.method': 'POST',
    'http.route': '/graphql',
    'http.response.status_code': 200,
    'tradegraph.request_id': answer.headers['x-request-id'],
  })
  expect(named('query order')?.parentSpanId).toBe(request?.spanId)
  expect(spans).toContainEqual(
    expect.objectContaining({ name: 'select orders', parentSpanId: named('query order')?.spanId, kind: 3 }),
  )
  const calls = spans.filter(({ name }) => name.endsWith(' the node of sepolia'))
  expect(calls.length).toBeGreaterThan(0)
  // The node gets the trace, as the child of the call.
  const given = traced.node.heard.map(({ headers }) => headers.traceparent)
  expect(given).toContain(`00-${traceId}-${calls[0]?.spanId}-01`)
  // Nothing by itself is traced.
  expect(traced.spans().filter((span) => span.parentSpanId === undefined && span.kind !== 2)).toEqual([])
  expect(traced.receiver.heard[0]?.headers['x-api-key']).toBe('receiver-key-of-the-traces')

  const metrics = await ask(`${traced.app.url}/metrics`, {
    headers: { authorization: `Bearer ${secrets.METRICS_KEY}` },
  })
  const told = [JSON.stringify(traced.spans()), traced.lines.join(''), metrics.bytes.toString()].join()
  for (const secret of [
    ...Object.values(secrets),
    'receiver-key-of-the-traces',
    'session-token-of-somebody',
    'key-of-the-node-in-a-path',
    uid,
    new URL(database.url).password,
  ])
    if (secret !== '') expect(told).not.toContain(secret)
})

test('a fault has the ids of its request and trace, in the answer and in the log', async () => {
  await using traced = await startTraced({ TRACES_SAMPLED: '1' })
  await traced.node[Symbol.asyncDispose]()
  const answer = await traced.query(
    `{ token(network: "sepolia", address: "${token('USDC')}") { nativePrice } }`,
    `00-${traceId}-${clientSpan}-00`,
  )
  const { errors } = JSON.parse(answer.bytes.toString())
  expect(errors[0]?.extensions).toMatchObject({
    code: 'Unavailable',
    requestId: answer.headers['x-request-id'],
    traceId,
  })
  const line = traced.lines.map((text) => JSON.parse(text)).find(({ requestId }) => requestId !== undefined)
  expect(line).toMatchObject({ requestId: answer.headers['x-request-id'], traceId })
})

test('a client does not decide what is traced, and a trusted proxy does', async () => {
  const sampled = `00-${traceId}-${clientSpan}-01`
  await using untrusted = await startTraced({ TRACES_SAMPLED: '0' })
  await untrusted.query('{ networks { name } }', sampled)
  await untrusted.query('{ networks { name } }', 'no traceparent')
  await untrusted.close()
  expect(untrusted.spans()).toEqual([])
  await using trusted = await startTraced({ TRACES_SAMPLED: '0', TRUSTED_PROXIES: '127.0.0.1' })
  await trusted.query('{ networks { name } }', sampled)
  await trusted.query('{ networks { name } }')
  // What waits is sent at the end.
  await trusted.close()
  expect(trusted.spans().filter(({ kind }) => kind === 2)).toMatchObject([
    { name: 'POST /graphql', traceId, parentSpanId: clientSpan },
  ])
})

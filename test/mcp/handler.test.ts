import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, describe, expect, test } from 'vitest'
import { readSettings } from '../../src/app/config.ts'
import { createMcpRequestHandler } from '../../src/mcp/handler.ts'
import type { ServerOptions } from '../../src/server/server.ts'
import { numbered } from '../fakes/order.ts'
import { openAgent } from '../setup/agent.ts'
import { openTestServer, type TestServer } from '../setup/server.ts'
import { request } from '../setup/trader.ts'

const hosts = ['127.0.0.1', 'agents.example']
const createMcp: ServerOptions['createMcp'] = (executor) =>
  createMcpRequestHandler(executor, { version: 'test', hosts })

let now = 1_800_000_000_000
const open = (more: Partial<ServerOptions> = {}) => openTestServer({}, { createMcp, now: () => now, ...more })
const server = await open()
const opened: TestServer[] = [server]
afterAll(() => Promise.all(opened.map((each) => each[Symbol.asyncDispose]())))

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
}
const callOf = (name: string, args: object = {}, id = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
})

async function post(
  body: unknown,
  { at = server, headers = {}, method = 'POST' }: { at?: TestServer; headers?: object; method?: string } = {},
) {
  const response = await fetch(`${at.url}/mcp`, {
    method,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    ...(method === 'POST' && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  // An event stream has each message in a line of its own.
  const [, data = text] = /^data: (.*)$/m.exec(text) ?? []
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
  const message: any = data.startsWith('{') ? JSON.parse(data) : data
  return { status: response.status, headers: response.headers, message }
}

test('there is nothing at /mcp unless it is enabled', async () => {
  const off = await openTestServer()
  opened.push(off)
  expect((await post(initialize, { at: off })).status).toBe(404)
  expect((await post(initialize)).status).toBe(200)
})

test('the setting takes hosts, and no ports or URLs', () => {
  const hostsOf = (MCP_HOSTS: string) => readSettings({ MCP_HOSTS }).MCP_HOSTS
  expect(hostsOf('Api.example.org, [::1]')).toEqual(['api.example.org', '[::1]'])
  for (const wrong of ['https://api.example.org', 'localhost:4000', 'a b', 'x,'])
    expect(() => hostsOf(wrong), wrong).toThrow(/host names without ports/)
})

describe('places', () => {
  test.each([
    ['no origin', {}, 200],
    ['an allowed host of a page', { origin: 'https://agents.example' }, 200],
    ['another one', { origin: 'https://evil.example' }, 403],
    ['a page without an origin', { origin: 'null' }, 403],
    ['a host that ends alike', { origin: 'https://not-agents.example' }, 403],
  ])('%s', async (_, headers, status) => {
    const { message, ...answer } = await post(initialize, { headers })
    expect(answer.status).toBe(status)
    if (status === 403) expect(message.error.data).toMatchObject({ code: 'Forbidden', field: 'Origin' })
  })

  test.each([
    ['agents.example', 200],
    ['agents.example:8080', 200],
    ['rebound.example', 403],
  ])('the host %s', async (host, status) => {
    const { hostname, port } = new URL(server.url)
    const { request: send } = await import('node:http')
    const answered = await new Promise<number | undefined>((resolve, reject) => {
      const headers = {
        host,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      }
      send({ hostname, port, path: '/mcp', method: 'POST', headers }, (res) => {
        res.resume()
        resolve(res.statusCode)
      })
        .on('error', reject)
        .end(JSON.stringify(initialize))
    })
    expect(answered).toBe(status)
  })
})

describe('what a client accepts', () => {
  test.each([
    ['*/*', 200],
    ['', 200],
    ['application/*, text/*', 200],
    ['Application/JSON, Text/Event-Stream', 200],
    ['text/event-stream;q=0.2, application/json;q=0.9', 200],
    ['application/json', 406],
    ['application/json, text/event-stream;q=0', 406],
    ['*/*, application/json;q=0', 406],
    ['text/html', 406],
    ['application/jsonp, text/event-streams', 406],
  ])('%s', async (accept, status) => {
    expect((await post(initialize, { headers: { accept } })).status).toBe(status)
  })

  test('a body may begin with a byte order mark', async () => {
    const { status, message } = await post(`\uFEFF${JSON.stringify(initialize)}`)
    expect([status, message.result?.serverInfo.name]).toEqual([200, 'tradegraph'])
  })
})

describe('requests', () => {
  test.each([
    ['GET', { method: 'GET' }, 405, 'MethodNotAllowed'],
    ['DELETE', { method: 'DELETE' }, 405, 'MethodNotAllowed'],
    ['text', { headers: { 'content-type': 'text/plain' } }, 415, 'UnsupportedMediaType'],
  ])('%s is refused', async (_, how, status, code) => {
    const answer = await post(initialize, how)
    expect([answer.status, answer.message.error.data.code]).toEqual([status, code])
  })

  test.each([
    ['no JSON', '{"', 400, 'InvalidParameter'],
    ['more than 64 KiB', JSON.stringify({ ...initialize, more: 'x'.repeat(70_000) }), 413, 'PayloadTooLarge'],
    ['deep nesting', `${'['.repeat(2_000)}${']'.repeat(2_000)}`, 400, 'QueryTooComplex'],
    ['a list of 17', JSON.stringify(Array(17).fill(callOf('networks'))), 400, 'QueryTooComplex'],
  ])('%s is refused', async (_, body, status, code) => {
    const answer = await post(body)
    expect([answer.status, answer.message.error.data.code]).toEqual([status, code])
  })

  test('pages learn which headers they may send', async () => {
    const { status, headers } = await post('', { method: 'OPTIONS' })
    expect([status, headers.get('allow')]).toEqual([204, 'POST, OPTIONS'])
    expect(headers.get('access-control-allow-headers')).toContain('mcp-protocol-version')
  })
})

describe('tools', () => {
  test('an unknown one is named with those that exist', async () => {
    await using agent = await openAgent(server.url, 'http')
    await expect(agent.call('drain_wallet')).rejects.toThrow(/no tool of this name; there are networks, /)
  })

  test.each([
    ['a wrong type', 'order', { orderUids: 5 }, 'orderUids', 'must be a list: UIDs of orders, each once'],
    ['a wrong form', 'tokens', { addresses: ['WETH'] }, 'addresses.0', 'must be an address: 0x and 40'],
    ['a missing argument', 'market', {}, 'sellToken', 'is required: A contract, or - for'],
    ['a missing text', 'submit_order', {}, 'sellToken', 'is required: Contract of the token to sell.'],
    ['a private key', 'submit_order', { privateKey: `0x${'11'.repeat(32)}` }, 'privateKey', undefined],
    [
      'an unknown argument',
      'order',
      { orderUids: [`0x${'12'.repeat(56)}`], privateKey: '0x' },
      'privateKey',
      undefined,
    ],
    ['two amounts', 'quote', { sellAmount: '1', buyAmount: '1' }, 'sellAmount', 'give either sellAmount or'],
  ] as const)('%s is refused by its field', async (_, name, args, field, says) => {
    await using agent = await openAgent(server.url, 'http')
    const pair =
      name === 'quote' ? { from: numbered('1'), sellToken: numbered('2'), buyToken: numbered('3') } : {}
    const { isError, content } = await agent.call(name, { ...pair, ...args })
    expect([isError, content.error.code, content.error.field]).toEqual([true, 'InvalidParameter', field])
    const fault = says === undefined ? `the tool has no argument ${field}` : `the argument ${field} ${says}`
    expect(content.error.fault).toContain(fault)
  })

  test('a refusal of the service has its code', async () => {
    await using agent = await openAgent(server.url, 'http')
    const missing = await agent.call('order', { orderUids: [`0x${'12'.repeat(56)}`] })
    expect(missing.content.error).toMatchObject({ code: 'NotFound', retryable: false })
    const elsewhere = await agent.call('tokens', { addresses: [numbered('1')], network: 'elsewhere' })
    expect(elsewhere.content.error).toMatchObject({ code: 'NotFound', field: 'network' })
  })

  test('none takes a key, and every one says whether it writes', async () => {
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`)))
    const { tools } = await client.listTools()
    await client.close()
    expect(tools.filter(({ annotations }) => !annotations?.readOnlyHint).map(({ name }) => name)).toEqual([
      'submit_order',
      'cancel_order',
    ])
    for (const { inputSchema } of tools)
      expect(Object.keys(inputSchema.properties ?? {}).join()).not.toMatch(/key|secret|mnemonic|url/i)
  })

  test.each(['2025-11-25', '2026-07-28'])('clients speak the protocol of %s', async (version) => {
    const mode = version === '2025-11-25' ? 'legacy' : { pin: version }
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
    await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`)))
    expect(client.getNegotiatedProtocolVersion()).toBe(version)
    expect((await client.listTools()).tools).toHaveLength(12)
    const { structuredContent } = await client.callTool({ name: 'networks', arguments: {} })
    expect(structuredContent).toMatchObject({ networks: [{ network: 'sepolia' }] })
    const { isError } = await client.callTool({ name: 'order', arguments: {} })
    expect(isError).toBe(true)
    await client.close()
  })

  test('requests of one client may reach different processes', async () => {
    const other = await open()
    opened.push(other)
    const reached: string[] = []
    const client = new Client({ name: 'test', version: '1' })
    const transport = new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), {
      fetch: (url, init) => {
        const at = reached.length % 2 === 0 ? server.url : other.url
        reached.push(at)
        return fetch(`${at}${new URL(url).pathname}`, init)
      },
    })
    await client.connect(transport)
    for (let call = 0; call < 4; call++) {
      const { structuredContent } = await client.callTool({ name: 'networks', arguments: {} })
      expect(structuredContent).toMatchObject({ networks: [{ network: 'sepolia' }] })
    }
    await client.close()
    expect(new Set(reached).size).toBe(2)
  })
})

describe('limits', () => {
  const limited = async (rateLimits: ServerOptions['rateLimits']) => {
    const at = await open({ ...(rateLimits && { rateLimits }) })
    opened.push(at)
    return at
  }
  const order = {
    sellToken: numbered('2'),
    buyToken: numbered('3'),
    sellAmount: '1',
    buyAmount: '1',
    validTo: 1_800_000_600,
    signature: `0x${'11'.repeat(65)}`,
  }

  test('a client over its reads gets 429 before its request is read', async () => {
    const at = await limited({ reads: 2, quotes: 0, orders: 0 })
    const answers = []
    for (let count = 0; count < 6; count++) answers.push(await post('{"', { at }))
    expect(answers[0]?.status).toBe(400)
    const last = answers.at(-1)
    expect([last?.status, last?.message.error.data.code]).toEqual([429, 'RateLimited'])
    expect(Number(last?.headers.get('retry-after'))).toBeGreaterThan(0)
    now += 10_000
    expect((await post(initialize, { at })).status).toBe(200)
  })

  test('orders of tools and of GraphQL are from one bucket', async () => {
    const at = await limited({ reads: 0, quotes: 0, orders: 1 })
    const query = `mutation ($input: CancelOrdersInput!) { cancelOrders(input: $input) { orders { uid } } }`
    const input = { orderUids: [`0x${'12'.repeat(56)}`], signature: order.signature, signingScheme: 'EIP712' }
    const cancel = () => request(`${at.url}/graphql`, 'POST', { query, variables: { input } })
    const first = await post(callOf('submit_order', order), { at })
    expect(first.message.result.structuredContent.error.code).not.toBe('RateLimited')
    expect((await cancel()).body.errors[0].extensions.code).not.toBe('RateLimited')
    const { message } = await post(callOf('submit_order', order), { at })
    expect(message.result).toMatchObject({
      isError: true,
      structuredContent: {
        error: { code: 'RateLimited', retryable: true, data: { retryAfterMs: expect.any(Number) } },
      },
    })
    expect((await cancel()).body.errors[0].extensions.code).toBe('RateLimited')
  })

  test('each call of a list is charged', async () => {
    const at = await limited({ reads: 4, quotes: 0, orders: 0 })
    const calls = Array.from({ length: 12 }, (_, id) => callOf('tokens', { addresses: [numbered('1')] }, id))
    const response = await fetch(`${at.url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify(calls),
    })
    const results = [...(await response.text()).matchAll(/^data: (.*)$/gm)].map(([, data = '']) =>
      JSON.parse(data),
    )
    const codes = results.map(({ result }) => result.structuredContent.error?.code ?? 'done')
    expect(codes).toContain('done')
    expect(codes).toContain('RateLimited')
    expect(codes.filter((code) => code === 'done').length).toBeLessThanOrEqual(8)
  })

  test('lists of tools are charged by their bytes', async () => {
    const at = await limited({ reads: 100, quotes: 0, orders: 0 })
    const lists = Array.from({ length: 16 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'tools/list' }))
    const { headers } = await post(lists, { at })
    expect(Number(/"reads";r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1])).toBeLessThan(199)
  })
})

test('a list with a cancelled request ends, and one that repeats an id is refused', async () => {
  const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }
  expect((await post([callOf('networks'), cancelled])).status).toBe(200)
  const { status, message } = await post([callOf('networks'), callOf('tokens')])
  expect([status, message.error.data]).toEqual([
    400,
    expect.objectContaining({ code: 'InvalidParameter', field: 'id' }),
  ])
})

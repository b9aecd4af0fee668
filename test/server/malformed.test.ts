import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Line, openLine } from '../http/client.ts'
import { eventually } from '../setup/eventually.ts'
import { openTestServer, type TestServer } from '../setup/server.ts'

let server: TestServer
/**
 * A server with such short time-outs that a slow request misses them; only for requests that never complete.
 */
let hasty: TestServer
beforeAll(async () => {
  server = await openTestServer()
  hasty = await openTestServer({}, { requestTimes: { headersMs: 300, requestMs: 400, checkMs: 50 } })
})
afterAll(async () => {
  for (const each of [server, hasty]) {
    expect(each.faults).toEqual([])
    await each[Symbol.asyncDispose]()
  }
})

const json = 'Content-Type: application/json\r\n'
const post = (headers: string, path = '/sepolia/api/v1/quote') =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\n${json}${headers}\r\n`
const statuses = ({ text }: Line) =>
  [...text.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status))

async function arrived(line: Line, expected: number[]): Promise<void> {
  await eventually(`${expected.length} answers`, async () => statuses(line).length >= expected.length)
  expect(statuses(line)).toEqual(expected)
}

async function hungUp(line: Line): Promise<void> {
  await eventually('the server closes the connection', async () => line.isClosed)
}

function expectManners({ text }: Line): void {
  for (const head of text.split(/(?=HTTP\/1\.1 )/).filter((answer) => !answer.startsWith('HTTP/1.1 100'))) {
    expect(head).toMatch(/access-control-allow-origin: \*/i)
    expect(head).toMatch(/access-control-allow-headers: cache-control/i)
    if (/^HTTP\/1.1 [45]/.test(head)) expect(head).toMatch(/\r\ncache-control: no-store/i)
    expect(head).toMatch(/x-request-id: [\w-]{36}/i)
    expect(head).toMatch(/date: .* GMT/i)
    expect(head).not.toMatch(/node_modules|\bat .*:\d+/)
  }
}

describe('a malformed request is refused', () => {
  test.each([
    ['no HTTP at all', 'HELLO\r\n\r\n', 400],
    ['an unknown method', 'FOO / HTTP/1.1\r\nHost: x\r\n\r\n', 400],
    ['HTTP 3', 'GET / HTTP/3.0\r\nHost: x\r\n\r\n', 400],
    ['headers without end', `GET / HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
    ['two lengths', post('Content-Length: 2\r\nContent-Length: 3\r\n'), 400],
    ['an invalid length', post('Content-Length: 2x\r\n'), 400],
    ['a length and chunks', post('Content-Length: 2\r\nTransfer-Encoding: chunked\r\n'), 400],
    ['chunks without a valid size', `${post('Transfer-Encoding: chunked\r\n')}zz\r\n`, 400],
    ['a header over two lines', 'GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n', 400],
    ['an invalid header', 'GET / HTTP/1.1\r\nHost: x\r\nA b: c\r\n\r\n', 400],
    ['two hosts', 'GET / HTTP/1.1\r\nHost: x\r\nhost: y\r\nConnection: close\r\n\r\n', 400],
    ['a tunnel', 'CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n', 405],
    ['half a header', 'GET / HTTP/1.1\r\nHost', 408],
    ['half a body', `${post('Content-Length: 20\r\n')}{"a":`, 408],
    ['chunks without end', `${post('Transfer-Encoding: chunked\r\n')}2\r\n{}\r\n`, 408],
  ])('%s', async (_what, bytes, status) => {
    await using line = openLine(status === 408 ? hasty.url : server.url)
    line.write(bytes)
    await arrived(line, [status])
    expectManners(line)
    expect(JSON.parse(line.text.split('\r\n\r\n')[1] ?? '')).toMatchObject({
      errorType: status === 405 ? 'MethodNotAllowed' : 'InvalidParameter',
      description: expect.any(String),
    })
    expect(line.text).toMatch(/connection: close/i)
    await hungUp(line)
  })
})

test('pipelined requests are answered in order, also malformed ones', async () => {
  await using line = openLine(server.url)
  line.write('GET /sepolia/api/v1/version HTTP/1.1\r\nHost: x\r\n\r\nHELLO\r\n\r\n')
  await hungUp(line)
  expect(statuses(line)).toEqual([200, 400])
  expect(line.text).toContain('test-build')
  expectManners(line)
})

describe('the body of a refused request', () => {
  test('is accepted up to a bound, and its request is answered once', async () => {
    await using line = openLine(server.url)
    line.write(post('Content-Length: 5000000\r\n'))
    await arrived(line, [413])
    expect(line.isClosed).toBe(false)
    line.write(' '.repeat(2_000_000))
    await hungUp(line)
    expect(statuses(line)).toEqual([413])
    expectManners(line)
  })

  test('that stalls has the same time-out as any request', async () => {
    const requestTimes = { headersMs: 2_000, requestMs: 2_000, checkMs: 50 }
    await using waiting = await openTestServer({}, { requestTimes })
    await using line = openLine(waiting.url)
    line.write(`${post('Content-Length: 100000\r\n')}{`)
    await arrived(line, [413])
    await hungUp(line)
    expect(statuses(line)).toEqual([413])
  })

  test('that is complete leaves the connection open for the next request', async () => {
    await using line = openLine(server.url)
    line.write(`${post('Content-Length: 20000\r\n')}${' '.repeat(20_000)}`)
    line.write('GET /health/live HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc')
    line.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n')
    await arrived(line, [413, 200, 200])
  })
})

describe('Expect: 100-continue', () => {
  const expecting = (length: number, more = '') =>
    post(`Expect: 100-continue\r\nContent-Length: ${length}\r\n${more}`)

  test('gets 100 when the body is accepted', async () => {
    await using line = openLine(server.url)
    line.write(expecting(2))
    await arrived(line, [100])
    line.write('{}')
    await arrived(line, [100, 400])
    expect(line.text).toContain('is required')
  })

  test('gets the error instead of 100 when the body is refused', async () => {
    for (const [request, status] of [
      [expecting(20_000), 413],
      [expecting(2, 'Content-Encoding: gzip\r\n'), 415],
    ] as const) {
      await using line = openLine(server.url)
      line.write(request)
      await arrived(line, [status])
    }
  })

  test('other values of Expect are ignored', async () => {
    await using line = openLine(server.url)
    line.write('GET /health/live HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\n\r\n')
    await arrived(line, [200])
    expectManners(line)
  })
})

describe('a request target is accepted', () => {
  test.each([
    ['in absolute form, as sent to a proxy', 'GET http://x/sepolia/api/v1/version?a=b HTTP/1.1', 200],
    ['in absolute form without a path', 'GET http://x HTTP/1.1', 404],
    ['in asterisk form', 'OPTIONS * HTTP/1.1', 204],
    ['in HTTP 1.0', 'GET /health/live HTTP/1.0', 200],
  ])('%s', async (_what, first, status) => {
    await using line = openLine(server.url)
    line.write(`${first}\r\nHost: x\r\n\r\n`)
    await arrived(line, [status])
    expectManners(line)
  })
})

describe('Connection: close', () => {
  const query = encodeURIComponent('{ version }')
  test.each([
    ['HTTP/1.1\r\nHost: x\r\nConnection: close', '/graphql/stream'],
    ['HTTP/1.0\r\nHost: x', '/graphql/stream'],
    ['HTTP/1.1\r\nHost: x\r\nConnection: close', '/graphql'],
  ])('%s closes the connection at %s', async (head, path) => {
    await using line = openLine(server.url)
    line.write(
      `GET ${path}?query=${query} ${head}\r\nAccept: ${path === '/graphql' ? '*/*' : 'text/event-stream'}\r\n\r\n`,
    )
    await hungUp(line)
    expect(statuses(line)).toEqual([200])
    expect(line.text).toContain('test-build')
    expect(line.text).toMatch(/\r\nconnection: close\r\n/i)
    expect(line.text).not.toMatch(/connection: keep-alive/i)
  })
})

test('a connection that sends nothing does not delay the end of a server, and a late request is served', async () => {
  const ending = await openTestServer({}, { drainMs: 600_000 })
  await using silent = openLine(ending.url)
  await using late = openLine(ending.url)
  await using first = openLine(ending.url)
  const get = 'GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n'
  first.write(get)
  await arrived(first, [200])
  const ended = ending[Symbol.asyncDispose]()
  late.write(get)
  await ended
  expect(statuses(late)).toEqual([200])
  await Promise.all([silent, late, first].map(hungUp))
})

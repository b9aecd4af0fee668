import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Line, openLine } from '../http/client.ts'
import { eventually } from '../setup/eventually.ts'
import { openTestServer, type TestServer } from '../setup/server.ts'

let server: TestServer
/** Those that give a request so little time that whoever is held up on the way is late: for what is never whole. */
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
  await eventually('the server hangs up', async () => line.isClosed)
}

function expectManners({ text }: Line): void {
  for (const head of text.split(/(?=HTTP\/1\.1 )/).filter((answer) => !answer.startsWith('HTTP/1.1 100'))) {
    expect(head).toMatch(/access-control-allow-origin: \*/i)
    expect(head).toMatch(/access-control-allow-headers: cache-control/i)
    expect(head).toMatch(/x-request-id: [\w-]{36}/i)
    expect(head).toMatch(/date: .* GMT/i)
    expect(head).not.toMatch(/node_modules|\bat .*:\d+/)
  }
}

describe('what is no request', () => {
  test.each([
    ['no HTTP at all', 'HELLO\r\n\r\n', 400],
    ['a method that is none', 'FOO / HTTP/1.1\r\nHost: x\r\n\r\n', 400],
    ['HTTP 3', 'GET / HTTP/3.0\r\nHost: x\r\n\r\n', 400],
    ['headers without end', `GET / HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
    ['two lengths', post('Content-Length: 2\r\nContent-Length: 3\r\n'), 400],
    ['a length that is none', post('Content-Length: 2x\r\n'), 400],
    ['a length and chunks', post('Content-Length: 2\r\nTransfer-Encoding: chunked\r\n'), 400],
    ['chunks of no size', `${post('Transfer-Encoding: chunked\r\n')}zz\r\n`, 400],
    ['a header over two lines', 'GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n', 400],
    ['a header that is none', 'GET / HTTP/1.1\r\nHost: x\r\nA b: c\r\n\r\n', 400],
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

test('what is sent ahead is answered in turn, also when it is nonsense', async () => {
  await using line = openLine(server.url)
  line.write('GET /sepolia/api/v1/version HTTP/1.1\r\nHost: x\r\n\r\nHELLO\r\n\r\n')
  await hungUp(line)
  expect(statuses(line)).toEqual([200, 400])
  expect(line.text).toContain('test-build')
  expectManners(line)
})

describe('a body that nobody reads', () => {
  test('is let through up to a bound, and its request is answered once', async () => {
    await using line = openLine(server.url)
    line.write(post('Content-Length: 5000000\r\n'))
    await arrived(line, [413])
    expect(line.isClosed).toBe(false)
    line.write(' '.repeat(2_000_000))
    await hungUp(line)
    expect(statuses(line)).toEqual([413])
    expectManners(line)
  })

  test('of which no more comes is waited for as long as for any', async () => {
    const requestTimes = { headersMs: 2_000, requestMs: 2_000, checkMs: 50 }
    await using waiting = await openTestServer({}, { requestTimes })
    await using line = openLine(waiting.url)
    line.write(`${post('Content-Length: 100000\r\n')}{`)
    await arrived(line, [413])
    await hungUp(line)
    expect(statuses(line)).toEqual([413])
  })

  test('that is read to its end leaves the connection to the next request', async () => {
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

  test('is told to go on when the body is wanted', async () => {
    await using line = openLine(server.url)
    line.write(expecting(2))
    await arrived(line, [100])
    line.write('{}')
    await arrived(line, [100, 400])
    expect(line.text).toContain('is required')
  })

  test('is not, when it is refused unread', async () => {
    for (const [request, status] of [
      [expecting(20_000), 413],
      [expecting(2, 'Content-Encoding: gzip\r\n'), 415],
    ] as const) {
      await using line = openLine(server.url)
      line.write(request)
      await arrived(line, [status])
    }
  })

  test('what else is expected is not known', async () => {
    await using line = openLine(server.url)
    line.write('GET /health/live HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\n\r\n')
    await arrived(line, [200])
    expectManners(line)
  })
})

describe('a path is found', () => {
  test.each([
    ['as it is sent to a proxy', 'GET http://x/sepolia/api/v1/version?a=b HTTP/1.1', 200],
    ['of no path', 'GET http://x HTTP/1.1', 404],
    ['of all paths', 'OPTIONS * HTTP/1.1', 204],
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
  ])('%s is heeded at %s', async (head, path) => {
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

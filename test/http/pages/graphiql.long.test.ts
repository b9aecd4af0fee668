import { createHash } from 'node:crypto'
import { brotliDecompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { compress } from '../../../src/http/response.ts'
import { openTestServer } from '../../setup/server.ts'
import { ask } from '../client.ts'

const forPeople = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }

test('GraphiQL is cached by browsers, and revalidated by its ETag', async () => {
  await using server = await openTestServer()
  const page = await ask(`${server.url}/graphql`, { headers: forPeople })
  expect(page.status).toBe(200)
  expect(page.headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'public, max-age=3600',
    vary: 'Accept-Encoding, Accept',
    etag: expect.stringMatching(/^W\/"[\da-f]+-[\w+/]{27}"$/),
    'referrer-policy': 'no-referrer',
  })
  const condition = { ...forPeople, 'if-none-match': page.headers.etag ?? '' }
  const again = await ask(`${server.url}/graphql?query={version}`, { headers: condition })
  expect([again.status, again.bytes.length, again.headers.etag]).toEqual([304, 0, page.headers.etag])
  expect(again.headers['cache-control']).toBe('public, max-age=3600')
  const changed = await ask(`${server.url}/graphql`, { headers: { ...forPeople, 'if-none-match': 'W/"x"' } })
  expect([changed.status, changed.bytes.equals(page.bytes)]).toEqual([200, true])
  // GraphQL responses have no ETag.
  const answer = await ask(`${server.url}/graphql?query={version}`, { headers: { 'if-none-match': '*' } })
  expect([answer.status, answer.headers.etag]).toEqual([200, undefined])
})

/** The URLs in the page. */
async function linked(url: string): Promise<Map<string, string>> {
  const { bytes } = await ask(`${url}/graphql`, { headers: forPeople })
  const links = [...bytes.toString().matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link = '']) => link)
  return new Map(
    links.map((link) => [link.replace(/.*\.(\w+)$/, '$1'), new URL(link, `${url}/graphql`).href]),
  )
}

test('a page is a kilobyte; its files are immutable, with names that contain their hash', async () => {
  await using server = await openTestServer()
  const page = await ask(`${server.url}/graphql`, { headers: forPeople })
  expect(page.bytes.length).toBeLessThan(2_000)
  const files = await linked(server.url)
  expect([...files.keys()].sort()).toEqual(['css', 'ico', 'js'])
  const script = await ask(files.get('js') ?? '')
  const workers = [...script.bytes.toString().matchAll(/"([a-zA-Z]+\.[0-9a-f]{16}\.js)"/g)].map(
    ([, name]) => new URL(name ?? '', files.get('js')).href,
  )
  expect(workers).toHaveLength(3)
  for (const url of [...files.values(), ...workers]) {
    const file = await ask(url)
    expect([url, file.status, file.headers['cache-control']]).toEqual([
      url,
      200,
      'public, max-age=31536000, immutable',
    ])
    const name = createHash('sha256').update(file.bytes).digest('hex').slice(0, 16)
    expect(url).toContain(`.${name}.`)
    const again = await ask(url, { headers: { 'if-none-match': file.headers.etag ?? '' } })
    expect([again.status, again.bytes.length, again.headers.etag]).toEqual([304, 0, file.headers.etag])
  }
  const missing = await ask(`${server.url}/graphql/graphiql/graphiql.js`)
  expect([missing.status, missing.headers['cache-control']]).toEqual([404, 'no-store'])
})

test('nothing is loaded from other origins', async () => {
  await using server = await openTestServer()
  const { headers, bytes } = await ask(`${server.url}/graphql`, { headers: forPeople })
  const policy = Object.fromEntries(
    String(headers['content-security-policy'])
      .split('; ')
      .map((directive) => [directive.split(' ', 1)[0], directive.split(' ').slice(1).join(' ')]),
  )
  expect(bytes.toString()).not.toMatch(/<script>|<style/)
  expect(policy).toMatchObject({
    'default-src': "'none'",
    'script-src': "'self'",
    'connect-src': "'self'",
    'worker-src': "'self'",
    'frame-ancestors': "'none'",
    'base-uri': "'none'",
  })
  expect(Object.values(policy).join(' ')).not.toMatch(/https?:|\*|unsafe-eval/)
  for (const url of (await linked(server.url)).values()) {
    const file = await ask(url)
    expect(file.headers['content-security-policy']).toBe("default-src 'none'")
    expect(file.headers['x-content-type-options']).toBe('nosniff')
  }
})

test('concurrent requests for a file all get it compressed', async () => {
  await using server = await openTestServer()
  const script = (await linked(server.url)).get('js') ?? ''
  const headers = { 'accept-encoding': 'br' }
  const all = await Promise.all(Array.from({ length: 20 }, () => ask(script, { headers })))
  expect(all.map((answer) => answer.headers['content-encoding'])).toEqual(Array(20).fill('br'))
  const [first] = all
  expect(first?.bytes.length).toBeLessThan(3_000_000)
  expect(all.filter(({ bytes }) => first && bytes.equals(first.bytes))).toHaveLength(20)
  const plain = await ask(script)
  expect(first && brotliDecompressSync(first.bytes).equals(plain.bytes)).toBe(true)
})

test('files count as reads, like the page', async () => {
  await using server = await openTestServer({}, { rateLimits: { reads: 1, quotes: 1, orders: 1 } })
  const file = `${server.url}/graphql/graphiql/nothing`
  const statuses = []
  for (let count = 0; count < 4; count++) statuses.push((await ask(file)).status)
  expect(statuses).toEqual([404, 404, 429, 429])
})

test('bytes are compressed once for each coding', async () => {
  const bytes = Buffer.from('constant '.repeat(10_000))
  const coming = compress(bytes, 'br')
  expect(coming).toBeInstanceOf(Promise)
  expect(compress(bytes, 'br')).toBe(coming)
  const compressed = await coming
  expect(compress(bytes, 'br')).toBe(compressed)
  expect(compressed && brotliDecompressSync(compressed).equals(bytes)).toBe(true)
  expect((await compress(bytes, 'gzip'))?.equals(compressed ?? bytes)).toBe(false)
})

test('at the limit of concurrent compressions, bytes are sent plain, and compressed the next time', async () => {
  const texts = Array.from({ length: 8 }, (_, index) => `text ${index} `.repeat(10_000))
  const underWay = texts.map((text) => compress(text, 'br'))
  const bytes = Buffer.from(texts.join())
  expect(compress(bytes, 'br')).toBeUndefined()
  expect((await Promise.all(underWay)).filter(Boolean)).toHaveLength(8)
  const compressed = await compress(bytes, 'br')
  expect(compressed && brotliDecompressSync(compressed).equals(bytes)).toBe(true)
})

test('the page counts as one unit, also for a client that has it', async () => {
  const now = () => 1_800_000_000_000
  await using server = await openTestServer({}, { now, rateLimits: { reads: 50, quotes: 1, orders: 1 } })
  const left = ({ headers }: Awaited<ReturnType<typeof ask>>) =>
    Number(/"reads";r=(\d+)/.exec(String(headers.ratelimit))?.[1])
  const first = await ask(`${server.url}/graphql`, { headers: forPeople })
  expect(left(first)).toBe(99)
  const known = { ...forPeople, 'If-None-Match': String(first.headers.etag) }
  const again = await ask(`${server.url}/graphql`, { headers: known })
  expect([again.status, left(again)]).toEqual([304, 98])
})

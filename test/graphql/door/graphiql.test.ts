import { createHash } from 'node:crypto'
import { brotliDecompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { compress } from '../../../src/http/compress.ts'
import { openDoors } from '../../doors.ts'
import { ask } from '../../http/client.ts'

const forPeople = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }

test('GraphiQL is kept by browsers, and asked for again by its tag', async () => {
  await using doors = await openDoors()
  const page = await ask(`${doors.url}/graphql`, { headers: forPeople })
  expect(page.status).toBe(200)
  expect(page.headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'public, max-age=3600',
    vary: 'Accept-Encoding, Accept',
    etag: expect.stringMatching(/^W\/"[\w-]{27}"$/),
    'referrer-policy': 'no-referrer',
  })
  const condition = { ...forPeople, 'if-none-match': page.headers.etag ?? '' }
  const again = await ask(`${doors.url}/graphql?query={version}`, { headers: condition })
  expect([again.status, again.bytes.length, again.headers.etag]).toEqual([304, 0, page.headers.etag])
  expect(again.headers['cache-control']).toBe('public, max-age=3600')
  const changed = await ask(`${doors.url}/graphql`, { headers: { ...forPeople, 'if-none-match': 'W/"x"' } })
  expect([changed.status, changed.bytes.equals(page.bytes)]).toEqual([200, true])
  // Of answers to questions there is none.
  const answer = await ask(`${doors.url}/graphql?query={version}`, { headers: { 'if-none-match': '*' } })
  expect([answer.status, answer.headers.etag]).toEqual([200, undefined])
})

test('its own script is allowed by its hash, and nothing is loaded from elsewhere', async () => {
  await using doors = await openDoors()
  const { headers, bytes } = await ask(`${doors.url}/graphql`, { headers: forPeople })
  const policy = Object.fromEntries(
    String(headers['content-security-policy'])
      .split('; ')
      .map((directive) => [directive.split(' ', 1)[0], directive.split(' ').slice(1).join(' ')]),
  )
  const scripts = [...bytes.toString().matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)].map(([, text]) => text)
  expect(scripts).toHaveLength(1)
  const hash = createHash('sha256')
    .update(scripts[0] ?? '')
    .digest('base64')
  expect(policy).toMatchObject({
    'default-src': "'none'",
    'script-src': `'sha256-${hash}'`,
    'connect-src': "'self'",
    'frame-ancestors': "'none'",
    'base-uri': "'none'",
  })
  expect(Object.values(policy).join(' ')).not.toMatch(/https?:|\*|unsafe-eval/)
})

test('however many ask for it at once, nobody gets it plain', async () => {
  await using doors = await openDoors()
  const headers = { ...forPeople, 'accept-encoding': 'br' }
  const all = await Promise.all(Array.from({ length: 20 }, () => ask(`${doors.url}/graphql`, { headers })))
  expect(all.map((answer) => answer.headers['content-encoding'])).toEqual(Array(20).fill('br'))
  const [first] = all
  expect(first?.bytes.length).toBeLessThan(3_000_000)
  expect(all.filter(({ bytes }) => first && bytes.equals(first.bytes))).toHaveLength(20)
  const plain = await ask(`${doors.url}/graphql`, { headers: forPeople })
  expect(first && brotliDecompressSync(first.bytes).equals(plain.bytes)).toBe(true)
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

test('while enough is compressed, bytes too are sent plain, and are compressed the next time', async () => {
  const texts = Array.from({ length: 8 }, (_, index) => `text ${index} `.repeat(10_000))
  const underWay = texts.map((text) => compress(text, 'br'))
  const bytes = Buffer.from(texts.join())
  expect(compress(bytes, 'br')).toBeUndefined()
  expect((await Promise.all(underWay)).filter(Boolean)).toHaveLength(8)
  const compressed = await compress(bytes, 'br')
  expect(compressed && brotliDecompressSync(compressed).equals(bytes)).toBe(true)
})

test('it counts as one read', async () => {
  await using doors = await openDoors({}, { rateLimits: { reads: 2, quotes: 1, orders: 1 } })
  const statuses: number[] = []
  const left: unknown[] = []
  for (let count = 0; count < 5; count++) {
    const { status, headers } = await ask(`${doors.url}/graphql`, { headers: forPeople })
    statuses.push(status)
    left.push(String(headers.ratelimit).split(';')[1])
  }
  expect(statuses).toEqual([200, 200, 200, 200, 429])
  expect(left).toEqual(['r=3', 'r=2', 'r=1', 'r=0', 'r=0'])
})

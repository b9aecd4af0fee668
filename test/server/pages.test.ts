import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ask, openLine } from '../http/client.ts'
import { openSampleWorld } from '../rest/openapi/world.ts'
import type { TestServer } from '../setup/server.ts'
import { graphql } from '../setup/trader.ts'

/** Pages for people, without a browser. */
let server: TestServer
let uid: string

beforeAll(async () => {
  server = await openSampleWorld()
  const { orders } = await graphql(server.url, '{ orders(first: 1) { nodes { uid } } }')
  uid = orders.nodes[0].uid
})
afterAll(() => server?.[Symbol.asyncDispose]())

const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const get = (path: string, headers: Record<string, string> = html) => ask(`${server.url}${path}`, { headers })
const address = `0x${'ab'.repeat(20)}`
const lists = ['/orders', '/trades', '/auctions', '/tokens', '/programmatic-orders']
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** The files that a page names. */
const filesIn = (page: string) =>
  [...page.matchAll(/(?:src|href)="(\.\.?)\/(pages\/[^"]+)"/g)].map(([, root, file]) => ({
    root,
    file: `/${file}`,
  }))

describe('a page', () => {
  const programmatic = `/programmatic/${Buffer.from(`ProgrammaticOrder:1:${address}:${address}`).toString('base64url')}`
  const subjects = () => [
    `/orders/${uid}`,
    '/auctions/12',
    `/tokens/${address}`,
    `/accounts/${address}`,
    programmatic,
  ]
  const pages = () => ['/', ...lists, ...subjects()]
  const isFirst = (path: string) => path === '/' || lists.includes(path)
  const scriptOf = (path: string) =>
    path === '/' ? 'home' : isFirst(path) ? path.slice(1) : path.split('/')[1]?.replace(/s$/, '')

  test('has a strict policy, and names only files of this host, which are kept', async () => {
    for (const path of pages()) {
      const page = await get(path)
      expect([path, page.status, page.headers['content-security-policy']]).toEqual([path, 200, policy])
      expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
      expect(page.headers['referrer-policy']).toBe('no-referrer')
      expect(page.headers['cache-control']).toBe('no-cache')
      const text = page.bytes.toString()
      expect(text).not.toMatch(/https?:\/\//)
      const files = filesIn(text)
      expect(files.map(({ file }) => file.replace(/\.[A-Z0-9]{8}\./, '.HASH.'))).toEqual([
        '/pages/icon.png',
        '/pages/page.HASH.css',
        `/pages/${scriptOf(path)}.HASH.js`,
      ])
      for (const { root, file } of files) {
        expect(root).toBe(isFirst(path) ? '.' : '..')
        const answer = await get(file)
        expect([file, answer.status]).toEqual([file, 200])
        if (!file.endsWith('.png'))
          expect(answer.headers['cache-control']).toBe('public, max-age=31536000, immutable')
      }
    }
  })

  test('has files that are compressed as the client takes it', async () => {
    for (const { file } of filesIn((await get(`/orders/${uid}`)).bytes.toString()).slice(1)) {
      const plain = await get(file)
      const zipped = await get(file, { 'accept-encoding': 'gzip' })
      const brotli = await get(file, { 'accept-encoding': 'br' })
      expect([zipped.headers['content-encoding'], brotli.headers['content-encoding']]).toEqual(['gzip', 'br'])
      expect(gunzipSync(zipped.bytes).equals(plain.bytes)).toBe(true)
      expect(brotliDecompressSync(brotli.bytes).equals(plain.bytes)).toBe(true)
    }
  })

  test('is not sent again to who has it', async () => {
    for (const path of pages()) {
      const text = await get(path)
      for (const at of [path, ...filesIn(text.bytes.toString()).map(({ file }) => file)]) {
        const { headers } = await get(at)
        const again = await get(at, { ...html, 'if-none-match': headers.etag ?? '' })
        expect([at, again.status, again.bytes.length]).toEqual([at, 304, 0])
      }
    }
  })

  test('is less than 60 kB with its compressed files', async () => {
    for (const path of pages()) {
      const page = await get(path)
      const files = filesIn(page.bytes.toString())
      const answers = await Promise.all(files.map(({ file }) => get(file, { 'accept-encoding': 'gzip' })))
      const bytes = [page, ...answers].reduce((sum, answer) => sum + answer.bytes.length, 0)
      expect(bytes).toBeLessThan(60_000)
    }
  })

  test('is the same with a slash at its end, and keeps its query', async () => {
    const queries = [
      ['', ''],
      ['?', ''],
      ['?network=sepolia&search=a%20b', '?network=sepolia&search=a%20b'],
      ['?a?b/../%20//', '?a?b/../%20//'],
    ] as const
    for (const path of pages().slice(1))
      for (const [query, kept] of queries) {
        const { status, headers } = await get(`${path}/${query}`)
        const { pathname, search } = new URL(headers.location ?? '', `${server.url}${path}/`)
        expect([status, pathname, search]).toEqual([308, path, kept])
        expect(headers['cache-control']).toBe('no-cache')
        expect(headers.vary).toMatch(/\bAccept\b(?!-)/)
      }
  })
})

test('an order that is not stored gets 404 with its page, which says why and looks again', async () => {
  const unknown = `/orders/0x${'cd'.repeat(56)}`
  const page = await get(unknown)
  expect([page.status, page.headers['cache-control'], page.headers['content-security-policy']]).toEqual([
    404,
    'no-store',
    policy,
  ])
  expect(page.bytes.toString()).toContain('/pages/order.')
  expect((await get(`/orders/${uid.toUpperCase().replace('0X', '0x')}`)).status).toBe(200)
})

describe('what is no name of anything', () => {
  const wrong: [path: string, words: string][] = [
    [`/orders/0x${'cd'.repeat(55)}`, 'There is no such order'],
    [`/orders/${'cd'.repeat(56)}`, 'There is no such order'],
    ['/auctions/0x12', 'There is no such auction'],
    ['/auctions/007', 'There is no such auction'],
    ['/auctions/99999999999999999999', 'There is no such auction'],
    ['/auctions/-1', 'There is no such auction'],
    ['/tokens/0x12', 'There is no such token'],
    ['/accounts/%3Cscript%3Ealert(1)%3C%2Fscript%3E', 'There is no such account'],
    ['/orders/<img src=x onerror=alert(1)>', 'There is no such order'],
    [`/tokens/0x${'%00'.repeat(20)}`, 'There is no such token'],
    [`/auctions/${'9'.repeat(4_000)}`, 'There is no such auction'],
  ]
  test('gets 404 in words, which repeat nothing of it', async () => {
    for (const [path, words] of wrong) {
      const { status, bytes, headers } = await get(path.replaceAll(' ', '%20'))
      const text = bytes.toString()
      expect([path, status, headers['content-security-policy'], headers['cache-control']]).toEqual([
        path,
        404,
        policy,
        'no-store',
      ])
      expect(text).toContain(`<h1>${words}</h1>`)
      expect(text).not.toMatch(/<script|onerror|alert|%3C/)
      expect(text.length).toBeLessThan(1_200)
    }
  })

  test('gets the error of the interface where a program asks', async () => {
    const paths = ['/', '/orders/12', '/auctions/x', '/tokens/0x12', '/auctions/1/2', '/orders/', ...lists]
    for (const path of paths) {
      const { status, headers } = await get(path, { accept: 'application/json' })
      expect([path, status, headers['content-type']]).toEqual([path, 404, 'application/json'])
      expect(headers.vary).toMatch(/\bAccept\b(?!-)/)
    }
    for (const path of lists) expect((await get(path, { accept: '*/*' })).status).toBe(404)
    for (const path of ['/', `/orders/${uid}`]) {
      const { status } = await ask(`${server.url}${path}`, { method: 'POST', headers: html })
      expect([path, status]).toEqual([path, path === '/' ? 404 : 405])
    }
  })
})

test('the pages at addresses where programs get something else say so to caches', async () => {
  for (const path of ['/', ...lists, '/nothing'])
    expect((await get(path)).headers.vary).toMatch(/\bAccept\b(?!-)/)
})

test('a client that takes anything gets the home page, and one that names nothing the error', async () => {
  const page = await get('/', { accept: '*/*' })
  expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
  expect((await get('/', {})).status).toBe(404)
})

describe('a path that leads nowhere', () => {
  test.each([
    ['.', '/nothing'],
    ['..', '/nothing/'],
    ['../../..', '/sepolia/api/v1/nothing'],
    ['../..', '/auctions/1/2'],
    ['..', '/trades/1'],
    ['.', '/%3Cscript%3Ealert(1)%3C%2Fscript%3E'],
    [Array(15).fill('..').join('/'), `/${'deep/'.repeat(15)}x`],
    ['', `/${'deep/'.repeat(900)}x`],
  ])('gets a page with a search for people, with the service at "%s"', async (root, path) => {
    const { status, bytes, headers } = await get(path)
    const text = bytes.toString()
    expect([status, headers['content-security-policy'], headers['cache-control']]).toEqual([
      404,
      policy,
      'no-store',
    ])
    expect(text).toContain(`<html lang="en" data-root="${root}">`)
    const script = /src="([^"]*\/pages\/missing\.[A-Z0-9]{8}\.js)"/.exec(text)?.[1] ?? ''
    const { pathname } = new URL(script, `${server.url}${path}`)
    expect((await get(pathname)).status).toBe(200)
    expect(text).not.toMatch(/nothing|alert|deep|%3C/)
    expect(text.length).toBeLessThan(1_200)
    const program = await get(path, { accept: 'application/json' })
    expect([program.status, program.headers['content-type']]).toEqual([404, 'application/json'])
  })

  test('gets it too without a slash', async () => {
    await using line = openLine(server.url)
    line.write('GET * HTTP/1.1\r\nHost: localhost\r\nAccept: text/html\r\nConnection: close\r\n\r\n')
    await expect.poll(() => line.isClosed).toBe(true)
    expect(line.text).toMatch(/^HTTP\/1.1 404 /)
    expect(line.text).toContain('<html lang="en" data-root=".">')
  })

  test('is JSON for people too where a route exists', async () => {
    const { status, headers } = await get(`/sepolia/api/v1/orders/0x${'cd'.repeat(56)}`)
    expect([status, headers['content-type']]).toEqual([404, 'application/json'])
  })
})

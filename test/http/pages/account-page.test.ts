import { brotliDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { numbered } from '../../fakes/order.ts'
import { eventually } from '../../setup/eventually.ts'
import { openTestServer, type TestServer } from '../../setup/server.ts'
import { ask } from '../client.ts'

let server: TestServer
beforeAll(async () => {
  server = await openTestServer()
})
afterAll(() => server?.[Symbol.asyncDispose]())

const account = numbered('ab')
const pageAt = (path: string, headers: Record<string, string> = {}) =>
  ask(`${server.url}/accounts/${path}`, { headers })

test('all accounts have the same page, whose scripts and styles are files of this host', async () => {
  const page = await pageAt(account)
  expect(page.status).toBe(200)
  expect(page.headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  })
  const policy = page.headers['content-security-policy'] ?? ''
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
  expect(policy).not.toContain('unsafe')
  const text = page.bytes.toString()
  expect(text).not.toMatch(/<script(?! type="module" src=)|<style|style=|\son\w+=|https?:/)
  const other = await pageAt(account.toUpperCase().replace('0X', '0x'))
  expect(other.bytes.equals(page.bytes)).toBe(true)
  const again = await pageAt(account, { 'if-none-match': page.headers.etag ?? '' })
  expect([again.status, again.bytes.length]).toEqual([304, 0])
})

test('its files have their hash in the name, or are revalidated, and all come compressed', async () => {
  const text = (await pageAt(account)).bytes.toString()
  const links = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link = '']) => link)
  expect(links.map((link) => link.replace(/\.[A-Z0-9]{8}\./, '.#.'))).toEqual([
    '../pages/icon.png',
    '../pages/page.#.css',
    '../pages/account.#.js',
  ])
  for (const link of [...links, 'worker.js']) {
    const url = new URL(link, `${server.url}/accounts/${account}`).href
    const file = await ask(url)
    expect([url, file.status]).toEqual([url, 200])
    expect(file.headers['cache-control']).toBe(
      /\.[A-Z0-9]{8}\./.test(url) ? 'public, max-age=31536000, immutable' : 'no-cache',
    )
    expect(file.headers['content-security-policy']).toContain("connect-src 'self'")
    expect((await ask(url, { headers: { 'if-none-match': file.headers.etag ?? '' } })).status).toBe(304)
    if (link.endsWith('.png')) continue
    const compressed = await eventually('its compressed form', async () => {
      const answer = await ask(url, { headers: { 'accept-encoding': 'br' } })
      return answer.headers['content-encoding'] === 'br' && answer
    })
    expect(brotliDecompressSync(compressed.bytes).equals(file.bytes)).toBe(true)
    expect(compressed.bytes.length).toBeLessThan(25_000)
  }
})

test.each([
  'x',
  account.slice(2),
  `${account}0`,
  account.replace('ab', 'ag'),
  '%3Cscript%3Ealert(1)%3C%2Fscript%3E',
  '0x%22%3E%3Cimg%20src=x%20onerror=alert(1)%3E',
  "0x'><svg/onload=alert(1)>".replaceAll('/', ''),
  '',
])('%j is no account, and is not repeated', async (path) => {
  const answer = await pageAt(path, { accept: 'text/html,*/*;q=0.8' })
  expect([answer.status, answer.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8'])
  const text = answer.bytes.toString()
  expect(text).toContain('<h1>There is no such account</h1>')
  expect(text).not.toMatch(/alert|<script/)
  expect(answer.headers['content-security-policy']).toContain("default-src 'none'")
  const program = await pageAt(path, { accept: '*/*' })
  expect([program.status, program.headers['content-type']]).toEqual([404, 'application/json'])
})

test('what is below an account is REST, and other files there are not', async () => {
  const list = await pageAt(`${account}/notifications`)
  expect([list.status, list.headers['content-type']]).toEqual([200, 'application/json'])
  for (const path of ['/pages/', '/pages/account.js', '/pages/..%2Fpackage.json', '/pages/constructor']) {
    const answer = await ask(`${server.url}${path}`)
    expect([path, answer.status]).toEqual([path, 404])
  }
  expect((await ask(`${server.url}/accounts/${account}`, { method: 'POST' })).status).toBe(405)
})

import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openTestServer } from '../setup/server.ts'

const server = await openTestServer()
afterAll(() => server[Symbol.asyncDispose]())

const root = path.join(import.meta.dirname, '..', '..')

test('llms.txt has one line for each page, and each address has the page as Markdown', async () => {
  const index = await fetch(`${server.url}/llms.txt`)
  expect([index.status, index.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
  const lines = (await index.text()).split('\n').filter((line) => line.startsWith('- '))
  const links = lines.map(
    (line) => /^- \[.{3,}\]\(\/docs\/([\w/.-]+\.md)\): \S.{20,}$/.exec(line)?.[1] ?? line,
  )
  const pages = readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md') && !/^decisions.\d/.test(file))
    .map((file) => file.replaceAll(path.sep, '/'))
  expect(links.toSorted()).toEqual(pages.toSorted())
  for (const page of [...pages, 'decisions/0125-tools-for-agents.md']) {
    const answer = await fetch(`${server.url}/docs/${page}`)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/markdown; charset=utf-8'])
    expect(await answer.text()).toBe(readFileSync(path.join(root, 'docs', page), 'utf8'))
  }
})

test('llms-full.txt has the whole text of each page of the index, behind its address, in one megabyte', async () => {
  const [index, all] = await Promise.all(
    ['llms.txt', 'llms-full.txt'].map((name) => fetch(`${server.url}/${name}`)),
  )
  expect([all?.status, all?.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
  const text = (await all?.text()) ?? ''
  expect(Buffer.byteLength(text)).toBeLessThan(1_048_576)
  const names = [...((await index?.text()) ?? '').matchAll(/^- \[.+\]\(\/docs\/([\w/.-]+)\)/gm)].map(
    ([, name = '']) => name,
  )
  const pages = names.filter((name) => !name.startsWith('decisions/'))
  expect(pages.length).toBeGreaterThan(40)
  const parts = pages.map(
    (name) => `---\n\nPage: /docs/${name}\n\n${readFileSync(path.join(root, 'docs', name), 'utf8')}`,
  )
  expect(text.slice(text.indexOf('---\n'))).toBe(parts.join('\n'))
  expect((await fetch(`${server.url}/llms-full.txt`, { method: 'POST' })).status).toBe(405)
})

test('a page is cached, and revalidated by its ETag', async () => {
  const first = await fetch(`${server.url}/docs/api.md`)
  expect(first.headers.get('cache-control')).toBe('public, max-age=3600')
  const headers = { 'if-none-match': first.headers.get('etag') ?? '' }
  expect((await fetch(`${server.url}/docs/api.md`, { headers })).status).toBe(304)
  expect((await fetch(`${server.url}/docs/api.md`, { method: 'POST' })).status).toBe(405)
  expect((await fetch(`${server.url}/llms.txt`, { method: 'DELETE' })).status).toBe(405)
})

test.each([
  '/docs/none.md',
  '/docs/README',
  '/docs/../README.md',
  '/docs/%2e%2e/README.md',
  '/docs/how-to/../../README.md',
  '/docs/how-to%2f..%2f..%2fREADME.md',
  '/docs//etc/hostname.md',
  '/docs/..\\README.md',
  '/docs/scalars.json',
])('%s is not served', async (name) => {
  const { request } = await import('node:http')
  const { hostname, port } = new URL(server.url)
  // A client that leaves the path as it is.
  const status = await new Promise((resolve, reject) => {
    request({ hostname, port, path: name }, (res) => {
      res.resume()
      resolve(res.statusCode)
    })
      .on('error', reject)
      .end()
  })
  expect(status).toBe(404)
})

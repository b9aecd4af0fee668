import { afterAll, beforeAll, expect, test } from 'vitest'
import { scalarMap, schemaText } from '../../../src/graphql/schema.ts'
import { openTestServer, type TestServer } from '../../setup/server.ts'

interface Described {
  parameters?: { name: string }[]
  responses: Record<string, { headers: object }>
}

let server: TestServer
beforeAll(async () => {
  server = await openTestServer()
})
afterAll(() => server?.[Symbol.asyncDispose]())

test('the document names the running version, and is not sent again to a client that has it', async () => {
  const first = await fetch(`${server.url}/openapi.json`)
  expect(first.headers.get('content-type')).toBe('application/json')
  expect(first.headers.get('access-control-allow-origin')).toBe('*')
  const document = await first.json()
  expect([document.openapi, document.info.version, document.info.license.identifier]).toEqual([
    '3.1.0',
    'test-build',
    'MIT',
  ])
  const again = await fetch(`${server.url}/openapi.json`, {
    headers: { 'if-none-match': first.headers.get('etag') ?? '' },
  })
  expect([again.status, await again.text()]).toEqual([304, ''])
})

test('the GraphQL schema is served as text, and is not sent again to a client that has it', async () => {
  const first = await fetch(`${server.url}/schema.graphql`)
  expect(first.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect(await first.text()).toBe(schemaText())
  const again = await fetch(`${server.url}/schema.graphql`, {
    headers: { 'if-none-match': first.headers.get('etag') ?? '' },
  })
  expect(again.status).toBe(304)
})

test('the JSON forms of the scalars are served, and are not sent again to a client that has them', async () => {
  const first = await fetch(`${server.url}/scalars.json`)
  expect(first.headers.get('cache-control')).toBe('public, max-age=3600')
  expect(await first.json()).toEqual(scalarMap())
  const again = await fetch(`${server.url}/scalars.json`, {
    headers: { 'if-none-match': first.headers.get('etag') ?? '' },
  })
  expect(again.status).toBe(304)
})

test('exactly the responses with an ETag document a 304', async () => {
  const { paths } = await (await fetch(`${server.url}/openapi.json`)).json()
  const conditional: unknown[] = []
  for (const [path, item] of Object.entries<Record<string, Described>>(paths)) {
    for (const [method, { responses, parameters = [] }] of Object.entries(item)) {
      const takesTags = parameters.some(({ name }) => name === 'If-None-Match')
      expect([path, method, takesTags]).toEqual([path, method, '304' in responses])
      if (responses['304']) conditional.push([method, path, Object.keys(responses['304'].headers).slice(3)])
    }
  }
  expect(conditional).toEqual([
    ...[
      'v1/solver_competition/{auctionId}',
      'v1/solver_competition/by_tx_hash/{hash}',
      'v2/solver_competition/{auctionId}',
      'v2/solver_competition/by_tx_hash/{hash}',
      'v1/auction',
      'v1/app_data/{hash}',
    ].map((path) => ['get', `/{network}/api/${path}`, ['ETag', 'Cache-Control']]),
    ['get', '/about', ['ETag', 'Cache-Control']],
    ['get', '/{network}/info/contracts', ['ETag', 'Cache-Control']],
    ['get', '/accounts/{account}/notifications', ['ETag', 'Cache-Control']],
    ['get', '/{network}/tokens/{token}/usdPrice', ['ETag', 'Cache-Control', 'Age', 'Warning']],
    ['get', '/{network}/tokens/{token}/topHolders', ['ETag', 'Cache-Control', 'Age', 'Warning']],
    ['get', '/{network}/tokens/{token}/details', ['ETag', 'Cache-Control']],
    ['get', '/{network}/markets/{pair}/slippageTolerance', ['ETag', 'Cache-Control']],
    ['get', '/{network}/markets/{pair}/volatilityDetails', ['ETag', 'Cache-Control']],
    ['get', '/{network}/address/{account}/balances', ['ETag', 'Cache-Control']],
    ['get', '/{network}/yield/pools-average-apr', ['ETag', 'Cache-Control', 'Age', 'Warning']],
  ])
})

test('the page and its files are served locally, and the CSP allows no other origin', async () => {
  const page = await fetch(`${server.url}/docs`)
  const text = await page.text()
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'self';/)
  expect(await (await fetch(`${server.url}/docs/`)).text()).toBe(text)
  const links = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link)
  expect(links).toHaveLength(5)
  for (const link of links) {
    const file = await fetch(new URL(link ?? '', server.url))
    expect([link, file.status]).toEqual([link, 200])
    expect(file.headers.get('cache-control')).toBe('public, max-age=3600')
    expect((await file.arrayBuffer()).byteLength).toBeGreaterThan(100)
    const kept = await fetch(file.url, { headers: { 'if-none-match': file.headers.get('etag') ?? '' } })
    expect(kept.status).toBe(304)
  }
  const types = await Promise.all(
    ['swagger-ui.css', 'swagger-ui-bundle.js', 'start.js'].map(async (name) =>
      (await fetch(`${server.url}/docs/${name}`)).headers.get('content-type'),
    ),
  )
  expect(types).toEqual([
    'text/css; charset=utf-8',
    'text/javascript; charset=utf-8',
    'text/javascript; charset=utf-8',
  ])
})

test.each([
  'package.json',
  'index.html',
  'swagger-ui-bundle.js.map',
  '..%2Fpackage.json',
  'constructor',
  'swagger-ui.css/',
])('no other file of the package is served: %s', async (name) => {
  const answer = await fetch(`${server.url}/docs/${name}`)
  expect([answer.status, (await answer.json()).errorType]).toEqual([404, 'NotFound'])
})

test('other methods than reads are refused', async () => {
  const head = await fetch(`${server.url}/docs/swagger-ui-bundle.js`, { method: 'HEAD' })
  expect([head.status, await head.text()]).toEqual([200, ''])
  for (const path of ['/openapi.json', '/docs', '/docs/start.js']) {
    const answer = await fetch(`${server.url}${path}`, { method: 'POST' })
    expect([path, answer.status, answer.headers.get('allow')]).toEqual([path, 405, 'GET, HEAD, OPTIONS'])
  }
})

import { ApolloClient, HttpLink, InMemoryCache } from '@apollo/client'
import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import { buildSchema, type DocumentNode, print, stripIgnoredCharacters, validate } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { textOf } from '../../src/client/document.ts'
import * as clientPackage from '../../src/client/package.ts'
import {
  createClient,
  NetworksDocument,
  OrderDocument,
  type OrderResult,
  type OrderVariables,
  QuoteDocument,
  type TypedDocument,
} from '../../src/client/package.ts'
import { schemaText } from '../../src/graphql/schema.ts'
import { storeOrder } from '../fakes/story.ts'
import { openTestServer, type TestServer } from '../setup/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await openTestServer()
})
afterAll(() => server?.[Symbol.asyncDispose]())

const uid = `0x${'00'.repeat(56)}`

/** A `fetch` that gives these answers one after the other, and counts the requests. */
function answering(...answers: (() => Response | Promise<Response>)[]) {
  const requests: RequestInit[] = []
  const answer = async (_: unknown, init: RequestInit = {}) => {
    const next = answers[requests.push(init) - 1]
    if (!next) throw new TypeError('fetch failed')
    return next()
  }
  return { requests, fetch: answer as typeof fetch }
}
const found = () => Response.json({ data: { order: null } })
const refused = (code: string, status: number, headers: Record<string, string> = {}) =>
  Response.json(
    { errors: [{ message: 'no', extensions: { code, retryable: status !== 400 } }] },
    { status, headers },
  )

describe('errors', () => {
  test('name the code and the field', async () => {
    const client = createClient({ url: server.url })
    const fault = await client.query(OrderDocument, { uid: '0x12' }).catch((error) => error)
    expect(fault).toBeInstanceOf(clientPackage.TradegraphError)
    expect(fault).toMatchObject({ code: 'InvalidParameter', field: 'uid', retryable: false, status: 200 })
    expect(fault.requestId).toMatch(/^[\w-]{8,}$/)
  })

  test('a query waits for `Retry-After`, and is repeated', async () => {
    const { fetch, requests } = answering(() => refused('RateLimited', 429, { 'retry-after': '1' }), found)
    const start = performance.now()
    await expect(createClient({ url: 'http://x', fetch }).query(OrderDocument, { uid })).resolves.toEqual({
      order: null,
    })
    expect(requests).toHaveLength(2)
    expect(performance.now() - start).toBeGreaterThan(950)
  })

  test.each<[what: string, answers: (() => Response)[], requests: number, error: object]>([
    ['no answer at all', [], 4, { code: 'Unavailable', retryable: true, status: undefined }],
    ['a refusal', [() => refused('OrderExpired', 400)], 1, { code: 'OrderExpired', status: 400 }],
    [
      'a pause of an hour',
      [() => refused('Unavailable', 503, { 'retry-after': '3600' })],
      1,
      { retryAfter: 3600 },
    ],
    [
      'a page of a proxy',
      Array(4).fill(() => new Response('<h1>', { status: 502 })),
      4,
      { code: 'Unavailable', status: 502 },
    ],
    [
      'something else at the address',
      [() => new Response('<h1>', { status: 404 })],
      1,
      { code: 'InvalidQuery' },
    ],
  ])('%s', async (_, answers, count, error) => {
    const { fetch, requests } = answering(...answers)
    const result = createClient({ url: 'http://x', fetch }).query(OrderDocument, { uid })
    await expect(result).rejects.toMatchObject({ name: 'TradegraphError', ...error })
    expect(requests).toHaveLength(count)
  })

  test('a mutation is sent once', async () => {
    const { fetch, requests } = answering()
    const input = { from: uid, sellToken: uid, buyToken: uid, amount: { sellBeforeFee: 1n } }
    await expect(
      createClient({ url: 'http://x', fetch }).mutate(QuoteDocument, { input }),
    ).rejects.toMatchObject({
      code: 'Unavailable',
      retryable: true,
    })
    expect(requests).toHaveLength(1)
    expect(requests[0]?.body).toContain('"sellBeforeFee":"1"')
  })

  test('a request ends after its time, and with its signal', async () => {
    const hanging = (async (_: unknown, { signal }: RequestInit = {}) =>
      new Promise((_, reject) => {
        if (signal?.aborted) return reject(signal.reason)
        signal?.addEventListener('abort', () => reject(signal.reason))
      })) as typeof fetch
    const client = createClient({ url: 'http://x', fetch: hanging, timeout: 20 })
    await expect(client.mutate(OrderDocument, { uid })).rejects.toMatchObject({ code: 'Unavailable' })
    const end = new AbortController()
    const slow = createClient({ url: 'http://x', fetch: hanging }).query(
      OrderDocument,
      { uid },
      { signal: end.signal },
    )
    end.abort(new Error('enough'))
    await expect(slow).rejects.toThrow('enough')
  })

  test('headers may be a function', async () => {
    const { fetch, requests } = answering(found)
    const client = createClient({
      url: 'http://x/',
      fetch,
      headers: async () => ({ authorization: 'Bearer 1' }),
    })
    await client.query(OrderDocument, { uid })
    expect(requests[0]?.headers).toMatchObject({ authorization: 'Bearer 1' })
  })
})

describe('documents', () => {
  const schema = buildSchema(schemaText())
  const documents = Object.entries(clientPackage).filter(([name]) => name.endsWith('Document'))

  test.each(documents as [string, DocumentNode][])('%s is valid, and its text is its tree', (_, document) => {
    expect(validate(schema, document)).toEqual([])
    expect(stripIgnoredCharacters(print(document))).toBe(stripIgnoredCharacters(textOf(document)))
  })

  test('Apollo Client takes them, with their types', async () => {
    const order = await storeOrder(server.database.db)
    const apollo = new ApolloClient({
      link: new HttpLink({ uri: `${server.url}/graphql` }),
      cache: new InMemoryCache(),
    })
    const document: TypedDocumentNode<OrderResult, OrderVariables> = OrderDocument
    const { data } = await apollo.query({ query: document, variables: { uid: order.uid } })
    expect(data?.order).toMatchObject({ uid: order.uid, sellAmount: String(order.sellAmount) })
    const untyped = await apollo.query({ query: OrderDocument, variables: { uid: order.uid } })
    expect(untyped.data?.order?.sellToken.address).toBe(order.sellToken)
  })

  test('documents of an application are texts, or have their text, and keep the JSON form', async () => {
    const order = await storeOrder(server.database.db, { buyAmount: 7n })
    const client = createClient({ url: server.url, scalars: 'native' })
    const text = new String('query ($uid: OrderUid!) { order(uid: $uid) { buyAmount } }') as string & {
      __apiType?: (variables: { uid: string }) => { order: { buyAmount: string } | null }
    }
    const { order: own } = await client.query(text, { uid: order.uid })
    expect(own?.buyAmount).toBe('7')
    const tree = { kind: 'Document', definitions: [] } as TypedDocument<object, { uid: string }>
    await expect(client.query(tree, { uid })).rejects.toThrow('the document has no text')
    const { networks } = await client.query(NetworksDocument)
    expect(networks[0]?.chainId).toBe(11155111)
  })
})

import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Order } from '../../../src/domain/order/order.ts'
import { storeOrder } from '../../fakes/story.ts'
import { openTestServer, type TestServer } from '../../setup/server.ts'
import { request } from '../../setup/trader.ts'

const listed = 'query Listed($uid: OrderUid!) { order(uid: $uid) { uid status } }'
const compiled = 'query Hot($uid: OrderUid!) { order(uid: $uid) { uid kind } }'
const executed = 'query Executed { version }'

let server: TestServer
let order: Order
beforeAll(async () => {
  server = await openTestServer({}, { documents: { [hashOf(listed)]: listed } })
  order = await storeOrder(server.database.db)
})
afterAll(() => server[Symbol.asyncDispose]())

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

type Method = 'GET' | 'POST'

async function ask(hash: string, query?: string, method: Method = 'POST', version: unknown = 1) {
  const extensions = { persistedQuery: { version, sha256Hash: hash } }
  const variables = { uid: order.uid }
  const parameters = new URLSearchParams({
    ...(query !== undefined && { query }),
    variables: JSON.stringify(variables),
    extensions: JSON.stringify(extensions),
  })
  const { status, body } =
    method === 'GET'
      ? await request(`${server.url}/graphql?${parameters}`)
      : await request(`${server.url}/graphql`, 'POST', { query, variables, extensions })
  const { extensions: _, ...rest } = body
  return { status, ...rest }
}

test('a listed document can be requested by its hash alone', async () => {
  expect(await ask(hashOf(listed))).toEqual({
    status: 200,
    data: { order: { uid: order.uid, status: 'OPEN' } },
  })
})

test('a document that a client sent can be requested by its hash from then on, compiled or executed', async () => {
  for (const [text, data] of [
    [compiled, { order: { uid: order.uid, kind: 'SELL' } }],
    [executed, { version: 'test-build' }],
  ] as const) {
    const unknown = await ask(hashOf(text))
    expect(unknown.errors).toEqual([
      {
        message: 'PersistedQueryNotFound',
        extensions: { code: 'PERSISTED_QUERY_NOT_FOUND', retryable: false },
      },
    ])
    expect(await ask(hashOf(text), text)).toEqual({ status: 200, data })
    expect(await ask(hashOf(text))).toEqual({ status: 200, data })
  }
})

test('a text with a wrong hash is refused and not stored', async () => {
  const { errors } = await ask(hashOf('something else'), compiled)
  expect(errors[0].extensions.code).toBe('InvalidQuery')
  expect((await ask(hashOf('something else'))).errors[0].message).toBe('PersistedQueryNotFound')
})

test('a text that does not fit the schema is not stored', async () => {
  const wrong = '{ nothing }'
  expect((await ask(hashOf(wrong), wrong)).errors[0].extensions.code).toBe('InvalidQuery')
  expect((await ask(hashOf(wrong))).errors[0].message).toBe('PersistedQueryNotFound')
})

describe('over GET', () => {
  test('a hash gets the same response as over POST, known or not', async () => {
    expect(await ask(hashOf(listed), undefined, 'GET')).toEqual({
      status: 200,
      data: { order: { uid: order.uid, status: 'OPEN' } },
    })
    const unknown = hashOf('nobody knows this')
    const answer = await ask(unknown, undefined, 'GET')
    expect(answer).toEqual(await ask(unknown))
    expect([answer.status, answer.errors[0].extensions.code]).toEqual([200, 'PERSISTED_QUERY_NOT_FOUND'])
  })

  test('a text that was sent is known from then on', async () => {
    const brought = 'query Brought($uid: OrderUid!) { order(uid: $uid) { uid partiallyFillable } }'
    const data = { order: { uid: order.uid, partiallyFillable: order.partiallyFillable } }
    expect(await ask(hashOf(brought), brought, 'GET')).toEqual({ status: 200, data })
    for (const method of ['GET', 'POST'] as const)
      expect(await ask(hashOf(brought), undefined, method)).toEqual({ status: 200, data })
    expect((await ask(hashOf('another'), brought, 'GET')).errors[0].extensions.code).toBe('InvalidQuery')
  })

  test('a mutation cannot be requested by its hash', async () => {
    const mutation = 'mutation { uploadAppData(input: { document: "{}" }) { created } }'
    expect((await ask(hashOf(mutation), mutation)).status).toBe(200)
    const { status, errors } = await ask(hashOf(mutation), undefined, 'GET')
    expect([status, errors[0].extensions.code]).toEqual([405, 'MethodNotAllowed'])
  })
})

test('another version of the protocol is refused', async () => {
  for (const method of ['GET', 'POST'] as const) {
    for (const version of [2, 0, '1', null]) {
      const { errors } = await ask(hashOf(listed), undefined, method, version)
      expect(errors[0]).toMatchObject({
        message: 'persistedQuery.version must be 1',
        extensions: { code: 'InvalidQuery', field: 'extensions' },
      })
    }
  }
})

test.each([compiled, executed])(
  'an unknown operationName does not select the only operation: %s',
  async (query) => {
    const variables = { uid: order.uid }
    const { body } = await request(`${server.url}/graphql`, 'POST', {
      query,
      variables,
      operationName: 'Other',
    })
    expect([body.data, body.errors.length]).toEqual([undefined, 1])
  },
)

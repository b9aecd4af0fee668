import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Order } from '../../src/domain/order.ts'
import { type Doors, openDoors } from '../doors.ts'
import { storeOrder } from '../fakes/story.ts'
import { request } from '../trader.ts'

const listed = 'query Listed($uid: OrderUid!) { order(uid: $uid) { uid status } }'
const hot = 'query Hot($uid: OrderUid!) { order(uid: $uid) { uid kind } }'
const executed = 'query Executed { version }'

let doors: Doors
let order: Order
beforeAll(async () => {
  doors = await openDoors({}, { documents: { [hashOf(listed)]: listed } })
  order = await storeOrder(doors.database.db)
})
afterAll(() => doors[Symbol.asyncDispose]())

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

async function ask(hash: string, query?: string) {
  const extensions = { persistedQuery: { version: 1, sha256Hash: hash } }
  const { status, body } = await request(`${doors.url}/graphql`, 'POST', {
    query,
    variables: { uid: order.uid },
    extensions,
  })
  return { status, ...body }
}

test('a document of the list answers to its hash alone', async () => {
  expect(await ask(hashOf(listed))).toEqual({
    status: 200,
    data: { order: { uid: order.uid, status: 'OPEN' } },
  })
})

test('a document that a client brought answers to its hash from then on, hot or executed', async () => {
  for (const [text, data] of [
    [hot, { order: { uid: order.uid, kind: 'SELL' } }],
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

test('a text under another hash is refused and not kept', async () => {
  const { errors } = await ask(hashOf('something else'), hot)
  expect(errors[0].extensions.code).toBe('InvalidQuery')
  expect((await ask(hashOf('something else'))).errors[0].message).toBe('PersistedQueryNotFound')
})

test('a text that does not fit the schema is not kept', async () => {
  const wrong = '{ nothing }'
  expect((await ask(hashOf(wrong), wrong)).errors[0].extensions.code).toBe('InvalidQuery')
  expect((await ask(hashOf(wrong))).errors[0].message).toBe('PersistedQueryNotFound')
})

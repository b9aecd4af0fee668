import { expect, test } from 'vitest'
import { openDatabase } from '../../src/storage/database/database.ts'
import { openTestServer } from '../setup/server.ts'
import { request } from '../setup/trader.ts'

const uid = `0x${'ab'.repeat(56)}`

test('a database that is away is asked once per request, and each field reports the outage', async () => {
  const statements: string[] = []
  const db = openDatabase({
    url: 'postgresql://nobody:none@127.0.0.1:1/none',
    maxConnections: 2,
    onStatement: (sql) => statements.push(sql),
  })
  await using server = await openTestServer({}, { db })
  const query = `{ order(uid: "${uid}") { uid } }`
  const { status, body } = await request(`${server.url}/graphql`, 'POST', { query })
  expect({ status, body }).toMatchObject({
    status: 200,
    body: {
      data: { order: null },
      errors: [{ path: ['order'], extensions: { code: 'Unavailable', retryable: true } }],
    },
  })
  expect(statements).toHaveLength(1)
  await db.close()
})

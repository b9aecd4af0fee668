import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { describedRows } from '../../../src/rest/openapi/document.ts'
import { codesByStatus } from '../../../src/rest/openapi/path-item.ts'
import { createRestRouter } from '../../../src/rest/routing/router.ts'
import { badQuotes } from '../../fakes/bad-quotes.ts'
import { createOrderServices } from '../../fakes/order-services.ts'
import { refusals, type Stage } from '../../orders/refusals.ts'
import { connectDirectly, createTestDatabase, emptyTables, type TestDatabase } from '../../setup/database.ts'

/** The document lists every refusal that other tests provoke, under its status. */

let database: TestDatabase
let client: Awaited<ReturnType<typeof connectDirectly>>
let stage: Stage
beforeAll(async () => {
  database = await createTestDatabase()
  client = await connectDirectly(database.url)
})
beforeEach(async () => {
  await emptyTables(client)
  stage = { db: database.db, services: createOrderServices(database.db) }
})
afterAll(async () => {
  await client?.end()
  await database?.[Symbol.asyncDispose]()
})

const find = createRestRouter(describedRows())

function documented(method: string, path: string, status: number): readonly string[] {
  const { endpoint } = find(method, `/sepolia${path}`)
  if (!endpoint) throw new Error(`nothing is documented at ${method} ${path}`)
  return codesByStatus(endpoint.row, endpoint.family, endpoint.operation).get(status) ?? []
}

test.each(refusals.map((row) => [row.code, row.because, row] as const))('%s: %s', async (code, _, row) => {
  const { method, path } = await row.request(stage)
  if (path !== '/graphql') expect(documented(method, path, row.status)).toContain(code)
})

test('the document lists the codes of bad quote requests', () => {
  for (const [, { code = 'InvalidParameter' }] of badQuotes) {
    expect(documented('POST', '/api/v1/quote', 400)).toContain(code)
    expect(documented('POST', '/api/v1/quote/stream', 400)).toContain(code)
  }
})

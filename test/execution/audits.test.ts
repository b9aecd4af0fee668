import { serverAudits } from 'graphql-http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestServer, type TestServer } from '../setup/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await openTestServer()
})
afterAll(() => server[Symbol.asyncDispose]())

const audits = serverAudits({ url: () => `${server.url}/graphql`, fetchFn: fetch })

test.each(audits.map((audit) => [audit.name, audit] as const))(
  'GraphQL over HTTP: %s',
  async (_name, audit) => {
    const result = await audit.fn()
    expect(result.status === 'ok' ? 'ok' : result.reason).toBe('ok')
  },
)

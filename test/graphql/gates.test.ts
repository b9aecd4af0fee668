import { createClient } from 'graphql-sse'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { encodedId } from '../fakes/node-id.ts'
import { numbered } from '../fakes/order.ts'
import { storeNotification } from '../fakes/story.ts'
import { openTestServer, type TestServer } from '../setup/server.ts'
import { request } from '../setup/trader.ts'

const account = numbered('0f')
const message = 'this needs the settings CMS_ENABLED=true and CMS_API_KEY'

let open: TestServer
let closed: TestServer
beforeAll(async () => {
  open = await openTestServer({}, { features: { cms: true, statistics: true } })
  closed = await openTestServer({}, { features: { cms: false, statistics: true } })
  for (const { database } of [open, closed]) await storeNotification(database.db, account, 1)
})
afterAll(async () => {
  await open?.[Symbol.asyncDispose]()
  await closed?.[Symbol.asyncDispose]()
})

const ask = (server: TestServer, query: string) => request(`${server.url}/graphql`, 'POST', { query })

const fields: [what: string, query: string][] = [
  ['the feed', `{ notifications(account: "${account}") { cursor } }`],
  ['an account’s feed', `{ account(address: "${account}") { notifications { cursor } } }`],
  ['an account’s latest', `{ account(address: "${account}") { latestNotifications { message } } }`],
  ['a notification by its id', `{ node(id: "${encodedId('Notification:1')}") { id } }`],
]

describe('notifications in GraphQL', () => {
  test.each(fields)(
    '%s is refused where notifications are off, with the names of the settings',
    async (_what, query) => {
      const { status, body } = await ask(closed, query)
      expect([status, body.errors[0].message]).toEqual([200, message])
      expect(body.errors[0].extensions).toEqual({ code: 'FeatureDisabled', retryable: false })
      expect(closed.faults).toEqual([])
    },
  )

  test.each(fields)('%s is answered where notifications are on', async (_what, query) => {
    const { body } = await ask(open, query)
    expect([body.errors, open.faults]).toEqual([undefined, []])
  })

  test('the other fields of an account are still answered', async () => {
    const { body } = await ask(
      closed,
      `{ account(address: "${account}") { address orders { nodes { uid } } } }`,
    )
    expect(body.data.account).toEqual({ address: account, orders: { nodes: [] } })
  })

  test.each([true, false])(
    'a stream of notifications is refused before it begins: single connection %s',
    async (single) => {
      const client = createClient({
        url: `${closed.url}/graphql/stream`,
        retryAttempts: 0,
        singleConnection: single,
      })
      const query = `subscription { notifications(account: "${account}", after: "earliest") { cursor } }`
      const { value } = await client.iterate({ query }).next()
      expect(value).toEqual({
        errors: [
          expect.objectContaining({ message, extensions: { code: 'FeatureDisabled', retryable: false } }),
        ],
      })
      client.dispose()
    },
  )
})

describe('channels', () => {
  const channel = `{ account: "${account}", id: "00000000-0000-4000-8000-000000000000" }`
  test.each([
    `{ channelSubscriptions(account: "${account}") { id } }`,
    `mutation { subscribeChannel(input: { account: "${account}", kind: TELEGRAM }) { secret } }`,
    'mutation { confirmChannel(input: { token: "none" }) { channel { id } } }',
    `mutation { updateChannel(input: ${channel}) { channel { id } } }`,
    `mutation { rotateChannelSecret(input: ${channel}) { secret } }`,
    `mutation { testChannel(input: ${channel}) { messageId } }`,
    `mutation { replayChannel(input: { account: "${account}", id: "00000000-0000-4000-8000-000000000000", from: "2026-11-23T00:00:00Z" }) { deliveries } }`,
    `mutation { unsubscribeChannel(input: ${channel}) { id } }`,
  ])('are refused where notifications are off: %s', async (query) => {
    expect((await ask(closed, query)).body.errors[0]).toMatchObject({
      message,
      extensions: { code: 'FeatureDisabled' },
    })
    expect((await ask(open, query)).body.errors[0].extensions.code).not.toBe('FeatureDisabled')
  })

  test('have kinds only where notifications are on', async () => {
    const kinds = async (server: TestServer) => (await ask(server, '{ enabledChannelKinds }')).body.data
    expect(await kinds(open)).toEqual({ enabledChannelKinds: ['WEBHOOK'] })
    expect(await kinds(closed)).toEqual({ enabledChannelKinds: [] })
  })
})

describe('notifications over REST', () => {
  test.each([account, '0x12', '-'])('are 503 for every account, valid or not: %s', async (named) => {
    const { status, headers, body } = await request(`${closed.url}/accounts/${named}/notifications`)
    expect([status, body]).toEqual([503, { message }])
    // Waiting does not help, and caches must not keep the response.
    expect(headers.get('retry-after')).toBeNull()
    expect(headers.get('cache-control') ?? '').not.toContain('public')
  })

  test('are answered where they are on, and a malformed account is refused', async () => {
    const { status, body } = await request(`${open.url}/accounts/${account}/notifications`)
    expect([status, body[0].message]).toEqual([200, 'notification 1'])
    expect((await request(`${open.url}/accounts/0x12/notifications`)).status).toBe(400)
  })
})

test('are recorded while they are off, and readable once they are on', async () => {
  const again = await openTestServer({}, { db: closed.database.db })
  const { body } = await ask(again, `{ node(id: "${encodedId('Notification:1')}") { id } }`)
  expect(body.data.node).toEqual({ id: encodedId('Notification:1') })
  await again[Symbol.asyncDispose]()
})

test('are not cached as disabled: the same request is answered once they are on', async () => {
  const keyed = async ({ url }: TestServer) => {
    const input = { walletAddress: account, code: 'FRIENDS', signedMessage: '0x12' }
    const query =
      'mutation ($input: RegisterAffiliateInput!) { registerAffiliate(input: $input) { affiliate { code } } }'
    const headers = { 'content-type': 'application/json', 'idempotency-key': 'gates-are-closed' }
    const body = JSON.stringify({ query, variables: { input } })
    const response = await fetch(`${url}/graphql`, { method: 'POST', headers, body })
    const { errors } = (await response.json()) as { errors: { extensions: { code: string } }[] }
    return errors[0]?.extensions.code
  }
  expect(await keyed(closed)).toBe('FeatureDisabled')
  await using again = await openTestServer({}, { db: closed.database.db })
  expect(await keyed(again)).toBe('InvalidAffiliateSignature')
})

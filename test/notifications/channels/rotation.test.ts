import { Wallet } from 'ethers'
import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { operatorCheck } from '../../../src/graphql/context/access.ts'
import { createWebhookSender } from '../../../src/notifications/channels/webhook.ts'
import { createReceivers } from '../../../src/outside/receiver.ts'
import { sql } from '../../../src/storage/database/database.ts'
import { numbered } from '../../fakes/order.ts'
import { type Receiver, startReceiver } from '../../setup/receiver.ts'
import { network, openTestServer, type TestServer } from '../../setup/server.ts'
import { openSession } from '../../setup/session.ts'

const editorKey = 'editor-key-of-16-or-more'
const day = 86_400_000
const start = 1_800_000_000_000
const wallet = new Wallet(`0x${'5c'.repeat(32)}`)
let clock = start
let server: TestServer
let receiver: Receiver
let count = 0

beforeAll(async () => {
  const now = () => clock
  server = await openTestServer({}, { isEditor: operatorCheck(editorKey), channels: { now } })
})
afterAll(() => server[Symbol.asyncDispose]())
beforeEach(async () => {
  clock = start
  receiver = await startReceiver()
})
afterEach(() => receiver[Symbol.asyncDispose]())

interface Sending {
  method?: string
  token?: string | undefined
  key?: string
  body?: object
}

async function send(path: string, { method = 'POST', token = editorKey, key, body }: Sending = {}) {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(key !== undefined && { 'idempotency-key': key }),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: response.status, headers: response.headers, body: await response.json() }
}

const newSession = () => openSession(server.url, wallet, { chainId: network.chainId, now: start })
const hook = () => ({ kind: 'webhook', address: `${receiver.url}/${count++}` })

/** @returns its path, and its secret */
async function subscribed() {
  const path = `/accounts/${numbered((0xd000 + count++).toString(16))}/channels`
  const { body } = await send(path, { body: hook() })
  return { path: `${path}/${body.id}`, id: body.id as string, secret: body.secret as string }
}

/** Sends a message for the channel as it is stored, and says with which of the secrets it verifies. */
async function verified(id: string, secrets: readonly string[]): Promise<boolean[]> {
  const row = await sql(server.database.db).channel.findUniqueOrThrow({ where: { id } })
  const sender = createWebhookSender({ receivers: createReceivers(['127.0.0.1']), now: () => clock })
  receiver.received.splice(0)
  await sender.sendConfirmation(row as unknown as Parameters<typeof sender.sendConfirmation>[0], 'token')
  const { text = '', headers = {} } = receiver.received[0] ?? {}
  vi.setSystemTime(clock)
  try {
    return secrets.map((secret) => {
      try {
        return new Webhook(secret).verify(text, headers as Record<string, string>) !== undefined
      } catch {
        return false
      }
    })
  } finally {
    vi.useRealTimers()
  }
}

describe('rotating the secret of a webhook', () => {
  test('each previous secret is valid to its own end, and at most three are', async () => {
    const { path, id, secret } = await subscribed()
    const secrets = [secret]
    for (let rotation = 0; rotation < 3; rotation++) {
      secrets.push((await send(`${path}/secret`)).body.secret)
      clock += 1_000
    }
    expect(await verified(id, secrets)).toEqual([true, true, true, true])
    const refused = await send(`${path}/secret`)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, String(day / 1_000 - 3)])
    expect(refused.body.message).toContain('3 previous secrets')
    clock = start + day
    expect(await verified(id, secrets)).toEqual([false, true, true, true])
    secrets.push((await send(`${path}/secret`)).body.secret)
    expect(await verified(id, secrets)).toEqual([false, true, true, true, true])
    clock = start + 2 * day
    expect(await verified(id, secrets)).toEqual([false, false, false, false, true])
  })

  test('GraphQL names the refusal', async () => {
    const { path, id } = await subscribed()
    for (let rotation = 0; rotation < 3; rotation++) await send(`${path}/secret`)
    const account = path.split('/')[2]
    const query = 'mutation ($input: ChannelInput!) { rotateChannelSecret(input: $input) { secret } }'
    const { body } = await send('/graphql', { body: { query, variables: { input: { account, id } } } })
    expect(body.errors[0].extensions).toMatchObject({
      code: 'TooManySecrets',
      field: 'id',
      data: { retryAfterMs: day },
    })
  })

  test('rotations at the same time lose no secret that was given out', async () => {
    const { path, id, secret } = await subscribed()
    const answers = await Promise.all(Array.from({ length: 6 }, () => send(`${path}/secret`)))
    const given = answers.flatMap(({ status, body }) => (status === 200 ? [body.secret as string] : []))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 429, 429, 429])
    expect(await verified(id, [secret, ...given])).toEqual([true, true, true, true])
  })

  test('a secret that was kept in the form of before is valid', async () => {
    const { id, secret } = await subscribed()
    const { secret: old } = await subscribed()
    const until = new Date(clock + 1_000).toISOString()
    const keys = { secret, previous: { secret: old, until } }
    await sql(server.database.db).channel.update({ where: { id }, data: { keys } })
    expect(await verified(id, [secret, old])).toEqual([true, true])
  })

  test('with one Idempotency-Key there is one rotation', async () => {
    const { path, id, secret } = await subscribed()
    const first = await send(`${path}/secret`, { key: 'rotate' })
    const second = await send(`${path}/secret`, { key: 'rotate' })
    expect(second.body).toEqual(first.body)
    expect(second.headers.get('idempotent-replayed')).toBe('true')
    expect(await verified(id, [secret, first.body.secret])).toEqual([true, true])
    const row = await sql(server.database.db).channel.findUniqueOrThrow({ where: { id } })
    expect((row.keys as { previous: unknown[] }).previous).toHaveLength(1)
  })
})

describe('a kept answer to a session', () => {
  const channels = `/accounts/${wallet.address.toLowerCase()}/channels`

  test('over REST is repeated while the session lasts, and refused after it', async () => {
    const token = await newSession()
    const request = { token, key: 'subscribe-rest', body: hook() }
    const first = await send(channels, request)
    expect([first.status, first.body.secret]).toEqual([201, expect.stringMatching(/^whsec_/)])
    const again = await send(channels, request)
    expect([again.status, again.body, again.headers.get('idempotent-replayed')]).toEqual([
      201,
      first.body,
      'true',
    ])
    expect((await send('/sessions', { method: 'DELETE', token })).body).toEqual({ sessions: 1 })
    const dead = await send(channels, request)
    const unkeyed = await send(channels, { token, body: hook() })
    expect([dead.status, dead.body]).toEqual([401, unkeyed.body])
    expect(dead.headers.get('idempotent-replayed')).toBeNull()
  })

  test('over GraphQL too', async () => {
    const token = await newSession()
    const query =
      'mutation ($input: SubscribeChannelInput!) { subscribeChannel(input: $input) { secret channel { id } } }'
    const input = { ...hook(), kind: 'WEBHOOK', account: wallet.address }
    const request = { token, key: 'subscribe-graphql', body: { query, variables: { input } } }
    const first = await send('/graphql', request)
    expect(first.body.data.subscribeChannel.secret).toMatch(/^whsec_/)
    expect((await send('/graphql', request)).body).toEqual(first.body)
    await send('/sessions', { method: 'DELETE', token })
    const dead = await send('/graphql', request)
    expect([dead.status, dead.body.data]).toEqual([401, null])
    expect(dead.body.errors[0].extensions.code).toBe('Unauthorized')
  })

  test('an answer that needs no session is repeated with any credential', async () => {
    const token = await newSession()
    const request = { token, key: 'challenge' }
    const first = await send('/sessions/challenges', request)
    await send('/sessions', { method: 'DELETE', token })
    const again = await send('/sessions/challenges', request)
    expect([again.body, again.headers.get('idempotent-replayed')]).toEqual([first.body, 'true'])
  })

  test('the key of the content system gets its answers again', async () => {
    const request = { key: 'subscribe-editor', body: hook() }
    const first = await send(channels, request)
    expect(first.status).toBe(201)
    expect((await send(channels, request)).body).toEqual(first.body)
  })
})

describe('answers for one caller', () => {
  const cachingOf = async (path: string, sending: Sending) =>
    (await send(path, sending)).headers.get('cache-control')

  test('are stored by no cache', async () => {
    const { path } = await subscribed()
    const get = { method: 'GET' }
    const query = '{ __typename }'
    expect(
      await Promise.all([
        cachingOf(path, get),
        cachingOf(path.slice(0, path.lastIndexOf('/')), get),
        cachingOf(`${path}/deliveries`, get),
        cachingOf(`${path}/secret`, { key: 'caching' }),
        cachingOf('/sessions/challenges', {}),
        cachingOf('/sessions', { method: 'DELETE' }),
        cachingOf('/graphql', { body: { query } }),
        cachingOf(`/graphql?query=${encodeURIComponent(query)}`, get),
      ]),
    ).toEqual(Array(8).fill('no-store'))
    expect(await cachingOf(`${path}/secret`, { key: 'caching' })).toBe('no-store')
    const { headers } = await fetch(`${server.url}/graphql?query=${encodeURIComponent(query)}`)
    expect(headers.get('cache-control')).toBeNull()
  })

  test('a 401 says how to send a credential, over REST and GraphQL', async () => {
    const { path } = await subscribed()
    const account = path.split('/')[2]
    const query = `{ channelSubscriptions(account: "${account}") { id } }`
    for (const refused of [
      await send(path, { method: 'GET', token: 'tgs_dead' }),
      await send('/graphql', { token: 'tgs_dead', body: { query } }),
    ]) {
      expect(refused.status).toBe(401)
      expect(refused.headers.get('www-authenticate')).toBe('Bearer')
      expect(refused.headers.get('cache-control')).toBe('no-store')
    }
  })
})

import { createPublicKey, verify } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import webPush from 'web-push'
import { operatorCheck } from '../../../src/graphql/context/access.ts'
import { createPushSender } from '../../../src/notifications/channels/push.ts'
import { runDelivery } from '../../../src/notifications/delivery/deliver.ts'
import { createReceivers } from '../../../src/outside/receiver.ts'
import { openSignals, type Signals } from '../../../src/storage/database/signals.ts'
import { recordNotifications } from '../../../src/storage/notifications.ts'
import { numbered } from '../../fakes/order.ts'
import { silentLog } from '../../fakes/silent-log.ts'
import { eventually } from '../../setup/eventually.ts'
import { createBrowserKeys, type PushService, startPushService } from '../../setup/push-service.ts'
import { openTestServer, type TestServer } from '../../setup/server.ts'
import { ask } from '../../setup/session.ts'

const key = 'editor-key-of-16-or-more'
const uid = `0x${'12'.repeat(56)}` as const
const start = 1_800_000_000_000
const publicUrl = new URL('https://trade.example')
const vapid = { ...webPush.generateVAPIDKeys(), subject: 'mailto:operator@trade.example' }
let clock = start
let server: TestServer
let signals: Signals
let service: PushService
let accounts = 0
let stop: () => Promise<void>

beforeAll(async () => {
  const receivers = createReceivers(['127.0.0.1'])
  const senders = { push: createPushSender({ receivers, vapid, publicUrl }) }
  server = await openTestServer(
    {},
    {
      isEditor: operatorCheck(key),
      channels: { now: () => clock, senders, pushPublicKey: vapid.publicKey },
    },
  )
  const { db } = server.database
  signals = await openSignals(server.database.url, silentLog)
  const stopping = new AbortController()
  const running = runDelivery(
    { db, signals, senders, confirmations: {}, now: () => clock, random: () => 0.5, log: silentLog },
    stopping.signal,
  )
  stop = async () => {
    stopping.abort()
    await running
  }
})
afterAll(async () => {
  await stop()
  await signals.close()
  await server[Symbol.asyncDispose]()
})
beforeEach(async () => {
  clock = start
  service = await startPushService()
})
afterEach(() => service[Symbol.asyncDispose]())

const subscribe = (input: object) =>
  ask(
    server.url,
    'mutation ($input: SubscribeChannelInput!) { subscribeChannel(input: $input) { secret channel { id state address } } }',
    { input: { kind: 'PUSH', ...input } },
    key,
  )
const confirm = (token: string) =>
  ask(
    server.url,
    'mutation ($input: ConfirmChannelInput!) { confirmChannel(input: $input) { channel { state } } }',
    { input: { token } },
  )

/** An account with a confirmed browser. */
async function subscribed(path = '/push') {
  const account = numbered((0xd000 + accounts++).toString(16))
  const browser = await createBrowserKeys()
  await subscribe({ account, address: `${service.url}${path}`, pushKeys: browser.keys })
  const pushed = service.received.pop()
  await confirm(JSON.parse(await browser.decrypt(pushed?.body ?? Buffer.of())).token)
  return { account, browser }
}

async function tell(account: string, message: string): Promise<bigint> {
  await server.database.db.transaction((tx) =>
    recordNotifications(tx, [
      {
        account: account as `0x${string}`,
        cause: `${message.slice(0, 50)}:${account}`,
        type: 'order_filled',
        message,
        timestamp: new Date(start),
        metadata: { orderId: uid, chainId: 11155111 },
        blockNumber: null,
      },
    ]),
  )
  const { data } = await ask(
    server.url,
    'query ($account: Address!) { notifications(account: $account, last: 1) { nodes { notificationId } } }',
    { account },
  )
  return data.notifications.nodes[0].notificationId
}

async function deliveryOf(account: string) {
  const { data } = await ask(
    server.url,
    'query ($account: Address!) { channelSubscriptions(account: $account) { deliveries(first: 1) { nodes { state attempts status fault } } } }',
    { account },
    key,
  )
  return data.channelSubscriptions[0]?.deliveries.nodes[0]
}

describe('the handshake', () => {
  test('the browser gets a token, encrypted to its keys, and confirms by it', async () => {
    const account = numbered('d0aa')
    const browser = await createBrowserKeys()
    const { data } = await subscribe({
      account,
      address: `${service.url}/push/secret`,
      pushKeys: browser.keys,
    })
    expect(data.subscribeChannel).toEqual({
      secret: null,
      channel: { id: expect.any(String), state: 'PENDING', address: `${service.url}/…` },
    })
    const [{ path, headers, body } = { path: '', headers: {}, body: Buffer.of() }] = service.received
    expect(path).toBe('/push/secret')
    expect(headers).toMatchObject({
      'content-encoding': 'aes128gcm',
      'content-type': 'application/octet-stream',
      ttl: '86400',
      urgency: 'high',
    })
    const message = JSON.parse(await browser.decrypt(body))
    expect(message).toEqual({
      id: data.subscribeChannel.channel.id,
      title: 'Notifications are on',
      text: 'This browser gets the notifications of your account.',
      link: `https://trade.example/accounts/${account}`,
      token: expect.stringMatching(/^[\w-]{32}$/),
    })
    const confirmed = await confirm(message.token)
    expect(confirmed.data.confirmChannel.channel.state).toBe('ACTIVE')
    expect((await confirm(message.token)).errors?.[0]?.extensions.code).toBe('ChannelNotFound')
  })

  test('the service proves itself by a token for this push service, signed with its key', async () => {
    await using other = service
    const browser = await createBrowserKeys()
    await subscribe({ account: numbered('d0ab'), address: `${other.url}/a`, pushKeys: browser.keys })
    const [, token = '', publicKey = ''] =
      /^vapid t=([^,]+), k=(.+)$/.exec(other.received[0]?.headers.authorization ?? '') ?? []
    expect(publicKey).toBe(vapid.publicKey)
    const [header = '', claims = '', signature = ''] = token.split('.')
    const point = Buffer.from(publicKey, 'base64url')
    const jwk = {
      kty: 'EC',
      crv: 'P-256',
      x: point.subarray(1, 33).toString('base64url'),
      y: point.subarray(33).toString('base64url'),
    }
    const isSigned = verify(
      'sha256',
      Buffer.from(`${header}.${claims}`),
      { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' },
      Buffer.from(signature, 'base64url'),
    )
    expect(isSigned).toBe(true)
    const { aud, exp, sub } = JSON.parse(Buffer.from(claims, 'base64url').toString())
    expect([aud, sub]).toEqual([other.url, vapid.subject])
    expect(exp - Date.now() / 1_000).toBeLessThan(86_400)
  })

  test('keys that nothing can be encrypted to are refused', async () => {
    const { keys } = await createBrowserKeys()
    const offCurve = Buffer.from(keys.p256dh, 'base64url')
    offCurve[40] = (offCurve[40] ?? 0) ^ 1
    const cases = [
      [{ ...keys, p256dh: offCurve.toString('base64url') }, 'must be a public key of P-256'],
      [{ ...keys, p256dh: keys.p256dh.slice(0, 40) }, 'must be 65 bytes in base64url'],
      [{ ...keys, auth: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' }, 'must be 16 bytes in base64url'],
    ] as const
    for (const [pushKeys, expectation] of cases) {
      const { errors } = await subscribe({ account: numbered('d0ac'), address: service.url, pushKeys })
      expect(errors?.[0]?.extensions.code).toBe('InvalidParameter')
      expect(errors?.[0]?.message).toContain(expectation)
    }
    expect(service.received).toEqual([])
  })

  test('clients are told the public key', async () => {
    const { data } = await ask(server.url, '{ pushPublicKey enabledChannelKinds }')
    expect(data).toEqual({ pushPublicKey: vapid.publicKey, enabledChannelKinds: ['PUSH'] })
  })
})

describe('sending', () => {
  test('a notification arrives with its title, text and link, under an id that stays', async () => {
    const { account, browser } = await subscribed()
    const id = await tell(account, 'Order filled: 1 WETH for 2,990 USDC')
    const [{ headers, body } = { headers: {}, body: Buffer.of() }] = await eventually(
      'the message',
      () => service.received.length === 1 && service.received,
    )
    expect(headers).toMatchObject({ ttl: '86400', urgency: 'normal', topic: `n${id}` })
    expect(JSON.parse(await browser.decrypt(body))).toEqual({
      id: `n${id}`,
      title: 'Order filled',
      text: '1 WETH for 2,990 USDC',
      link: `https://trade.example/orders/${uid}`,
    })
    await eventually('the end', async () => (await deliveryOf(account)).state === 'DELIVERED')
    expect(await deliveryOf(account)).toEqual({ state: 'DELIVERED', attempts: 1, status: 201, fault: null })
  })

  test('a long text is cut, so that every push service takes it', async () => {
    const { account, browser } = await subscribed()
    await tell(account, `long ${'€'.repeat(5_000)}`)
    const [pushed] = await eventually('the message', () => service.received.length === 1 && service.received)
    expect(pushed?.body.length).toBeLessThanOrEqual(4_096)
    const { text } = JSON.parse(await browser.decrypt(pushed?.body ?? Buffer.of()))
    expect([text.length, text.at(-1)]).toEqual([400, '…'])
  })

  test('a push service that finds a message too large gets it without its text', async () => {
    const { account, browser } = await subscribed()
    service.answer = () => ({ status: service.received.length === 1 ? 413 : 201 })
    await tell(account, 'a text')
    await eventually('the end', async () => (await deliveryOf(account))?.state === 'DELIVERED')
    const texts = service.received.map(async ({ body }) => JSON.parse(await browser.decrypt(body)).text)
    expect(await Promise.all(texts)).toEqual(['a text', ''])
    expect((await deliveryOf(account)).attempts).toBe(1)
  })

  test.each([404, 410])('%i ends the channel', async (status) => {
    const { account } = await subscribed()
    service.answer = () => ({ status })
    await tell(account, 'nobody')
    await eventually('the end', async () => (await deliveryOf(account)) === undefined)
    expect(service.received).toHaveLength(1)
  })

  test('429 is tried again when the push service says so, as the same message', async () => {
    const { account, browser } = await subscribed()
    const other = await subscribed('/other')
    service.answer = ({ path }) =>
      path === '/push' ? { status: 429, headers: { 'retry-after': '600' } } : { status: 201 }
    await tell(account, 'later')
    await eventually('a refusal', async () => (await deliveryOf(account)).fault === 'status 429')
    clock += 599_000
    // Whoever sends this has looked for what is due.
    await tell(other.account, 'meanwhile')
    await eventually('another', () => service.received.some(({ path }) => path === '/other'))
    const tried = () => service.received.filter(({ path }) => path === '/push')
    expect(tried()).toHaveLength(1)
    service.answer = () => ({ status: 201 })
    clock += 2_000
    await eventually('the end', async () => (await deliveryOf(account)).state === 'DELIVERED')
    const messages = await Promise.all(tried().map(({ body }) => browser.decrypt(body)))
    expect(messages).toHaveLength(2)
    expect(messages[0]).toBe(messages[1])
  })
})

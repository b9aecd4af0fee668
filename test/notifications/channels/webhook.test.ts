import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Address } from '../../../src/domain/evm/address.ts'
import { operatorCheck } from '../../../src/graphql/context/access.ts'
import { createWebhookSender } from '../../../src/notifications/channels/webhook.ts'
import { runDelivery } from '../../../src/notifications/delivery/deliver.ts'
import { createReceivers } from '../../../src/outside/receiver.ts'
import { openSignals, type Signals, signal } from '../../../src/storage/database/signals.ts'
import {
  detachNotifications,
  recordNotifications,
  revertDetached,
} from '../../../src/storage/notifications.ts'
import { numbered } from '../../fakes/order.ts'
import { silentLog } from '../../fakes/silent-log.ts'
import { eventually } from '../../setup/eventually.ts'
import { type Receiver, startReceiver } from '../../setup/receiver.ts'
import { openTestServer, type TestServer } from '../../setup/server.ts'
import { ask } from '../../setup/session.ts'

const key = 'editor-key-of-16-or-more'
const chainId = 11155111
const uid = `0x${'12'.repeat(56)}` as const
const start = 1_800_000_000_000
let clock = start
let server: TestServer
let signals: Signals
let receiver: Receiver
let accounts = 0
const stops: (() => Promise<void>)[] = []

beforeAll(async () => {
  server = await openTestServer({}, { isEditor: operatorCheck(key) })
  signals = await openSignals(server.database.url, silentLog)
})
afterAll(async () => {
  await signals.close()
  await server[Symbol.asyncDispose]()
})
beforeEach(async () => {
  clock = start
  receiver = await startReceiver()
})
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
  await receiver[Symbol.asyncDispose]()
})

/** Another process that sends. */
function startDelivery(): () => Promise<void> {
  const stopping = new AbortController()
  const receivers = createReceivers(['127.0.0.1'])
  const now = () => clock
  const senders = {
    webhook: createWebhookSender({ receivers, publicUrl: new URL('https://trade.example'), now }),
  }
  const { db } = server.database
  const running = runDelivery(
    { db, signals, senders, confirmations: {}, now, random: () => 0.5, log: silentLog },
    stopping.signal,
  )
  const stop = async () => {
    stopping.abort()
    await running
  }
  stops.push(stop)
  return stop
}

const channelFields = 'id state address types networks { name } leastImprovement confirmedAt'
const subscribe = (input: object) =>
  ask(
    server.url,
    `mutation ($input: SubscribeChannelInput!) { subscribeChannel(input: $input) { secret channel { ${channelFields} } } }`,
    { input },
    key,
  )
const change = (field: string, type: string, input: object, selection = '') =>
  ask(server.url, `mutation ($input: ${type}!) { ${field}(input: $input) ${selection} }`, { input }, key)

/** An account with a confirmed webhook. */
async function subscribed(filter: object = {}) {
  const account = numbered((0xc000 + accounts++).toString(16))
  const { data } = await subscribe({ account, kind: 'WEBHOOK', address: `${receiver.url}/hook`, ...filter })
  receiver.received.splice(0)
  return {
    account,
    id: data.subscribeChannel.channel.id as string,
    secret: data.subscribeChannel.secret as string,
  }
}

async function tell(
  account: Address,
  messages: readonly string[],
  more: {
    type?: 'order_filled' | 'price_improvement'
    share?: string
    chainId?: number
    blockNumber?: number
  } = {},
): Promise<void> {
  const { type = 'order_filled', share, blockNumber = null, chainId: chain = chainId } = more
  await server.database.db.transaction((tx) =>
    recordNotifications(
      tx,
      messages.map((message) => ({
        account,
        cause: `${message}:${account}`,
        type,
        message,
        timestamp: new Date(start),
        metadata: { orderId: uid, chainId: chain, ...(share && { improvementShare: share }) },
        blockNumber,
      })),
    ),
  )
}

const messages = () => receiver.received.map(({ body }) => body.data.message)
const deliveriesOf = async (account: Address) => {
  const { data } = await ask(
    server.url,
    'query ($account: Address!) { channelSubscriptions(account: $account) { deliveries(first: 100) { nodes { messageId state attempts status fault revision } } } }',
    { account },
    key,
  )
  return data.channelSubscriptions.flatMap(
    ({ deliveries }: { deliveries: { nodes: object[] } }) => deliveries.nodes,
  ) as {
    messageId: string
    state: string
    attempts: number
    status: number | null
    fault: string | null
    revision: number
  }[]
}

describe('subscribing', () => {
  test('a receiver that returns the token confirms the channel at once', async () => {
    const account = numbered('b001')
    const { data } = await subscribe({ account, kind: 'WEBHOOK', address: `${receiver.url}/a?key=secret` })
    expect(data.subscribeChannel).toEqual({
      secret: expect.stringMatching(/^whsec_[\w+/]{43}=$/),
      channel: {
        id: expect.any(String),
        state: 'ACTIVE',
        address: `${receiver.url}/…`,
        types: [],
        networks: [],
        leastImprovement: null,
        confirmedAt: '2027-01-15T08:00:00Z',
      },
    })
    expect(receiver.received.map(({ path, body }) => [path, body.type])).toEqual([
      ['/a?key=secret', 'channel.confirmation'],
    ])
  })

  test('another receiver is confirmed by the token, once', async () => {
    receiver.answer = () => ({ status: 204 })
    const account = numbered('b002')
    const { data } = await subscribe({ account, kind: 'WEBHOOK', address: receiver.url })
    expect(data.subscribeChannel.channel.state).toBe('PENDING')
    const { token } = receiver.received[0]?.body.data ?? {}
    const confirm = () => change('confirmChannel', 'ConfirmChannelInput', { token }, '{ channel { state } }')
    expect((await confirm()).data.confirmChannel.channel.state).toBe('ACTIVE')
    expect((await confirm()).errors?.[0]?.extensions).toMatchObject({
      code: 'ChannelNotFound',
      field: 'token',
    })
  })

  test('a receiver that refuses is not kept', async () => {
    receiver.answer = () => ({ status: 500 })
    const account = numbered('b003')
    const refused = await subscribe({ account, kind: 'WEBHOOK', address: receiver.url })
    expect(refused.errors?.[0]).toMatchObject({
      message: 'the receiver cannot be reached: status 500',
      extensions: { code: 'ChannelUnreachable', field: 'address' },
    })
    expect(await deliveriesOf(account)).toEqual([])
    receiver.answer = () => ({ status: 200 })
    expect(
      (await subscribe({ account, kind: 'WEBHOOK', address: receiver.url })).data.subscribeChannel.channel
        .state,
    ).toBe('PENDING')
  })

  test('an address has one channel of an account, and an account ten channels', async () => {
    const { account } = await subscribed()
    const again = await subscribe({ account, kind: 'WEBHOOK', address: `${receiver.url}/hook` })
    expect(again.errors?.[0]?.extensions.code).toBe('ChannelExists')
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        subscribe({ account, kind: 'WEBHOOK', address: `${receiver.url}/${n}` }),
      ),
    )
    expect(answers.filter(({ data }) => data?.subscribeChannel)).toHaveLength(9)
    expect(new Set(answers.flatMap(({ errors }) => errors?.[0]?.extensions.code ?? []))).toEqual(
      new Set(['TooManyChannels']),
    )
  })

  test('an address is one, however it is spelled', async () => {
    const account = numbered('b005')
    const spelled = `${receiver.url}/a?é=\0#x`
    const first = await subscribe({ account, kind: 'WEBHOOK', address: spelled })
    expect(first.data?.subscribeChannel.channel.state).toBe('ACTIVE')
    expect(receiver.received[0]?.path).toBe('/a?%C3%A9=%00')
    const address = `${receiver.url.replace('http', 'HTTP')}/b/../a?%C3%A9=%00`
    const again = await subscribe({ account, kind: 'WEBHOOK', address })
    expect(again.errors?.[0]?.extensions.code).toBe('ChannelExists')
  })

  test('an address that is too long in ASCII is refused', async () => {
    const address = `${receiver.url}/${'é'.repeat(400)}`
    const { errors } = await subscribe({ account: numbered('b006'), kind: 'WEBHOOK', address })
    expect(errors?.[0]?.message).toBe('address must be a URL of at most 2000 characters')
  })

  test.each([
    ['ftp://example.com/', 'address must be https'],
    ['http://example.com/', 'address must be https'],
    ['https://example.com:22/', 'address must be on port 443 or 8443'],
    ['https://me:you@example.com/', 'address must have neither user nor password'],
    ['https://10.0.0.1/', 'address must have a host name'],
    ['https://[::1]/', 'address must have a host name'],
    ['example.com', 'address must be a URL of at most 2000 characters'],
  ])('%s is refused: %s', async (address, message) => {
    const { errors } = await subscribe({ account: numbered('b004'), kind: 'WEBHOOK', address })
    expect(errors?.[0]).toMatchObject({ message, extensions: { code: 'InvalidParameter', field: 'address' } })
  })
})

describe('delivery', () => {
  test('each notification is posted in order, signed for a library of Standard Webhooks', async () => {
    const { account, secret } = await subscribed()
    startDelivery()
    const sent = Array.from({ length: 20 }, (_, n) => `m${n}`)
    const from = server.database.statements.length
    await tell(account, sent)
    await eventually('20 messages', () => receiver.received.length === 20)
    expect(messages()).toEqual(sent)
    expect(receiver.received[0]?.body).toEqual({
      type: 'order_filled',
      timestamp: '2027-01-15T08:00:00.000Z',
      data: {
        notificationId: expect.stringMatching(/^[0-9]+$/),
        revision: 0,
        account,
        message: 'm0',
        isReverted: false,
        metadata: { orderId: uid, chainId },
        link: `https://trade.example/orders/${uid}`,
      },
    })
    vi.setSystemTime(start)
    for (const { text, headers } of receiver.received) {
      new Webhook(secret).verify(text, headers as Record<string, string>)
      expect(() => new Webhook(secret).verify(`${text} `, headers as Record<string, string>)).toThrow()
    }
    vi.useRealTimers()
    await eventually('all delivered', async () =>
      (await deliveriesOf(account)).every(({ state }) => state === 'DELIVERED'),
    )
    const statements = server.database.statements.slice(from)
    const count = (part: string) => statements.filter((sql) => sql.includes(part)).length
    expect([count('begun AS'), count("set_config('synchronous_commit'")]).toEqual([20, 20])
    expect(count('SET lease = NULL')).toBeLessThanOrEqual(5)
  })

  test('a channel gets only what it asks for', async () => {
    const filter = { types: ['PRICE_IMPROVEMENT'], networks: ['sepolia'], leastImprovement: '0.01' }
    const { account } = await subscribed(filter)
    startDelivery()
    await tell(account, ['filled'])
    await tell(account, ['little'], { type: 'price_improvement', share: '0.009999' })
    await tell(account, ['elsewhere'], { type: 'price_improvement', share: '0.5', chainId: 1 })
    await tell(account, ['enough'], { type: 'price_improvement', share: '0.01' })
    await eventually('a message', () => receiver.received.length > 0)
    expect(messages()).toEqual(['enough'])
    expect(await deliveriesOf(account)).toHaveLength(1)
  })

  test('a failure is tried again later, with the same id, before what is behind it', async () => {
    const { account } = await subscribed()
    receiver.answer = () => ({ status: 503 })
    startDelivery()
    await tell(account, ['first', 'second'])
    await eventually('an attempt', async () =>
      (await deliveriesOf(account)).some(({ status }) => status === 503),
    )
    expect(messages()).toEqual(['first'])
    receiver.answer = () => ({ status: 200 })
    clock += 5_001
    await eventually('both', () => receiver.received.length === 3)
    expect(messages()).toEqual(['first', 'first', 'second'])
    const ids = receiver.received.map(({ headers }) => headers['webhook-id'])
    expect(ids[0]).toBe(ids[1])
    expect(ids[2]).not.toBe(ids[1])
  })

  test('what fails for a day is dead, and comes again by a replay', async () => {
    const { account, id } = await subscribed()
    receiver.answer = () => ({ status: 500 })
    startDelivery()
    await tell(account, ['late'])
    for (let attempts = 1; attempts <= 11; attempts++) {
      // The next attempt is due by the time at which this one is stored.
      await eventually('it is tried', async () => (await deliveriesOf(account))[0]?.attempts === attempts)
      expect((await deliveriesOf(account))[0]?.state).toBe(attempts === 11 ? 'DEAD' : 'WAITING')
      clock += 11 * 3_600_000
      await signal(server.database.db, 'deliveries', '')
    }
    expect((await deliveriesOf(account))[0]).toMatchObject({ status: 500, fault: 'status 500' })
    receiver.answer = () => ({ status: 200 })
    const before = receiver.received.length
    const from = '2020-01-01T00:00:00Z'
    expect(
      (await change('replayChannel', 'ReplayChannelInput', { account, id, from }, '{ deliveries }')).data
        .replayChannel.deliveries,
    ).toBe(1)
    clock += 86_400_000
    await eventually('replayed', () => receiver.received.length === before + 1)
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    await eventually('delivered', async () => (await deliveriesOf(account))[0]?.state === 'DELIVERED')
  })

  test('410 ends the channel and what waits for it', async () => {
    const { account } = await subscribed()
    receiver.answer = () => ({ status: 410 })
    startDelivery()
    await tell(account, ['first', 'second'])
    const list = () =>
      ask(
        server.url,
        'query ($account: Address!) { channelSubscriptions(account: $account) { id } }',
        { account },
        key,
      )
    await eventually('no channel', async () => (await list()).data.channelSubscriptions.length === 0)
    expect(messages()).toEqual(['first'])
  })

  test('one that hangs delays no other', async () => {
    const { account: slow } = await subscribed()
    const { account } = await subscribed()
    receiver.answer = ({ body }) => (body.data.account === slow ? 'hang' : { status: 200 })
    startDelivery()
    await tell(slow, ['slow'])
    await tell(account, ['quick'])
    await eventually('the quick one', () => messages().includes('quick'), 8_000)
  })

  test('two processes send each message once', async () => {
    const hooks = await Promise.all(Array.from({ length: 10 }, () => subscribed()))
    receiver.answer = () => ({ status: 200 })
    receiver.received.splice(0)
    startDelivery()
    startDelivery()
    await Promise.all(
      hooks.map(({ account }) =>
        tell(
          account,
          Array.from({ length: 10 }, (_, n) => `${n}`),
        ),
      ),
    )
    await eventually('100 messages', () => receiver.received.length >= 100)
    for (const { account } of hooks)
      expect(
        receiver.received
          .filter(({ body }) => body.data.account === account)
          .map(({ body }) => body.data.message),
      ).toEqual(Array.from({ length: 10 }, (_, n) => `${n}`))
  })

  test('a cause that is reverted for good is corrected, unless it was not sent', async () => {
    const { account } = await subscribed()
    const stop = startDelivery()
    await tell(account, ['sent'], { blockNumber: 0 })
    await eventually('the message', async () => (await deliveriesOf(account))[0]?.state === 'DELIVERED')
    await stop()
    await tell(account, ['unsent'], { blockNumber: 0 })
    await server.database.db.transaction(async (tx) => {
      await detachNotifications(tx, chainId, -1)
      await revertDetached(tx, chainId, 0)
    })
    startDelivery()
    await eventually('the correction', () => receiver.received.length === 2)
    expect(
      receiver.received.map(({ body }) => [body.data.message, body.data.revision, body.data.isReverted]),
    ).toEqual([
      ['sent', 0, false],
      ['sent', 1, true],
    ])
    expect((await deliveriesOf(account)).map(({ state, revision }) => [state, revision])).toEqual([
      ['DELIVERED', 1],
      ['DROPPED', 0],
      ['DELIVERED', 0],
    ])
  })
})

describe('a webhook’s secret', () => {
  test('is rotated with two valid ones for a day', async () => {
    const { account, id, secret } = await subscribed()
    const rotated = await change('rotateChannelSecret', 'ChannelInput', { account, id }, '{ secret }')
    const next = rotated.data.rotateChannelSecret.secret as string
    expect(next).not.toBe(secret)
    startDelivery()
    const sendTest = () => change('testChannel', 'ChannelInput', { account, id }, '{ messageId }')
    expect((await sendTest()).data.testChannel.messageId).toMatch(/^msg_[0-9]+$/)
    await eventually('a test', () => receiver.received.length === 1)
    clock += 86_400_001
    await sendTest()
    await eventually('another test', () => receiver.received.length === 2)
    const verify = (used: string, index: number) => {
      const { text = '', headers = {} } = receiver.received[index] ?? {}
      vi.setSystemTime(Number(headers['webhook-timestamp']) * 1_000)
      try {
        return new Webhook(used).verify(text, headers as Record<string, string>)
      } finally {
        vi.useRealTimers()
      }
    }
    expect(verify(secret, 0)).toMatchObject({ type: 'test' })
    expect(verify(next, 0)).toMatchObject({ type: 'test' })
    expect(verify(next, 1)).toMatchObject({ type: 'test' })
    expect(() => verify(secret, 1)).toThrow()
  })
})

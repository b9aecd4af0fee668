import { createHash, randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type App, startApp } from '../../../src/app/app.ts'
import { readSettings } from '../../../src/app/config.ts'
import { Outage } from '../../../src/domain/errors/error.ts'
import type { Address } from '../../../src/domain/evm/address.ts'
import type { Log } from '../../../src/domain/log.ts'
import { createBot } from '../../../src/notifications/telegram/bot.ts'
import { pollUpdates } from '../../../src/notifications/telegram/updates.ts'
import { insertChannel } from '../../../src/storage/channels/channels.ts'
import { recordNotifications } from '../../../src/storage/notifications.ts'
import { numbered } from '../../fakes/order.ts'
import { storeChannel, storeDeliveries } from '../../fakes/stored-channel.ts'
import { connectDirectly, createTestDatabase, type TestDatabase } from '../../setup/database.ts'
import { eventually } from '../../setup/eventually.ts'
import { ask } from '../../setup/session.ts'
import { startTelegram, type TelegramStandIn } from '../../setup/telegram.ts'

const key = 'editor-key-of-16-or-more'
const uid = `0x${'12'.repeat(56)}` as const
const secret = 'secret_of_the_webhook'

let database: TestDatabase
let telegram: TelegramStandIn
let app: App
let accounts = 0
let chats = 5_000_000
let logged = ''
const programs: App[] = []

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())
beforeEach(async () => {
  logged = ''
  telegram = await startTelegram()
})
afterEach(async () => {
  await closeAll()
  await telegram[Symbol.asyncDispose]()
  expect(logged).not.toContain(telegram.token.split(':')[1])
})

const closeAll = () => Promise.all(programs.splice(0).map((program) => program.close()))

const keep = (message: string, fields?: object) => {
  logged += `${message} ${JSON.stringify(fields ?? {})}\n`
}
const log: Log = { debug: keep, info: keep, warn: keep, error: keep }

/** The program without a chain. */
async function start(environment: Record<string, string> = {}) {
  const settings = {
    CMS_API_KEY: key,
    PUBLIC_URL: 'https://trade.example',
    TELEGRAM_BOT_TOKEN: telegram.token,
    TELEGRAM_API_ROOT: telegram.url,
    ...environment,
  }
  const program = await startApp({
    databaseUrl: database.url,
    networks: [],
    roles: ['serve', 'deliver'],
    settings: readSettings({ PORT: '0', ...settings }),
    version: 'test',
    log,
    now: Date.now,
    random: Math.random,
  })
  programs.push(program)
  return program
}

const newAccount = () => numbered((0x7e1e + accounts++).toString(16))

async function subscribe(account: Address) {
  const mutation =
    'mutation ($input: SubscribeChannelInput!) { subscribeChannel(input: $input) { secret confirmationLink channel { id state address } } }'
  return await ask(app.url ?? '', mutation, { input: { account, kind: 'TELEGRAM' } }, key)
}

async function channelsOf(account: Address) {
  const query =
    'query ($account: Address!) { channelSubscriptions(account: $account) { id state address deliveries { nodes { state status attempts fault } } } }'
  const { data } = await ask(app.url ?? '', query, { account }, key)
  return data.channelSubscriptions
}

async function linkOf(account: Address): Promise<string> {
  const { data } = await subscribe(account)
  return new URL(data.subscribeChannel.confirmationLink).searchParams.get('start') ?? ''
}

const answersTo = (chat: number) =>
  telegram.sent.filter((sent) => sent.chat === String(chat)).map(({ text }) => text)

/** An account whose notifications go to a chat. */
async function confirmed(chat = chats++) {
  const account = newAccount()
  telegram.says(chat, `/start ${await linkOf(account)}`)
  await eventually('the confirmation', async () => (await channelsOf(account))[0]?.state === 'ACTIVE')
  await eventually('the answer', () => answersTo(chat).length > 0)
  return { account, chat }
}

async function tell(account: Address, messages: readonly string[]): Promise<void> {
  await database.db.transaction((tx) =>
    recordNotifications(
      tx,
      messages.map((message) => ({
        account,
        cause: `${message}:${account}`,
        type: 'order_filled',
        message,
        timestamp: new Date(1_800_000_000_000),
        metadata: { orderId: uid, chainId: 11155111 },
        blockNumber: null,
      })),
    ),
  )
}

/** Channels of as many accounts that lead to one chat, with a delivery each. */
async function storeChatOfMany(chat: string, count: number): Promise<void> {
  const client = await connectDirectly(database.url)
  await client.query(
    `WITH stored AS (INSERT INTO channels (id, account, kind, state, address, created_at)
        SELECT gen_random_uuid(), decode(lpad(to_hex(n), 40, '0'), 'hex'), 'telegram', 'active', $1, now() FROM generate_series(1, $2) n
        RETURNING id),
      waiting AS (INSERT INTO deliveries (channel_id, kind) SELECT id, 'telegram' FROM stored)
    INSERT INTO channel_wakes (channel_id) SELECT id FROM stored`,
    [chat, count],
  )
  await client.end()
}

/** Why the last attempt for the account failed, and in how many seconds the next one is. */
async function failureOf(account: Address) {
  return await eventually('a failed attempt', async () => {
    const [channel] = await channelsOf(account)
    if (channel?.deliveries.nodes[0]?.status == null) return undefined
    const client = await connectDirectly(database.url)
    const { rows } = await client.query(
      'SELECT extract(epoch FROM next_attempt_at - now()) AS seconds FROM channels WHERE id = $1',
      [channel.id],
    )
    await client.end()
    return { ...channel.deliveries.nodes[0], seconds: Number(rows[0].seconds) }
  })
}

describe('with polling', () => {
  beforeEach(async () => {
    app = await start()
  })

  test('a link opens the bot, and starting it confirms the chat', async () => {
    const account = newAccount()
    const { data } = await subscribe(account)
    const { confirmationLink, secret: none, channel } = data.subscribeChannel
    expect(confirmationLink).toMatch(/^https:\/\/t\.me\/tradegraph_test_bot\?start=[\w-]{32}$/)
    expect([none, channel.state, channel.address]).toEqual([null, 'PENDING', null])
    const token = new URL(confirmationLink).searchParams.get('start')
    telegram.says(4_242_123, `/start ${token}`)
    await eventually('the answer', () => answersTo(4_242_123).length > 0)
    const short = `${account.slice(0, 6)}…${account.slice(-4)}`
    expect(answersTo(4_242_123)).toEqual([
      `Notifications of ${short} come here from now on. /stop ends them.`,
    ])
    expect(await channelsOf(account)).toMatchObject([{ state: 'ACTIVE', address: '…123' }])

    await tell(account, ['<b>1 & "2"</b>'])
    const sent = await eventually('the message', () => telegram.sent[1])
    expect(sent).toEqual({
      chat: '4242123',
      text: `<b>Order filled</b>\n&lt;b&gt;1 &amp; &quot;2&quot;&lt;[/]b&gt;\n<a href="https://trade.example/orders/${uid}">Show the order</a>\n\n<a href="https://trade.example/accounts/${account}">${short}</a>`,
      options: { parse_mode: 'HTML', link_preview_options: { is_disabled: true } },
    })

    telegram.says(4_242_124, `/start ${token}`)
    await eventually('the answer to the second use', () => answersTo(4_242_124).length > 0)
    expect(answersTo(4_242_124)).toEqual(['This link does not work, or no longer: it works once, for a day.'])
    expect(await channelsOf(account)).toMatchObject([{ state: 'ACTIVE', address: '…123' }])
  })

  test('no link is made of what a stranger named a token', async () => {
    const { account } = await confirmed()
    const shown: Readonly<Record<string, string>> = {
      'claim-usdc.com': 'claim-usdc[.]com',
      't.me/bot': 't[.]me[/]bot',
      'claim.भारत': 'claim[.]भारत',
      'https://evil.example/x': '…',
      'mailto:a@b.io': 'mailto[:]a[@]b[.]io',
      '203.0.113.5/claim': '203[.]0[.]113.5[/]claim',
      '[2001:db8::5]': '[2001[:]db8:[:]5]',
      '@admin': '[@]admin',
      '+15550199': '[+]15550199',
      '/stop': '[/]stop',
      '(/stop)': '([/]stop)',
      '"/stop"': '"[/]stop"',
      '•/stop': '•[/]stop',
      '/_stop': '[/]_stop',
      '#claim': '[#]claim',
      $CLAIM: '[$]CLAIM',
      'stETH/2': 'stETH[/]2',
      'USDC.e': 'USDC.e',
      '2,940.5': '2,940.5',
      'USD₮0': 'USD₮0',
    }
    await tell(account, [`Order filled: 1 ${Object.keys(shown).join(' ')}`])
    const sent = await eventually('the message', () =>
      telegram.sent.find(({ text }) => text.includes('filled: 1')),
    )
    const line = sent.text.split('\n')[1]?.replaceAll('&quot;', '"')
    expect(line).toBe(`Order filled: 1 ${Object.values(shown).join(' ')}`)
  })

  test('a notification of a later version is sent with its text', async () => {
    const { account, chat } = await confirmed()
    const client = await connectDirectly(database.url)
    await client.query(
      `INSERT INTO notifications (cause, chain_id, account, type, message, timestamp, metadata)
        VALUES ($1, 1, decode($2, 'hex'), 'of_later', 'It happened', now(), '{}')`,
      [`later:${account}`, account.slice(2)],
    )
    await client.end()
    await eventually('the message', () => answersTo(chat).length > 1)
    expect(answersTo(chat)[1]).toMatch(/^<b>Notification<\/b>\nIt happened\n/)
  })

  test('a test leads to the account too', async () => {
    const { account, chat } = await confirmed()
    const [{ id }] = await channelsOf(account)
    const mutation = 'mutation ($input: ChannelInput!) { testChannel(input: $input) { messageId } }'
    await ask(app.url ?? '', mutation, { input: { account, id } }, key)
    await eventually('the message', () => answersTo(chat).length > 1)
    expect(answersTo(chat)[1]).toContain(`<a href="https://trade.example/accounts/${account}">`)
  })

  test('what waits together is sent together, in order, in messages that are not too long', async () => {
    const { account, chat } = await confirmed()
    const texts = Array.from({ length: 25 }, (_, index) => `${index} ${'&<>"'.repeat(150)}`)
    await tell(account, texts)
    await eventually('all messages', () => telegram.sent.join() && answersTo(chat).join().includes('\n24 '))
    const messages = answersTo(chat).slice(1)
    expect(messages.length).toBeLessThan(10)
    const shown = messages.flatMap((text) => [...text.matchAll(/^(\d+) /gm)].map(([, number]) => number))
    expect(shown).toEqual(texts.map((_, index) => String(index)))
    for (const text of messages)
      expect(text.replace(/<[^>]+>/g, '').replace(/&\w+;/g, '.').length).toBeLessThanOrEqual(4_096)
  })

  test('an account and a chat that know each other are told so, and nothing is sent twice', async () => {
    const { account, chat } = await confirmed()
    telegram.sent.splice(0)
    telegram.says(chat, `/start ${await linkOf(account)}`)
    await eventually('another answer', () => answersTo(chat).length > 0)
    expect(answersTo(chat)).toEqual(['This chat gets the notifications of this account already.'])
    expect(await channelsOf(account)).toMatchObject([{ state: 'ACTIVE' }])
  })

  test('its token confirms a chat alone, and the bot takes no token of another kind', async () => {
    const account = newAccount()
    const token = await linkOf(account)
    const mutation =
      'mutation ($input: ConfirmChannelInput!) { confirmChannel(input: $input) { channel { id } } }'
    const { errors } = await ask(app.url ?? '', mutation, { input: { token } }, key)
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'ChannelNotFound', field: 'token' })
    const mailed = await fetch(`${app.url}/channels/confirm/${token}`, { method: 'POST' })
    expect(mailed.status).toBe(404)
    expect(await channelsOf(account)).toMatchObject([{ state: 'PENDING', address: null }])

    for (const kind of ['webhook', 'push', 'email'] as const) {
      const confirmation = {
        hash: createHash('sha256').update(kind.padEnd(32, 'x')).digest(),
        expiresAt: new Date(Date.now() + 60_000),
      }
      const waiting = { id: randomUUID(), account, kind, address: `https://receiver.example/${kind}` }
      const more = { keys: {}, types: [], chainIds: [], leastImprovement: null, createdAt: new Date() }
      await database.db.transaction((tx) => insertChannel(tx, { ...waiting, ...more, confirmation }, 10))
      const chat = chats++
      telegram.says(chat, `/start ${kind.padEnd(32, 'x')}`)
      await eventually('the answer', () => answersTo(chat).length > 0)
      expect(answersTo(chat)).toEqual(['This link does not work, or no longer: it works once, for a day.'])
    }
    const states = (await channelsOf(account)).map(({ state }: { state: string }) => state)
    expect(states).toEqual(['PENDING', 'PENDING', 'PENDING', 'PENDING'])
    const chat = chats++
    telegram.says(chat, `/start ${token}`)
    await eventually('the chat', async () => (await channelsOf(account))[0]?.state === 'ACTIVE')
  })

  test('odd rows break no list, and a channel without a chat ends', async () => {
    const account = newAccount()
    await storeChannel(database.db, { account, address: '4711', state: 'active' })
    await storeChannel(database.db, { account, kind: 'email', address: '', state: 'active' })
    const { id, ...channel } = await storeChannel(database.db, { account, kind: 'telegram', address: '' })
    const addresses = (await channelsOf(account)).map(({ address }: { address: string | null }) => address)
    expect(addresses.toSorted()).toEqual([null, '…', '…'])
    await storeDeliveries(database.db, { id, ...channel }, [{}])
    const client = await connectDirectly(database.url)
    await client.query('INSERT INTO channel_wakes (channel_id) VALUES ($1)', [id])
    await client.end()
    await eventually('its end', async () => (await channelsOf(account)).length === 2)
    expect(telegram.sent.filter(({ chat }) => chat === '')).toEqual([])
  })

  test('many channels of one chat delay no other chat, and nothing goes out twice', async () => {
    const chat = String(chats++)
    await storeChatOfMany(chat, 600)
    await eventually('the first of them', () => answersTo(Number(chat)).length > 0)
    const other = await confirmed()
    await tell(other.account, ['one'])
    await eventually('the other chat', () => answersTo(other.chat).length === 2)
    expect(answersTo(Number(chat)).length).toBeLessThan(30)
    const client = await connectDirectly(database.url)
    // A round takes more for a moment, and gives back those that wait for the chat.
    await eventually('few are leased', async () => {
      const { rows } = await client.query(
        'SELECT count(*)::int AS leased FROM channels WHERE lease IS NOT NULL',
      )
      return rows[0].leased < 10
    })
    await client.query("DELETE FROM deliveries WHERE state = 'waiting'")
    await client.end()
  })

  test('/stop ends all channels of the chat, and no others', async () => {
    const { account, chat } = await confirmed()
    const second = newAccount()
    telegram.says(chat, `/start@tradegraph_test_bot ${await linkOf(second)}`)
    await eventually('the second', async () => (await channelsOf(second))[0]?.state === 'ACTIVE')
    const other = await confirmed()
    telegram.says(chat, '/stop')
    await eventually('the end', async () => (await channelsOf(account)).length === 0)
    expect(await channelsOf(second)).toEqual([])
    expect(await channelsOf(other.account)).toMatchObject([{ state: 'ACTIVE' }])
    const client = await connectDirectly(database.url)
    const { rows } = await client.query(
      "SELECT DISTINCT end_reason, address FROM channels WHERE state = 'ended' AND account = $1",
      [Buffer.from(account.slice(2), 'hex')],
    )
    await client.end()
    expect(rows).toEqual([{ end_reason: 'receiver', address: '' }])
  })

  test('blocking the bot ends all channels of the chat', async () => {
    const { account, chat } = await confirmed()
    telegram.happens({ my_chat_member: { chat: { id: chat }, new_chat_member: { status: 'kicked' } } })
    await eventually('the end', async () => (await channelsOf(account)).length === 0)
  })

  test.each([
    [403, 'Forbidden: bot was blocked by the user'],
    [400, 'Bad Request: chat not found'],
  ])('a chat that is gone ends its channel: %s', async (error_code, description) => {
    const { account, chat } = await confirmed()
    telegram.refuse = (sent) => (sent.chat === String(chat) ? { error_code, description } : undefined)
    await tell(account, ['one'])
    await eventually('the end', async () => (await channelsOf(account)).length === 0)
  })

  test('a chat is left alone for as long as Telegram says', async () => {
    const { account, chat } = await confirmed()
    const other = await confirmed()
    telegram.refuse = (sent) =>
      sent.chat === String(chat)
        ? { error_code: 429, description: 'Too Many Requests', parameters: { retry_after: 77 } }
        : undefined
    await tell(account, ['one'])
    const failure = await failureOf(account)
    expect(failure).toMatchObject({ state: 'WAITING', status: 429, attempts: 1, fault: 'status 429' })
    expect(failure.seconds).toBeGreaterThan(60)
    await tell(other.account, ['two'])
    await eventually('the other chat', () => answersTo(other.chat).length === 2)
  })

  test('another refusal is tried again', async () => {
    const { account, chat } = await confirmed()
    const description = `Bad Request: can't parse ${telegram.token}`
    telegram.refuse = (sent) => (sent.chat === String(chat) ? { error_code: 400, description } : undefined)
    await tell(account, ['one'])
    expect(await failureOf(account)).toMatchObject({ state: 'WAITING', status: 400, fault: 'status 400' })
  })

  test('what others write costs no answers', async () => {
    for (let junk = 0; junk < 500; junk++)
      telegram.says(junk, ['hello', '/start', '/starter x', '/stop'][junk % 4] ?? '')
    telegram.happens({ edited_message: 'junk', message: 7 })
    telegram.happens({})
    const answered = telegram.sent.length
    const { chat } = await confirmed()
    expect(telegram.pending()).toBeLessThanOrEqual(1)
    expect(answersTo(chat)).toHaveLength(1)
    expect(telegram.sent.length - answered).toBeLessThan(300)
    expect(answersTo(4)).toEqual([])
  })

  test('one process polls at a time, updates outlive it, and its end does not wait', async () => {
    await start()
    const { account } = await confirmed()
    expect(telegram.maxPolls()).toBe(1)
    const since = performance.now()
    await closeAll()
    expect(performance.now() - since).toBeLessThan(5_000)
    telegram.says(77, `/stop`)
    expect(telegram.pending()).toBe(1)
    app = await start()
    const { chat } = await confirmed()
    await eventually('the updates are confirmed', () => telegram.pending() === 0)
    expect(answersTo(77)).toEqual(['No notifications came here.'])
    expect(answersTo(chat)).toHaveLength(1)
    expect(await channelsOf(account)).toMatchObject([{ state: 'ACTIVE' }])
  })
})

test('an update that the database could not take comes again, and is confirmed at the end', async () => {
  const { token, url: apiRoot } = telegram
  const stopping = new AbortController()
  const handled: object[] = []
  const running = pollUpdates(
    { bot: createBot({ token, apiRoot, now: Date.now, log }), log },
    async (update) => {
      handled.push(update as object)
      if (handled.length === 2) throw new Outage('the database')
      if (handled.length === 4) stopping.abort()
    },
    stopping.signal,
  )
  const [first, second, third] = ['one', 'two', 'three'].map((text) => telegram.says(5, text))
  await running
  expect(handled).toEqual([first, second, second, third])
  expect(telegram.pending()).toBe(0)
})

test('with a token that Telegram does not know, nothing can be subscribed', async () => {
  app = await start({ TELEGRAM_BOT_TOKEN: `9${telegram.token}` })
  const { errors } = await subscribe(newAccount())
  expect(errors?.[0]).toMatchObject({
    message: 'the receiver cannot be reached: status 401',
    extensions: { code: 'ChannelUnreachable' },
  })
  await eventually('a warning', () => logged.includes('updates of Telegram wait {"fault":"status 401"'))
})

test('without an answer of Telegram, nothing can be subscribed', async () => {
  app = await start({ TELEGRAM_API_ROOT: 'http://127.0.0.1:1' })
  const { errors } = await subscribe(newAccount())
  expect(errors?.[0]?.message).toBe('the receiver cannot be reached: no answer that can be read')
})

describe('with a webhook', () => {
  beforeEach(async () => {
    app = await start({ TELEGRAM_WEBHOOK_SECRET: secret })
  })

  const post = async (update: unknown, given?: string) => {
    const response = await fetch(`${app.url}/channels/telegram/updates`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(given !== undefined && { 'x-telegram-bot-api-secret-token': given }),
      },
      body: JSON.stringify(update),
    })
    return response.status
  }

  test('updates are taken with the secret, and with nothing else', async () => {
    const webhook = await eventually('the registration', () => telegram.webhook)
    expect(webhook).toMatchObject({
      url: 'https://trade.example/channels/telegram/updates',
      secret_token: secret,
      allowed_updates: ['message', 'my_chat_member'],
    })
    const account = newAccount()
    const update = telegram.says(88, `/start ${await linkOf(account)}`)
    expect(await post(update)).toBe(401)
    expect(await post(update, `${secret}x`)).toBe(401)
    expect(await channelsOf(account)).toMatchObject([{ state: 'PENDING' }])
    expect(await post(update, secret)).toBe(200)
    expect(await channelsOf(account)).toMatchObject([{ state: 'ACTIVE', address: '…88' }])
    expect(await post(update, secret)).toBe(200)
    expect(await channelsOf(account)).toMatchObject([{ state: 'ACTIVE', address: '…88' }])
    for (const junk of [null, [], 7, { message: { chat: { id: 'x' } } }])
      expect(await post(junk, secret)).toBe(200)
    expect(await post({ junk: 'x'.repeat(70_000) }, secret)).toBe(413)
    await tell(account, ['one'])
    await eventually('the message', () => answersTo(88).some((text) => text.includes('one')))
  })
})

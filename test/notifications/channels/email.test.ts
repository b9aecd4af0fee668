import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Address } from '../../../src/domain/evm/address.ts'
import { operatorCheck } from '../../../src/graphql/context/access.ts'
import { createEmailSender } from '../../../src/notifications/channels/email.ts'
import { runDelivery } from '../../../src/notifications/delivery/deliver.ts'
import { createMailer } from '../../../src/outside/smtp.ts'
import { openSignals, type Signals } from '../../../src/storage/database/signals.ts'
import { recordNotifications } from '../../../src/storage/notifications.ts'
import { numbered } from '../../fakes/order.ts'
import { silentLog } from '../../fakes/silent-log.ts'
import { connectDirectly } from '../../setup/database.ts'
import { eventually } from '../../setup/eventually.ts'
import { type MailServer, startMailServer } from '../../setup/mail-server.ts'
import { openTestServer, type TestServer } from '../../setup/server.ts'
import { ask } from '../../setup/session.ts'

const key = 'editor-key-of-16-or-more'
const start = 1_800_000_000_000
const minute = 60_000
const day = 86_400_000
let clock = start
let server: TestServer
let signals: Signals
let mails: MailServer
let accounts = 0
const stops: (() => Promise<void>)[] = []

const now = () => clock
const uid = `0x${'12'.repeat(56)}` as const
/** Links lead to an address that tests never ask: they put in that of the server. */
const publicUrl = new URL('https://trade.example')
function emailSender() {
  const mailer = createMailer({ url: mails.url, now, log: silentLog })
  const from = { name: 'Tradegraph', address: 'noreply@trade.example' }
  return createEmailSender({ mailer, from, publicUrl, maxAlone: 3, now })
}

beforeAll(async () => {
  mails = await startMailServer()
  server = await openTestServer(
    {},
    { isEditor: operatorCheck(key), channels: { now, senders: { email: emailSender() } } },
  )
  signals = await openSignals(server.database.url, silentLog)
})
afterAll(async () => {
  await signals.close()
  await server[Symbol.asyncDispose]()
  await mails[Symbol.asyncDispose]()
})
beforeEach(() => {
  mails.received.splice(0)
})
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
  mails.refusesMails = mails.refusesRecipients = undefined
  clock += 2 * day
})

function startDelivery(): void {
  const stopping = new AbortController()
  const { db } = server.database
  const senders = { email: emailSender() }
  const running = runDelivery(
    { db, signals, senders, confirmations: {}, now, random: () => 0.5, log: silentLog },
    stopping.signal,
  )
  stops.push(async () => {
    stopping.abort()
    await running
  })
}

const subscribe = (account: Address, address: string) =>
  ask(
    server.url,
    'mutation ($input: SubscribeChannelInput!) { subscribeChannel(input: $input) { secret channel { id state address } } }',
    { input: { account, kind: 'EMAIL', address } },
    key,
  )
const channelsOf = async (account: Address) => {
  const { data } = await ask(
    server.url,
    'query ($account: Address!) { channelSubscriptions(account: $account) { state deliveries(first: 100) { nodes { messageId state attempts status fault } } } }',
    { account },
    key,
  )
  return data.channelSubscriptions as {
    state: string
    deliveries: {
      nodes: {
        messageId: string
        state: string
        attempts: number
        status: number | null
        fault: string | null
      }[]
    }
  }[]
}
const deliveriesOf = async (account: Address) => (await channelsOf(account))[0]?.deliveries.nodes ?? []
const newAccount = () => numbered((0xd000 + accounts++).toString(16))
const follow = (link: string, method = 'POST', body?: string) =>
  fetch(link.replace(publicUrl.origin, server.url), {
    method,
    ...(body !== undefined && {
      body,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    }),
  })
const linkIn = (text: string | undefined, path: string) =>
  new RegExp(`https://trade\\.example/channels/${path}/[\\w.-]+`).exec(text ?? '')?.[0] ?? ''

/** An account whose mailbox has confirmed. */
async function subscribed(): Promise<Address> {
  const account = newAccount()
  await subscribe(account, `${account}@mail.example`)
  expect((await follow(linkIn(mails.received[0]?.text, 'confirm'))).status).toBe(200)
  mails.received.splice(0)
  return account
}

const mailsTo = (account: Address) =>
  mails.received.filter(({ recipients }) => recipients[0] === `${account}@mail.example`)

async function tell(account: Address, messages: readonly string[]): Promise<void> {
  await server.database.db.transaction((tx) =>
    recordNotifications(
      tx,
      messages.map((message) => ({
        account,
        cause: `${message}:${account}`,
        type: 'order_filled' as const,
        message,
        timestamp: new Date(start),
        metadata: { orderId: uid, chainId: 11155111 },
        blockNumber: null,
      })),
    ),
  )
}

describe('subscribing', () => {
  test('a link confirms the address, by a button and once', async () => {
    const account = newAccount()
    const { data } = await subscribe(account, 'Trader.One@Mail.EXAMPLE')
    expect(data.subscribeChannel).toMatchObject({
      secret: null,
      channel: { state: 'PENDING', address: 'T…@mail.example' },
    })
    const [mail] = mails.received
    expect(mail).toMatchObject({
      subject: `Confirm notifications of ${account.slice(0, 6)}…${account.slice(-4)}`,
      recipients: ['Trader.One@mail.example'],
      from: { text: '"Tradegraph" <noreply@trade.example>' },
    })
    expect(mail?.text).toContain(account)
    const link = linkIn(mail?.text, 'confirm')
    expect(mail?.html).toContain(`href="${link}"`)
    const page = await follow(link, 'GET')
    expect([page.status, page.headers.get('referrer-policy'), page.headers.get('cache-control')]).toEqual([
      200,
      'no-referrer',
      'no-store',
    ])
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(await page.text()).toContain('<form method="post"><button>Confirm</button></form>')
    expect((await channelsOf(account))[0]?.state).toBe('PENDING')
    expect((await follow(link)).status).toBe(200)
    expect((await channelsOf(account))[0]?.state).toBe('ACTIVE')
    expect((await follow(link)).status).toBe(404)
  })

  test.each([
    ['nobody'],
    ['a@b'],
    ['a@127.0.0.1'],
    ['a@[127.0.0.1]'],
    ['a b@mail.example'],
    ['a@mail.example, b@mail.example'],
    ['Name <a@mail.example>'],
    ['a@mail.example\r\nBcc: b@mail.example'],
    ['a@mail.example\n'],
    ['"a"@mail.example'],
    ['.a@mail.example'],
    ['a@-mail.example'],
    ['ä@mail.example'],
    [`${'a'.repeat(65)}@mail.example`],
    [`a@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(63)}.${'e'.repeat(63)}.example`],
  ])('%j is refused', async (address) => {
    const { errors } = await subscribe(newAccount(), address)
    expect(errors?.[0]).toMatchObject({
      message: 'address must be one plain e-mail address',
      extensions: { code: 'InvalidParameter', field: 'address' },
    })
    expect(mails.received).toEqual([])
  })

  test('an unknown mailbox, or a server that refuses, is told and not kept', async () => {
    const account = newAccount()
    mails.refusesRecipients = '550 5.1.1 nobody-here@mail.example unknown'
    const { errors } = await subscribe(account, 'nobody-here@mail.example')
    expect(errors?.[0]).toMatchObject({
      message: 'the receiver cannot be reached: status 550 5.1.1',
      extensions: { code: 'ChannelUnreachable', field: 'address' },
    })
    expect(await channelsOf(account)).toEqual([])
  })

  test('a mailbox is one channel of an account, however it is written, also at once', async () => {
    const account = newAccount()
    const spellings = [
      'tra.der@one.example',
      'TRADER@One.Example',
      'trader+x@one.example',
      'trader@ONE.example',
    ]
    const answers = await Promise.all(spellings.map((address) => subscribe(account, address)))
    const codes = answers.map(({ errors }) => errors?.[0]?.extensions.code ?? 'stored')
    expect(codes.sort()).toEqual(['ChannelExists', 'ChannelExists', 'ChannelExists', 'stored'])
    expect(await channelsOf(account)).toHaveLength(1)
    expect(mails.received).toHaveLength(1)
    expect((await subscribe(account, 'other@one.example')).errors).toBeUndefined()
  })

  test('a mailbox gets three such mails in a day, in all its spellings and for any accounts', async () => {
    const spellings = ['v.ictim', 'victim', 'Victim+1', 'victim+2', 'vic.tim']
    const answers = []
    for (const name of spellings) answers.push(await subscribe(newAccount(), `${name}@mail.example`))
    expect(answers.map(({ errors }) => errors?.[0]?.extensions.code)).toEqual([
      undefined,
      undefined,
      undefined,
      'TooManyConfirmations',
      'TooManyConfirmations',
    ])
    expect(answers[3]?.errors?.[0]).toMatchObject({
      message: '3 messages that confirm this address have been sent in a day',
      extensions: { field: 'address', data: { retryAfterMs: day } },
    })
    const overRest = await fetch(`${server.url}/accounts/${newAccount()}/channels`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify({ kind: 'email', address: 'victim@mail.example' }),
    })
    expect([overRest.status, overRest.headers.get('retry-after')]).toEqual([429, String(day / 1_000)])
    const parallel = await Promise.all(
      Array.from({ length: 10 }, () => subscribe(newAccount(), 'other@mail.example')),
    )
    expect(parallel.filter(({ errors }) => !errors)).toHaveLength(3)
    expect(mails.received).toHaveLength(6)
    clock += day
    expect((await subscribe(newAccount(), 'victim@mail.example')).errors).toBeUndefined()
  })

  test('an account sends ten in a day, also when it unsubscribes between them', async () => {
    const account = newAccount()
    const unsubscribe = 'mutation ($input: ChannelInput!) { unsubscribeChannel(input: $input) { id } }'
    const codes = []
    for (let n = 0; n < 11; n++) {
      const { data, errors } = await subscribe(account, `person${n}@mail.example`)
      codes.push(errors?.[0]?.extensions.code)
      if (data?.subscribeChannel)
        await ask(server.url, unsubscribe, { input: { account, id: data.subscribeChannel.channel.id } }, key)
    }
    expect(codes).toEqual([...Array.from({ length: 10 }, () => undefined), 'TooManyConfirmations'])
  })
})

describe('a notification', () => {
  test('is a mail as text and HTML, which is left by one click', async () => {
    const account = await subscribed()
    startDelivery()
    await tell(account, [
      'Order filled: 1 <b>WETH</b> & more for 2,940 USDC\u202e https://evil.example/claim',
    ])
    const mail = await eventually('a mail', () => mailsTo(account)[0])
    const message = 'Order filled: 1 <b>WETH<[/]b> & more for 2,940 USDC …'
    const [{ messageId } = { messageId: '' }] = await deliveriesOf(account)
    expect(mail).toMatchObject({
      subject: message,
      recipients: [`${account}@mail.example`],
      messageId: `<${messageId}@trade.example>`,
      date: new Date(clock),
    })
    expect(mail.text).toContain(`${message}\n2027-01-15 08:00:00 UTC`)
    const order = `https://trade.example/orders/${uid}`
    expect(mail.text).toContain(`\nShow the order: ${order}\n`)
    expect(mail.html).toMatch(new RegExp(`class="button" href="${order}"[^>]*>Show the order<`))
    expect(mail.html).toContain('Order filled: 1 &lt;b&gt;WETH&lt;[/]b&gt; &amp; more')
    expect(mail.html).not.toMatch(/<img|<script|<link|src=|url\(|evil/)
    expect(mail.headers.get('auto-submitted')).toBe('auto-generated')
    const link = linkIn(mail.text, 'unsubscribe')
    expect(mail.raw.replace(/\r\n[ \t]+/g, ' ')).toMatch(
      new RegExp(`List-Unsubscribe: <${link}>\\r\\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\\r\\n`),
    )
    expect(mail.headers.get('list')).toMatchObject({
      id: { name: 'Account notifications', id: 'notifications.trade.example' },
      unsubscribe: { url: link },
    })

    expect(await (await follow(link, 'GET')).text()).toContain('<button>Stop them</button>')
    expect((await follow(link, 'HEAD')).status).toBe(200)
    const wrong = `${link.slice(0, -1)}${link.endsWith('A') ? 'B' : 'A'}`
    expect((await follow(wrong)).status).toBe(404)
    expect((await channelsOf(account))[0]?.state).toBe('ACTIVE')
    const oneClick = 'List-Unsubscribe=One-Click'
    expect((await follow(link, 'POST', oneClick)).status).toBe(200)
    expect(await channelsOf(account)).toEqual([])
    expect((await follow(link, 'POST', oneClick)).status).toBe(200)
    const client = await connectDirectly(server.database.url)
    const { rows } = await client.query('SELECT end_reason, address, keys FROM channels WHERE account = $1', [
      Buffer.from(account.slice(2), 'hex'),
    ])
    await client.end()
    expect(rows).toEqual([{ end_reason: 'receiver', address: '', keys: {} }])
  })

  test('that the server refuses for now is sent again later, with the same Message-ID', async () => {
    const account = await subscribed()
    mails.refusesMails = '451 4.3.0 try again'
    startDelivery()
    await tell(account, ['first', 'second'])
    const failed = { state: 'WAITING', attempts: 1, status: 451, fault: 'status 451 4.3.0' }
    await eventually('an attempt', async () => (await deliveriesOf(account)).at(-1)?.status === 451)
    expect((await deliveriesOf(account)).at(-1)).toMatchObject(failed)
    mails.refusesMails = undefined
    clock += 5_001
    await eventually('both', () => mailsTo(account).length === 3)
    expect(mailsTo(account).map(({ subject }) => subject)).toEqual(['first', 'first', 'second'])
    const ids = mailsTo(account).map(({ messageId }) => messageId)
    expect(ids[0]).toBe(ids[1])
    expect(ids[2]).not.toBe(ids[1])
  })

  test.each([
    ['550 5.1.1 unknown', 'gone'],
    ['550 unknown', 'gone'],
    ['550 5.7.1 relaying denied', 'kept'],
    ['552 5.2.2 mailbox full', 'kept'],
    ['450 4.2.1 busy', 'kept'],
  ])('a recipient that is refused by "%s" is %s', async (answer, end) => {
    const account = await subscribed()
    mails.refusesRecipients = answer
    startDelivery()
    await tell(account, ['first', 'second'])
    if (end === 'gone') await eventually('an end', async () => (await channelsOf(account)).length === 0)
    else {
      const [status = '', enhanced] = answer.split(' ')
      await eventually('a failure', async () => (await deliveriesOf(account)).at(-1)?.fault != null)
      expect((await deliveriesOf(account)).at(-1)).toMatchObject({
        state: 'WAITING',
        fault: `status ${status} ${enhanced}`,
      })
    }
  })

  test('a server that is away is left alone, and the mail comes when it is back', async () => {
    const account = await subscribed()
    const { url } = mails
    mails.url = 'smtp://127.0.0.1:1'
    startDelivery()
    mails.url = url
    await tell(account, ['late'])
    await eventually('a failure', async () => (await deliveriesOf(account))[0]?.fault != null)
    expect((await deliveriesOf(account))[0]).toMatchObject({
      state: 'WAITING',
      status: null,
      fault: 'the SMTP server cannot be reached',
    })
    for (const stop of stops.splice(0)) await stop()
    startDelivery()
    clock += 5_001
    await eventually('the mail', () => mailsTo(account).length === 1)
  })
})

describe('many notifications in a minute', () => {
  test('go as one mail at its end, in order, and are all that the next minute holds', async () => {
    const account = await subscribed()
    startDelivery()
    for (const message of ['1', '2', '3']) {
      await tell(account, [message])
      await eventually('a mail', () => mailsTo(account).at(-1)?.subject === message)
    }
    await tell(account, ['4'])
    await tell(account, ['5', '6'])
    clock += minute - 1_000
    await tell(account, ['7'])
    expect(mailsTo(account)).toHaveLength(3)
    clock += 1_000
    const digest = await eventually('a digest', () => mailsTo(account)[3])
    expect(digest.subject).toBe('4 notifications: Order filled (4)')
    expect(digest.text?.match(/^\d$/gm)).toEqual(['4', '5', '6', '7'])
    expect(digest.html).toMatch(/4<br>.*5<br>.*6<br>.*7<br>/s)
    const links = [...`${digest.html}`.matchAll(/href="([^"]+)"[^>]*>(Show the \w+)</g)].map((link) =>
      link.slice(1),
    )
    expect(links).toEqual([
      ...Array.from({ length: 4 }, () => [`https://trade.example/orders/${uid}`, 'Show the order']),
      [`https://trade.example/accounts/${account}`, 'Show the account'],
    ])
    expect(
      digest.text?.match(/^Show the order: https:\/\/trade\.example\/orders\/0x(12){56}$/gm),
    ).toHaveLength(4)
    await tell(account, ['8'])
    clock += minute - 1
    await eventually('it is held', async () => (await deliveriesOf(account))[0]?.state === 'WAITING')
    expect(mailsTo(account)).toHaveLength(4)
    clock += 1
    await eventually('the last', () => mailsTo(account)[4]?.subject === '8')
    await tell(account, ['9'])
    await eventually('at once again', () => mailsTo(account)[5]?.subject === '9')
  })

  test('a burst is one mail at once; sent again it holds the same, whatever came since', async () => {
    const account = await subscribed()
    mails.refusesMails = '451 4.3.0 try again'
    await tell(account, ['1', '2', '3', '4', '5'])
    startDelivery()
    await eventually('an attempt', () => mailsTo(account).length === 1)
    await tell(account, ['6'])
    mails.refusesMails = undefined
    clock += minute
    await eventually('again', () => mailsTo(account).length >= 2)
    const [first, again] = mailsTo(account)
    expect(again?.subject).toBe('5 notifications: Order filled (5)')
    expect([again?.messageId, again?.text]).toEqual([first?.messageId, first?.text])
    clock += minute
    await eventually('what came since', () => mailsTo(account)[2]?.subject === '6')
    expect((await deliveriesOf(account)).every(({ state }) => state === 'DELIVERED')).toBe(true)
  })

  test('a mail holds a hundred at most', async () => {
    const account = await subscribed()
    await tell(
      account,
      Array.from({ length: 150 }, (_, n) => `n${n}`),
    )
    startDelivery()
    await eventually('the first hundred', () => mailsTo(account).length === 1)
    clock += minute
    await eventually('the rest', () => mailsTo(account).length === 2)
    expect(mailsTo(account).map(({ subject }) => subject)).toEqual([
      '100 notifications: Order filled (100)',
      '50 notifications: Order filled (50)',
    ])
  })
})

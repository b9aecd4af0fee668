import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type App, startApp } from '../../src/app/app.ts'
import { readSettings } from '../../src/app/config.ts'
import { recordNotifications } from '../../src/storage/notifications.ts'
import { numbered } from '../fakes/order.ts'
import { silentLog } from '../fakes/silent-log.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { ask } from '../setup/session.ts'
import { request } from '../setup/trader.ts'

const apiKey = 'key-of-the-content-system'
const start = Date.UTC(2026, 10, 23)
const at = (minutes: number) => new Date(start + minutes * 60_000).toISOString()

let database: TestDatabase
let cms: Server
let app: App
let clock = start
let accounts = 0
let account = numbered('ca')
let asked: { path: string | undefined; headers: IncomingHttpHeaders }[] = []
/** What the content system answers; nothing at all where it is undefined. */
let answer: { status: number; body: string } | undefined

const started = (environment: Record<string, string>) =>
  startApp({
    databaseUrl: database.url,
    networks: [],
    roles: ['serve'],
    settings: readSettings({ PORT: '0', ...environment }),
    version: 'test',
    log: silentLog,
    now: () => clock,
    random: Math.random,
  })

beforeAll(async () => {
  database = await createTestDatabase()
  cms = createServer(({ url, headers }, response) => {
    asked.push({ path: url, headers })
    if (answer) response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body)
  })
  await new Promise<void>((listening) => cms.listen(0, '127.0.0.1', listening))
})
afterAll(async () => {
  cms.closeAllConnections()
  cms.close()
  await database[Symbol.asyncDispose]()
})
beforeEach(async () => {
  asked = []
  clock = start
  account = numbered((0xca00 + accounts++).toString(16))
  await database.db.transaction((tx) =>
    recordNotifications(tx, [
      {
        account,
        cause: `filled:${account}`,
        type: 'order_filled',
        message: 'stored',
        timestamp: new Date(at(-10)),
        metadata: { orderId: '0x12', chainId: 11155111 },
        blockNumber: null,
      },
    ]),
  )
  const url = `http://127.0.0.1:${(cms.address() as AddressInfo).port}/api`
  app = await started({ CMS_API_KEY: apiKey, CMS_URL: url })
})
afterEach(() => app.close())

const tells = (items: unknown) => {
  answer = { status: 200, body: JSON.stringify(items) }
}
const item = (more: object = {}) => ({
  id: 7,
  account: null,
  title: 'News',
  description: '',
  createdAt: at(-20),
  ...more,
})
const read = async (url = app.url) =>
  await ask(
    url ?? '',
    `query ($account: Address!) { account(address: $account) { latestNotifications { message }
      announcements { id title description url thumbnail location createdAt isForAll } } }`,
    { account },
  )
const titles = async () =>
  (await read()).data.account.announcements.map(({ title }: { title: string }) => title)
const list = async () => await request(`${app.url}/accounts/${account}/notifications`)

test('announcements for the account and for all are told, newest first, as they were written', async () => {
  tells([
    item({
      description: '**bold** <b>&amp;</b>',
      url: 'https://trade.example/x?a=1',
      location: 'speechBubble',
    }),
    item({
      id: 8,
      account: account.toUpperCase().replace('0X', '0x'),
      createdAt: at(-5),
      thumbnail: '/a.png',
    }),
  ])
  const { data } = await read()
  expect(data.account.announcements).toEqual([
    {
      id: '8',
      title: 'News',
      description: '',
      url: null,
      thumbnail: `${new URL('/a.png', `http://${asked[0]?.headers.host}`).href}`,
      location: 'DEFAULT',
      createdAt: '2026-11-22T23:55:00Z',
      isForAll: false,
    },
    {
      id: '7',
      title: 'News',
      description: '**bold** <b>&amp;</b>',
      url: 'https://trade.example/x?a=1',
      thumbnail: null,
      location: 'SPEECH_BUBBLE',
      createdAt: '2026-11-22T23:40:00Z',
      isForAll: true,
    },
  ])
  expect(asked).toHaveLength(1)
  expect(asked[0]?.path).toBe(`/api/notification-list/${account}`)
  expect(asked[0]?.headers.authorization).toBe(`Bearer ${apiKey}`)
})

test('REST has them among the notifications, with a type of their own', async () => {
  tells([item(), item({ id: 8, createdAt: at(-5), description: 'a {{ b }}', data: { b: 'c' } })])
  const { body, headers } = await list()
  expect(headers.get('cache-control')).toBe('public, max-age=300')
  expect(body.map(({ id: _, ...shown }: { id: string }) => shown)).toEqual([
    {
      account,
      type: 'announcement',
      message: 'News\na c',
      timestamp: '2026-11-22T23:55:00Z',
      metadata: {
        title: 'News',
        description: 'a c',
        url: null,
        thumbnail: null,
        location: 'default',
        isForAll: true,
      },
    },
    {
      account,
      type: 'order_filled',
      message: 'stored',
      timestamp: '2026-11-22T23:50:00Z',
      metadata: { orderId: '0x12', chainId: 11155111 },
    },
    expect.objectContaining({ type: 'announcement', message: 'News', timestamp: '2026-11-22T23:40:00Z' }),
  ])
  expect(body[0].id).toBe('announcement-8')
})

test('what is for others, for push, due, or nothing that can be read, is left out', async () => {
  tells([
    item({
      title: 'shown {{ a }} {{ a }} {{b}} {{ c }}',
      data: { a: '{{ c }}', b: 1, c: 2 },
      dueDate: at(1),
    }),
    item({ title: 'another account', account: numbered('77') }),
    item({ title: 'push', push: true }),
    item({ title: 'due', dueDate: at(-1) }),
    item({ title: 7 }),
    item({ createdAt: 'soon' }),
    item({ account: '0x12' }),
    null,
    [],
  ])
  expect(await titles()).toEqual(['shown {{ c }} {{ a }} {{b}} 2'])
})

test('an id counts once, and a time or an id that cannot be is left out', async () => {
  const dayAhead = start + 24 * 3_600_000
  tells([
    item({ title: 'kept', createdAt: at(-1) }),
    item({ title: 'the same id' }),
    item({ title: 'the same id as text', id: '7' }),
    item({ id: 1, title: 'a clock ahead', createdAt: new Date(dayAhead).toISOString() }),
    item({ id: 2, title: 'too far', createdAt: new Date(dayAhead + 1).toISOString() }),
    item({ id: 3, title: 'year 12026', createdAt: '+012026-01-01T00:00:00Z' }),
    item({ id: 4, title: 'no time', createdAt: null }),
    item({ id: 'a\u0000b', title: 'NUL' }),
    item({ id: 'a\nb', title: 'a line break' }),
    item({ id: 'a\ud800', title: 'half a character' }),
  ])
  expect(await titles()).toEqual(['a clock ahead', 'kept'])
})

test('what cannot be shown is taken out of texts; lines and tabs stay', async () => {
  tells([
    item({
      title: 'a\u0000b\u001b[31m\ud800c 😀',
      description: 'one\r\n\ttwo\u0085\udc00 {{ v }}',
      data: { v: '\u0007three' },
    }),
  ])
  expect((await read()).data.account.announcements).toMatchObject([
    { title: 'ab[31m\ufffdc 😀', description: 'one\r\n\ttwo\ufffd three' },
  ])
})

test.each([
  'javascript:alert(1)',
  '//evil.example',
  '/\\evil.example',
  '/\t/evil.example',
  'data:text/html,x',
  'https://a:b@c.example',
])('a link that leads elsewhere is none: %s', async (url) => {
  tells([item({ url, thumbnail: url.startsWith('/') ? 'javascript:x' : url })])
  const [announcement] = (await read()).data.account.announcements
  expect([announcement.url, announcement.thumbnail]).toEqual([null, null])
})

test('an answer is kept for a minute', async () => {
  tells([item({ title: 'first' })])
  expect(await titles()).toEqual(['first'])
  tells([item({ title: 'second' })])
  clock += 59_000
  expect(await titles()).toEqual(['first'])
  clock += 1_000
  expect(await titles()).toEqual(['second'])
})

test.each<[string, typeof answer]>([
  ['fails', { status: 500, body: '' }],
  ['refuses the key', { status: 401, body: '{}' }],
  ['sends an invalid answer', { status: 200, body: '{"data":[]}' }],
  ['answers too much', { status: 200, body: JSON.stringify([item({ title: 'x'.repeat(300_000) })]) }],
  ['does not answer', undefined],
])('a content system that %s hides nothing that is stored', async (_, given) => {
  answer = given
  const { data, errors } = await read()
  expect(data.account).toEqual({ latestNotifications: [{ message: 'stored' }], announcements: null })
  expect(errors).toMatchObject([{ path: ['account', 'announcements'], extensions: { code: 'Unavailable' } }])
  expect(JSON.stringify(errors)).not.toContain('127.0.0.1')
  const { status, headers, body } = await list()
  expect([status, body.map(({ message }: { message: string }) => message)]).toEqual([200, ['stored']])
  expect(headers.get('cache-control')).toBe('no-cache')
  expect(headers.get('warning')).toBe('199 - "Announcements Are Missing"')
})

test('a content system that fails again and again is left alone for a while', async () => {
  answer = { status: 500, body: '' }
  for (let times = 0; times < 10; times++) await list()
  expect(asked).toHaveLength(5)
})

test('one that has nothing is told apart from none', async () => {
  tells([])
  expect((await read()).data.account.announcements).toEqual([])
  const without = await started({ CMS_API_KEY: apiKey })
  const { data, errors } = await read(without.url)
  expect([data.account.announcements, errors]).toEqual([null, undefined])
  await without.close()
})

test('a request asks for a few accounts at most', async () => {
  tells([])
  const aliases = Array.from({ length: 9 }, (_, index) => {
    const named = numbered((0xee00 + index).toString(16))
    return `a${index}: account(address: "${named}") { announcements { id } }`
  })
  const { errors } = await ask(app.url ?? '', `{ ${aliases.join(' ')} }`)
  expect(errors?.map(({ extensions: { code } }) => code)).toEqual(['QueryTooComplex'])
  expect(asked).toHaveLength(8)
})

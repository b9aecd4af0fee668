import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Address } from '../../src/domain/evm/address.ts'
import type { TradingServices } from '../../src/graphql/context/networks.ts'
import { createTokenLists } from '../../src/market/token-lists.ts'
import { openSignals } from '../../src/storage/database/signals.ts'
import { createBalanceSessions } from '../../src/tokens/balance-sessions.ts'
import type { BalancesUpdate, KnownBalance } from '../../src/tokens/balances.ts'
import { numbered } from '../fakes/order.ts'
import { silentLog } from '../fakes/silent-log.ts'
import { eventually } from '../setup/eventually.ts'
import { openTestServer, type TestServer } from '../setup/server.ts'
import { openEvents } from './balance-events.ts'

/** The protocol of sessions over HTTP, over balances that the test sets. */
const owner = numbered('0f')
const [one, other, odd, nobody] = [numbered('a1'), numbered('a2'), numbered('a3'), numbered('a4')]
const values = new Map<Address, KnownBalance>([
  [one, { balance: 7n, allowance: 3n }],
  [other, { balance: 0n, allowance: 0n }],
  [odd, 'unavailable'],
])
let time = 1_800_000_000_000
let server: TestServer
/** Watchers now, each with a way to send it an update. */
const watchers = new Set<{ tokens: readonly Address[]; send(update: BalancesUpdate): void }>()

const watchBalances: TradingServices['watchBalances'] = async function* (account, tokens, { signal }) {
  const waiting: BalancesUpdate[] = [
    {
      block: 7,
      isComplete: true,
      isAvailable: true,
      changes: tokens.map((token) => ({
        subject: { owner: account, token },
        value: values.get(token) ?? 'absent',
        before: undefined,
      })),
    },
  ]
  let wake = () => {}
  const watcher = {
    tokens,
    send(update: BalancesUpdate) {
      waiting.push(update)
      wake()
    },
  }
  watchers.add(watcher)
  signal.addEventListener('abort', () => wake(), { once: true })
  while (!signal.aborted) {
    const next = waiting.shift()
    if (next) yield next
    else
      await new Promise<void>((resolve) => {
        wake = resolve
      })
  }
  watchers.delete(watcher)
}

const change = (token: Address, before: KnownBalance, value: KnownBalance): BalancesUpdate => ({
  block: 8,
  isComplete: false,
  isAvailable: true,
  changes: [{ subject: { owner, token }, before, value }],
})

let lists: Awaited<ReturnType<typeof startLists>>
beforeAll(async () => {
  lists = await startLists()
  server = await openTestServer(
    { watchBalances },
    {
      now: () => time,
      tokenLists: createTokenLists({ allowed: [`${lists.url}/lists/`], now: () => time, log: silentLog }),
      rateLimits: { reads: 100_000, quotes: 0, orders: 0 },
    },
  )
})
afterAll(async () => {
  await server?.[Symbol.asyncDispose]()
  await lists?.close()
})

async function send(method: string, id: string | undefined, body: object, who: string = owner) {
  const response = await fetch(`${server.url}/sepolia/sessions/${who}`, {
    method,
    headers: { 'content-type': 'application/json', ...(id !== undefined && { 'x-client-id': id }) },
    body: JSON.stringify(body),
  })
  return { status: response.status, headers: response.headers, body: await response.json() }
}
const streamOf = (id: string, who: string = owner) =>
  `${server.url}/sse/11155111/balances/${who}?client_id=${id}`
const numberOf = (count: number) =>
  Array.from({ length: count }, (_, index) => `0x${(index + 1).toString(16).padStart(40, '0')}`)

test('all balances first, then what changes, and all again when the tokens are replaced', async () => {
  const id = randomUUID()
  const opened = await send('POST', id.toUpperCase(), { customTokens: [one, other, nobody, odd, one] })
  expect([opened.status, opened.body]).toEqual([201, { clientId: id, tokens: 4, idleSeconds: 10 }])
  await using stream = await openEvents(streamOf(id))
  const first = await eventually('the first event', () => stream.events[0])
  expect(first).toEqual({
    event: 'balance_update',
    id: expect.stringMatching(/^7-\w+$/),
    data: { balances: { [one]: '7', [other]: '0' }, unavailable: [odd] },
  })
  const [watcher] = watchers
  watcher?.send(change(one, { balance: 7n, allowance: 3n }, { balance: 7n, allowance: 4n }))
  watcher?.send({ block: 8, isComplete: false, isAvailable: false, changes: [] })
  watcher?.send(change(one, { balance: 7n, allowance: 4n }, { balance: 9n, allowance: 4n }))
  await eventually('two more', () => stream.events.length === 3)
  const [, away, update] = stream.events
  // An allowance alone is no news here.
  expect([away?.event, away?.data.code]).toEqual(['error', 'Unavailable'])
  expect([update?.event, update?.data]).toEqual(['balance_update', { balances: { [one]: '9' } }])

  values.set(one, { balance: 9n, allowance: 4n })
  await using resumed = await openEvents(streamOf(id), { 'last-event-id': stream.lastId() })
  await eventually('it is open', () => watchers.size === 2)

  const replaced = await send('PUT', id, { customTokens: [other] })
  expect([replaced.status, replaced.body.tokens]).toEqual([200, 1])
  for (const { events } of [stream, resumed]) {
    const all = await eventually('all of the new tokens', () =>
      events.find(({ data }) => data.balances?.[other] === '0' && !(one in data.balances)),
    )
    expect(all.data).toEqual({ balances: { [other]: '0' } })
  }
  // It knew the state before.
  expect(resumed.events).toHaveLength(1)
  expect([...watchers].map(({ tokens }) => tokens)).toEqual([[other], [other]])
  await send('POST', id, { customTokens: [one] })
  await eventually('POST replaces them too', () => stream.events.at(-1)?.data.balances[one] === '9')
})

test('what is refused: ids, tokens, lists, owners, sessions that are not there', async () => {
  const id = randomUUID()
  const rows: [number, string, Awaited<ReturnType<typeof send>>][] = [
    [
      400,
      'X-Client-Id must be a UUID that the client has made for itself',
      await send('POST', undefined, {}),
    ],
    [400, 'X-Client-Id must be a UUID that the client has made for itself', await send('POST', 'me', {})],
    [
      400,
      'owner must be an address: 20 bytes of hex with 0x in front',
      await send('POST', id, { customTokens: [one] }, '0x1'),
    ],
    [
      400,
      expect.stringContaining('must name at most 1500 tokens'),
      await send('POST', id, { customTokens: numberOf(1_501) }),
    ],
    [400, expect.stringContaining('customTokens must name a token'), await send('POST', id, {})],
    [400, 'customTokens must be a list of addresses', await send('POST', id, { customTokens: one })],
    [
      400,
      expect.stringContaining('customTokens[0] must be an address'),
      await send('POST', id, { customTokens: ['x'] }),
    ],
    [
      400,
      expect.stringContaining('must name at most 20 lists'),
      await send('POST', id, { tokensListsUrls: Array(21).fill('x') }),
    ],
    [
      400,
      `tokensListsUrls must begin with ${lists.url}/lists/`,
      await send('POST', id, { tokensListsUrls: ['https://other.example/lists/'] }),
    ],
    [
      400,
      `tokensListsUrls must begin with ${lists.url}/lists/`,
      await send('POST', id, { tokensListsUrls: [`${lists.url}/lists/../secret`] }),
    ],
    [404, expect.stringContaining('no such session'), await send('PUT', id, { customTokens: [one] })],
  ]
  for (const [status, message, answer] of rows)
    expect([answer.status, answer.body]).toEqual([status, { message }])
  for (const [path, status] of [
    [streamOf(id), 404],
    [streamOf('me'), 400],
    [streamOf(id, '0x1'), 400],
    [streamOf(id).replace('11155111', 'atlantis'), 400],
  ] as const) {
    const answer = await fetch(path)
    expect([answer.status, Object.keys((await answer.json()) as object)]).toEqual([status, ['message']])
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
  }
  expect(lists.asked).toEqual([])
})

test('five sessions of a client about an owner; each ends ten seconds after its last stream', async () => {
  const who = numbered('e1')
  const ids = Array.from({ length: 8 }, () => randomUUID())
  const opened = await Promise.all(ids.map((id) => send('POST', id, { customTokens: [one] }, who)))
  const taken = ids.filter((_, index) => opened[index]?.status === 201)
  expect(taken).toHaveLength(5)
  const [refused] = opened.filter(({ status }) => status !== 201)
  expect([refused?.status, refused?.headers.get('retry-after')]).toEqual([429, '10'])
  const [kept = '', left = ''] = taken
  expect((await send('POST', kept, { customTokens: [other] }, who)).status).toBe(201)
  expect((await send('POST', randomUUID(), { customTokens: [one] }, numbered('e2'))).status).toBe(201)

  const stream = await openEvents(streamOf(kept, who))
  await eventually('it is open', () => stream.events[0])
  time += 11_000
  expect((await send('PUT', left, { customTokens: [one] }, who)).status).toBe(404)
  expect((await send('PUT', kept, { customTokens: [one] }, who)).status).toBe(200)
  expect((await send('POST', randomUUID(), { customTokens: [one] }, who)).status).toBe(201)
  await stream[Symbol.asyncDispose]()
  await eventually('its end is near', async () => {
    time += 11_000
    return (await send('PUT', kept, { customTokens: [one] }, who)).status === 404
  })
})

test('token lists: of the chain, each read once, and an outage is none of the client', async () => {
  const id = randomUUID()
  const list = `${lists.url}/lists/all.json`
  const body = { tokensListsUrls: [list, `${list}#part`], customTokens: [one, odd] }
  for (let count = 0; count < 2; count++) {
    const { status, body: session } = await send('POST', id, body)
    expect([status, session.tokens]).toEqual([201, 3])
  }
  expect(lists.asked).toEqual(['/lists/all.json'])
  await using stream = await openEvents(streamOf(id))
  const first = await eventually('the first event', () => stream.events[0])
  expect(first.data).toEqual({ balances: { [one]: '9', [other]: '0' }, unavailable: [odd] })
  const large = await send('POST', id, { tokensListsUrls: [`${lists.url}/lists/large.json`] })
  expect([large.status, large.body.message]).toEqual([
    400,
    'lists and customTokens must have at most 1500 tokens together, but have 1501',
  ])
  const missing = await send('POST', id, { tokensListsUrls: [`${lists.url}/lists/missing.json`] })
  expect([missing.status, missing.body.message]).toEqual([
    400,
    `tokensListsUrls names what is no token list: ${lists.url}/lists/missing.json`,
  ])
  for (const name of ['broken', 'odd', 'huge']) {
    const failed = await send('POST', id, { tokensListsUrls: [`${lists.url}/lists/${name}.json`] })
    expect([name, failed.status, failed.body]).toEqual([name, 503, { message: expect.any(String) }])
  }
})

test('a session is read by one statement, written by one, and charged by its tokens', async () => {
  const id = randomUUID()
  const left = ({ headers }: { headers: Headers }) =>
    Number(/"?reads"?;r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1])
  const few = left(await send('POST', id, { customTokens: [one] }))
  const from = server.database.statements.length
  const many = left(await send('POST', id, { customTokens: numberOf(80) }))
  expect(few - many).toBe(5)
  // A stream of another test may read its session again.
  const ofSessions = (first: number) =>
    server.database.statements.slice(first).filter((sql) => sql.includes('balance_sessions'))
  expect(ofSessions(from).filter((sql) => !/^\s*SELECT/.test(sql))).toHaveLength(1)
  // The signal of the replaced tokens may come after the stream has read them, which then reads them again.
  let streams = 0
  await eventually('a stream reads its session once', async () => {
    const again = server.database.statements.length
    await using stream = await openEvents(streamOf(id))
    streams++
    await eventually('it is open', () => stream.retry())
    return ofSessions(again).length === 1
  })
  // 6 of each stream, and one of this.
  expect(many - left(await send('POST', id, { customTokens: numberOf(1) }))).toBe(6 * streams + 1)
})

test('a session that one process begins is followed, replaced and kept by others', async () => {
  const { db, url } = server.database
  const signals = await Promise.all([openSignals(url, silentLog), openSignals(url, silentLog)])
  const [begun, following] = signals.map((each) =>
    createBalanceSessions({ db, signals: each, now: () => time, log: silentLog }),
  )
  if (!begun || !following) throw new Error('there are two')
  const key = { chainId: 11155111, owner: numbered('e3'), clientId: randomUUID() }
  await begun.open(key, [one], 'somebody')
  const gone = new AbortController()
  const session = await following.follow(key, gone.signal)
  expect(session.current().tokens).toEqual([one])
  const { replaced } = session.current()
  await begun.replace(key, [other, odd])
  if (!replaced.aborted) await once(replaced, 'abort')
  expect([session.current().tokens, session.current().replaced.aborted]).toEqual([[other, odd], false])
  // The process that has the stream stops: the client goes on at another one.
  following.close()
  gone.abort()
  time += 30_000
  const next = await begun.follow(key, AbortSignal.timeout(60_000))
  expect(next.current().tokens).toEqual([other, odd])
  begun.close()
  await Promise.all(signals.map((each) => each.close()))
})

/** A host of token lists that notes what is asked. */
async function startLists() {
  const asked: string[] = []
  const entry = (address: unknown, chainId: unknown = 11155111) => ({ address, chainId, symbol: 'X' })
  const bodies: Record<string, unknown> = {
    '/lists/all.json': {
      name: 'all',
      tokens: [
        entry(one.toUpperCase().replace('0X', '0x')),
        entry(other),
        entry(nobody, 1),
        entry('x'),
        entry(7),
      ],
    },
    '/lists/large.json': { tokens: numberOf(1_501).map((address) => entry(address)) },
    '/lists/odd.json': { tokens: 'none' },
    '/lists/huge.json': { tokens: numberOf(20_001).map((address) => entry(address)) },
  }
  const server = createServer((req, res) => {
    asked.push(req.url ?? '')
    const body = bodies[req.url ?? '']
    if (body === undefined) res.writeHead(req.url?.includes('broken') ? 500 : 404).end()
    else res.end(JSON.stringify(body))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    close: () => new Promise((resolve) => server.close(resolve)),
  }
}

import { once } from 'node:events'
import { expect, test } from 'vitest'
import { Outage } from '../../../src/domain/errors/error.ts'
import type { TradingServices } from '../../../src/graphql/context/networks.ts'
import { createStreamMeter } from '../../../src/http/event-stream.ts'
import type { KnownBalance } from '../../../src/tokens/balances.ts'
import { numbered } from '../../fakes/order.ts'
import { eventually } from '../../setup/eventually.ts'
import { openTestServer } from '../../setup/server.ts'
import { request } from '../../setup/trader.ts'
import { openEvents } from '../../tokens/balance-events.ts'

const account = numbered('0f')
const [one, other, odd] = [numbered('a1'), numbered('a2'), numbered('a3')]

test('what is no token is left out, and so is what cannot be read now, which a header names', async () => {
  const values: Record<string, KnownBalance> = {
    [one]: { balance: 7n, allowance: 3n },
    [other]: 'absent',
    [odd]: 'unavailable',
  }
  await using server = await openTestServer({
    balances: async (_, tokens) => ({ block: 7, balances: tokens.map((token) => values[token] ?? 'absent') }),
    heldTokens: async () => [one, odd],
  })
  const named = await request(
    `${server.url}/sepolia/accounts/${account}/balances?tokens=${odd},${one},${other}`,
  )
  expect([named.status, named.body, named.headers.get('x-unavailable-tokens')]).toEqual([
    200,
    [{ balance: '7', allowance: '3', token: { address: one, symbol: 'A1A', decimals: 18 } }],
    odd,
  ])
  expect(named.headers.get('access-control-expose-headers')).toContain('X-Unavailable-Tokens')
  const held = await request(`${server.url}/sepolia/address/${account}/balances`)
  expect([held.body, held.headers.get('x-unavailable-tokens')]).toEqual([{ balances: { [one]: '7' } }, odd])
})

test('503 where nothing can be read, never an empty list', async () => {
  await using server = await openTestServer({
    balances: () => Promise.reject(new Outage('the network node')),
    heldTokens: () => Promise.reject(new Outage('the network node')),
  })
  for (const path of [`accounts/${account}/balances?tokens=${one}`, `address/${account}/balances`]) {
    const answer = await request(`${server.url}/sepolia/${path}`)
    expect([answer.status, Object.keys(answer.body)]).toEqual([503, ['message']])
  }
})

test('eight balances are charged as one read, over REST and in GraphQL', async () => {
  await using server = await openTestServer(
    { balances: async (_, tokens) => ({ block: 7, balances: tokens.map(() => 'absent' as const) }) },
    { rateLimits: { reads: 1_000, quotes: 0, orders: 0 } },
  )
  const tokens = Array.from({ length: 80 }, (_, index) => `0x${(index + 1).toString(16).padStart(40, '0')}`)
  const left = ({ headers }: { headers: Headers }) =>
    Number(/"?reads"?;r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1])
  const path = `${server.url}/sepolia/accounts/${account}/balances?tokens=`
  const first = left(await request(`${path}${tokens[0]}`))
  const second = left(await request(`${path}${tokens.join()}`))
  expect(first - second).toBe(11)
  const query = `{ account(address: "${account}") { balances(tokens: ${JSON.stringify(tokens)}, first: 80) { nodes { state } } } }`
  expect(second - left(await request(`${server.url}/graphql`, 'POST', { query }))).toBe(11)
})

test('streams over REST are counted with those of GraphQL, and share their limits', async () => {
  const streamMeter = createStreamMeter()
  const update = { block: 7, isComplete: true, isAvailable: true, changes: [] }
  const watchBalances: TradingServices['watchBalances'] = async function* (_owner, _tokens, { signal }) {
    yield update
    await once(signal, 'abort')
  }
  const server = await openTestServer(
    { watchBalances },
    { streamMeter, streamLimits: { total: 2, perClient: 2 } },
  )
  const path = `${server.url}/sepolia/accounts/${account}/balances/sse?tokens=${one}`
  const streams = [await openEvents(path), await openEvents(path)]
  await eventually('both have their first event', () => streamMeter.delivered === 2)
  expect(streamMeter.open).toBe(2)
  const query = `subscription { balances(account: "${account}", tokens: ["${one}"]) { block } }`
  const refused = await fetch(`${server.url}/graphql/stream`, {
    method: 'POST',
    headers: { accept: 'text/event-stream', 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  })
  expect(refused.status).toBe(429)
  await streams[0]?.[Symbol.asyncDispose]()
  await eventually('one is closed', () => streamMeter.open === 1)
  expect(streamMeter.ends).toEqual(new Map())
  await server[Symbol.asyncDispose]()
  expect([streamMeter.open, streamMeter.ends]).toEqual([0, new Map([['SHUTTING_DOWN', 1]])])
  await streams[1]?.[Symbol.asyncDispose]()
})

import { afterEach, expect, test, vi } from 'vitest'
import type { Rpc } from '../../src/chain/rpc/rpc.ts'
import { Outage } from '../../src/domain/errors/error.ts'
import { type Address, address } from '../../src/domain/evm/address.ts'
import { guardedSource, unknownMs } from '../../src/market/guarded-source.ts'
import { createChainFeed } from '../../src/market/prices/chain-feed.ts'
import { OutsideFault, Throttled } from '../../src/outside/fault.ts'
import { createFallbackSource } from '../../src/tokens/fallback-source.ts'
import { numbered } from '../fakes/order.ts'
import { silentLog } from '../fakes/silent-log.ts'

const [token, other] = [numbered('a0'), numbered('b0')]

afterEach(() => void vi.useRealTimers())

function start(says: (token: Address) => string | undefined | Promise<string>) {
  const asked: Address[] = []
  const clock = { now: 1_800_000_000_000 }
  const source = {
    name: 'them',
    async find(of: Address) {
      asked.push(of)
      return says(of)
    },
  }
  const { find } = guardedSource(source, { now: () => clock.now, log: silentLog })
  return { asked, clock, find: (of = token) => find(of, AbortSignal.timeout(1_000)) }
}

test('an unknown token is not asked about again for half an hour; others are', async () => {
  const { asked, clock, find } = start((of) => (of === token ? undefined : '1'))
  for (let call = 0; call < 3; call++) expect(await find()).toBeUndefined()
  for (let call = 0; call < 2; call++) expect(await find(other)).toBe('1')
  clock.now += unknownMs - 1
  expect(await find()).toBeUndefined()
  expect(asked).toEqual([token, other, other])
  clock.now += 2
  expect(await find()).toBeUndefined()
  expect(asked).toEqual([token, other, other, token])
})

test('a bounded number of unknown tokens is remembered', async () => {
  const { asked, find } = start(() => undefined)
  const tokens = Array.from({ length: 10_001 }, (_, of) => address(`0x${of.toString(16).padStart(40, '0')}`))
  for (const of of tokens) await find(of)
  asked.splice(0)
  for (const of of [tokens.at(-1), tokens[1], tokens[0]]) await find(of)
  expect(asked).toEqual([tokens[0]])
})

test('outages of tokens are no failures of the source, and are not cached', async () => {
  const { asked, find } = start((of) => {
    if (of === token) throw new Outage('them', 'sends an invalid answer')
    return '1'
  })
  for (let call = 0; call < 20; call++) await expect(find()).rejects.toThrow(Outage)
  expect(asked).toHaveLength(20)
  expect(await find(other)).toBe('1')
})

test('after five failures of its own it is paused', async () => {
  const { asked, find } = start(() => {
    throw new OutsideFault('them', 'status 500')
  })
  for (let call = 0; call < 20; call++) await expect(find()).rejects.toThrow(OutsideFault)
  expect(asked).toHaveLength(5)
})

test('while a node is away, tokens without a feed are answered as if there were no feeds', async () => {
  const now = () => 1_800_000_000_000
  const away: Rpc = {
    call: () => Promise.reject(new Outage('the network node')),
    batch: () => Promise.reject(new Outage('the network node')),
  }
  const feeds = new Map(Array.from({ length: 5 }, (_, of) => [numbered(`f${of}`), numbered('fe')]))
  const feed = createChainFeed({ name: 'chainlink', rpc: away, feeds, maxAgeSeconds: 60, now })
  const guarded = guardedSource(feed, { now, log: silentLog })
  const market = { name: 'orderbook', find: async (of: Address) => (of === token ? '2' : undefined) }
  const fallbackSource = createFallbackSource({
    what: 'the USD price',
    sources: [guarded, market],
    now,
    log: silentLog,
  })
  for (const of of feeds.keys()) await expect(fallbackSource.find(of, 'somebody')).rejects.toThrow(Outage)
  await expect(guarded.find(numbered('f0'), AbortSignal.timeout(1_000))).rejects.toThrow(Outage)
  expect(await fallbackSource.find(token, 'somebody')).toMatchObject({ value: '2', keepMs: 120_000 })
  expect(await fallbackSource.find(other, 'somebody')).toBeUndefined()
})

test('a paused source is tried by one request after a second, and then at growing intervals', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const { asked, find } = start(() => {
    throw new OutsideFault('them', 'status 500')
  })
  const askThrice = async () => {
    for (let call = 0; call < 3; call++) await expect(find()).rejects.toThrow(OutsideFault)
    return asked.splice(0).length
  }
  for (let call = 0; call < 5; call++) await expect(find()).rejects.toThrow(OutsideFault)
  asked.splice(0)
  const tries: number[] = []
  for (const ms of [999, 1, 1_999, 1]) {
    vi.setSystemTime(Date.now() + ms)
    tries.push(await askThrice())
  }
  expect(tries).toEqual([0, 1, 0, 1])
})

test('a rate-limited source is paused for a second', async () => {
  const { asked, clock, find } = start(() => {
    throw new Throttled('them', 'status 429')
  })
  const counts: number[] = []
  for (const ms of [0, 999, 1]) {
    clock.now += ms
    for (let call = 0; call < 2; call++) await expect(find()).rejects.toThrow(Throttled)
    counts.push(asked.length)
  }
  expect(counts).toEqual([1, 1, 2])
})

test('at most sixty-four requests are under way at a time', async () => {
  const answers: (() => void)[] = []
  const { asked, find } = start(() => new Promise((resolve) => answers.push(() => resolve('1'))))
  const under = Array.from({ length: 64 }, () => find())
  await expect(find()).rejects.toThrow(Throttled)
  expect(asked).toHaveLength(64)
  for (const answer of answers) answer()
  expect(new Set(await Promise.all(under))).toEqual(new Set(['1']))
})

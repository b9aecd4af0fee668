import { expect, test } from 'vitest'
import type { Rpc } from '../../src/chain/rpc.ts'
import { type Address, address } from '../../src/domain/address.ts'
import { Outage } from '../../src/domain/error.ts'
import { guardedSource, unknownMs } from '../../src/market/guarded-source.ts'
import { createChainFeed } from '../../src/market/prices/chain-feed.ts'
import { OutsideFault } from '../../src/outside/fault.ts'
import { createCascade } from '../../src/tokens/cascade.ts'
import { numbered } from '../fakes/order.ts'
import { silentLog } from '../fakes/silent-log.ts'

const [token, other] = [numbered('a0'), numbered('b0')]

function start(says: (token: Address) => string | undefined) {
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

test('a token that it does not know is not asked about again for half an hour; others are', async () => {
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

test('so many, and no more, are remembered', async () => {
  const { asked, find } = start(() => undefined)
  const tokens = Array.from({ length: 10_001 }, (_, of) => address(of.toString(16).padStart(40, '0')))
  for (const of of tokens) await find(of)
  asked.splice(0)
  for (const of of [tokens.at(-1), tokens[1], tokens[0]]) await find(of)
  expect(asked).toEqual([tokens[0]])
})

test('outages of tokens are no failures of its own, and are not remembered', async () => {
  const { asked, find } = start((of) => {
    if (of === token) throw new Outage('them', 'talks nonsense')
    return '1'
  })
  for (let call = 0; call < 20; call++) await expect(find()).rejects.toThrow(Outage)
  expect(asked).toHaveLength(20)
  expect(await find(other)).toBe('1')
})

test('after five failures of its own it is left alone', async () => {
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
  const cascade = createCascade({ what: 'the USD price', sources: [guarded, market], now, log: silentLog })
  for (const of of feeds.keys()) await expect(cascade.find(of, 'somebody')).rejects.toThrow(Outage)
  await expect(guarded.find(numbered('f0'), AbortSignal.timeout(1_000))).rejects.toThrow(Outage)
  expect(await cascade.find(token, 'somebody')).toMatchObject({ value: '2', keepMs: 120_000 })
  expect(await cascade.find(other, 'somebody')).toBeUndefined()
})

import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Address, address } from '../../src/domain/evm/address.ts'
import { guardedSource } from '../../src/market/guarded-source.ts'
import { createCoingecko } from '../../src/market/prices/coingecko.ts'
import { silentLog } from '../fakes/silent-log.ts'
import {
  type Behaviour,
  type SolverEngineFake,
  saying,
  startSolverEngine,
  status,
} from '../fakes/solver-engine.ts'

const tokens = Array.from({ length: 40 }, (_, index) =>
  address(`0x${(index + 160).toString(16).padStart(40, '0')}`),
)
const priceOf = (token: string) => Number(BigInt(token)) / 2

/** Prices of all tokens that it is asked about. */
const provider: Behaviour = ({ query }, response) => {
  const named = (query.contract_addresses ?? '').split(',')
  response.end(JSON.stringify(Object.fromEntries(named.map((token) => [token, { usd: priceOf(token) }]))))
}

let server: SolverEngineFake
beforeEach(async () => {
  server = await startSolverEngine(provider)
})
afterEach(() => server.close())

function start(more: { apiKey?: string; addressesPerCall?: number }) {
  const options = {
    name: 'coingecko',
    url: server.url,
    keyHeader: 'x-key',
    network: { chainId: 1 },
    now: Date.now,
  }
  const source = createCoingecko({ ...options, ...more })
  if (!source) throw new Error('no source')
  const { find } = guardedSource(source, { now: Date.now, log: silentLog })
  return (token: Address) => find(token, AbortSignal.timeout(4_000))
}

/** How many tokens each call named. */
const sizes = () => server.asked.map(({ query }) => query.contract_addresses?.split(',').length)

test.each([
  [{ apiKey: 'key' }, [30, 10]],
  [{ apiKey: 'key', addressesPerCall: 16 }, [16, 16, 8]],
  [{ addressesPerCall: 100 }, [40]],
  [{}, Array.from({ length: 40 }, () => 1)],
])('with %j, forty tokens take calls of %j', async (more, expected) => {
  const find = start(more)
  const prices = await Promise.all(tokens.map(find))
  expect(prices).toEqual(tokens.map((token) => String(priceOf(token))))
  expect(sizes()).toEqual(expected)
})

test('each token has its own answer: a price, none, or nonsense', async () => {
  const [one = '', unpriced = '', bad = '', absent = ''] = tokens
  server.behaves(saying(JSON.stringify({ [one]: { usd: 2 }, [unpriced]: {}, [bad]: { usd: -1 } })))
  const find = start({ apiKey: 'key' })
  const answers = await Promise.allSettled(
    [one, unpriced, bad, absent].map((token) => find(token as Address)),
  )
  expect(answers).toMatchObject([
    { status: 'fulfilled', value: '2' },
    { status: 'fulfilled', value: undefined },
    { status: 'rejected', reason: { cause: 'sends an invalid answer: a price is out of range' } },
    { status: 'fulfilled', value: undefined },
  ])
  expect(sizes()).toEqual([4])
})

test.each([400, 404])('where several are refused with %d, each is asked for alone', async (refused) => {
  server.behaves((question, response) => {
    const isOne = !question.query.contract_addresses?.includes(',')
    return (isOne ? provider : status(refused))(question, response)
  })
  const find = start({ apiKey: 'key' })
  const prices = await Promise.all(tokens.slice(0, 3).map(find))
  expect(prices).toEqual(tokens.slice(0, 3).map((token) => String(priceOf(token))))
  expect(sizes()).toEqual([3, 1, 1, 1])
})

test('a call that fails counts once, however many tokens it names', async () => {
  const find = start({ apiKey: 'key' })
  server.behaves(status(500))
  const failed = await Promise.allSettled(tokens.slice(0, 20).map(find))
  expect(failed.every(({ status }) => status === 'rejected')).toBe(true)
  server.behaves(provider)
  expect(await find(tokens[0] as Address)).toBe(String(priceOf(tokens[0] as Address)))
  expect(sizes()).toEqual([20, 1])
})

test('a call ends when nobody waits for it any more, and not before', async () => {
  let isGone = false
  server.behaves(
    (_question, response) =>
      void response.on('close', () => {
        isGone = true
      }),
  )
  const source = createCoingecko({
    name: 'coingecko',
    url: server.url,
    apiKey: 'key',
    keyHeader: 'x-key',
    network: { chainId: 1 },
    now: Date.now,
  })
  if (!source) throw new Error('no source')
  const { find } = guardedSource(source, { now: Date.now, log: silentLog })
  const [first, second] = [new AbortController(), new AbortController()]
  const both = Promise.allSettled([
    find(tokens[0] as Address, first.signal),
    find(tokens[1] as Address, second.signal),
  ])
  while (server.asked.length === 0) await new Promise(setImmediate)
  first.abort()
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
  expect(isGone).toBe(false)
  second.abort()
  expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
})

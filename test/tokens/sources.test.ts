import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readSettings } from '../../src/app/config.ts'
import { composeTokenData } from '../../src/app/token-data.ts'
import { createRpc } from '../../src/chain/rpc/rpc.ts'
import { Outage } from '../../src/domain/errors/error.ts'
import { nativeMarker } from '../../src/domain/evm/address.ts'
import type { Network } from '../../src/domain/network/network.ts'
import { createFallbackSource, fallbackLimits } from '../../src/tokens/fallback-source.ts'
import { sampleNetwork } from '../fakes/network.ts'
import { numbered, wrapped } from '../fakes/order.ts'
import { silentLog } from '../fakes/silent-log.ts'
import {
  type Behaviour,
  type SolverEngineFake,
  saying,
  startSolverEngine,
  status,
} from '../fakes/solver-engine.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'

const mainnet: Network = { ...sampleNetwork, chainId: 1, name: 'mainnet' }
const token = numbered('a0')

const provider: Behaviour = ({ path, query }, response) =>
  response.end(
    path.endsWith('/owners')
      ? JSON.stringify({ result: [{ owner_address: numbered('a1'), balance: '25' }] })
      : `{"${query.contract_addresses}":{"usd":2}}`,
  )

let server: SolverEngineFake
/** Messages with their fields. */
let warnings: unknown[]
let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database?.[Symbol.asyncDispose]())
beforeEach(async () => {
  warnings = []
  server = await startSolverEngine(provider)
})
afterEach(() => server.close())

function assemble(prices: readonly object[], network = mainnet) {
  const withUrl = (source: object) => ({ kind: 'coingecko', url: server.url, apiKey: 'key', ...source })
  return composeTokenData({
    network,
    rpc: createRpc({ url: 'http://127.0.0.1:1', log: silentLog }),
    head: () => Promise.reject(new Error('not asked')),
    db: database.db,
    settings: readSettings({
      USD_PRICE_SOURCES: JSON.stringify(prices.map(withUrl)),
      HOLDER_SOURCES: JSON.stringify([{ ...withUrl({}), kind: 'moralis' }]),
    }),
    log: { ...silentLog, warn: (...line) => void warnings.push(line) },
    now: Date.now,
    tokens: async () => new Map(),
    nativeRates: async () => new Map(),
  })
}
const sourceOf = async (prices: readonly object[], network?: Network) =>
  (await assemble(prices, network).usdPrice(token, 'somebody'))?.source

describe('sources are asked', () => {
  test.each([[[{}]], [[{ network: 'mainnet' }]], [[{ network: 'ethereum' }]], [[{ network: '1' }]]])(
    'on this network: %j',
    async (prices) => expect(await sourceOf(prices)).toBe('coingecko'),
  )

  test('but not those of another network, or without this one', async () => {
    expect(await sourceOf([{ network: 'base' }, { name: 'second', network: 'mainnet' }])).toBe('second')
    server.asked.splice(0)
    await expect(sourceOf([{}], sampleNetwork)).rejects.toThrow(Outage)
    expect(server.asked).toEqual([])
  })

  test('without any for this network prices are unavailable, and one warning is logged', async () => {
    const data = assemble([{ network: 'base' }])
    for (const _ of [1, 2])
      await expect(data.usdPrice(token, 'somebody')).rejects.toMatchObject({
        message: 'the USD price is unavailable',
        cause: 'no source is set up for this network',
      })
    expect(warnings).toEqual([['no source in USD_PRICE_SOURCES serves this network', { network: 'mainnet' }]])
    warnings.splice(0)
    assemble([{}])
    expect(warnings).toEqual([])
  })

  test('own records that a network lacks are no warning: nothing is set wrong', async () => {
    const data = assemble([{ kind: 'orderbook', url: undefined, apiKey: undefined }])
    await expect(data.usdPrice(token, 'somebody')).rejects.toThrow(Outage)
    expect(warnings).toEqual([])
  })

  test('a source configured for this network that does not have it is logged', () => {
    const named = [{ name: 'alpha', network: 'sepolia' }, { name: 'beta' }]
    assemble(named, sampleNetwork)
    expect(warnings.splice(0)).toEqual([
      ['a token source does not know this network', { source: 'alpha', network: 'sepolia' }],
      ['no source in USD_PRICE_SOURCES serves this network', { network: 'sepolia' }],
    ])
  })
})

test('tokens for which a source answers nonsense or refuses do not stop it for other tokens', async () => {
  const isBad = (of: string) => of.endsWith('bad')
  server.behaves((question, response) => {
    const { path, query } = question
    if (isBad(query.contract_addresses ?? '')) return saying('{"0x":{"usd":1e16}}')(question, response)
    if (isBad(path.split('/')[2] ?? '')) return status(400)(question, response)
    provider(question, response)
  })
  const data = assemble([{}])
  for (let of = 10; of < 20; of++) {
    await expect(data.usdPrice(numbered(`${of}bad`), 'somebody')).rejects.toThrow('unavailable')
    await expect(data.topHolders(numbered(`${of}bad`), 'somebody')).rejects.toThrow('unavailable')
  }
  expect(server.asked).toHaveLength(20)
  expect(await data.usdPrice(token, 'somebody')).toMatchObject({ value: '2' })
  expect(await data.topHolders(token, 'somebody')).toMatchObject({ source: 'moralis' })
})

test('the native coin has the price and holders of its wrapped form', async () => {
  const data = assemble([{}])
  const price = await data.usdPrice(nativeMarker, 'somebody')
  expect(price).toMatchObject({ value: '2', source: 'coingecko', isStale: false })
  expect(await data.usdPrice(wrapped, 'somebody')).toBe(price)
  expect(data.peekUsdPrice(nativeMarker)).toBe(price)
  const holders = await data.topHolders(nativeMarker, 'somebody')
  expect(holders).toMatchObject({ value: [{ address: numbered('a1'), balance: 25n }], source: 'moralis' })
  expect(data.peekTopHolders(wrapped)).toBe(holders)
  expect(server.asked.map(({ path, query }) => query.contract_addresses ?? path)).toEqual([
    wrapped,
    `/erc20/${wrapped}/owners`,
  ])
})

test('the transit time of an answer shortens its lifetime in the cache', async () => {
  const asked = 1_800_000_000_000
  let time = asked
  const slow = {
    name: 'slow',
    async find() {
      time += 1_000
      return '2'
    },
  }
  const what = { what: 'the USD price', log: silentLog }
  const { find, peek } = createFallbackSource({ ...what, sources: [slow], now: () => time })
  expect(await find(token, 'somebody')).toMatchObject({ value: '2', at: asked })
  time = asked + fallbackLimits.freshMs - 1
  expect(peek(token)).toMatchObject({ value: '2', at: asked })
  time++
  expect(peek(token)).toBeUndefined()
})

test.each([
  [500, 5],
  [429, 1],
])('a source that answers %d is asked %d times in a row, and then paused', async (code, times) => {
  server.behaves(status(code))
  const data = assemble([{}])
  for (let of = 10; of < 30; of++)
    await expect(data.usdPrice(numbered(`${of}`), 'somebody')).rejects.toThrow('unavailable')
  expect(server.asked).toHaveLength(times)
})

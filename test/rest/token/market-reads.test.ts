import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Outage, Refusal } from '../../../src/domain/errors/error.ts'
import { type Address, nativeMarker } from '../../../src/domain/evm/address.ts'
import type { NativeRate } from '../../../src/domain/token/prices.ts'
import { coin, dollar, numbered, wrapped } from '../../fakes/order.ts'
import { storeContest, storeSettlement } from '../../fakes/solutions.ts'
import { storeOrder } from '../../fakes/story.ts'
import { network, openTestServer, type TestServer } from '../../setup/server.ts'
import { graphql, request } from '../../setup/trader.ts'

const poor = numbered('9a')
const unreadable = numbered('9b')
const denied = numbered('9c')
const rates = new Map<Address, NativeRate | Refusal>([
  [denied, new Refusal('UnsupportedToken', 'not traded here')],
  [wrapped, { nativeAmount: 1n, tokenAmount: 1n }],
  [nativeMarker, { nativeAmount: 1n, tokenAmount: 1n }],
  [coin, { nativeAmount: 10n ** 17n, tokenAmount: 3n * 10n ** 17n }],
  [dollar, { nativeAmount: 10n ** 17n, tokenAmount: 300n * 10n ** 6n }],
])
const trader = numbered('1a')
const unit = 10n ** 18n

let server: TestServer
let base: string
let ready = true

beforeAll(async () => {
  server = await openTestServer({
    nativeRates: async (tokens) => {
      if (tokens.includes(unreadable)) throw new Outage('the node')
      return new Map([...rates].filter(([token]) => tokens.includes(token)))
    },
    ready: async () => ready,
  })
  base = `${server.url}/sepolia`
  const { db } = server.database
  const sold = await storeOrder(db, { owner: trader })
  // Offers five tenths of a coin for at most a tenth of the native one.
  const bought = await storeOrder(db, {
    owner: trader,
    kind: 'buy',
    sellToken: coin,
    buyToken: nativeMarker,
    sellAmount: 5n * 10n ** 17n,
    buyAmount: 10n ** 17n,
  })
  const gained = await storeOrder(db, {
    owner: trader,
    sellToken: dollar,
    buyToken: nativeMarker,
    sellAmount: 3n,
    buyAmount: 2n,
  })
  await storeContest(db, { id: 5n, orders: [sold, bought, gained], solutions: [] })
  const nativePrices = new Map([[coin, 7n]])
  await storeContest(db, { id: 6n, orders: [sold], solutions: [], nativePrices })
  const settlement = { solver: numbered('51') }
  await storeSettlement(db, {
    ...settlement,
    txHash: `0x${'61'.repeat(32)}` as const,
    blockNumber: 60,
    logIndex: 9,
    auctionId: 5n,
    trades: [
      { order: sold, sell: unit, buy: 2_910n * 10n ** 6n },
      { order: bought, sell: 2n * 10n ** 17n, buy: 5n * 10n ** 16n },
      // A signed fee does not count towards the limit price.
      { order: gained, sell: 3n, fee: 1n, buy: 9n },
    ],
  })
  await storeSettlement(db, {
    ...settlement,
    txHash: `0x${'62'.repeat(32)}` as const,
    blockNumber: 50,
    logIndex: 9,
    auctionId: null,
    trades: [{ order: bought, sell: 1n, buy: unit }],
  })
})
afterAll(() => server?.[Symbol.asyncDispose]())

describe('the native price of a token', () => {
  const price = async (token: string) => {
    const { status, body } = await request(`${base}/api/v1/token/${token}/native_price`)
    return [status, body]
  }

  test('is a number: native atoms for one atom', async () => {
    expect(await price(coin)).toEqual([200, { price: 1 / 3 }])
    expect(await price(dollar.toUpperCase().replace('0X', '0x'))).toEqual([200, { price: 1e17 / 3e8 }])
  })

  test('is exactly one for the native coin in both forms', async () => {
    for (const token of [wrapped, nativeMarker]) expect(await price(token)).toEqual([200, { price: 1 }])
  })

  test('is refused without a route, in an outage of the node, and for a malformed address', async () => {
    const refusal = (errorType: string) => ({ errorType, description: expect.any(String) })
    expect(await price(poor)).toEqual([404, refusal('NoLiquidity')])
    expect(await price(denied)).toEqual([400, refusal('UnsupportedToken')])
    expect(await price(unreadable)).toEqual([503, refusal('Unavailable')])
    expect(await price('0x12')).toEqual([
      400,
      {
        errorType: 'InvalidParameter',
        description: 'token must be an address: 20 bytes of hex with 0x in front',
      },
    ])
  })

  test('is an exact decimal over GraphQL, and null if there is none', async () => {
    const query = 'query ($addresses: [Address!]!) { tokens(addresses: $addresses) { address nativePrice } }'
    const before = server.database.statements.length
    expect((await graphql(server.url, query, { addresses: [coin, dollar, poor] })).tokens).toEqual([
      { address: coin, nativePrice: '0.333333333333333333' },
      { address: dollar, nativePrice: '333333333.333333333' },
      { address: poor, nativePrice: null },
    ])
    expect(server.database.statements).toHaveLength(before)
    const many = { query, variables: { addresses: Array.from({ length: 129 }, () => coin) } }
    const { body } = await request(`${server.url}/graphql`, 'POST', many)
    expect(body.errors[0]).toMatchObject({ extensions: { code: 'InvalidParameter', field: 'addresses' } })
  })
})

describe('recorded metadata of a token', () => {
  const metadata = async (token: string) => (await request(`${base}/api/v1/token/${token}/metadata`)).body

  test('has its first trade on either side, and its newest price in an auction', async () => {
    expect(await metadata(coin)).toEqual({ firstTradeBlock: 50, nativePrice: '7' })
    expect(await metadata(nativeMarker)).toEqual({ firstTradeBlock: 50, nativePrice: null })
    expect(await metadata(wrapped)).toEqual({ firstTradeBlock: 60, nativePrice: String(unit) })
    expect(await metadata(poor)).toEqual({ firstTradeBlock: null, nativePrice: null })
    expect((await request(`${base}/api/v1/token/nothing/metadata`)).status).toBe(400)
  })

  test('is one statement, also for many tokens', async () => {
    const query =
      'query ($addresses: [Address!]!) { tokens(addresses: $addresses) { firstTradeBlock lastAuctionPrice } }'
    const before = server.database.statements.length
    await graphql(server.url, query, { addresses: [coin, dollar, wrapped, poor] })
    expect(server.database.statements.length - before).toBe(1)
  })
})

describe('the total surplus of an account', () => {
  const total = async (user: string) => {
    const { status, body } = await request(`${base}/api/v1/users/${user}/total_surplus`)
    return [status, body]
  }

  test('is the sum of its trades at their auctions’ prices; a trade without an auction counts nothing', async () => {
    // Ten dollars at 1/3000, 0.05 of a coin at 1/6000, and nine for two of three where 1.33 would do, rounded
    // up.
    const dollars = (10n ** 7n * (10n ** 30n / 3_000n)) / unit
    const coins = (5n * 10n ** 16n * (unit / 6_000n)) / unit
    expect(await total(trader)).toEqual([200, { totalSurplus: String(dollars + coins + 7n) }])
    const query =
      'query ($address: Address!) { account(address: $address) { totalSurplus(network: "11155111") } }'
    expect((await graphql(server.url, query, { address: trader })).account.totalSurplus).toBe(
      String(dollars + coins + 7n),
    )
  })

  test('is zero for an unknown account, and one statement', async () => {
    const before = server.database.statements.length
    expect(await total(numbered('99'))).toEqual([200, { totalSurplus: '0' }])
    expect(server.database.statements.length - before).toBe(1)
    expect((await total('0x12'))[0]).toBe(400)
  })
})

describe('a network', () => {
  test.each(['sepolia', 'Sepolia', '11155111'])('is found as %s, over REST and GraphQL', async (name) => {
    const { status } = await request(`${server.url}/${name}/api/v1/account/${trader}/orders`)
    expect(status).toBe(200)
    const query = 'query ($name: NetworkName!) { network(name: $name) { name chainId } }'
    expect((await graphql(server.url, query, { name })).network).toEqual({
      name: 'sepolia',
      chainId: 11155111,
    })
  })

  test.each([
    ['nowhere', 'there is no network nowhere, but sepolia'],
    ['gnosis', 'gnosis is not served here, but sepolia'],
    ['1', '1 is not served here, but sepolia'],
  ])('%s is not served', async (name, description) => {
    const { status, body } = await request(`${server.url}/${name}/api/v1/version`)
    expect([status, body]).toEqual([404, { errorType: 'NotFound', description }])
  })

  test('named like another chain is found by its own name first', async () => {
    await using odd = await openTestServer({ network: { ...network, name: 'base' } })
    const named = async (name: string) => (await request(`${odd.url}/${name}/api/v1/version`)).status
    expect([await named('base'), await named('sepolia'), await named('8453')]).toEqual([200, 200, 404])
  })

  test('reports whether it is ready, in an empty body', async () => {
    const answer = await request(`${base}/api/v1/ready`)
    expect([answer.status, answer.body]).toEqual([200, ''])
    ready = false
    expect((await request(`${base}/api/v1/ready`)).status).toBe(503)
    ready = true
    expect((await graphql(server.url, '{ networks { ready } }')).networks).toEqual([{ ready: true }])
  })
})

describe('an unsupported method', () => {
  test.each([
    ['GET', '/api/v1/orders/by_uids', 'POST, OPTIONS'],
    ['DELETE', '/api/v2/solver_competition/latest', 'GET, HEAD, OPTIONS'],
    ['POST', '/api/v1/token/0x12/native_price', 'GET, HEAD, OPTIONS'],
    ['PUT', '/api/v1/ready', 'GET, HEAD, OPTIONS'],
    ['POST', `/api/v1/orders/0x12/status`, 'GET, HEAD, OPTIONS'],
    ['POST', '/restricted/api/v2/solver_competition/1', 'GET, HEAD, OPTIONS'],
  ])('%s %s: 405, naming %s', async (method, path, allow) => {
    const { status, body, headers } = await request(
      `${base}${path}`,
      method,
      method === 'GET' ? undefined : {},
    )
    expect([status, body.errorType, headers.get('allow')]).toEqual([405, 'MethodNotAllowed', allow])
  })

  test('of a path with several methods lists all of them', async () => {
    const { headers } = await request(`${base}/api/v1/app_data/0x12`, 'POST', {})
    expect(headers.get('allow')).toBe('GET, PUT, HEAD, OPTIONS')
  })

  test('HEAD and OPTIONS work on every read', async () => {
    for (const path of [
      '/api/v1/ready',
      `/api/v1/token/${coin}/native_price`,
      `/api/v1/users/${trader}/total_surplus`,
    ]) {
      const head = await fetch(`${base}${path}`, { method: 'HEAD' })
      const get = await fetch(`${base}${path}`)
      expect([head.status, await head.text()]).toEqual([200, ''])
      expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'))
      expect((await fetch(`${base}${path}`, { method: 'OPTIONS' })).status).toBe(204)
    }
  })
})

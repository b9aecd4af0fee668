import { getAddress } from 'ethers'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Outage } from '../../../src/domain/errors/error.ts'
import { type Address, address, nativeMarker } from '../../../src/domain/evm/address.ts'
import type { Sourced } from '../../../src/domain/token/sourced.ts'
import type { Token, TokenHolder } from '../../../src/domain/token/token.ts'
import { numbered } from '../../fakes/order.ts'
import { network, openTestServer, type TestServer } from '../../setup/server.ts'
import { type Answer, request } from '../../setup/trader.ts'

const now = 1_800_000_000_000
const token = address('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed')
const checksummed = getAddress(token)
const upper = (text: string) => `0x${text.slice(2).toUpperCase()}`
const { chainId } = network
const usdc: Token = { chainId, address: token, symbol: 'USDC', name: 'US Dollar', decimals: 6 }

const sourced = <Value>(value: Value, more: Partial<Sourced<Value>> = {}): Sourced<Value> => ({
  value,
  source: 'coingecko',
  at: now - 40_900,
  keepMs: 120_000,
  isStale: false,
  ...more,
})

let server: TestServer
let base: string
/** The services' results, and the requests they got. */
let price: Sourced<string> | Outage | undefined
let holders: Sourced<readonly TokenHolder[]> | Outage | undefined
let isRemembered: boolean
let tokens: Map<Address, Token | Outage>
let asked: Address[]

beforeAll(async () => {
  server = await openTestServer({
    async usdPrice(wanted) {
      asked.push(wanted)
      if (price instanceof Outage) throw price
      return price
    },
    peekUsdPrice: () => peek(price),
    async topHolders(wanted) {
      asked.push(wanted)
      if (holders instanceof Outage) throw holders
      return holders
    },
    peekTopHolders: () => peek(holders),
    tokens: async (addresses) => new Map([...tokens].filter(([known]) => addresses.includes(known))),
  })
  base = `${server.url}/sepolia/tokens`
})
afterAll(() => server[Symbol.asyncDispose]())
beforeEach(() => {
  price = sourced('2999.400119976')
  holders = sourced([
    { address: numbered('2'), balance: 2n ** 255n },
    { address: numbered('1'), balance: 1n },
  ])
  isRemembered = false
  tokens = new Map([[token, usdc]])
  asked = []
})

function peek<Value>(known: Sourced<Value> | Outage | undefined): Sourced<Value> | undefined {
  return isRemembered && known && !(known instanceof Outage) && !known.isStale ? known : undefined
}

const usdPrice = (name: string = token) => request(`${base}/${name}/usdPrice`)
const statusAndBody = ({ status, body }: Answer) => [status, body]

function raw(url: string, headers: Record<string, string> = {}, method = 'GET') {
  return fetch(url, { method, headers })
}

/** Without the headers that differ between requests. */
function steady({ headers }: Pick<Answer, 'headers'>) {
  const changing = ['date', 'x-request-id', 'connection', 'keep-alive', 'content-length']
  return Object.fromEntries([...headers].filter(([name]) => !changing.includes(name)))
}

/** Executing the document and answering from memory give the same response. */
const ways = describe.each([
  ['by the document', false],
  ['from memory', true],
])

ways('the price of a token, %s', (_way, remembered) => {
  beforeEach(() => {
    isRemembered = remembered
  })

  test('is a number, with its age and how long a client may cache it', async () => {
    const answer = await raw(`${base}/${token}/usdPrice`)
    expect([answer.status, await answer.text()]).toEqual([200, '{"price":2999.400119976}'])
    expect(steady(answer)).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'public, max-age=120',
      age: '40',
      etag: expect.stringMatching(/^W\/"[\da-f]+-[\w+/]{27}"$/),
      'access-control-allow-origin': '*',
    })
    expect(steady(answer)).not.toHaveProperty('warning')
    expect(asked).toEqual(remembered ? [] : [token])
  })

  test('may be cached as long as the service caches it', async () => {
    price = sourced('7', { at: now - 3_000, keepMs: 10_000 })
    const { headers } = await usdPrice()
    expect([headers.get('cache-control'), headers.get('age')]).toEqual(['public, max-age=10', '3'])
  })

  test('is found by every name of the chain and of the token', async () => {
    const names = [
      token,
      upper(token),
      checksummed,
      '-',
      nativeMarker,
      upper(nativeMarker),
      getAddress(nativeMarker),
    ]
    const chains = ['sepolia', '11155111', 'SEPOLIA']
    for (const chain of chains)
      for (const name of names)
        expect(
          statusAndBody(await request(`${server.url}/${chain}/tokens/${name}/usdPrice`)),
          `${chain} ${name}`,
        ).toEqual([200, { price: 2999.400119976 }])
    const expected = [token, token, token, nativeMarker, nativeMarker, nativeMarker, nativeMarker]
    expect(asked).toEqual(remembered ? [] : chains.flatMap(() => expected))
  })

  test('is not sent again to a client that has it', async () => {
    const url = `${base}/${token}/usdPrice`
    const first = await raw(url)
    const tag = first.headers.get('etag') ?? ''
    const { 'content-type': _, ...kept } = steady(first)
    for (const variables of [
      tag,
      tag.slice(2),
      `"other", ${tag}`,
      `W/"a","b",${tag.slice(2)},"c"`,
      '*',
      ' * ',
    ]) {
      const answer = await raw(url, { 'If-None-Match': variables })
      expect([answer.status, await answer.text(), steady(answer)], variables).toEqual([304, '', kept])
      expect(answer.headers.get('content-length')).toBeNull()
    }
    for (const variables of ['"other"', tag.slice(0, -2), tag.slice(3, -1), '""']) {
      expect((await raw(url, { 'If-None-Match': variables })).status, variables).toBe(200)
    }
    expect((await raw(url, { 'If-None-Match': tag }, 'HEAD')).status).toBe(304)
    price = sourced('2999.5')
    const changed = await raw(url, { 'If-None-Match': tag })
    expect([changed.status, await changed.text()]).toEqual([200, '{"price":2999.5}'])
  })

  test('is answered to HEAD without the body', async () => {
    const url = `${base}/${token}/usdPrice`
    const [get, head] = [await raw(url), await raw(url, {}, 'HEAD')]
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect(steady(head)).toEqual(steady(get))
    expect(head.headers.get('content-length')).toBe(String('{"price":2999.400119976}'.length))
  })

  test.each([
    ['0.000000000123', 1.23e-10],
    ['1', 1],
    ['123456789012345678', 123456789012345680],
    [`0.${'0'.repeat(300)}5`, 5e-301],
  ])('%s is %d', async (text, number) => {
    price = sourced(text)
    expect(statusAndBody(await usdPrice())).toEqual([200, { price: number }])
  })

  test.each(['0', '0.0', `0.${'0'.repeat(400)}1`, `1${'0'.repeat(400)}`, 'NaN', '-1', 'Infinity', ''])(
    '%j is no price',
    async (text) => {
      price = sourced(text)
      expect(statusAndBody(await usdPrice())).toEqual([404, { message: 'Price not found' }])
    },
  )
})

ways('the holders of a token, %s', (_way, remembered) => {
  const url = (name: string = token) => `${base}/${name}/topHolders`
  beforeEach(() => {
    isRemembered = remembered
  })

  test('are a list with amounts in atoms, the greatest first', async () => {
    const answer = await raw(url())
    expect([answer.status, await answer.text()]).toEqual([
      200,
      `[{"address":"${numbered('2')}","balance":"${2n ** 255n}"},{"address":"${numbered('1')}","balance":"1"}]`,
    ])
    expect(steady(answer)).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'public, max-age=120',
      age: '40',
      etag: expect.stringMatching(/^W\/"[\da-f]+-[\w+/]{27}"$/),
    })
    const tag = answer.headers.get('etag') ?? ''
    expect((await raw(url(checksummed), { 'If-None-Match': tag })).status).toBe(304)
    expect((await raw(url('-'), {}, 'HEAD')).status).toBe(200)
    expect(asked).toEqual(remembered ? [] : [token, token, nativeMarker])
  })

  test('are up to a hundred', async () => {
    const many = Array.from({ length: 100 }, (_, index) => ({
      address: numbered((0x1000 + index).toString(16)),
      balance: BigInt(1_000 - index),
    }))
    holders = sourced(many)
    const expected = many.map(({ address, balance }) => ({ address, balance: String(balance) }))
    for (const _ of [1, 2]) expect(statusAndBody(await request(url()))).toEqual([200, expected])
    expect((await raw(url(), {}, 'HEAD')).headers.get('age')).toBe('40')
  })

  test('are absent when there are none', async () => {
    for (const none of [undefined, sourced([])]) {
      holders = none
      const answer = await raw(url())
      expect([answer.status, await answer.text()]).toEqual([404, '{"message":"Token holders not found"}'])
      expect(answer.headers.get('cache-control')).toBe('public, max-age=30')
    }
  })

  test('in an outage are 503, not absent; a stale list has a warning', async () => {
    holders = new Outage('the list of holders')
    const answer = await request(url())
    expect(statusAndBody(answer)).toEqual([
      503,
      { message: 'the list of holders is unavailable: try again later' },
    ])
    expect([answer.headers.get('retry-after'), answer.headers.get('cache-control')]).toEqual([
      '1',
      'no-store',
    ])
    holders = sourced([{ address: token, balance: 5n }], { isStale: true, at: now - 300_000 })
    const stale = await request(url())
    expect(statusAndBody(stale)).toEqual([200, [{ address: token, balance: '5' }]])
    expect(steady(stale)).toMatchObject({
      'cache-control': 'no-cache',
      age: '300',
      warning: expect.any(String),
    })
  })
})

describe('a price', () => {
  test('without a source is absent, for a short time', async () => {
    price = undefined
    const answer = await raw(`${base}/${token}/usdPrice`)
    expect([answer.status, await answer.text()]).toEqual([404, '{"message":"Price not found"}'])
    expect(answer.headers.get('cache-control')).toBe('public, max-age=30')
    expect(answer.headers.get('etag')).toBeNull()
  })

  test('in an outage is 503, not absent', async () => {
    price = new Outage('the USD price', new Error('https://host.example/?key=secret'))
    const answer = await raw(`${base}/${token}/usdPrice`, { 'If-None-Match': '*' })
    expect(answer.status).toBe(503)
    expect(await answer.json()).toEqual({ message: 'the USD price is unavailable: try again later' })
    expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })

  test('that is stale has a warning', async () => {
    price = sourced('7', { isStale: true, at: now - 700_000 })
    const answer = await raw(`${base}/${token}/usdPrice`)
    expect([answer.status, await answer.text()]).toEqual([200, '{"price":7}'])
    expect(steady(answer)).toMatchObject({
      'cache-control': 'no-cache',
      age: '700',
      warning: '110 - "Response is Stale"',
    })
    const again = await raw(`${base}/${token}/usdPrice`, {
      'If-None-Match': answer.headers.get('etag') ?? '',
    })
    expect([again.status, again.headers.get('warning')]).toEqual([304, '110 - "Response is Stale"'])
  })

  test('from a source whose clock is ahead has age 0', async () => {
    price = sourced('7', { at: now + 5_000 })
    expect((await usdPrice()).headers.get('age')).toBe('0')
  })

  test('does not need the token’s metadata', async () => {
    tokens = new Map([[token, new Outage('the network node')]])
    expect((await usdPrice()).status).toBe(200)
    tokens = new Map()
    expect((await usdPrice()).status).toBe(200)
  })
})

describe.each(['usdPrice', 'topHolders', 'details'])('a malformed request for %s', (last) => {
  test.each([
    ['0x12', 'address must be an address: 20 bytes of hex with 0x in front, or - for the chain’s own coin'],
    [token.slice(2), 'address must be an address'],
    ['weth', 'address must be an address'],
    ['%2D%2D', 'address must be an address'],
    ['%E0%A4%A', 'address must be an address'],
    [checksummed.replace('aA', 'aa'), 'address has a wrong checksum: look for a mistyped character'],
  ])('%s is 400', async (name, says) => {
    const answer = await request(`${base}/${name}/${last}`)
    expect([answer.status, Object.keys(answer.body)]).toEqual([400, ['message']])
    expect(answer.body.message).toContain(says)
    expect(asked).toEqual([])
  })

  test.each([
    ['mainnet', 'mainnet is not served here, but sepolia'],
    ['1', '1 is not served here, but sepolia'],
    ['nowhere', 'there is no network nowhere, but sepolia'],
  ])('chain %s is 400', async (chain, message) => {
    const answer = await request(`${server.url}/${chain}/tokens/${token}/${last}`)
    expect(statusAndBody(answer)).toEqual([400, { message }])
  })

  test('other methods are 405, and a trailing slash does not matter', async () => {
    const answer = await request(`${base}/${token}/${last}`, 'POST', {})
    expect(answer.status).toBe(405)
    expect(answer.headers.get('allow')).toBe('GET, HEAD, OPTIONS')
    expect(answer.body).toEqual({ message: 'this path answers GET, HEAD, OPTIONS' })
    expect((await request(`${base}/${token}/${last}/`)).status).toBe(200)
    expect(statusAndBody(await request(`${base}/${token}/nothing`))).toEqual([
      404,
      { message: 'there is nothing at this path' },
    ])
  })
})

test('notifications have an ETag too', async () => {
  const url = `${server.url}/accounts/${token}/notifications`
  const first = await raw(url)
  expect([first.status, await first.text()]).toEqual([200, '[]'])
  expect(first.headers.get('cache-control')).toBe('public, max-age=300')
  expect((await raw(url, { 'If-None-Match': first.headers.get('etag') ?? '' })).status).toBe(304)
})

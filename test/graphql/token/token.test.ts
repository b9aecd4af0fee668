import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Outage } from '../../../src/domain/errors/error.ts'
import { type Address, nativeMarker } from '../../../src/domain/evm/address.ts'
import type { Sourced } from '../../../src/domain/token/sourced.ts'
import type { Token } from '../../../src/domain/token/token.ts'
import { encodedId } from '../../fakes/node-id.ts'
import { dollar, numbered, wrapped } from '../../fakes/order.ts'
import { storeOrder } from '../../fakes/story.ts'
import { network, openTestServer, type TestServer } from '../../setup/server.ts'
import { graphql, request } from '../../setup/trader.ts'

const { chainId } = network
const at = 1_800_000_000_000 - 12_900
const price: Sourced<string> = { value: '0.000000001', source: 'feed', at, keepMs: 120_000, isStale: false }
const coin: Token = { chainId, address: nativeMarker, symbol: 'ETH', name: 'Ether', decimals: 18 }

let server: TestServer
let prices: Map<Address, Sourced<string> | Outage>
let tokens: Map<Address, Token | Outage>
let params: Address[]

beforeAll(async () => {
  server = await openTestServer({
    async usdPrice(token) {
      params.push(token)
      const found = prices.get(token)
      if (found instanceof Outage) throw found
      return found
    },
    tokens: async (addresses) => new Map([...tokens].filter(([known]) => addresses.includes(known))),
  })
})
afterAll(() => server[Symbol.asyncDispose]())
beforeEach(() => {
  prices = new Map([[wrapped, price]])
  tokens = new Map([[nativeMarker, coin]])
  params = []
})

const ask = async (query: string, variables: Record<string, unknown> = {}) =>
  (await request(`${server.url}/graphql`, 'POST', { query, variables })).body
const down = new Outage('the node')
const unavailable = {
  message: 'the node is unavailable: try again later',
  extensions: { code: 'Unavailable', retryable: true },
}

describe('token', () => {
  const query = 'query ($name: TokenAddress!) { token(address: $name) { id address symbol name decimals } }'

  test.each(['-', '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'])('%s is the native coin', async (name) => {
    const { chainId: _, ...fields } = coin
    expect(await graphql(server.url, query, { name })).toEqual({
      token: { id: encodedId(`Token:${chainId}:${nativeMarker}`), ...fields },
    })
  })

  test.each([
    ['0x12', 'must be an address: 20 bytes of hex with 0x in front, or - for the chain’s own coin'],
    [
      '0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
      'has a wrong checksum: look for a mistyped character, or write all letters in lowercase',
    ],
    [7, 'must be an address: 20 bytes of hex with 0x in front, or - for the chain’s own coin'],
  ])('%s is refused, as a variable and in the document', async (name, says) => {
    const extensions = { code: 'InvalidParameter', field: 'address', retryable: false }
    const asVariable = await ask('query ($address: TokenAddress!) { token(address: $address) { symbol } }', {
      address: name,
    })
    expect(asVariable.errors).toMatchObject([{ message: `address ${says}`, extensions }])
    const inDocument = await ask(`{ token(address: ${JSON.stringify(name)}) { symbol } }`)
    expect(inDocument.errors).toMatchObject([{ message: `address ${says}`, extensions }])
  })

  test('is null for an address without a token, and an error while the node is down', async () => {
    expect(await graphql(server.url, query, { name: dollar })).toEqual({ token: null })
    tokens = new Map([[dollar, down]])
    expect(await ask(query, { name: dollar })).toMatchObject({
      data: { token: null },
      errors: [{ path: ['token'], ...unavailable }],
    })
  })
})

test('an order is answered while its tokens can’t be read, with an error for each field', async () => {
  tokens = new Map<Address, Token | Outage>([
    [dollar, down],
    [wrapped, { ...coin, address: wrapped, symbol: 'WETH' }],
  ])
  const { uid } = await storeOrder(server.database.db, { owner: numbered('0f') })
  const answer = await ask(
    'query ($uid: OrderUid!) { order(uid: $uid) { status sellToken { address symbol } buyToken { address symbol name decimals } } }',
    { uid },
  )
  expect(answer.data.order).toEqual({
    status: 'OPEN',
    sellToken: { address: wrapped, symbol: 'WETH' },
    buyToken: { address: dollar, symbol: null, name: null, decimals: null },
  })
  expect(answer.errors).toMatchObject(
    ['symbol', 'name', 'decimals'].map((field) => ({ path: ['order', 'buyToken', field], ...unavailable })),
  )
})

describe('usdPrice', () => {
  const fields = 'usdPrice { price source asOf age maxAge isStale }'
  const list = `query ($addresses: [Address!]!) { tokens(addresses: $addresses) { ${fields} } }`

  test('has its source and time, and is null where no source has a price', async () => {
    prices.set(dollar, { ...price, value: '1', keepMs: 0, isStale: true })
    const { tokens: rows } = await graphql(server.url, list, { addresses: [wrapped, dollar, numbered('1')] })
    const fresh = {
      price: '0.000000001',
      source: 'feed',
      asOf: '2027-01-15T07:59:47.100Z',
      age: 12,
      maxAge: 120,
      isStale: false,
    }
    expect(rows).toEqual([
      { usdPrice: fresh },
      { usdPrice: { ...fresh, price: '1', maxAge: 0, isStale: true } },
      { usdPrice: null },
    ])
  })

  test('that could not be fetched is an error, and the other prices are answered', async () => {
    prices.set(dollar, down)
    expect(await ask(list, { addresses: [dollar, wrapped] })).toMatchObject({
      data: { tokens: [{ usdPrice: null }, { usdPrice: { price: '0.000000001' } }] },
      errors: [{ path: ['tokens', 0, 'usdPrice'], ...unavailable }],
    })
  })

  test('of one token is fetched once for the whole request', async () => {
    await graphql(
      server.url,
      `{ a: tokens(addresses: ["${wrapped}", "${wrapped}"]) { ${fields} } b: tokens(addresses: ["${wrapped}"]) { ${fields} } }`,
    )
    expect(params).toEqual([wrapped])
  })

  test('is returned for at most 32 tokens in one request', async () => {
    const many = Array.from({ length: 34 }, (_, index) => numbered((0x1000 + index).toString(16)))
    expect((await graphql(server.url, list, { addresses: many.slice(0, 32) })).tokens).toHaveLength(32)
    expect(params).toHaveLength(32)
    params = []
    const two = `query ($a: [Address!]!, $b: [Address!]!) {
      a: tokens(addresses: $a) { usdPrice { price } } b: tokens(addresses: $b) { usdPrice { price } } }`
    const { errors } = await ask(two, { a: many.slice(0, 17), b: many.slice(17) })
    expect(errors[0]).toMatchObject({
      message: 'prices of more than 32 tokens are requested at once',
      extensions: { code: 'QueryTooComplex' },
    })
    expect(params).toEqual([])
  })

  test('has the same limit when the tokens are resolved one after the other', async () => {
    const many = Array.from({ length: 33 }, (_, index) => numbered((0x2000 + index).toString(16)))
    const [last = wrapped] = many.slice(32)
    tokens.set(last, { ...coin, address: last })
    const query = `query ($first: [Address!]!, $last: TokenAddress!) {
      first: tokens(addresses: $first) { usdPrice { price } } last: token(address: $last) { usdPrice { price } } }`
    const { data, errors } = await ask(query, { first: many.slice(0, 32), last })
    expect([data.first.length, data.last]).toEqual([32, { usdPrice: null }])
    expect(errors).toMatchObject([
      { path: ['last', 'usdPrice'], extensions: { code: 'QueryTooComplex', retryable: false } },
    ])
    expect(params).toEqual(many.slice(0, 32))
  })
})

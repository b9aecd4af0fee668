import { parse } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { address } from '../../../src/domain/evm/address.ts'
import { chargeOf } from '../../../src/execution/admission/charge.ts'
import { Operation } from '../../../src/execution/operation.ts'
import { openTestServer, type TestServer } from '../../setup/server.ts'
import { request } from '../../setup/trader.ts'

const named = (count: number) =>
  Array.from({ length: count }, (_, of) => address(`0x${(of + 1).toString(16).padStart(40, '0')}`))
const readsOf = (text: string, variables?: Record<string, unknown>) =>
  chargeOf(new Operation({ variables }, parse(text))).reads

describe('a list of named tokens', () => {
  const list = (count: number) => JSON.stringify(named(count))
  const tokens = (count: number, selection: string) => `tokens(addresses: ${list(count)}) { ${selection} }`

  test.each<[number, string, number]>([
    [0, 'usdPrice { price }', 1],
    [1, 'usdPrice { price }', 1],
    [32, 'symbol usdPrice { price }', 32],
    [32, 'holders { nodes { balance } }', 32],
    [9, 'mine: usdPrice { price } holders { asOf }', 9],
    [0, 'symbol', 1],
    [8, 'symbol name decimals', 1],
    [9, 'symbol nativePrice', 2],
    [100, 'symbol', 13],
    [128, 'address', 16],
  ])('%i with %s: %i', (count, selection, expected) => {
    expect(readsOf(`{ ${tokens(count, selection)} }`)).toBe(expected)
    const byVariable = `query ($them: [Address!]!) { tokens(addresses: $them) { ${selection} } }`
    expect(readsOf(byVariable, { them: named(count) })).toBe(expected)
  })

  test('counts in each of several fields, and wherever its selections are written', () => {
    const text = `query ($no: Boolean!) {
      a: ${tokens(20, '...Price')} b: ${tokens(20, 'symbol usdPrice @include(if: $no) { price }')} version
    } fragment Price on Token { ... on Node { id } ... { usdPrice { price } } }`
    expect(readsOf(text, { no: false })).toBe(20 + 3 + 1)
    expect(readsOf(text, { no: true })).toBe(20 + 20 + 1)
  })

  test('is counted anew for other variables, and a single token is one', () => {
    const document = parse(
      'query ($them: [Address!]! = []) { tokens(addresses: $them) { usdPrice { price } } }',
    )
    const reads = (them?: unknown) => chargeOf(new Operation({ variables: { them } }, document)).reads
    const [only] = named(1)
    expect([reads(named(3)), reads(named(5)), reads(only), reads(), reads('no address')]).toEqual([
      3, 5, 1, 1, 1,
    ])
    const alone = 'query ($it: Address!) { tokens(addresses: [$it]) { usdPrice { price } } }'
    expect(readsOf(alone, { it: only })).toBe(1)
  })

  test('counts as one read in a list of orders', () => {
    const text = 'query ($uids: [OrderUid!]!) { ordersByUids(uids: $uids) { uid } }'
    const uids = Array.from({ length: 128 }, () => `0x${'ab'.repeat(56)}`)
    expect(readsOf(text, { uids })).toBe(1)
  })
})

describe('over REST and GraphQL', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await openTestServer(
      {},
      { now: () => 1_800_000_000_000, rateLimits: { reads: 50, quotes: 10, orders: 5 } },
    )
  })
  afterAll(() => server?.[Symbol.asyncDispose]())

  test('a hundred token details fit into a full bucket, which holds no more than that', async () => {
    const details = () =>
      request(`${server.url}/sepolia/tokens/details`, 'POST', { tokenAddresses: named(100) })
    for (let count = 1; count <= 7; count++) {
      const { status, headers } = await details()
      expect([status, headers.get('ratelimit')]).toEqual([
        200,
        expect.stringMatching(`^"reads";r=${100 - 13 * count};`),
      ])
    }
    const refused = await details()
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1'])
    // Part of the charge before the body was read is lost, here and in the next; the others are not counted.
    expect(refused.headers.get('ratelimit')).toMatch(/^"reads";r=8;/)
    const query = `{ tokens(addresses: ${JSON.stringify(named(9))}) { usdPrice { price } } }`
    expect((await request(`${server.url}/graphql`, 'POST', { query })).status).toBe(429)
    const one = await request(`${server.url}/sepolia/tokens/${named(1)}/details`)
    expect([one.status, one.headers.get('ratelimit')]).toEqual([200, expect.stringMatching('^"reads";r=7;')])
  })
})

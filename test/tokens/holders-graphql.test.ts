import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Outage } from '../../src/domain/errors/error.ts'
import { address } from '../../src/domain/evm/address.ts'
import type { Sourced } from '../../src/domain/token/sourced.ts'
import type { TokenHolder } from '../../src/domain/token/token.ts'
import { numbered } from '../fakes/order.ts'
import { openTestServer, type TestServer } from '../setup/server.ts'
import { graphql, request } from '../setup/trader.ts'

const token = numbered('a0')
const now = 1_800_000_000_000
const held = (balance: bigint, number: number): TokenHolder => ({
  address: address(`0x${number.toString(16).padStart(40, '0')}`),
  balance,
})
/** Balances fall by one, two holders each. */
const hundred = Array.from({ length: 100 }, (_, index) => held(10n ** 30n - BigInt(index >> 1), index + 1))

let server: TestServer
let asked: string[]
let reported: Sourced<readonly TokenHolder[]> | Outage | undefined
beforeAll(async () => {
  server = await openTestServer({
    topHolders: async (token) => {
      asked.push(token)
      if (reported instanceof Outage) throw reported
      return reported
    },
  })
})
afterAll(() => server?.[Symbol.asyncDispose]())
beforeEach(() => {
  asked = []
  reported = { value: hundred, source: 'them', at: now - 61_900, keepMs: 0, isStale: true }
})

const ask = (query: string, variables = {}) => request(`${server.url}/graphql`, 'POST', { query, variables })
const page = `query ($first: Int!, $after: String) { token(address: "${token}") { holders(first: $first, after: $after) {
  edges { cursor node { address balance account { address } } } nodes { address } pageInfo { hasNextPage startCursor endCursor }
  source asOf age maxAge isStale } } }`
const holdersOf = async (variables: object) =>
  (await graphql(server.url, page, { ...variables })).token.holders

describe('a page of holders', () => {
  test('names holders, balances, the source and the age', async () => {
    const { edges, nodes, pageInfo, ...rest } = await holdersOf({ first: 2 })
    expect(rest).toEqual({
      source: 'them',
      asOf: '2027-01-15T07:58:58.100Z',
      age: 61,
      maxAge: 0,
      isStale: true,
    })
    const [one, two] = hundred
    expect(edges.map(({ node }: { node: unknown }) => node)).toEqual(
      [one, two].map((holder) => ({
        address: holder?.address,
        balance: String(10n ** 30n),
        account: { address: holder?.address },
      })),
    )
    expect(nodes).toEqual([{ address: one?.address }, { address: two?.address }])
    expect(pageInfo).toEqual({ hasNextPage: true, startCursor: edges[0].cursor, endCursor: edges[1].cursor })
  })

  test('continues after its cursor, through equal balances, to the end', async () => {
    const seen: string[] = []
    let after: string | null = null
    do {
      const { nodes, pageInfo } = await holdersOf({ first: 33, after })
      seen.push(...nodes.map(({ address }: TokenHolder) => address))
      after = pageInfo.hasNextPage ? pageInfo.endCursor : null
    } while (after !== null)
    expect(seen).toEqual(hundred.map(({ address }) => address))
    const whole = await holdersOf({ first: 100 })
    expect(whole.nodes).toHaveLength(100)
    expect(whole.pageInfo.hasNextPage).toBe(false)
  })

  test('continues at the same place when balances changed meanwhile', async () => {
    const { pageInfo } = await holdersOf({ first: 10 })
    reported = {
      value: [held(10n ** 31n, 999), ...hundred.slice(0, 9), ...hundred.slice(12)],
      source: 'them',
      at: now,
      keepMs: 10_000,
      isStale: false,
    }
    const { nodes } = await holdersOf({ first: 1, after: pageInfo.endCursor })
    expect(nodes).toEqual([{ address: hundred[12]?.address }])
  })

  test('is null when no source knows holders, and an error while sources are unavailable', async () => {
    reported = undefined
    expect(await holdersOf({ first: 1 })).toBeNull()
    reported = new Outage('the list of holders', 'secret')
    const { body } = await ask(page, { first: 1 })
    expect(body.errors[0]).toMatchObject({
      path: ['token', 'holders'],
      extensions: { code: 'Unavailable' },
    })
    expect(JSON.stringify(body)).not.toContain('secret')
  })

  test.each([0, -1, 101])('first: %d is refused', async (first) => {
    const { body } = await ask(page, { first })
    expect(body.errors[0].extensions).toMatchObject({ code: 'InvalidParameter', field: 'first' })
  })

  test.each([
    ['', ''],
    ['another list', Buffer.from('o1.2').toString('base64url')],
    ['an endless balance', Buffer.from(`h${'9'.repeat(79)}.${token}`).toString('base64url')],
    ['no address', Buffer.from('h5.0x12').toString('base64url')],
    ['no base64', 'after this'],
  ])('a cursor of %s is refused', async (_, after) => {
    const { body } = await ask(page, { first: 1, after })
    expect(body.errors[0].extensions).toMatchObject({ code: 'InvalidParameter', field: 'after' })
    expect(asked).toEqual([])
  })
})

const many = (count: number) => Array.from({ length: count }, (_, index) => held(1n, index + 1).address)
const listed =
  'query ($tokens: [Address!]!) { tokens(addresses: $tokens) { holders(first: 1) { nodes { address } } } }'

test('a token is fetched once per request', async () => {
  const aliases = ['a', 'b', 'c'].map((name) => `${name}: holders(first: 1) { source }`).join(' ')
  await graphql(server.url, `{ tokens(addresses: ["${token}", "${token}"]) { ${aliases} } }`)
  expect(asked).toEqual([token])
})

test('for more than 32 tokens no source is asked for holders', async () => {
  await graphql(server.url, listed, { tokens: many(32) })
  expect(asked).toHaveLength(32)
  asked = []
  const { body } = await ask(listed, { tokens: many(33) })
  expect(body.errors[0].extensions.code).toBe('QueryTooComplex')
  expect(asked).toEqual([])
})

test('the list limit is checked before any source is asked', async () => {
  const nested = `query ($tokens: [Address!]!) { tokens(addresses: $tokens) { holders(first: 100) { nodes { account { address } } } } }`
  // Each token with a connection, a hundred holders and their accounts.
  const { body } = await ask(nested, { tokens: many(60) })
  expect(body.errors[0].extensions.code).toBe('QueryTooComplex')
  expect(asked).toEqual([])
})

import { getAddress } from 'ethers'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Outage } from '../../../src/domain/errors/error.ts'
import { type Address, address, nativeMarker } from '../../../src/domain/evm/address.ts'
import type { Token } from '../../../src/domain/token/token.ts'
import { numbered } from '../../fakes/order.ts'
import { network, openTestServer, type TestServer } from '../../setup/server.ts'
import { type Answer, request } from '../../setup/trader.ts'

const token = address('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed')
const checksummed = getAddress(token)
const upper = (text: string) => `0x${text.slice(2).toUpperCase()}`
const { chainId } = network
const usdc: Token = { chainId, address: token, symbol: 'USDC', name: 'US Dollar', decimals: 6 }

let server: TestServer
let base: string
let tokens: Map<Address, Token | Outage>

beforeAll(async () => {
  server = await openTestServer({
    tokens: async (addresses) => new Map([...tokens].filter(([known]) => addresses.includes(known))),
  })
  base = `${server.url}/sepolia/tokens`
})
afterAll(() => server[Symbol.asyncDispose]())
beforeEach(() => {
  tokens = new Map([[token, usdc]])
})

const statusAndBody = ({ status, body }: Answer) => [status, body]

describe('details', () => {
  const details = (name: string = token) => request(`${base}/${name}/details`)
  const many = (tokenAddresses: unknown) => request(`${base}/details`, 'POST', { tokenAddresses })
  const plain = { address: token, name: 'US Dollar', symbol: 'USDC', decimals: 6 }

  test('of a token are cacheable', async () => {
    const answer = await details(checksummed)
    expect(statusAndBody(answer)).toEqual([200, plain])
    expect(answer.headers.get('cache-control')).toBe('public, max-age=3600')
    const tag = answer.headers.get('etag') ?? ''
    expect((await fetch(`${base}/${token}/details`, { headers: { 'If-None-Match': tag } })).status).toBe(304)
    // A POST ignores the client's ETag.
    const body = JSON.stringify({ tokenAddresses: [token] })
    const headers = { 'Content-Type': 'application/json', 'If-None-Match': '*' }
    const posted = await fetch(`${base}/details`, { method: 'POST', headers, body })
    expect([posted.status, posted.headers.get('etag'), await posted.json()]).toEqual([200, null, [plain]])
  })

  test('omit what the contract does not return', async () => {
    tokens = new Map([[token, { ...usdc, name: null, symbol: null }]])
    expect((await details()).body).toEqual({ address: token, decimals: 6 })
  })

  test('of the native coin are fixed', async () => {
    const coin = { chainId, address: nativeMarker, symbol: 'ETH', name: 'Ether', decimals: 18 }
    tokens = new Map([[nativeMarker, coin]])
    const { chainId: _, ...expected } = coin
    for (const name of ['-', nativeMarker]) expect((await details(name)).body).toEqual(expected)
  })

  test('of an address that is no token are absent, and cached for a minute only', async () => {
    tokens = new Map()
    const answer = await details()
    expect(statusAndBody(answer)).toEqual([404, { message: 'Token not found' }])
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })

  test('in an outage are 503, not absent', async () => {
    tokens = new Map([[token, new Outage('the network node')]])
    const expected = [503, { message: 'the network node is unavailable: try again later' }]
    const answers = [await details(), await many([token]), await many([numbered('1'), token])]
    expect(answers.map(statusAndBody)).toEqual([expected, expected, expected])
    expect(answers.every(({ headers }) => headers.has('retry-after'))).toBe(true)
    for (const { headers } of answers) expect(headers.get('cache-control')).toBe('no-store')
  })

  test('of many keep their order, without addresses that are no token', async () => {
    const [first, second, none] = [numbered('1'), numbered('2'), numbered('3')]
    for (const each of [first, second]) tokens.set(each, { ...usdc, address: each })
    const wanted = [second, none, upper(token), first, '-', second]
    const answer = await many(wanted)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.body).toEqual([second, token, first, second].map((each) => ({ ...plain, address: each })))
    expect(statusAndBody(await many([none, '-']))).toEqual([404, { message: 'No tokens found' }])
    const hundred = Array.from({ length: 100 }, () => token)
    expect((await many(hundred)).body).toHaveLength(100)
  })

  test.each<[unknown, string]>([
    [undefined, 'tokenAddresses is required'],
    ['0x', 'tokenAddresses must be a list of addresses'],
    [[], 'tokenAddresses must name a token'],
    [Array.from({ length: 101 }, () => token), 'tokenAddresses must name at most 100 tokens'],
    [[token, 7], 'tokenAddresses[1] must be a string'],
    [[token, '0x7'], 'tokenAddresses[1] must be an address'],
    [[checksummed.replace('aA', 'aa')], 'tokenAddresses[0] has a wrong checksum'],
  ])('of %j are refused', async (wanted, says) => {
    const { status, body } = await many(wanted)
    expect([status, body]).toEqual([400, { message: expect.stringContaining(says) }])
  })

  test('need JSON, by POST', async () => {
    expect(statusAndBody(await request(`${base}/details`, 'POST', '[]'))).toEqual([
      400,
      { message: 'a JSON object is expected' },
    ])
    expect((await request(`${base}/details`, 'POST', '{')).status).toBe(400)
    const untyped = await fetch(`${base}/details`, { method: 'POST', body: '{}' })
    expect(untyped.status).toBe(415)
    const answer = await request(`${base}/details`)
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST, OPTIONS'])
  })
})

test('a response from memory counts as a read like any other', async () => {
  const price = { value: '2', source: 'feed', at: 1_800_000_000_000, keepMs: 120_000, isStale: false }
  const rateLimits = { reads: 1, quotes: 1, orders: 1 }
  await using limited = await openTestServer({ peekUsdPrice: () => price }, { rateLimits })
  const answers: number[] = []
  for (let asked = 0; asked < 3; asked++)
    answers.push((await request(`${limited.url}/sepolia/tokens/${token}/usdPrice`)).status)
  expect(answers).toEqual([200, 200, 429])
})

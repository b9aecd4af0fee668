import { inspect } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readSettings } from '../../src/app/config.ts'
import { composeTokenData, type TokenData, type TokenDataOptions } from '../../src/app/token-data.ts'
import { createRpc } from '../../src/chain/rpc/rpc.ts'
import { Outage, Refusal } from '../../src/domain/errors/error.ts'
import { type Address, address } from '../../src/domain/evm/address.ts'
import type { Log } from '../../src/domain/log.ts'
import type { NativeRate } from '../../src/domain/token/prices.ts'
import { numbered } from '../fakes/order.ts'
import {
  answering,
  type Behaviour,
  cutOff,
  dripping,
  hanging,
  huge,
  nested,
  resetting,
  type SolverEngineFake,
  saying,
  startSolverEngine,
  status,
} from '../fakes/solver-engine.ts'
import { openTestServer, network as sepolia, type TestServer } from '../setup/server.ts'

/** Ethereum: every provider has it. */
const network = { ...sepolia, chainId: 1, name: 'mainnet', usdReference: numbered('d0') }
/** A port on which no server listens, and that the system never assigns. `fetch` itself refuses port 1. */
const nowhere = 'http://127.0.0.1:2'
/**
 * What must never appear in logs or answers: parts of URLs, and keys. Each server's host and port is added.
 */
const secrets = ['k3y-in-a-header', 'k3y-in-a-path', 'k3y-in-a-query', 'a-pa55word', new URL(nowhere).host]

const lines: string[] = []
/** Bodies and headers of all answers. */
const answers: string[] = []
const note = (message: string, fields?: Record<string, unknown>) =>
  void lines.push(`${message} ${inspect(fields, { depth: 20 })}`)
const log: Log = { debug: note, info: note, warn: note, error: note }

let server: TestServer
/** Each test has a token of its own, with its own sources. */
const dataOf = new Map<Address, TokenData>()
const clockOf = new Map<Address, number>()
const peers: SolverEngineFake[] = []
const of = (token: Address): TokenData => {
  const data = dataOf.get(token)
  if (!data) throw new Error('no test asks about this token')
  return data
}

beforeAll(async () => {
  server = await openTestServer(
    {
      network,
      usdPrice: (token, client) => of(token).usdPrice(token, client),
      peekUsdPrice: (token) => of(token).peekUsdPrice(token),
      topHolders: (token, client) => of(token).topHolders(token, client),
      peekTopHolders: (token) => of(token).peekTopHolders(token),
    },
    { log, now: Date.now, isTrustedProxy: () => true },
  )
})
afterAll(async () => {
  await server?.[Symbol.asyncDispose]()
  await Promise.all(peers.map((peer) => peer.close()))
})

async function startPeer(behaviour: Behaviour): Promise<SolverEngineFake> {
  const peer = await startSolverEngine(behaviour)
  peers.push(peer)
  secrets.push(new URL(peer.url).host)
  return peer
}

/** A URL with credentials in every part. */
function secretUrl({ url }: { url: string }): string {
  const { host } = new URL(url)
  return `http://someone:a-pa55word@${host}/k3y-in-a-path?key=k3y-in-a-query`
}

const noRates = async (): Promise<Map<Address, NativeRate | Refusal>> => new Map()
let tokens = 0
const newToken = () => address(`0x${(0xc0ffee0000 + ++tokens).toString(16).padStart(40, '0')}`)

interface Given {
  token?: Address
  prices?: readonly object[]
  holders?: readonly object[]
  rpcUrl?: string
  nativeRates?: TokenDataOptions['nativeRates']
  decimals?: number
}

/** A token and its sources. */
function given({ token = newToken(), prices = [], holders = [], rpcUrl = nowhere, ...market }: Given) {
  const now = () => Date.now() + (clockOf.get(token) ?? 0)
  const { USD_PRICE_SOURCES, HOLDER_SOURCES } = readSettings({
    USD_PRICE_SOURCES: JSON.stringify(prices),
    HOLDER_SOURCES: JSON.stringify(holders),
  })
  const data = composeTokenData({
    network,
    rpc: createRpc({ url: rpcUrl, log }),
    head: () => Promise.reject(new Outage('the network node')),
    db: server.database.db,
    settings: { USD_PRICE_SOURCES, HOLDER_SOURCES },
    log,
    now,
    tokens: async (addresses) =>
      new Map(
        addresses.map((named) => [
          named,
          {
            chainId: 1,
            address: named,
            symbol: null,
            name: null,
            decimals: named === token ? (market.decimals ?? 18) : 6,
          },
        ]),
      ),
    nativeRates: market.nativeRates ?? noRates,
  })
  dataOf.set(token, data)
  return token
}
const pass = (token: Address, ms: number) => void clockOf.set(token, (clockOf.get(token) ?? 0) + ms)

async function get(path: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${server.url}/mainnet/tokens/${path}`, { headers })
  const text = await response.text()
  answers.push(`${text} ${inspect([...response.headers])}`)
  return { status: response.status, body: JSON.parse(text), headers: response.headers }
}

interface Reported {
  data?: { tokens: Record<string, unknown>[] }
  errors?: { extensions: { code: string } }[]
}

async function query(document: string, token: Address) {
  const response = await fetch(`${server.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      query: `query ($token: Address!) { tokens(addresses: [$token]) { ${document} } }`,
      variables: { token },
    }),
  })
  const text = await response.text()
  answers.push(text)
  const { data, errors = [] }: Reported = JSON.parse(text)
  return { result: data?.tokens[0], codes: errors.map(({ extensions }) => extensions.code) }
}

const coingecko = (name: string, peer: { url: string }) => ({
  kind: 'coingecko',
  name,
  url: secretUrl(peer),
  apiKey: 'k3y-in-a-header',
})
/** Prices any token. */
const priced =
  (usd: string): Behaviour =>
  (question, response) =>
    response.end(`{"${question.query.contract_addresses}":{"usd":${usd}}}`)
const none = answering({})

const failing: [string, Behaviour][] = [
  ['resets', resetting],
  ['hangs', hanging],
  ['never ends', dripping],
  ['ends early', cutOff],
  ['answers 500', status(500)],
  ['answers 429', status(429, { 'retry-after': '3600' })],
  ['answers 401', answering({ error: 'k3y-in-a-header is wrong' }, 401)],
  ['answers 404 with a page', status(404)],
  ['redirects', saying('', 302, { location: 'http://127.0.0.1:1/' })],
  ['answers with a page', saying('<html>')],
  ['answers too much', huge(2_000_000)],
  ['answers too deeply', nested(10_000)],
  ['answers null', answering(null)],
  [
    'repeats the question',
    ({ path, query, headers }, response) => response.end(JSON.stringify({ path, query, headers })),
  ],
]

const isUnavailable = { status: 503, body: { message: expect.stringContaining('unavailable') } }

describe.concurrent('a price source that', () => {
  const usdPrice = 'usdPrice { price source isStale }'

  test.each<[string, Behaviour]>([
    ...failing,
    ['says -1', priced('-1')],
    ['says 1e400', priced('1e400')],
    ['says -1e400', priced('-1e400')],
    ['says NaN', priced('NaN')],
    ['says NaN as a text', priced('"NaN"')],
    ['says Infinity', priced('Infinity')],
    ['says 1e308', priced('1e308')],
    ['says true', priced('true')],
  ])('%s: the next source is asked; alone it is unavailable, not absent', async (_, behaviour) => {
    const hostile = await startPeer(behaviour)
    const honest = await startPeer(priced('2.5'))
    const ignorant = await startPeer(none)
    const answered = given({ prices: [coingecko('alpha', hostile), coingecko('beta', honest)] })
    const unknown = given({
      prices: [coingecko('alpha', ignorant), coingecko('beta', hostile), { kind: 'orderbook' }],
    })
    await Promise.all([
      get(`${answered}/usdPrice`).then((rest) =>
        expect(rest).toMatchObject({ status: 200, body: { price: 2.5 } }),
      ),
      get(`${unknown}/usdPrice`).then((rest) => expect(rest).toMatchObject(isUnavailable)),
    ])
    expect(await query(usdPrice, answered)).toEqual({
      result: { usdPrice: { price: '2.5', source: 'beta', isStale: false } },
      codes: [],
    })
    expect(await query(usdPrice, unknown)).toEqual({ result: { usdPrice: null }, codes: ['Unavailable'] })
    expect(ignorant.asked.length).toBeGreaterThan(0)
  })

  /** Priced by an aggregator on a node. */
  function fed(node: { url: string }): Address {
    const token = newToken()
    const feeds = { [token]: numbered('fe') }
    const rpcUrl = secretUrl(node).replace('someone:a-pa55word@', '')
    return given({ token, prices: [{ kind: 'chainlink', network: 'mainnet', feeds }], rpcUrl })
  }

  test('does not listen: unavailable, whether a provider or a node', async () => {
    const gone = { url: nowhere }
    for (const token of [given({ prices: [coingecko('alpha', gone)] }), fed(gone)]) {
      expect(await get(`${token}/usdPrice`)).toMatchObject(isUnavailable)
    }
    expect(lines.join()).toContain('cannot be reached (ECONNREFUSED)')
    expect(lines.join()).toContain('no connection: ECONNREFUSED')
  })

  test.each(failing)('is a feed on a node that %s: unavailable', async (_, behaviour) => {
    const token = fed(await startPeer(behaviour))
    expect(await get(`${token}/usdPrice`)).toMatchObject(isUnavailable)
    expect(await query(usdPrice, token)).toEqual({ result: { usdPrice: null }, codes: ['Unavailable'] })
  })

  test('does not have the token, like all others: absent', async () => {
    const [first, second] = [await startPeer(none), await startPeer(answering({ error: 'no coin' }, 404))]
    const prices = [coingecko('alpha', first), coingecko('beta', second), { kind: 'orderbook' }]
    const token = given({ prices, nativeRates: async ([, dollar]) => new Map([[dollar ?? token, one]]) })
    expect(await get(`${token}/usdPrice`)).toMatchObject({
      status: 404,
      body: { message: 'Price not found' },
    })
    expect(await query(usdPrice, token)).toEqual({ result: { usdPrice: null }, codes: [] })
  })

  test('contradicts another: the first in the order that answers wins', async () => {
    const [first, second] = [await startPeer(priced('1')), await startPeer(priced('1000'))]
    const token = given({ prices: [coingecko('alpha', first), coingecko('beta', second)] })
    const read = async () => (await query(usdPrice, token)).result?.usdPrice
    expect(await read()).toEqual({ price: '1', source: 'alpha', isStale: false })
    expect(second.asked).toEqual([])
    first.behaves(status(500))
    pass(token, 120_000)
    expect(await read()).toEqual({ price: '1000', source: 'beta', isStale: false })
    first.behaves(priced('3'))
    pass(token, 10_000)
    expect(await read()).toEqual({ price: '3', source: 'alpha', isStale: false })
    for (const peer of [first, second]) peer.behaves(priced('-1'))
    pass(token, 120_000)
    expect(await read()).toEqual({ price: '3', source: 'alpha', isStale: true })
    expect((await get(`${token}/usdPrice`)).status).toBe(200)
    pass(token, 86_400_000)
    expect(await get(`${token}/usdPrice`)).toMatchObject(isUnavailable)
  })

  const one = { nativeAmount: 1n, tokenAmount: 1n }
  test.each<[string, NativeRate | Refusal, number, number]>([
    ['with a token of absurd decimals', one, 255, 404],
    ['with an absurdly high value', { nativeAmount: 2n ** 256n, tokenAmount: 1n }, 18, 404],
    ['with a value of zero', { nativeAmount: 1n, tokenAmount: 2n ** 256n }, 0, 404],
    ['that does not trade the token', new Refusal('UnsupportedToken', 'no'), 18, 404],
    ['that is unavailable', new Refusal('Unavailable', 'no'), 18, 503],
  ])('is the own market, %s ', async (_, rate, decimals, expected) => {
    const nativeRates: TokenDataOptions['nativeRates'] = async ([token = network.usdReference]) =>
      new Map<Address, NativeRate | Refusal>([
        [token, rate],
        [network.usdReference, one],
      ])
    const token = given({ prices: [{ kind: 'orderbook' }], decimals, nativeRates })
    expect((await get(`${token}/usdPrice`)).status).toBe(expected)
  })
})

const moralis = (name: string, peer: { url: string }) => ({ ...coingecko(name, peer), kind: 'moralis' })
const ethplorer = (name: string, peer: { url: string }) => ({
  ...coingecko(name, peer),
  kind: 'ethplorer',
  network: 'mainnet',
})

/** In the format of either provider. */
const held =
  (balance: unknown, holder: unknown = numbered('a1')): Behaviour =>
  ({ path }, response) => {
    const owner = { owner_address: holder, balance }
    const list = path.endsWith('/owners')
      ? { result: [owner] }
      : { holders: [{ address: holder, rawBalance: balance }] }
    // JSON cannot write Infinity; 1e400 parses to it.
    response.end(JSON.stringify(list).replace('"1e400"', '1e400'))
  }
const noHolders: Behaviour = ({ path }, response) =>
  response.end(JSON.stringify(path.endsWith('/owners') ? { result: [] } : { holders: [] }))

describe.concurrent('a source of holders that', () => {
  const holders = 'holders(first: 3) { nodes { address balance } source isStale }'

  test.each<[string, Behaviour]>([
    ...failing,
    ['says -1', held('-1')],
    ['says 1e400', held('1e400')],
    ['says NaN', held('NaN')],
    ['says 0.5', held(0.5)],
    ['says more than uint256', held(`1${'0'.repeat(90)}`)],
    ['has a number that lost its last digits', held(1e21)],
    ['names no holder', held('1', null)],
    ['names a malformed holder', held('1', '0x12')],
  ])('%s: the next source is asked; alone it is unavailable, not absent', async (_, behaviour) => {
    const hostile = await startPeer(behaviour)
    const honest = await startPeer(held('25'))
    const ignorant = await startPeer(noHolders)
    const expected = [{ address: numbered('a1'), balance: '25' }]
    const answered = given({ holders: [moralis('alpha', hostile), ethplorer('beta', honest)] })
    const turned = given({ holders: [ethplorer('alpha', hostile), moralis('beta', honest)] })
    const unknown = given({
      holders: [moralis('alpha', ignorant), ethplorer('beta', hostile), { kind: 'transfers' }],
    })
    await Promise.all([
      ...[answered, turned].map(async (token) =>
        expect(await get(`${token}/topHolders`)).toMatchObject({ status: 200, body: expected }),
      ),
      get(`${unknown}/topHolders`).then((rest) => expect(rest).toMatchObject(isUnavailable)),
    ])
    expect(await query(holders, answered)).toEqual({
      result: { holders: { nodes: expected, source: 'beta', isStale: false } },
      codes: [],
    })
    expect(await query(holders, unknown)).toEqual({ result: { holders: null }, codes: ['Unavailable'] })
  })

  test('lists no holders, like all others: absent', async () => {
    const peer = await startPeer(noHolders)
    const token = given({ holders: [moralis('alpha', peer), ethplorer('beta', peer), { kind: 'transfers' }] })
    expect((await get(`${token}/topHolders`)).status).toBe(404)
    expect(await query(holders, token)).toEqual({ result: { holders: null }, codes: [] })
  })

  test('contradicts another: the first in the order wins, and its answer is returned as stale in an outage', async () => {
    const [first, second] = [await startPeer(held('1')), await startPeer(held('2'))]
    const token = given({ holders: [moralis('alpha', first), ethplorer('beta', second)] })
    const read = async () => (await query(holders, token)).result?.holders
    const nodes = [{ address: numbered('a1'), balance: '1' }]
    expect(await read()).toEqual({ nodes, source: 'alpha', isStale: false })
    for (const peer of [first, second]) peer.behaves(held('-1'))
    pass(token, 120_000)
    expect(await read()).toEqual({ nodes, source: 'alpha', isStale: true })
    expect(await get(`${token}/topHolders`)).toMatchObject({ status: 200, body: nodes })
  })
})

describe('a price source', () => {
  test('is asked once for a thousand callers, and not again for later ones', async () => {
    const peer = await startPeer(priced('7'))
    const token = given({ prices: [coingecko('alpha', peer)] })
    const all = await Promise.all(Array.from({ length: 1_000 }, () => get(`${token}/usdPrice`)))
    expect(new Set(all.map(({ body }) => body.price))).toEqual(new Set([7]))
    for (let call = 0; call < 20; call++) await get(`${token}/usdPrice`)
    expect(peer.asked).toHaveLength(1)
    peer.behaves(status(500))
    pass(token, 120_000)
    const stale = await Promise.all(Array.from({ length: 50 }, () => get(`${token}/usdPrice`)))
    expect(new Set(stale.map(({ body }) => body.price))).toEqual(new Set([7]))
    expect(peer.asked).toHaveLength(2)
  })
})

test('a client that asks for many tokens leaves slots to other clients', async () => {
  const peer = await startPeer(hanging)
  const held: (() => void)[] = []
  peer.behaves((question, response) => void held.push(() => priced('3')(question, response)))
  const wanted = given({ prices: [coingecko('alpha', peer)] })
  const flooded = Array.from({ length: 64 }, newToken)
  for (const token of flooded) dataOf.set(token, of(wanted))
  const flood = [flooded.slice(0, 32), flooded.slice(32)].map((named) =>
    fetch(`${server.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': '192.0.2.1' },
      body: JSON.stringify({
        query: `{ tokens(addresses: ${JSON.stringify(named)}) { usdPrice { price } } }`,
      }),
    }).then((response) => response.json()),
  )
  // Its 32 slots, in calls of 30 tokens.
  await expect.poll(() => held.length).toBe(2)
  peer.behaves(priced('3'))
  expect(await get(`${wanted}/usdPrice`, { 'x-forwarded-for': '192.0.2.2' })).toMatchObject({
    status: 200,
    body: { price: 3 },
  })
  expect(held).toHaveLength(2)
  for (const release of held) release()
  const rows = (await Promise.all(flood)).flatMap(({ data }) => data.tokens)
  expect(rows).toEqual(flooded.map(() => ({ usdPrice: { price: '3' } })))
})

describe('after all tests', () => {
  test('no log line or answer contains a key, or the address of a source', () => {
    const seen = [...lines, ...answers]
    expect(seen.length).toBeGreaterThan(200)
    for (const secret of secrets) expect(seen.filter((text) => text.includes(secret))).toEqual([])
  })

  test('no answer contains a number that JSON cannot hold', () => {
    expect(answers.filter((text) => /NaN|Infinity|1e400/.test(text))).toEqual([])
  })
})

import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { maxUint256 } from '../../src/domain/amount.ts'
import { Outage } from '../../src/domain/errors/error.ts'
import { createEthplorer } from '../../src/market/holders/ethplorer.ts'
import { createMoralis } from '../../src/market/holders/moralis.ts'
import type { HolderSource } from '../../src/market/token-source.ts'
import { OutsideFault, Throttled } from '../../src/outside/fault.ts'
import { numbered } from '../fakes/order.ts'

const key = 'secret-key-of-this-test'
const token = numbered('a0')
const [one, two, three] = [numbered('01'), numbered('02'), numbered('03')]

let answer: RequestListener
let asked: { path: string; key: unknown }[]
let url: string
const server = createServer((req, res) => {
  asked.push({ path: req.url ?? '', key: req.headers['x-api-key'] })
  answer(req, res)
})
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/base`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
beforeEach(() => {
  asked = []
})

const saying = (body: unknown, status = 200) => {
  answer = (_req, res) =>
    res
      .writeHead(status, { 'content-type': 'application/json' })
      .end(typeof body === 'string' ? body : JSON.stringify(body))
}

interface Provider {
  kind: string
  create(chainId: number, more?: { url: undefined }): HolderSource | undefined
  /** A response body that lists these holders. */
  listing(holders: { address?: unknown; balance?: unknown }[]): unknown
  path: string
  header: string | undefined
  /** The largest response. */
  bytes: number
}
const options = (chainId: number) => ({ name: 'them', url, apiKey: key, network: { chainId }, now: Date.now })
const providers: Provider[] = [
  {
    kind: 'moralis',
    create: (chainId, more) => createMoralis({ ...options(chainId), ...more }),
    listing: (holders) => ({
      cursor: null,
      result: holders.map(({ address, balance }) => ({
        owner_address: address,
        balance,
        is_contract: false,
      })),
    }),
    path: `/base/erc20/${token}/owners?chain=eth&order=DESC&limit=100`,
    header: key,
    bytes: 524_288,
  },
  {
    kind: 'ethplorer',
    create: (chainId, more) => createEthplorer({ ...options(chainId), ...more }),
    listing: (holders) => ({
      holders: holders.map(({ address, balance }) => ({ address, balance, share: 1.5 })),
    }),
    path: `/base/getTopTokenHolders/${token}?apiKey=${key}&limit=100`,
    header: undefined,
    bytes: 262_144,
  },
]

describe.each(providers)('$kind', ({ create, listing, path, header, bytes }) => {
  const ask = async (signal = AbortSignal.timeout(2_000)) => {
    const source = create(1)
    if (!source) throw new Error('no source')
    return source.find(token, signal)
  }
  const fault = async (isOfSource = false) => {
    const thrown = await ask().catch((error: unknown) => error)
    expect(thrown).toBeInstanceOf(Outage)
    expect(thrown instanceof OutsideFault).toBe(isOfSource)
    const { cause, message } = thrown as Outage
    for (const text of [cause, message]) expect(text).not.toMatch(/secret|127\.0\.0\.1|http/)
    return cause
  }

  test('is asked with its key for the greatest hundred', async () => {
    saying(listing([{ address: one, balance: '5' }]))
    expect(await ask()).toEqual([{ address: one, balance: 5n }])
    expect(asked).toEqual([{ path, key: header }])
  })

  test('is sorted by the service, in lowercase, without zero balances', async () => {
    const shouting = `0x${numbered('ab').slice(2).toUpperCase()}`
    saying(
      listing([
        { address: three, balance: '7' },
        { address: one, balance: '0' },
        { address: shouting, balance: String(maxUint256) },
        { address: two, balance: 7 },
      ]),
    )
    expect(await ask()).toEqual([
      { address: numbered('ab'), balance: maxUint256 },
      { address: two, balance: 7n },
      { address: three, balance: 7n },
    ])
  })

  test('is cut after a hundred', async () => {
    const many = Array.from({ length: 150 }, (_, index) => ({
      address: `0x${(index + 1).toString(16).padStart(40, '0')}`,
      balance: String(index + 1),
    }))
    saying(listing(many))
    const found = await ask()
    expect(found).toHaveLength(100)
    expect(found?.[0]?.balance).toBe(150n)
    expect(found?.at(-1)?.balance).toBe(51n)
  })

  test('is read up to the size of a hundred holders with all their details, and no further', async () => {
    const text = JSON.stringify(listing([{ address: one, balance: '5' }]))
    saying(text.padEnd(bytes))
    expect(await ask()).toEqual([{ address: one, balance: 5n }])
    saying(text.padEnd(bytes + 1))
    expect(await fault(true)).toBe(`answers with more than ${bytes} bytes`)
  })

  test.each([
    ['no holders', []],
    ['holders of nothing', [{ address: one, balance: '0' }]],
  ])('%s: has no holders', async (_, list) => {
    saying(listing(list))
    expect(await ask()).toBeUndefined()
  })

  test.each([
    '-5',
    '1.5',
    '1e30',
    'NaN',
    'Infinity',
    '0x10',
    '',
    ' 5',
    String(maxUint256 + 1n),
    -5,
    1.5,
    2 ** 53,
    null,
    undefined,
    true,
    ['5'],
    { atoms: '5' },
  ])('a balance of %j makes the list invalid', async (balance) => {
    saying(
      listing([
        { address: one, balance: '5' },
        { address: two, balance },
      ]),
    )
    expect(await fault()).toContain('not an amount of atoms')
  })

  test('a balance of 1e400 makes the list invalid', async () => {
    saying(JSON.stringify(listing([{ address: one, balance: 'here' }])).replace('"here"', '1e400'))
    expect(await fault()).toContain('not an amount of atoms')
  })

  test.each(['0x12', one.slice(2), `${one}00`, 7, null, undefined, 'vitalik.eth'])(
    'an address of %j makes the list invalid',
    async (address) => {
      saying(listing([{ address, balance: '5' }]))
      expect(await fault()).toContain('no address')
    },
  )

  test('a duplicate holder makes the list invalid', async () => {
    saying(
      listing([
        { address: one, balance: '5' },
        { address: `0x${one.slice(2).toUpperCase()}`, balance: '6' },
      ]),
    )
    expect(await fault()).toContain('twice')
  })

  test.each([
    ['something else', {}],
    ['null', null],
    ['a list', []],
    ['a text', '"holders"'],
    ['a wrong list', { result: {}, holders: {} }],
    ['a list of texts', { result: [one], holders: [one] }],
  ])('%s is an invalid response about one token', async (_, body) => {
    saying(body)
    expect(await fault()).toContain('sends an invalid answer')
  })

  test('an HTML page is a failure of the source', async () => {
    saying('<html>')
    expect(await fault(true)).toContain('without valid JSON')
  })

  test.each([401, 403, 500, 502])('status %d is a failure of the source, never "none"', async (status) => {
    saying({ message: `key ${key} is not allowed`, error: { code: 1, message: key } }, status)
    expect(await fault(true)).toBe(`status ${status}`)
  })

  test.each([400, 404, 422])('status %d is an outage of the token, in any form', async (status) => {
    for (const body of [{ message: key, error: { code: 1, message: key } }, `<html>${key}</html>`]) {
      saying(body, status)
      expect(await fault()).toBe(`status ${status}`)
    }
  })

  test('status 429 is a rate limit', async () => {
    saying({}, 429)
    await expect(ask()).rejects.toThrow(Throttled)
  })

  test('is aborted when its caller leaves', async () => {
    answer = () => {}
    await expect(ask(AbortSignal.timeout(50))).rejects.toThrow(Outage)
  })

  test('is no source on an unknown chain', () => {
    expect(create(9745, { url: undefined })).toBeUndefined()
    expect(create(31337, { url: undefined })).toBeUndefined()
  })
})

describe('ethplorer alone', () => {
  const ask = () => createEthplorer(options(1))?.find(token, AbortSignal.timeout(2_000))

  test('raw balances come before balances that lost their last digits', async () => {
    saying({ holders: [{ address: one, balance: 4.6915e28, rawBalance: '46915000000000000000000000001' }] })
    expect(await ask()).toEqual([{ address: one, balance: 46915000000000000000000000001n }])
  })

  test.each([200, 400, 404])('a response of no token (status %d) means no holders', async (status) => {
    saying({ error: { code: 150, message: 'Address is not a token contract' } }, status)
    expect(await ask()).toBeUndefined()
  })

  test.each([1, 2, 104, 133, '150', undefined])('its error %j is an outage', async (code) => {
    saying({ error: { code, message: 'Invalid API key' } })
    await expect(ask()).rejects.toHaveProperty('cause', 'sends an invalid answer: it answers with an error')
  })
})

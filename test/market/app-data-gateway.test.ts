import { createHash } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Outage } from '../../src/domain/error.ts'
import type { Bytes32 } from '../../src/domain/hex.ts'
import { keccakText } from '../../src/domain/keccak.ts'
import { type AppDataGateway, cachedGateway, createIpfsGateway } from '../../src/market/app-data-gateway.ts'

let answer: RequestListener
let asked: string[]
const server = createServer((req, res) => {
  asked.push(req.url ?? '')
  answer(req, res)
})
let url: string
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
beforeEach(() => {
  asked = []
})

const hashOf = (digits: string): Bytes32 => `0x${digits}` as const
const document = '{"appCode":"é"}'
const hash = keccakText(document)
const older = hashOf(createHash('sha256').update(document).digest('hex'))
const raw = `/ipfs/f01551b20${hash.slice(2)}`

/** What is stored, by path; 404 for the rest. */
function holding(files: Record<string, string | Buffer>): RequestListener {
  return ({ url: path = '' }, res) => {
    const file = files[path]
    res.writeHead(file === undefined ? 404 : 200).end(file)
  }
}

describe('a gateway', () => {
  const gateway = (more: Partial<Parameters<typeof createIpfsGateway>[0]> = {}) =>
    createIpfsGateway({ url, maxBytes: 100, ...more })

  test('is asked for both forms of a hash', async () => {
    answer = holding({ [raw]: document, [`/ipfs/f01701220${older.slice(2)}`]: document })
    expect(await gateway().find(hash)).toBe(document)
    expect(asked.toSorted()).toEqual([raw, `/ipfs/f01701220${hash.slice(2)}`])
    expect(await gateway().find(older)).toBe(document)
    expect(await gateway().find(hashOf('12'.repeat(32)))).toBeUndefined()
  })

  test('has nothing in what is too large or no text', async () => {
    const large = 'x'.repeat(101)
    const largest = 'x'.repeat(100)
    const bytes = Buffer.from([0x7b, 0xff, 0x7d])
    const pathOf = (text: string) => `/ipfs/f01701220${text}`
    const [a, b, c] = ['aa', 'bb', 'cc'].map((digits) => digits.repeat(32)) as [string, string, string]
    answer = holding({ [pathOf(a)]: large, [pathOf(b)]: largest, [pathOf(c)]: bytes })
    expect(await gateway().find(hashOf(a))).toBeUndefined()
    expect(await gateway().find(hashOf(b))).toBe(largest)
    expect(await gateway().find(hashOf(c))).toBeUndefined()
  })

  test.each([
    ['answers with a fault', (_req, res) => void res.writeHead(502).end()],
    [
      'cuts its answer off',
      (_req, res) => void res.writeHead(200, { 'content-length': 50 }).write('{', () => res.destroy()),
    ],
    ['says something else than was asked for', holding({ [raw]: '{}' })],
    ['never answers', () => {}],
  ] as [string, RequestListener][])('is down when it %s', async (_, listener) => {
    answer = listener
    await expect(gateway({ timeoutMs: 200 }).find(hash)).rejects.toBeInstanceOf(Outage)
  })

  test('that is not there is down', async () => {
    await expect(gateway({ url: 'http://127.0.0.1:1' }).find(hash)).rejects.toThrow(
      'the app data gateway is unavailable',
    )
  })

  test('finds one form while the other fails', async () => {
    answer = (req, res) => (req.url === raw ? void res.end(document) : void res.writeHead(504).end())
    expect(await gateway().find(hash)).toBe(document)
  })

  test('is asked about so many at once', async () => {
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    answer = (_req, res) => void released.then(() => res.writeHead(404).end())
    const busy = gateway({ maxUnderWay: 1 })
    const first = busy.find(hash)
    await expect(busy.find(older)).rejects.toBeInstanceOf(Outage)
    release()
    expect(await first).toBeUndefined()
    expect(await busy.find(older)).toBeUndefined()
  })
})

describe('a cached gateway', () => {
  let now: number
  let calls: Bytes32[]
  let next: () => Promise<string | undefined>
  let gateway: AppDataGateway
  beforeEach(() => {
    now = 0
    calls = []
    next = async () => document
    const source: AppDataGateway = {
      find(asked) {
        calls.push(asked)
        return next()
      },
    }
    gateway = cachedGateway(source, { now: () => now, entries: 2, lifetimeMs: 1_000 })
  })

  test('remembers what was found, and what was not, for its time', async () => {
    expect(await gateway.find(hash)).toBe(document)
    next = async () => undefined
    expect(await gateway.find(older)).toBeUndefined()
    now = 999
    expect(await gateway.find(hash)).toBe(document)
    expect(await gateway.find(older)).toBeUndefined()
    expect(calls).toEqual([hash, older])
    now = 1_000
    expect(await gateway.find(hash)).toBeUndefined()
    expect(calls).toHaveLength(3)
  })

  test('asks once for many, and forgets an outage', async () => {
    next = () => Promise.reject(new Outage('it'))
    const results = await Promise.allSettled([gateway.find(hash), gateway.find(hash)])
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(calls).toHaveLength(1)
    next = async () => document
    expect(await gateway.find(hash)).toBe(document)
  })

  test('forgets the oldest', async () => {
    for (const digits of ['01', '02', '03']) await gateway.find(hashOf(digits.repeat(32)))
    await gateway.find(hashOf('03'.repeat(32)))
    await gateway.find(hashOf('02'.repeat(32)))
    expect(calls).toHaveLength(3)
    await gateway.find(hashOf('01'.repeat(32)))
    expect(calls).toHaveLength(4)
  })
})

import { createHash } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type AppDataGateway, cachedGateway, createIpfsGateway } from '../../src/app-data/gateway.ts'
import { Outage } from '../../src/domain/errors/error.ts'
import type { Bytes32 } from '../../src/domain/evm/hex.ts'
import { keccakText } from '../../src/domain/evm/keccak.ts'

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
const raw = `/ipfs/f01551b20${hash.slice(2)}`
const sha256 = (bytes: Buffer) => hashOf(createHash('sha256').update(bytes).digest('hex'))
const blockPath = (of: Bytes32) => `/ipfs/f01701220${of.slice(2)}`

/** A file in a dag-pb block, by hand: lengths below 128 are one byte. */
function blockOf(text: string | Buffer): Buffer {
  const data = Buffer.from(text)
  const file = Buffer.concat([
    Buffer.from([0x08, 0x02, 0x12, data.length]),
    data,
    Buffer.from([0x18, data.length]),
  ])
  return Buffer.concat([Buffer.from([0x0a, file.length]), file])
}

const block = blockOf(document)
const older = sha256(block)

/** Serves these files by path; 404 for other paths. */
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
    answer = holding({ [raw]: document, [blockPath(older)]: document })
    expect(await gateway().find(hash)).toBe(document)
    expect(asked.toSorted()).toEqual([raw, blockPath(hash)])
    expect(await gateway().find(older)).toBe(document)
    expect(await gateway().find(hashOf('12'.repeat(32)))).toBeUndefined()
  })

  test('may return the file of the older form or its block', async () => {
    // The content id that every IPFS program gives this text: QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o.
    const known = hashOf('46d44814b9c5af141c3aaab7c05dc5e844ead5f91f12858b021eba45768b4c0e')
    for (const given of ['hello world\n', blockOf('hello world\n')]) {
      answer = holding({ [blockPath(known)]: given })
      expect(await gateway().find(known)).toBe('hello world\n')
    }
  })

  test('has no document in data that is too large, not text, or not a file', async () => {
    const kept = (bytes: Buffer) => {
      answer = holding({ [blockPath(sha256(bytes))]: bytes })
      return gateway().find(sha256(bytes))
    }
    expect(await kept(blockOf('x'.repeat(100)))).toBe('x'.repeat(100))
    expect(await kept(blockOf('x'.repeat(101)))).toBeUndefined()
    expect(await kept(blockOf(Buffer.from([0x7b, 0xff, 0x7d])))).toBeUndefined()
    const folder = blockOf('{}')
    folder[3] = 0x01
    expect(await kept(folder)).toBeUndefined()
    expect(await kept(Buffer.from('{"no":"block"}'))).toBeUndefined()
    const large = 'x'.repeat(101)
    answer = holding({ [`/ipfs/f01551b20${keccakText(large).slice(2)}`]: large })
    expect(await gateway().find(keccakText(large))).toBeUndefined()
  })

  test.each([
    ['another document', '{"appCode":"e"}'],
    ['another block', blockOf('{"appCode":"e"}')],
    ['its document with trailing data', `${document} `],
  ])('that returns %s is unavailable', async (_, given) => {
    answer = holding({ [blockPath(older)]: given })
    await expect(gateway().find(older)).rejects.toBeInstanceOf(Outage)
    answer = holding({ [raw]: given, [blockPath(hash)]: given })
    await expect(gateway().find(hash)).rejects.toBeInstanceOf(Outage)
  })

  test.each([301, 302, 303, 307, 308])('is not followed on a redirect, %i', async (status) => {
    answer = (req, res) => {
      if (req.url?.startsWith('/ipfs/')) res.writeHead(status, { location: `${url}secret` }).end()
      else res.end(document)
    }
    await expect(gateway().find(hash)).rejects.toBeInstanceOf(Outage)
    expect(asked.toSorted()).toEqual([raw, blockPath(hash)])
  })

  test('is aborted when it sends too much, or too slowly', async () => {
    let ended = 0
    const pouring: RequestListener = (_req, res) => {
      const timer = setInterval(() => res.write('x'.repeat(50)), 1)
      res.writeHead(200).on('close', () => {
        clearInterval(timer)
        ended++
      })
    }
    answer = pouring
    expect(await gateway().find(hash)).toBeUndefined()
    await expect.poll(() => ended).toBe(2)
    const dripping: RequestListener = (_req, res) => {
      const timer = setInterval(() => res.write('x'), 20)
      res.writeHead(200).on('close', () => {
        clearInterval(timer)
        ended++
      })
    }
    answer = dripping
    await expect(gateway({ timeoutMs: 200 }).find(hash)).rejects.toBeInstanceOf(Outage)
    await expect.poll(() => ended).toBe(4)
  })

  test.each([
    ['answers with an error', (_req, res) => void res.writeHead(502).end()],
    [
      'cuts off its answer',
      (_req, res) => void res.writeHead(200, { 'content-length': 50 }).write('{', () => res.destroy()),
    ],
    ['returns another document', holding({ [raw]: '{}' })],
    ['never answers', () => {}],
  ] as [string, RequestListener][])('is unavailable when it %s', async (_, listener) => {
    answer = listener
    await expect(gateway({ timeoutMs: 200 }).find(hash)).rejects.toBeInstanceOf(Outage)
  })

  test('that does not listen is unavailable', async () => {
    await expect(gateway({ url: 'http://127.0.0.1:1' }).find(hash)).rejects.toThrow(
      'the app data gateway is unavailable',
    )
  })

  test('returns one form while the other fails', async () => {
    answer = (req, res) => (req.url === raw ? void res.end(document) : void res.writeHead(504).end())
    expect(await gateway().find(hash)).toBe(document)
  })

  test('has a limit of concurrent requests', async () => {
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

  test('caches hits and misses for their lifetime', async () => {
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

  test('sends one request for concurrent callers, and does not cache an outage', async () => {
    next = () => Promise.reject(new Outage('it'))
    const results = await Promise.allSettled([gateway.find(hash), gateway.find(hash)])
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(calls).toHaveLength(1)
    next = async () => document
    expect(await gateway.find(hash)).toBe(document)
  })

  test('evicts the oldest entry', async () => {
    for (const digits of ['01', '02', '03']) await gateway.find(hashOf(digits.repeat(32)))
    await gateway.find(hashOf('03'.repeat(32)))
    await gateway.find(hashOf('02'.repeat(32)))
    expect(calls).toHaveLength(3)
    await gateway.find(hashOf('01'.repeat(32)))
    expect(calls).toHaveLength(4)
  })
})

import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createRpc } from '../../src/chain/rpc/rpc.ts'
import { Outage } from '../../src/domain/errors/error.ts'
import { type Address, nativeMarker } from '../../src/domain/evm/address.ts'
import { createChainFeed } from '../../src/market/prices/chain-feed.ts'
import { createCoingecko } from '../../src/market/prices/coingecko.ts'
import { OutsideFault, Throttled } from '../../src/outside/fault.ts'
import { readCompiled } from '../chain/compiled.ts'
import { startScriptedNode } from '../chain/scripted-node.ts'
import { numbered } from '../fakes/order.ts'
import { silentLog } from '../fakes/silent-log.ts'
import {
  answering,
  type Behaviour,
  cutOff,
  hanging,
  huge,
  nested,
  resetting,
  type SolverEngineFake,
  saying,
  startSolverEngine,
  status,
} from '../fakes/solver-engine.ts'
import { codeReturning, type Evm, startEvm } from '../setup/evm.ts'

const token = numbered('a0')
const name = 'prices'
const waiting = () => AbortSignal.timeout(500)

describe('coingecko', () => {
  let server: SolverEngineFake
  beforeEach(async () => {
    server = await startSolverEngine()
  })
  afterEach(() => server.close())

  const options = { name, apiKey: 'secret', keyHeader: 'x-cg-pro-api-key', now: Date.now }
  const create = (chainId = 42161) =>
    createCoingecko({ ...options, url: `${server.url}/api/v3`, network: { chainId } })
  const find = (behaviour: Behaviour) => {
    server.behaves(behaviour)
    return create()?.find(token, waiting())
  }
  const usd = (text: string) => saying(`{"${token}":{"usd":${text}}}`)

  test('is asked for one token on its platform, with the key in a header', async () => {
    expect(await find(usd('1.5'))).toBe('1.5')
    expect(server.asked).toMatchObject([
      {
        method: 'GET',
        path: '/api/v3/simple/token_price/arbitrum-one',
        query: { contract_addresses: token, vs_currencies: 'usd' },
        headers: { 'x-cg-pro-api-key': 'secret' },
      },
    ])
  })

  test('needs no key', async () => {
    server.behaves(usd('1'))
    const open = createCoingecko({ ...options, apiKey: undefined, url: server.url, network: { chainId: 1 } })
    await open?.find(token, waiting())
    expect(server.asked[0]?.headers).not.toHaveProperty('x-cg-pro-api-key')
  })

  test('gets its key only in the header for it', async () => {
    server.behaves(usd('1'))
    const more = { keyHeader: 'x-cg-demo-api-key', url: server.url, network: { chainId: 1 } }
    await createCoingecko({ ...options, ...more })?.find(token, waiting())
    const [{ headers } = { headers: {} }] = server.asked
    expect(headers).toMatchObject({ 'x-cg-demo-api-key': 'secret' })
    expect(headers).not.toHaveProperty('x-cg-pro-api-key')
  })

  test.each([11155111, 31337])('is no source on chain %d, which it does not know', (chainId) => {
    expect(create(chainId)).toBeUndefined()
  })

  test.each([
    ['1', '1'],
    ['3462.85852001', '3462.85852001'],
    ['3.46285852004e-9', '0.00000000346285852004'],
    ['0.1', '0.1'],
    ['123456789012345.67', '123456789012345.67'],
    ['1e15', '1000000000000000'],
    ['1E-60', `0.${'0'.repeat(59)}1`],
  ])('%s dollars are returned as %s', async (said, expected) => {
    expect(await find(usd(said))).toBe(expected)
  })

  test('a price under another spelling of the address is a price', async () => {
    expect(await find(answering({ [token.toUpperCase()]: { usd: 2 } }))).toBe('2')
  })

  test.each<[string, Behaviour]>([
    ['nothing', answering({})],
    ['nothing of the token', answering({ [token]: {} })],
    ['null', usd('null')],
    ['zero', usd('0')],
    ['what rounds to zero', usd('1e-400')],
    ['what is as good as zero', usd('5e-324')],
    ['404', answering({ error: 'coin not found' }, 404)],
  ])('%s means no price', async (_, behaviour) => {
    expect(await find(behaviour)).toBeUndefined()
  })

  test.each<[string, Behaviour, string]>([
    ['minus zero', usd('-0'), 'sends an invalid answer: a price is out of range'],
    ['a negative price', usd('-1'), 'sends an invalid answer: a price is out of range'],
    ['1e400', usd('1e400'), 'sends an invalid answer: a price is out of range'],
    ['-1e400', usd('-1e400'), 'sends an invalid answer: a price is out of range'],
    ['more than everything', usd('1e16'), 'sends an invalid answer: a price is out of range'],
    ['1e308', usd('1e308'), 'sends an invalid answer: a price is out of range'],
    ['NaN as a text', usd('"NaN"'), 'sends an invalid answer: a price is not a number'],
    ['a text', usd('"1.5"'), 'sends an invalid answer: a price is not a number'],
    ['a list', usd('[1]'), 'sends an invalid answer: a price is not a number'],
    [
      'another token',
      answering({ [numbered('b0')]: { usd: 1 } }),
      'sends an invalid answer: it is not about the token',
    ],
    [
      'an error with status 200',
      answering({ status: { error_code: 1 } }),
      'sends an invalid answer: it is not about the token',
    ],
    [
      'a token that is null',
      answering({ [token]: null }),
      'sends an invalid answer: it is not about the token',
    ],
    ['a list in place of all', answering([]), 'sends an invalid answer: it is not an object'],
    ['null in place of all', answering(null), 'sends an invalid answer: it is not an object'],
    ['a page with 404', status(404), 'status 404'],
    ['400', answering({ error: 'x' }, 400), 'status 400'],
    [
      'the token twice',
      answering({ [token]: { usd: 1 }, [token.toUpperCase()]: { usd: 2 } }),
      'sends an invalid answer: the token is listed twice',
    ],
    ['a refusal that is no JSON', status(422), 'status 422'],
  ])('%s is an outage of the token, with only this as the reason', async (_, behaviour, reason) => {
    const fault = await find(behaviour)?.catch((thrown: unknown) => thrown)
    expect(fault).toBeInstanceOf(Outage)
    expect(fault).not.toBeInstanceOf(OutsideFault)
    expect(fault).toMatchObject({ message: 'prices is unavailable', cause: reason })
  })

  test.each<[string, Behaviour, string]>([
    ['NaN', usd('NaN'), 'answers without valid JSON'],
    ['a page', saying('<html>'), 'answers without valid JSON'],
    ['a wrong key', answering({ error: 'x' }, 401), 'status 401'],
    ['a key that may not', status(403), 'status 403'],
    ['500', status(500), 'status 500'],
    ['a redirect', saying('', 302, { location: 'http://127.0.0.1:1/' }), 'status 302'],
    ['more than a price needs', huge(100_000), 'answers with more than 16384 bytes'],
    ['what is nested deeply', nested(500), 'answers too deeply nested'],
    ['half of it', cutOff, 'cannot be reached (UND_ERR_SOCKET)'],
    ['a reset', resetting, 'cannot be reached (ECONNRESET)'],
    ['nothing in time', hanging, 'did not answer in time'],
  ])('%s is a failure of the source, with only this as the reason', async (_, behaviour, reason) => {
    const fault = await find(behaviour)?.catch((thrown: unknown) => thrown)
    expect(fault).toBeInstanceOf(OutsideFault)
    expect(fault).toMatchObject({ message: 'prices is unavailable', reason })
  })

  test('429 is a rate limit', async () => {
    const asked = find(status(429, { 'retry-after': '7' }))
    await expect(asked).rejects.toThrow(Throttled)
    await expect(asked).rejects.toMatchObject({ retryAfterMs: 7_000 })
  })

  test('any double is returned as a plain decimal that reads as the same double', async () => {
    await fc.assert(
      fc.asyncProperty(fc.double({ min: 1e-60, max: 1e15, noNaN: true }), async (dollars) => {
        const price = await find(usd(String(dollars)))
        expect(price).toMatch(/^(0|[1-9]\d*)(\.\d*[1-9])?$/)
        expect(Number(price)).toBe(dollars)
      }),
      { numRuns: 200 },
    )
  })
})

describe('a feed on chain', () => {
  const [aggregator] = readCompiled('aggregator.sol', ['Aggregator'])
  const seconds = 1_800_000_000n
  let evm: Evm
  let feed: Awaited<ReturnType<Evm['deploy']>>
  beforeAll(async () => {
    evm = await startEvm()
    if (!aggregator) throw new Error('no aggregator')
    feed = await evm.deploy(aggregator)
  })
  afterAll(() => evm[Symbol.asyncDispose]())

  const create = (at: Address = feed.address, rpc = evm.rpc) =>
    createChainFeed({
      name,
      rpc,
      feeds: new Map([[token, at]]),
      maxAgeSeconds: 3_600,
      now: () => Number(seconds) * 1_000,
    })
  const usual = {
    decimals: 8n,
    roundId: 7n,
    answer: 346_285_852_001n,
    updatedAt: seconds,
    answeredInRound: 7n,
  }
  async function find(change: Partial<typeof usual> = {}) {
    const { decimals, roundId, answer, updatedAt, answeredInRound } = { ...usual, ...change }
    await feed.write('tell', [decimals, [roundId, answer, updatedAt, updatedAt, answeredInRound]])
    return create().find(token, waiting())
  }

  test.each<[string, Partial<typeof usual>, string]>([
    ['a price', {}, '3462.85852001'],
    ['one without digits behind the point', { decimals: 0n, answer: 3n }, '3'],
    ['one in very small units', { decimals: 36n, answer: 10n ** 33n + 1n }, '0.001'],
    ['the smallest', { decimals: 36n, answer: 1n }, `0.${'0'.repeat(35)}1`],
    ['one that is as old as it may be', { updatedAt: seconds - 3_600n }, '3462.85852001'],
    ['one by a clock that is a little ahead', { updatedAt: seconds + 600n }, '3462.85852001'],
    ['one that was answered late', { answeredInRound: 9n }, '3462.85852001'],
  ])('returns %s', async (_, round, price) => {
    expect(await find(round)).toBe(price)
  })

  test.each<[string, Partial<typeof usual>, string]>([
    ['nothing', { answer: 0n }, 'out of range'],
    ['less', { answer: -1n }, 'out of range'],
    ['the least number', { answer: -(2n ** 255n) }, 'out of range'],
    ['more than everything', { answer: 2n ** 255n - 1n }, 'out of range'],
    ['a price of long ago', { updatedAt: seconds - 3_601n }, 'is out of date'],
    ['a round that never was updated', { updatedAt: 0n }, 'is out of date'],
    ['a price of the future', { updatedAt: seconds + 601n }, 'is dated in the future'],
    ['a time beyond all', { updatedAt: 2n ** 256n - 1n }, 'is dated in the future'],
    [
      'a round before the first',
      { roundId: 0n, answeredInRound: 0n },
      'not an aggregator with a complete round',
    ],
    ['an answer of an earlier round', { answeredInRound: 6n }, 'not an aggregator with a complete round'],
    ['units of less than nothing', { decimals: 37n }, 'not an aggregator with a complete round'],
    ['decimals beyond all', { decimals: 2n ** 256n - 1n }, 'not an aggregator with a complete round'],
  ])('with %s is an outage of this token, not of the source', async (_, round, reason) => {
    const fault = await find(round).catch((thrown: unknown) => thrown)
    expect(fault).toBeInstanceOf(Outage)
    expect(fault).not.toBeInstanceOf(OutsideFault)
    expect(fault).toHaveProperty('cause', expect.stringMatching(new RegExp(`of ${token}.*${reason}$`)))
  })

  test.each([
    ['has no code', '0x'],
    ['reverts', '0x60006000fd'],
    ['uses up all gas', '0xfe'],
    ['answers one word', codeReturning(8n)],
  ])('that %s is an outage of this token too', async (_, code) => {
    const at = numbered('fe')
    await evm.rpc.call('anvil_setCode', [at, code])
    const fault = await create(at)
      .find(token, waiting())
      .catch((thrown: unknown) => thrown)
    expect(fault).toBeInstanceOf(Outage)
    expect(fault).toHaveProperty('cause', expect.stringContaining('not an aggregator'))
  })

  test('a token without a feed has no price', async () => {
    expect(await create().find(nativeMarker, waiting())).toBeUndefined()
  })

  test('both calls are one request; a node that is away is a failure of the source', async () => {
    await using node = await startScriptedNode({ status: 500 })
    const rpc = createRpc({ url: node.url, log: silentLog, retries: 0 })
    const asked = create(feed.address, rpc).find(token, waiting())
    await expect(asked).rejects.toBeInstanceOf(OutsideFault)
    await expect(asked).rejects.toHaveProperty('reason', 'the network node does not answer')
    expect(node.requests).toMatchObject([[{ method: 'eth_call' }, { method: 'eth_call' }]])
  })
})

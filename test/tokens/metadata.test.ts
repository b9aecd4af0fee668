import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Outage } from '../../src/domain/errors/error.ts'
import { nativeMarker } from '../../src/domain/evm/address.ts'
import type { Hex } from '../../src/domain/evm/hex.ts'
import { bytes, number, type Reported, text } from '../chain/speaking-code.ts'
import { numbered } from '../fakes/order.ts'
import { eventually } from '../setup/eventually.ts'
import { network } from '../setup/server.ts'
import { type MetadataWorld, openMetadataWorld } from './metadata-world.ts'

const { chainId } = network
let it: MetadataWorld
beforeAll(async () => {
  it = await openMetadataWorld()
})
afterAll(() => it[Symbol.asyncDispose]())
beforeEach(async () => {
  it.node.isAway = false
  it.node.held = undefined
  it.node.stumblesOver = undefined
  await it.index()
})

const plain: Reported = [text('USDC'), text('US Dollar'), number(6n)]
const beta: Reported = [text('BETA'), text('Beta'), number(18n)]
const nothing: Hex = '0x'
const many = (count: number, reported: Reported = plain) =>
  Promise.all(Array.from({ length: count }, () => it.put(reported)))

function holdNode(): () => void {
  let release = () => {}
  it.node.held = new Promise((resolve) => {
    release = resolve
  })
  return release
}

test('N unknown tokens take one batch, one SELECT and one INSERT; stored ones take one SELECT', async () => {
  const { cost } = it.openReader()
  const tokens = await many(128)
  const first = await cost([...tokens, ...tokens])
  expect([first.requests, first.verbs]).toEqual([1, ['SELECT', 'INSERT']])
  const again = await cost(tokens)
  expect([again.requests, again.verbs]).toEqual([0, ['SELECT']])
  expect(again.found).toEqual(first.found)
  expect([...again.found.values()]).toEqual(
    tokens.map((address) => ({ chainId, address, symbol: 'USDC', name: 'US Dollar', decimals: 6 })),
  )
})

test('the native coin needs no request', async () => {
  const { cost } = it.openReader()
  const coin = { chainId, address: nativeMarker, symbol: 'ETH', name: 'Ether', decimals: 18 }
  expect(await cost([nativeMarker])).toEqual({
    found: new Map([[nativeMarker, coin]]),
    requests: 0,
    verbs: [],
  })
})

const word = (hex: string) => bytes(hex.padEnd(64, '0'))
const [six, one] = [number(6n), number(1n)]
const S = text('S')
const N = text('N')
/** An ABI string: offset, length, bytes; here without the padding of the last word. */
const string = (hex: string, length = hex.length / 2, offset = 32) =>
  bytes(`${offset.toString(16).padStart(64, '0')}${length.toString(16).padStart(64, '0')}${hex}`)

test.each<[string, Reported, [symbol: string | null, name: string | null, decimals: number | null]]>([
  ['bytes32 names', [word('4d4b52'), word('4d616b6572'), number(18n)], ['MKR', 'Maker', 18]],
  [
    'bytes32 names that fill the word, or are not English',
    [bytes('41'.repeat(32)), word('e282ac'), six],
    ['A'.repeat(32), '€', 6],
  ],
  ['bytes32 names with data behind their end', [word('410042'), word('004142'), six], [null, null, 6]],
  ['bytes32 that is no UTF-8', [word('ff41'), bytes('a3'.repeat(32)), six], [null, null, 6]],
  [
    '10,000 characters',
    [text('S'.repeat(10_000)), text('🦊'.repeat(10_000)), number(0n)],
    ['S'.repeat(100), '🦊'.repeat(100), 0],
  ],
  [
    'a text cut in the middle of a character',
    [text('\u0000'.repeat(399) + '🦊'.repeat(5)), text(`${'\u0000'.repeat(396)}🦊🐻`), six],
    [null, '🦊', 6],
  ],
  ['control characters and line ends', [text('U\u0000S\u2028D\u2029\n'), text('\t'), six], ['USD', null, 6]],
  [
    'invisible characters and direction marks',
    [text('\uFEFFUS\u202EDC\u202C'), text('\u2066Coin\u2069\u200B'), six],
    ['USDC', 'Coin', 6],
  ],
  ['no UTF-8', [string('ff41fe'), N, six], ['�A�', 'N', 6]],
  ['a string without the padding of its last word', [string('55534443'), N, six], ['USDC', 'N', 6]],
  ['decimals 255', [S, N, number(255n)], ['S', 'N', 255]],
  ['decimals 256', [S, N, number(256n)], ['S', 'N', null]],
  ['decimals of 2^256 − 1', [S, N, number(2n ** 256n - 1n)], ['S', 'N', null]],
  ['decimals too short', [S, null, bytes('06')], ['S', null, null]],
  ['decimals with trailing data', [S, null, bytes(`${six.slice(2)}ff`)], ['S', null, 6]],
  ['a string longer than its data', [string('41', 255), N, one], [null, 'N', 1]],
  ['a string longer than any data', [string('41', 2 ** 47), N, one], [null, 'N', 1]],
  [
    'a string with an offset beyond its data',
    [bytes('f'.repeat(128)), string('41', 1, 65), one],
    [null, null, 1],
  ],
  ['a string with another offset', [string('', 2, 33) && string('0041', 0, 34), N, one], [null, 'N', 1]],
  ['decimals alone', [null, null, number(8n)], [null, null, 8]],
])('%s', async (_what, contract, [symbol, name, decimals]) => {
  const token = await it.put(contract)
  const expected = new Map([[token, { chainId, address: token, symbol, name, decimals }]])
  expect(await it.openReader().tokens([token])).toEqual(expected)
  const { found, requests } = await it.openReader().cost([token])
  expect([found, requests], 'from the store').toEqual([expected, 0])
})

test.each<[string, Reported]>([
  ['a contract that returns nothing', [nothing, nothing, nothing]],
  ['a contract that is no token', [null, null, null]],
  ['a name alone', [null, text('Vault'), null]],
  ['a contract that answers everything with zero', [number(0n), number(0n), number(2n ** 200n)]],
  ['a contract that answers everything with a hash', [bytes('9c'.repeat(32)), null, bytes('9c'.repeat(32))]],
])('%s is absent, and not asked again for a minute', async (_what, contract) => {
  const { cost } = it.openReader()
  const token = await it.put(contract)
  expect(await cost([token])).toEqual({ found: new Map(), requests: 1, verbs: ['SELECT'] })
  it.world.time += 59_999
  expect(await cost([token])).toEqual({ found: new Map(), requests: 0, verbs: [] })
  it.world.time += 2
  await it.put(plain, token)
  expect((await cost([token])).found.get(token)).toMatchObject({ symbol: 'USDC' })
})

test('an account without code is absent, and so is a precompiled contract', async () => {
  const { tokens } = it.openReader()
  const precompiles = ['1', '2', '3', '4', '5', '9'].map(numbered)
  expect(await tokens([numbered('0b0b'), ...precompiles])).toEqual(new Map())
})

test('while the node is down each unknown token is unavailable, and none is cached', async () => {
  const { tokens, knownTokens, warnings } = it.openReader()
  const [stored, unknown] = [await it.put(plain), await it.put(plain)]
  await tokens([stored])
  it.node.isAway = true
  const found = await tokens([stored, unknown, nativeMarker])
  expect([...found.keys()]).toEqual([stored, unknown, nativeMarker])
  expect(found.get(stored)).toMatchObject({ symbol: 'USDC' })
  expect(found.get(unknown)).toBeInstanceOf(Outage)
  expect(warnings).toEqual([])
  expect([...(await knownTokens([stored, unknown])).keys()]).toEqual([stored])
  expect(warnings).toEqual([['token metadata not read', { network: 'sepolia', tokens: 1 }]])
  it.node.isAway = false
  expect((await tokens([unknown])).get(unknown)).toMatchObject({ symbol: 'USDC' })
})

test('while the node hangs all callers get an outage in time', async () => {
  holdNode()
  const { tokens } = it.openReader({ timeoutMs: 50 })
  const each = await many(80)
  const wanted = Array.from({ length: 40 }, (_, index) => tokens(each.slice(2 * index, 2 * index + 2)))
  for (const found of await Promise.all(wanted)) {
    expect([...found.values()]).toEqual([expect.any(Outage), expect.any(Outage)])
  }
})

test('an answer that is late for one caller serves the next, and is asked for once', async () => {
  const release = holdNode()
  const { tokens, cost, asked } = it.openReader({ timeoutMs: 200 })
  const [token, none] = [await it.put(plain), await it.put([null, null, null])]
  const late = await Promise.all([tokens([token, none]), tokens([none, token]), tokens([token])])
  expect(late.flatMap((found) => [...found.values()])).toEqual(Array(5).fill(expect.any(Outage)))
  release()
  const result = await eventually('an answer', async () => {
    const { found, requests } = await cost([token, none])
    return found.get(token) instanceof Outage ? false : { found, requests }
  })
  expect(result).toEqual({
    found: new Map([[token, expect.objectContaining({ symbol: 'USDC' })]]),
    requests: 0,
  })
  expect(asked()).toBe(2)
})

test('a token that the node refuses to read is unavailable, and the others are stored', async () => {
  const { tokens, cost } = it.openReader()
  const [good, bad] = [await it.put(plain), await it.put(plain)]
  it.node.stumblesOver = bad
  const found = await tokens([bad, good])
  expect(found.get(bad)).toBeInstanceOf(Outage)
  expect(found.get(good)).toMatchObject({ symbol: 'USDC' })
  expect((await cost([good])).requests).toBe(0)
})

test('concurrent callers share batches, of which two are in flight', async () => {
  const release = holdNode()
  const { tokens, asked, counted } = it.openReader()
  const wanted = await many(20)
  const answers = wanted.map((token) => tokens([token]))
  await eventually('all have asked', () => asked() === wanted.length)
  expect(counted.requests).toBeLessThanOrEqual(2)
  release()
  expect((await Promise.all(answers)).map((found) => found.size)).toEqual(wanted.map(() => 1))
  expect(counted.requests).toBeLessThanOrEqual(3)
})

describe('a token read in a block that is not indexed yet', () => {
  test('is cached for five seconds, then stored if its block is indexed by then, else read again', async () => {
    const { cost } = it.openReader()
    await it.evm.mine()
    const token = await it.put(plain)
    const usdc = new Map([
      [token, { chainId, address: token, symbol: 'USDC', name: 'US Dollar', decimals: 6 }],
    ])
    expect(await cost([token])).toEqual({ found: usdc, requests: 1, verbs: ['SELECT', 'INSERT'] })
    it.world.time += 4_999
    expect(await cost([token])).toEqual({ found: usdc, requests: 0, verbs: ['SELECT'] })
    it.world.time += 1
    const again = { found: usdc, requests: 1, verbs: ['SELECT', 'INSERT', 'INSERT'] }
    expect(await cost([token]), 'still not indexed').toEqual(again)
    await it.index()
    it.world.time += 5_000
    expect(await cost([token])).toEqual({ found: usdc, requests: 0, verbs: ['SELECT', 'INSERT'] })
    expect(await cost([token])).toEqual({ found: usdc, requests: 0, verbs: ['SELECT'] })
    expect((await it.openReader().cost([token])).requests, 'by another process').toBe(0)
  })

  test('is stored soon without another request', async () => {
    const { tokens } = it.openReader({ storeAgainMs: [20, 20, 20, 50, 100, 1_000, 2_000] })
    await it.evm.mine()
    const token = await it.put(plain)
    await tokens([token])
    it.node.isAway = true
    const others = () => it.openReader().tokens([token])
    expect((await others()).get(token)).toBeInstanceOf(Outage)
    await it.index()
    await eventually('it is stored', async () => !((await others()).get(token) instanceof Outage))
  })

  test('is never stored where no indexer runs', async () => {
    await using empty = await openMetadataWorld()
    const { cost } = empty.openReader()
    const token = await empty.put(beta)
    const expected = new Map([[token, expect.objectContaining({ symbol: 'BETA' })]])
    expect(await cost([token])).toEqual({ found: expected, requests: 1, verbs: ['SELECT', 'INSERT'] })
    expect(await cost([token])).toEqual({ found: expected, requests: 0, verbs: ['SELECT'] })
    expect((await empty.openReader().cost([token])).requests).toBe(1)
  })
})

import { AbiCoder } from 'ethers'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Rpc, type RpcAnswer, RpcError } from '../../src/chain/rpc.ts'
import { readTokenMetadata } from '../../src/chain/token-metadata.ts'
import { type Address, nativeMarker } from '../../src/domain/address.ts'
import { Outage } from '../../src/domain/error.ts'
import { gather } from '../../src/gather.ts'
import { forgetTokensReadFrom } from '../../src/storage/tokens.ts'
import { createTokenReader } from '../../src/tokens/metadata.ts'
import { countRequests } from '../chain/counted-rpc.ts'
import { network } from '../doors.ts'
import { numbered } from '../fakes/order.ts'
import { silentLog } from '../fakes/silent-log.ts'
import { createTestDatabase, eventually, type TestDatabase } from '../world.ts'

const { chainId } = network
const coder = AbiCoder.defaultAbiCoder()
const text = (value: string) => ({ value: coder.encode(['string'], [value]) })
const word = (value: bigint | string) => ({
  value: typeof value === 'bigint' ? coder.encode(['uint256'], [value]) : `0x${value}`,
})
const reverted = { error: new RpcError('execution reverted', 3, '0x') }
const refused = { error: new RpcError('header not found', -32000) }
const nothing = { value: '0x' }

/** What a contract answers to symbol, name and decimals. */
type Contract = readonly [RpcAnswer, RpcAnswer, RpcAnswer]

const selectors = ['0x95d89b41', '0x06fdde03', '0x313ce567']
let contracts: Map<string, Contract>
let isAway: boolean
let held: Promise<void> | undefined
let time: number
let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())
beforeEach(() => {
  contracts = new Map()
  isAway = false
  held = undefined
  time = 1_800_000_000_000
})

const node: Rpc = {
  call: () => Promise.reject(new Error('nothing is called alone')),
  async batch(calls) {
    await held
    if (isAway) throw new Outage('the network node')
    return calls.map(({ method, params }) => {
      if (method === 'eth_blockNumber') return { value: '0x7' }
      const [{ to, data }] = params as [{ to: string; data: string }]
      return contracts.get(to)?.[selectors.indexOf(data)] ?? nothing
    })
  },
}

function openReader({ patienceMs = 4_500 } = {}) {
  const warnings: unknown[] = []
  const counted = countRequests(node)
  let asked = 0
  const ask = gather((addresses: readonly Address[]) => readTokenMetadata(counted.rpc, chainId, addresses), {
    most: 128,
    abreast: 2,
  })
  const reader = createTokenReader({
    network,
    ask(address) {
      asked++
      return ask(address)
    },
    db: database.db,
    log: { ...silentLog, warn: (message, fields) => void warnings.push([message, fields]) },
    now: () => time,
    patienceMs,
  })
  /** RPC requests and SQL verbs of one read. */
  async function cost(addresses: readonly Address[]) {
    const { requests } = counted
    const { length } = database.statements
    const found = await reader.tokens(addresses)
    const verbs = database.statements.slice(length).map((sql) => sql.split(' ', 1)[0])
    return { found, requests: counted.requests - requests, verbs: verbs.filter(isWork) }
  }
  return { ...reader, cost, warnings, counted, asked: () => asked }
}

const isWork = (verb: string | undefined) => verb !== 'BEGIN' && verb !== 'COMMIT'
const plain: Contract = [text('USDC'), text('US Dollar'), word(6n)]
let last = 0x1000
const fresh = (contract: Contract): Address => {
  const token = numbered((++last).toString(16))
  contracts.set(token, contract)
  return token
}

test('N unknown tokens are one batch, one SELECT and one INSERT; known ones are one SELECT', async () => {
  const { cost } = openReader()
  const tokens = Array.from({ length: 128 }, () => fresh(plain))
  const first = await cost([...tokens, ...tokens])
  expect([first.requests, first.verbs]).toEqual([1, ['SELECT', 'INSERT']])
  const again = await cost(tokens)
  expect([again.requests, again.verbs]).toEqual([0, ['SELECT']])
  expect(again.found).toEqual(first.found)
  expect([...again.found.values()]).toEqual(
    tokens.map((address) => ({ chainId, address, symbol: 'USDC', name: 'US Dollar', decimals: 6 })),
  )
})

test('the coin is known without asking anybody', async () => {
  const { cost } = openReader()
  const coin = { chainId, address: nativeMarker, symbol: 'ETH', name: 'Ether', decimals: 18 }
  expect(await cost([nativeMarker])).toEqual({
    found: new Map([[nativeMarker, coin]]),
    requests: 0,
    verbs: [],
  })
})

test.each<[string, Contract, [symbol: string | null, name: string | null, decimals: number | null]]>([
  [
    'bytes32 names',
    [word('4d4b52'.padEnd(64, '0')), word('4d616b6572'.padEnd(64, '0')), word(18n)],
    ['MKR', 'Maker', 18],
  ],
  [
    '10,000 characters',
    [text('S'.repeat(10_000)), text('🦊'.repeat(10_000)), word(0n)],
    ['S'.repeat(100), '🦊'.repeat(100), 0],
  ],
  [
    'control characters and line ends',
    [text('U\u0000S\u2028D\u2029\n'), text('\t'), word(6n)],
    ['USD', null, 6],
  ],
  [
    'characters that cannot be seen and turn others round',
    [text('\uFEFFUS\u202EDC\u202C'), text('\u2066Coin\u2069\u200B'), word(6n)],
    ['USDC', 'Coin', 6],
  ],
  ['no UTF-8', [{ value: coder.encode(['bytes'], ['0xff41fe']) }, text('N'), word(6n)], ['�A�', 'N', 6]],
  ['decimals 255', [text('S'), text('N'), word(255n)], ['S', 'N', 255]],
  ['decimals 256', [text('S'), text('N'), word(256n)], ['S', 'N', null]],
  ['decimals of 2^256 − 1', [text('S'), text('N'), word(2n ** 256n - 1n)], ['S', 'N', null]],
  ['decimals too short', [text('S'), reverted, word('06')], ['S', null, null]],
  [
    'a string that is longer than what holds it',
    [word(`${'20'.padStart(64, '0')}${'ff'.padStart(64, '0')}41`), text('N'), word(1n)],
    [null, 'N', 1],
  ],
  ['a string from nowhere', [word('f'.repeat(128)), text('N'), word(1n)], [null, 'N', 1]],
  ['decimals alone', [reverted, reverted, word(8n)], [null, null, 8]],
])('%s', async (_what, contract, [symbol, name, decimals]) => {
  const token = fresh(contract)
  const expected = new Map([[token, { chainId, address: token, symbol, name, decimals }]])
  expect(await openReader().tokens([token])).toEqual(expected)
  expect((await openReader().cost([token])).found, 'from the store').toEqual(expected)
})

test.each<[string, Contract]>([
  ['no contract', [nothing, nothing, nothing]],
  ['a contract that is no token', [reverted, reverted, reverted]],
  ['a name alone', [reverted, text('Vault'), reverted]],
  ['a contract that answers everything with zero', [word(0n), word(0n), word(2n ** 200n)]],
])('%s is absent, and not asked again for a minute', async (_what, contract) => {
  const { cost } = openReader()
  const token = fresh(contract)
  expect(await cost([token])).toEqual({ found: new Map(), requests: 1, verbs: ['SELECT'] })
  time += 59_999
  expect(await cost([token])).toEqual({ found: new Map(), requests: 0, verbs: [] })
  time += 2
  contracts.set(token, plain)
  expect((await cost([token])).found.get(token)).toMatchObject({ symbol: 'USDC' })
})

test('a node that is away is each unknown token’s outage, and none is remembered', async () => {
  const { tokens, knownTokens, warnings } = openReader()
  const [stored, unknown] = [fresh(plain), fresh(plain)]
  await tokens([stored])
  isAway = true
  const found = await tokens([stored, unknown, nativeMarker])
  expect([...found.keys()]).toEqual([stored, unknown, nativeMarker])
  expect(found.get(stored)).toMatchObject({ symbol: 'USDC' })
  expect(found.get(unknown)).toBeInstanceOf(Outage)
  expect(warnings).toEqual([])
  expect([...(await knownTokens([stored, unknown])).keys()]).toEqual([stored])
  expect(warnings).toEqual([['token metadata not read', { network: 'sepolia', tokens: 1 }]])
  isAway = false
  expect((await tokens([unknown])).get(unknown)).toMatchObject({ symbol: 'USDC' })
})

test('a node that hangs is an outage in time, however many wait for it', async () => {
  held = new Promise(() => {})
  const { tokens } = openReader({ patienceMs: 50 })
  const wanted = Array.from({ length: 40 }, () => tokens([fresh(plain), fresh(plain)]))
  for (const found of await Promise.all(wanted)) {
    expect([...found.values()]).toEqual([expect.any(Outage), expect.any(Outage)])
  }
})

test('what was read at a block that a reorg takes away is read again', async () => {
  const { tokens, cost } = openReader()
  const token = fresh(plain)
  await tokens([token])
  contracts.set(token, [text('BETA'), text('Beta'), word(18n)])
  await database.db.transaction((tx) => forgetTokensReadFrom(tx, chainId, 8))
  expect((await cost([token])).found.get(token)).toMatchObject({ symbol: 'USDC' })
  await database.db.transaction((tx) => forgetTokensReadFrom(tx, chainId, 7))
  expect((await cost([token])).found.get(token)).toMatchObject({ symbol: 'BETA', decimals: 18 })
})

test('what the node refuses to read is one token’s outage, and the others’ are stored', async () => {
  const { tokens, cost } = openReader()
  const [good, bad] = [fresh(plain), fresh([text('S'), refused, word(1n)])]
  const found = await tokens([bad, good])
  expect(found.get(bad)).toBeInstanceOf(Outage)
  expect(found.get(good)).toMatchObject({ symbol: 'USDC' })
  expect((await cost([good])).requests).toBe(0)
})

test('many who ask at the same time share batches, two of which are on their way', async () => {
  let release = () => {}
  held = new Promise((resolve) => {
    release = resolve
  })
  const { tokens, asked, counted } = openReader()
  const wanted = Array.from({ length: 20 }, () => fresh(plain))
  const answers = wanted.map((token) => tokens([token]))
  await eventually('all have asked', () => asked() === wanted.length)
  expect(counted.requests).toBeLessThanOrEqual(2)
  release()
  expect((await Promise.all(answers)).map((found) => found.size)).toEqual(wanted.map(() => 1))
  expect(counted.requests).toBeLessThanOrEqual(3)
})

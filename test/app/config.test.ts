import { afterAll, expect, test } from 'vitest'
import type { z } from 'zod'
import { startApp } from '../../src/app/app.ts'
import {
  checkNetworksNamed,
  networkRow,
  readAddresses,
  readNetworks,
  readSettings,
} from '../../src/app/config.ts'
import { settings } from '../../src/app/settings.ts'
import { settlementPairs } from '../../src/domain/network/network.ts'
import { numbered } from '../fakes/order.ts'
import { faultsOf, temporaryFile } from '../fakes/settings.ts'
import { silentLog } from '../fakes/silent-log.ts'

const temporary = temporaryFile('addresses')
const { folder, write: file } = temporary
afterAll(() => temporary[Symbol.dispose]())

test('a list of addresses has one per line, in any letter case, with comments', () => {
  const text = `# sanctions\r\n${numbered('AB').toUpperCase().replace('0X', '0x')}\r\n\n${numbered('cd').slice(2)} # why\n`
  expect([...readAddresses(file(text))]).toEqual([numbered('ab'), numbered('cd')])
  expect(readAddresses(undefined).size).toBe(0)
})

test('each line of a list that is not an address is reported with its number', () => {
  const name = file(`${numbered('ab')}\n0x12\n${numbered('ab')} ${numbered('cd')}\n`)
  expect(faultsOf(() => readAddresses(name))).toEqual([
    `${name}:2: must be an address`,
    `${name}:3: must be an address`,
  ])
  expect(faultsOf(() => readAddresses(`${folder}/none`))).toEqual([`${folder}/none: can't be read`])
})

test('the limits of orders are settings', () => {
  expect(readSettings({})).toMatchObject({
    ORDER_MIN_VALIDITY: 60,
    ORDER_MAX_VALIDITY: 31_536_000,
    QUOTE_MAX_VALIDITY: 10_800,
    ORDER_MAX_GAS: 8_000_000,
    ORDER_MAX_OUT_OF_MARKET: 10,
    ORDER_MAX_UIDS: 128,
    APP_DATA_MAX_BYTES: 8_192,
    SAME_TOKEN_ORDERS: 'allow-sell',
  })
  const wrong = {
    ORDER_MAX_OUT_OF_MARKET: '-1',
    ORDER_MAX_UIDS: '129',
    SAME_TOKEN_ORDERS: 'allow-buy',
    IPFS_GATEWAY: 'ipfs://here',
    ADMIN_API_KEY: 'short',
  }
  expect(faultsOf(() => readSettings(wrong)).map((fault) => fault.split(':', 1)[0])).toEqual(
    expect.arrayContaining(Object.keys(wrong)),
  )
})

test('rate limits default to those of the interface, and no proxy is trusted by default', () => {
  const usual = readSettings({})
  expect([usual.RATE_LIMIT_READS, usual.RATE_LIMIT_QUOTES, usual.RATE_LIMIT_ORDERS]).toEqual([50, 10, 5])
  expect(usual.RATE_LIMIT_INTROSPECTIONS).toBe(6)
  expect(usual.TRUSTED_PROXIES).toBeUndefined()
  expect(readSettings({ RATE_LIMIT_ORDERS: '0' }).RATE_LIMIT_ORDERS).toBe(0)
  const trusts = readSettings({ TRUSTED_PROXIES: '10.0.0.0/8, ::1' }).TRUSTED_PROXIES
  expect(['10.1.2.3', '::1', '11.1.2.3'].map((address) => trusts?.(address))).toEqual([true, true, false])
  expect(faultsOf(() => readSettings({ TRUSTED_PROXIES: '10.0.0.0/8,proxy.example' }))).toEqual([
    'TRUSTED_PROXIES: proxy.example is not an address or CIDR range',
  ])
})

test('protocol fees are read with their times and buckets, and misspelled ones are refused', () => {
  const rules = (...list: unknown[]) => readSettings({ FEE_POLICIES: JSON.stringify(list) }).FEE_POLICIES
  const tokens = [numbered('AB').toUpperCase().replace('0X', '0x'), numbered('cd')]
  const volume = { kind: 'volume', factor: 0.0002 }
  const surplus = { kind: 'surplus', factor: 0.5, maxVolumeFactor: 0.01 }
  const share = { factor: 500_000n, maxVolumeFactor: 10_000n }
  expect(
    rules(
      { ...surplus, orderClass: 'limit', effectiveFrom: '2026-11-21T10:00:00Z' },
      { ...surplus, kind: 'priceImprovement', orderClass: 'any' },
      { ...volume, orderClass: 'market' },
      { ...volume, effectiveFrom: '2026-11-21T10:00:00.5+01:00', sameToken: true },
      {
        ...volume,
        buckets: [
          { tokens, factor: 0.00003 },
          { tokens, factor: 0 },
        ],
      },
    ),
  ).toEqual([
    { kind: 'surplus', ...share, orderClass: 'limit', effectiveFrom: Date.UTC(2026, 10, 21, 10) / 1_000 },
    { kind: 'priceImprovement', ...share, orderClass: 'any' },
    { kind: 'volume', factor: 200n, orderClass: 'market' },
    { kind: 'volume', factor: 200n, effectiveFrom: Date.UTC(2026, 10, 21, 9, 0, 1) / 1_000, sameToken: true },
    {
      kind: 'volume',
      factor: 200n,
      buckets: [
        { tokens: [numbered('ab'), numbered('cd')], factor: 30n },
        { tokens: [numbered('ab'), numbered('cd')], factor: 0n },
      ],
    },
  ])
  for (const wrong of [
    { ...volume, factor: 1 },
    { ...volume, factor: 0.9999999 },
    { ...volume, factor: -0.1 },
    { ...volume, effectiveFrom: '2026-11-21' },
    { ...volume, effectiveFrom: 1_800_000_000 },
    { ...volume, orderClass: 'liquidity' },
    { ...surplus, orderClass: ['limit'] },
    { ...surplus, effectiveFrom: '2026-11-21' },
    { ...surplus, buckets: [] },
    { ...volume, sameToken: 'yes' },
    { ...volume, buckets: [{ tokens: ['0x12'], factor: 0.1 }] },
    { ...volume, buckets: [{ tokens: [], factor: 0.1 }] },
    { ...volume, buckets: [{ tokens }] },
  ]) {
    expect(
      faultsOf(() => rules(wrong)),
      JSON.stringify(wrong),
    ).toEqual([expect.stringMatching(/^FEE_POLICIES/)])
  }
  for (const [wrong, at, member, near] of [
    [{ ...volume, effectivefrom: '2026-11-21T10:00:00Z' }, '1', 'effectivefrom', 'effectiveFrom'],
    [{ ...surplus, order_class: 'limit' }, '1', 'order_class', 'orderClass'],
    [{ ...surplus, kind: 'priceImprovement', sameToken: true }, '1', 'sameToken'],
    [{ ...volume, buckets: [{ tokens, factor: 0, orderClass: 'limit' }] }, '1.buckets.0', 'orderClass'],
  ] as const) {
    const meant = near === undefined ? '' : `: did you mean "${near}"?`
    expect(faultsOf(() => rules(volume, wrong))).toEqual([
      `FEE_POLICIES.${at}: "${member}" is no member${meant}`,
    ])
  }
})

test('servers of NATS have an address, and names that fit into subjects', () => {
  const url = 'nats://feed:secret@one.example:4222,tls://two.example'
  expect(readSettings({ NATS_URL: url })).toMatchObject({
    NATS_URL: url,
    NATS_STREAM: 'TRADEGRAPH',
    NATS_SUBJECT: 'event',
  })
  for (const wrong of ['http://one.example', 'nats://', 'nats://one.example,', 'nats://one.example/path'])
    expect(faultsOf(() => readSettings({ NATS_URL: wrong }))).toEqual([
      'NATS_URL: must be nats:// or tls://, with a host',
    ])
  expect(faultsOf(() => readSettings({ NATS_SUBJECT: 'a.>' }))).toEqual([
    'NATS_SUBJECT: must be 1 to 64 letters, digits, _ and -',
  ])
})

test('e-mail needs a server and a sender, and tells neither', () => {
  const url = 'smtps://me:secret@mail.example.com'
  const from = 'Tradegraph <notifications@Example.com>'
  expect(readSettings({ SMTP_URL: url, SMTP_FROM: from })).toMatchObject({
    SMTP_URL: url,
    SMTP_FROM: { name: 'Tradegraph', address: 'notifications@example.com' },
    EMAIL_MAX_PER_MINUTE: 5,
  })
  expect(readSettings({ SMTP_URL: url, SMTP_FROM: 'a@example.com' }).SMTP_FROM).toEqual({
    name: '',
    address: 'a@example.com',
  })
  expect(faultsOf(() => readSettings({ SMTP_URL: url }))).toEqual(['SMTP_FROM: is needed with SMTP_URL'])
  expect(faultsOf(() => readSettings({ SMTP_FROM: from }))).toEqual(['SMTP_URL: is needed with SMTP_FROM'])
  for (const wrong of ['https://me:secret@mail.example', 'me:secret@mail.example', `${url}/?x=secret`])
    expect(faultsOf(() => readSettings({ SMTP_URL: wrong, SMTP_FROM: from }))).toEqual([
      'SMTP_URL: must be smtp:// or smtps://, with a host',
    ])
  for (const wrong of ['nobody', 'A\r\nBcc: b@example.com <a@example.com>', 'a@example.com, b@example.com'])
    expect(faultsOf(() => readSettings({ SMTP_URL: url, SMTP_FROM: wrong }))).toEqual([
      'SMTP_FROM: must be an address, or a name and an address in <>',
    ])
})

function networkOf(more: object) {
  const at = numbered('ab')
  const contracts = { settlement: at, vaultRelayer: at, wrappedNative: at, poolFactory: at, baseTokens: [] }
  const numbers = { chainId: 1, firstBlock: 0, finalityBlocks: 64, blockTimeMs: 12_000 }
  const row = { rpcUrl: 'http://127.0.0.1:8545', name: 'one', ...contracts, ...numbers, ...more }
  return readNetworks(file(JSON.stringify([row])), 'production')[0]?.network
}

test("a network's prices are for a tenth of its coin by default", () => {
  const read = (priceAmount?: unknown) => networkOf({ priceAmount })
  expect([read(), read('100000000000000000000')].map((network) => network?.priceAmount)).toEqual([
    10n ** 17n,
    10n ** 20n,
  ])
  for (const wrong of ['0', '0x10', '-1', '1e18', 5]) expect(faultsOf(() => read(wrong))).toHaveLength(1)
})

test('a network has a guard contract only if its row names one', () => {
  const rows = [{}, { balanceGuard: numbered('cd').toUpperCase().replace('X', 'x') }]
  expect(rows.map((row) => networkOf(row)?.balanceGuard)).toEqual([undefined, numbered('cd')])
  expect(faultsOf(() => networkOf({ balanceGuard: '0x12' }))).toHaveLength(1)
})

test('the nearest member is named where one does not exist', () => {
  const history = { fromBlock: 1, frmBlock: 1 }
  const rows: [object, string][] = [
    [{ balanceGard: numbered('cd') }, 'one: "balanceGard" is no member: did you mean "balanceGuard"?'],
    [{ usdRef: null }, 'one: "usdRef" is no member'],
    [
      { orderBook: { url: 'https://book.example', history } },
      'one.orderBook.history: "frmBlock" is no member: did you mean "fromBlock"?',
    ],
  ]
  for (const [more, fault] of rows)
    expect(faultsOf(() => networkOf(more)).map((text) => text.replace(/^\S+: /, ''))).toEqual([fault])
})

/** A place in a value: names of members, and the first entry of a list or a map. */
interface Place {
  path: string[]
  /** The value with this in its place. */
  around(inner: object): object
}

/** Kinds of schemas without members. */
const leaves = ['string', 'number', 'boolean', 'enum', 'literal', 'transform']

/** Finds every object of a schema with known members, at any depth, and the members that select its form. */
function* objectsIn(schema: z.core.$ZodType, place: Place): Generator<Place & { form: object }> {
  const { def } = (schema as z.core.$ZodTypes)._zod
  const within = (inner: z.core.$ZodType, key: string, around: Place['around']) =>
    objectsIn(inner, { path: [...place.path, key], around: (value) => place.around(around(value)) })
  if (def.type === 'object') {
    const members = Object.entries(def.shape)
    const form = Object.fromEntries(
      members.flatMap(([name, member]) => {
        const { def } = (member as z.core.$ZodTypes)._zod
        return def.type === 'literal' ? [[name, def.values[0]]] : []
      }),
    )
    yield { ...place, form }
    for (const [name, member] of members) yield* within(member, name, (inner) => ({ ...form, [name]: inner }))
  } else if (def.type === 'array') yield* within(def.element, '0', (inner) => [inner])
  else if (def.type === 'record') yield* within(def.valueType, 'key', (key) => ({ key }))
  else if (def.type === 'union') for (const option of def.options) yield* objectsIn(option, place)
  else if (def.type === 'pipe') for (const end of [def.in, def.out]) yield* objectsIn(end, place)
  else if ('innerType' in def) yield* objectsIn(def.innerType, place)
  else expect(leaves).toContain(def.type)
}

const objects = [
  ...[...objectsIn(networkRow, { path: [], around: (row) => row })].map((place) => {
    const read = (value: object) => readNetworks(file(JSON.stringify([value])), 'production')
    return { ...place, read, at: ['0', ...place.path].join('.') }
  }),
  ...Object.entries(settings.shape).flatMap(([name, schema]) =>
    [...objectsIn(schema, { path: [name], around: (value) => value })].map((place) => {
      const read = (value: object) => readSettings({ [name]: JSON.stringify(value) })
      return { ...place, read, at: place.path.join('.') }
    }),
  ),
]

test.each(objects)('an unknown member of $at $form is refused with its place', (object) => {
  const { at, around, form, read } = object
  const faults = faultsOf(() => read(around({ ...form, notThere: 1 })))
  const places = faults.map((fault) => fault.replace(`${folder}/addresses: `, ''))
  expect(places).toContain(`${at}: "notThere" is no member`)
})

test('objects below lists, unions and defaults are among them', () => {
  expect(objects.map(({ path }) => path.join('.'))).toEqual(
    expect.arrayContaining(['orderBook.history', 'holderTokens.0', 'SOLVERS.0.internalize.0']),
  )
})

test('programmatic orders are followed if the row has the member, or follows an order book, by default from known blocks', () => {
  const rows = [{}, { conditionalOrders: null }, { conditionalOrders: {} }]
  const [without, off, on] = rows.map((row) => networkOf(row)?.conditionalOrders)
  expect([without, off]).toEqual([undefined, undefined])
  expect(on).toMatchObject({
    composableCow: '0xfdafc9d1902f4e0b84f65f49f244b32b31013b74',
    firstBlock: 17_883_049,
  })
  expect(on?.shedFactories).toContain('0x312f92fe5f1710408b20d52a374fa29e099cfa86')
  const own = { composableCow: numbered('cd'), shedFactories: [] }
  expect(networkOf({ chainId: 31_337, firstBlock: 7, conditionalOrders: own })?.conditionalOrders).toEqual({
    ...own,
    firstBlock: 7,
  })
  const orderBook = { url: 'https://book.example' }
  const followed = [{}, { conditionalOrders: null }, { chainId: 31_337, firstBlock: 7 }].map(
    (row) => networkOf({ ...row, ...settlementPairs.production, orderBook })?.conditionalOrders?.firstBlock,
  )
  expect(followed).toEqual([17_883_049, undefined, undefined])
  expect(networkOf({ orderBook })?.conditionalOrders).toBeUndefined()
  for (const wrong of [{ composableCow: '0x12' }, { contract: numbered('cd') }, true])
    expect(faultsOf(() => networkOf({ conditionalOrders: wrong }))).toHaveLength(1)
})

test("a network's dollar is the default token of its chain, unless its row names another, or none", () => {
  const rows = [{}, { usdReference: numbered('cd') }, { usdReference: null }, { chainId: 31_337 }]
  expect(rows.map((row) => networkOf(row)?.usdReference)).toEqual([
    '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
    numbered('cd'),
    null,
    null,
  ])
})

test('a network has one node or several, a private endpoint whose rules fit together, and a chain id that a row key holds', () => {
  const read = (more: object) => {
    const at = numbered('ab')
    const contracts = { settlement: at, vaultRelayer: at, wrappedNative: at, poolFactory: at, baseTokens: [] }
    const numbers = { chainId: 1, firstBlock: 0, finalityBlocks: 64, blockTimeMs: 12_000 }
    const row = { rpcUrl: 'http://127.0.0.1:1', name: 'one', ...contracts, ...numbers, ...more }
    return readNetworks(file(JSON.stringify([row])), 'production')[0]
  }
  const url = 'https://private.example/key'
  const two = ['http://127.0.0.1:1', 'http://127.0.0.1:2']
  expect(read({})).toMatchObject({ rpcUrl: 'http://127.0.0.1:1', privateRpc: undefined })
  expect(read({ rpcUrl: two, privateRpc: { url } })).toMatchObject({
    rpcUrl: two,
    privateRpc: { url, publicAfterBlocks: 3, whenDown: 'wait' },
  })
  for (const wrong of [
    { chainId: 2 ** 31 },
    { rpcUrl: [] },
    { rpcUrl: Array(6).fill(url) },
    { rpcUrl: 'ws://127.0.0.1:1' },
    { privateRpc: { url, publicAfterBlocks: 0, whenDown: 'public' } },
    { privateRpc: { url, whenDown: 'never' } },
    { privateRpc: { url, publicAfterBlocks: -1 } },
    { privateRpc: { url, after: 1 } },
  ])
    expect(
      faultsOf(() => read(wrong)),
      JSON.stringify(wrong),
    ).toHaveLength(1)
})

const estimator = { kind: 'engine', name: 'one', url: 'http://127.0.0.1:1', address: numbered('ab') }

function withEstimators(...list: unknown[]) {
  return readSettings({ QUOTE_ESTIMATORS: JSON.stringify(list) })
}

test('estimators are read by name, and misspelled or repeated ones are refused', () => {
  const two = [estimator, { ...estimator, kind: 'driver', name: 'two', network: 'gnosis' }]
  expect(withEstimators(...two).QUOTE_ESTIMATORS).toEqual(two)
  for (const [wrong, fault] of [
    [{ ...estimator, name: 'two', netwrok: 'gnosis' }, /^QUOTE_ESTIMATORS\.two: .*netwrok/],
    [{ ...estimator, kind: 'driver' }, /^QUOTE_ESTIMATORS\.one\.name: one is there already$/],
    [{ ...estimator, name: 'two', url: 'ftp://there' }, /^QUOTE_ESTIMATORS\.two\.url/],
  ] as const) {
    expect(faultsOf(() => withEstimators(estimator, wrong))).toEqual([expect.stringMatching(fault)])
  }
})

test('estimators may name configured networks only, by any of their names', async () => {
  const row = { chainId: 100, settlement: numbered('ab'), vaultRelayer: numbered('ab'), baseTokens: [] }
  const numbers = { firstBlock: 0, finalityBlocks: 64, blockTimeMs: 5_000, rpcUrl: 'http://127.0.0.1:1' }
  const contracts = { wrappedNative: numbered('ab'), poolFactory: numbered('ab') }
  const rows = [
    { ...row, ...numbers, ...contracts, name: 'xdai' },
    { ...row, ...numbers, ...contracts, chainId: 31_337, name: 'dev' },
  ]
  const networks = readNetworks(file(JSON.stringify(rows)), 'production')
  const on = (...named: (string | undefined)[]) =>
    withEstimators(...named.map((network, index) => ({ ...estimator, name: `e${index}`, network })))
  expect(() =>
    checkNetworksNamed(on(undefined, 'xdai', 'Gnosis-Chain', '100', 'dev', '31337'), networks),
  ).not.toThrow()
  const wrong = on('xdai', 'mainnet', undefined, 'gnosys', '', '1')
  const faults = [
    'QUOTE_ESTIMATORS.e1.network: "mainnet" is no network here',
    'QUOTE_ESTIMATORS.e3.network: "gnosys" is no network here',
    'QUOTE_ESTIMATORS.e4.network: "" is no network here',
    'QUOTE_ESTIMATORS.e5.network: "1" is no network here',
  ]
  expect(faultsOf(() => checkNetworksNamed(wrong, networks))).toEqual(faults)
  const start = startApp({
    databaseUrl: 'postgresql://127.0.0.1:1/none',
    networks,
    roles: ['serve'],
    settings: wrong,
    version: 'none',
    log: silentLog,
    now: Date.now,
    random: Math.random,
  })
  await expect(start).rejects.toMatchObject({ name: 'ConfigError', faults })
})

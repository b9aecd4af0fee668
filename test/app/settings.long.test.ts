import { computeAddress } from 'ethers'
import { afterAll, expect, test } from 'vitest'
import {
  checkNetworksNamed,
  defaultOf,
  describeSettings,
  featuresOf,
  readNetworks,
  readSettings,
} from '../../src/app/config.ts'
import { settings } from '../../src/app/settings.ts'
import { numbered } from '../fakes/order.ts'
import { faultsOf, temporaryFile } from '../fakes/settings.ts'
import { runProgram } from '../setup/program.ts'

const temporary = temporaryFile('networks.json')
const { write: file } = temporary
afterAll(() => temporary[Symbol.dispose]())

const key = 'a-key-of-sixteen-or-more'

test.each<[environment: Record<string, string>, cms: boolean]>([
  [{}, false],
  [{ CMS_API_KEY: key }, true],
  [{ CMS_ENABLED: 'true', CMS_API_KEY: key }, true],
  [{ CMS_ENABLED: 'false', CMS_API_KEY: key }, false],
  [{ CMS_ENABLED: 'false' }, false],
])('notifications and affiliates with %o: %s', (environment, cms) => {
  expect(featuresOf(readSettings(environment)).cms).toBe(cms)
})

test('the CMS without a key, with a key that is too short or a malformed switch is refused', () => {
  expect(faultsOf(() => readSettings({ CMS_ENABLED: 'true' }))).toEqual([
    'CMS_API_KEY: is needed where CMS_ENABLED is true',
  ])
  expect(faultsOf(() => readSettings({ CMS_ENABLED: 'true', CMS_API_KEY: '' }))).toHaveLength(1)
  expect(faultsOf(() => readSettings({ CMS_URL: 'https://cms.example' }))).toEqual([
    'CMS_URL: needs CMS_API_KEY',
  ])
  expect(faultsOf(() => readSettings({ TELEGRAM_WEBHOOK_SECRET: 'x'.repeat(16) }))).toEqual([
    'TELEGRAM_WEBHOOK_SECRET: needs TELEGRAM_BOT_TOKEN',
    'TELEGRAM_WEBHOOK_SECRET: needs a PUBLIC_URL with https',
  ])
  expect(faultsOf(() => readSettings({ CMS_API_KEY: 'short' }))).toEqual([
    'CMS_API_KEY: must be 16 to 1000 visible characters of ASCII',
  ])
  expect(faultsOf(() => readSettings({ CMS_ENABLED: 'maybe' }))).toEqual([
    expect.stringMatching(/^CMS_ENABLED: /),
  ])
})

test('an account has one sender: refunds and each solver need keys of their own', () => {
  const [first, second] = [`0x${'11'.repeat(32)}`, `0x${'22'.repeat(32)}`]
  const engine = { kind: 'engine', name: 'x', url: 'http://127.0.0.1:1', privateKey: second }
  const SOLVERS = JSON.stringify([engine])
  const refused = ['REFUND_PRIVATE_KEY: is the key of a solver, from whose account nothing else may be sent']
  const keys = (REFUND_PRIVATE_KEY: string) => ({ SOLVER_PRIVATE_KEY: first, SOLVERS, REFUND_PRIVATE_KEY })
  expect(faultsOf(() => readSettings(keys(first)))).toEqual(refused)
  expect(faultsOf(() => readSettings(keys(second)))).toEqual(refused)
  expect(readSettings(keys(`0x${'33'.repeat(32)}`)).SOLVERS).toHaveLength(1)
  expect(faultsOf(() => readSettings({ SOLVER_PRIVATE_KEY: second, SOLVERS }))).toEqual([
    'SOLVERS.x.privateKey: is the built-in solver’s too',
  ])
})

test('the account of a driver is of no other solver, and not that of refunds', () => {
  const key = `0x${'11'.repeat(32)}`
  const address = computeAddress(key)
  const driver = { kind: 'driver', name: 'y', url: 'http://127.0.0.1:2', address }
  const engine = { kind: 'engine', name: 'x', url: 'http://127.0.0.1:1', privateKey: key }
  const SOLVERS = JSON.stringify([driver])
  expect(readSettings({ SOLVERS }).SOLVERS).toMatchObject([
    { kind: 'driver', address: address.toLowerCase() },
  ])
  expect(faultsOf(() => readSettings({ SOLVERS: JSON.stringify([engine, driver]) }))).toEqual([
    'SOLVERS.y.address: is another solver’s too',
  ])
  expect(faultsOf(() => readSettings({ SOLVERS, SOLVER_PRIVATE_KEY: key }))).toEqual([
    'SOLVERS.y.address: is the built-in solver’s too',
  ])
  expect(faultsOf(() => readSettings({ SOLVERS, REFUND_PRIVATE_KEY: key }))).toEqual([
    'REFUND_PRIVATE_KEY: is the key of a solver, from whose account nothing else may be sent',
  ])
  const withKey = JSON.stringify([{ ...driver, privateKey: key }])
  expect(faultsOf(() => readSettings({ SOLVERS: withKey }))).toEqual([expect.stringMatching(/^SOLVERS\.y: /)])
})

test.each<[environment: Record<string, string>, statistics: boolean]>([
  [{}, false],
  [{ STATS_SOURCE: 'own' }, true],
  [{ DUNE_API_KEY: 'any' }, true],
  [{ DUNE_API_KEY: '' }, false],
])('statistics with %o: %s', (environment, statistics) => {
  expect(featuresOf(readSettings(environment)).statistics).toBe(statistics)
  expect(faultsOf(() => readSettings({ STATS_SOURCE: 'dune' }))).toEqual([
    expect.stringMatching(/^STATS_SOURCE: /),
  ])
})

test('the command exits at once with the fault', async () => {
  const [enabled, half] = await Promise.all([
    runProgram(['serve'], { CMS_ENABLED: 'true' }),
    runProgram(['serve'], {
      NETWORKS_FILE: file(JSON.stringify([{ ...staged, settlement: numbered('ab') }])),
    }),
  ])
  expect([enabled.code, enabled.stderr]).toEqual([
    2,
    'configuration: CMS_API_KEY: is needed where CMS_ENABLED is true\n',
  ])
  expect(half.code).toBe(2)
  expect(half.stderr).toContain('configuration: DATABASE_URL: is needed for this command\n')
  expect(half.stderr).toContain('settlement and vaultRelayer go together')
}, 60_000)

test('a process of all roles needs a solver where auctions are held, not for followed order books alone', async () => {
  const own = { ...staged, chainId: 10, name: 'own', wrappedNative: numbered('ab'), firstBlock: 0 }
  const held = { ...own, finalityBlocks: 1, blockTimeMs: 1_000, poolFactory: numbered('ac'), baseTokens: [] }
  const followed = { chainId: 1, rpcUrl: 'http://127.0.0.1:1', orderBook: { url: 'http://127.0.0.1:1' } }
  const following = await runProgram(['all'], { NETWORKS_FILE: file(JSON.stringify([followed])) })
  const both = await runProgram(['all'], { NETWORKS_FILE: file(JSON.stringify([followed, held])) })
  expect([following.code, both.code]).toEqual([2, 2])
  expect(following.stderr).toBe('configuration: DATABASE_URL: is needed for this command\n')
  expect(both.stderr).toContain('configuration: SOLVER_PRIVATE_KEY: is needed for this command\n')
}, 120_000)

test('vapid-keys prints a pair that the settings take, all of them or none', async () => {
  const { code, stdout } = await runProgram(['vapid-keys'], {})
  expect(code).toBe(0)
  const pair = Object.fromEntries(
    stdout
      .trim()
      .split('\n')
      .map((line) => line.split('=', 2)),
  )
  expect(Object.keys(pair)).toEqual(['VAPID_PUBLIC_KEY', 'VAPID_PRIVATE_KEY'])
  const VAPID_SUBJECT = 'mailto:operator@trade.example'
  expect(readSettings({ ...pair, VAPID_SUBJECT })).toMatchObject(pair)
  const faults = (environment: Record<string, string>) => faultsOf(() => readSettings(environment))
  expect(faults({ ...pair })).toEqual(['VAPID_SUBJECT: is needed with the other settings of VAPID'])
  const other = Buffer.alloc(32, 1).toString('base64url')
  expect(faults({ ...pair, VAPID_SUBJECT, VAPID_PRIVATE_KEY: other })).toEqual([
    'VAPID_PRIVATE_KEY: is not the key to VAPID_PUBLIC_KEY',
  ])
  const wrong = { VAPID_PUBLIC_KEY: 'A'.repeat(87), VAPID_PRIVATE_KEY: 'short', VAPID_SUBJECT: 'me' }
  expect(faults(wrong)).toEqual([
    'VAPID_PUBLIC_KEY: must be a public key of P-256',
    'VAPID_PRIVATE_KEY: must be 32 bytes in base64url',
    'VAPID_SUBJECT: must be mailto: and an address, or a URL with https:',
  ])
}, 60_000)

/** A row that leaves its contracts to the profile. */
const staged = {
  rpcUrl: 'http://127.0.0.1:1',
  name: 'one',
  chainId: 1,
  wrappedNative: numbered('ab'),
  poolFactory: numbered('ab'),
  baseTokens: [],
  firstBlock: 0,
  finalityBlocks: 64,
  blockTimeMs: 12_000,
}

test("a row without contracts has the profile's, a row with both keeps its own, and half a pair is refused", () => {
  const own = { settlement: numbered('cd'), vaultRelayer: numbered('ef') }
  const rows = [staged, { ...staged, ...own, chainId: 2, name: 'two' }]
  const pairs = (profile: 'production' | 'staging') =>
    readNetworks(file(JSON.stringify(rows)), profile).map(({ network: { settlement, vaultRelayer } }) => ({
      settlement,
      vaultRelayer,
    }))
  expect(pairs('production')).toEqual([
    {
      settlement: '0x9008d19f58aabd9ed0d60971565aa8510560ab41',
      vaultRelayer: '0xc92e8bdf79f0507f65a392b0ab4667716bfe0110',
    },
    own,
  ])
  expect(pairs('staging')).toEqual([
    {
      settlement: '0xf553d092b50bdcbdded1a99af2ca29fbe5e2cb13',
      vaultRelayer: '0xc7242d167563352e2bca4d71c043fbe542db8fb2',
    },
    own,
  ])
  for (const half of [{ settlement: numbered('cd') }, { vaultRelayer: numbered('cd') }]) {
    const name = file(JSON.stringify([staged, { ...staged, ...half }]))
    expect(faultsOf(() => readNetworks(name, 'staging'))).toEqual([
      `${name}: one: settlement and vaultRelayer go together`,
    ])
  }
  expect(readSettings({}).PROFILE).toBe('production')
  expect(readSettings({ PROFILE: 'staging' }).PROFILE).toBe('staging')
  expect(faultsOf(() => readSettings({ PROFILE: 'barn' }))).toEqual([expect.stringMatching(/^PROFILE: /)])
})

test('each default is shown as an operator writes it', () => {
  expect(defaultOf(settings.shape.NOTIFICATION_LEAST_IMPROVEMENT)).toBe(0.02)
  const standard = readSettings({})
  for (const [name, schema] of Object.entries(settings.shape)) {
    const value = defaultOf(schema)
    if (typeof value !== 'string' && typeof value !== 'number') continue
    const written = readSettings({ [name]: String(value) })
    expect([name, written[name as keyof typeof written]]).toEqual([
      name,
      standard[name as keyof typeof standard],
    ])
  }
})

test('price sources are read in order, with what each needs', () => {
  const read = (...list: unknown[]) =>
    readSettings({ USD_PRICE_SOURCES: JSON.stringify(list) }).USD_PRICE_SOURCES
  expect(readSettings({}).USD_PRICE_SOURCES).toEqual([{ kind: 'orderbook', name: 'orderbook' }])
  const feeds = { [numbered('AB').toUpperCase().replace('0X', '0x')]: numbered('cd') }
  expect(
    read(
      { kind: 'chainlink', network: 'mainnet', feeds },
      { kind: 'coingecko', apiKey: 'k', keyHeader: 'x-cg-demo-api-key' },
      { kind: 'coingecko', name: 'mirror', url: 'http://127.0.0.1:1/v3', network: 'gnosis' },
      { kind: 'orderbook' },
    ),
  ).toEqual([
    {
      kind: 'chainlink',
      name: 'chainlink',
      network: 'mainnet',
      feeds: new Map([[numbered('ab'), numbered('cd')]]),
      maxAgeSeconds: 86_400,
    },
    {
      kind: 'coingecko',
      name: 'coingecko',
      url: 'https://api.coingecko.com/api/v3',
      apiKey: 'k',
      keyHeader: 'x-cg-demo-api-key',
    },
    {
      kind: 'coingecko',
      name: 'mirror',
      url: 'http://127.0.0.1:1/v3',
      keyHeader: 'x-cg-pro-api-key',
      network: 'gnosis',
    },
    { kind: 'orderbook', name: 'orderbook' },
  ])
  const first = { kind: 'orderbook' }
  for (const [wrong, fault] of [
    [{ kind: 'oracle' }, /^USD_PRICE_SOURCES\.1\.kind: /],
    [{ kind: 'orderbook' }, /^USD_PRICE_SOURCES\.1\.name: orderbook is there already$/],
    [{ kind: 'coingecko', apikey: 'k' }, /^USD_PRICE_SOURCES\.1: .*apikey/],
    [{ kind: 'coingecko', url: 'ftp://there' }, /^USD_PRICE_SOURCES\.1\.url: /],
    [{ kind: 'coingecko', apiKey: 'with blank' }, /^USD_PRICE_SOURCES\.1\.apiKey: /],
    [{ kind: 'coingecko', keyHeader: 'a: b' }, /^USD_PRICE_SOURCES\.1\.keyHeader: /],
    [{ kind: 'chainlink', feeds }, /^USD_PRICE_SOURCES\.1\.network: /],
    [{ kind: 'chainlink', network: '1', feeds: { '0x12': numbered('cd') } }, /^USD_PRICE_SOURCES\.1\.feeds/],
    [{ kind: 'chainlink', network: '1', feeds: { [numbered('cd')]: 'x' } }, /^USD_PRICE_SOURCES\.1\.feeds/],
    [{ kind: 'chainlink', network: '1', feeds, maxAgeSeconds: 0 }, /^USD_PRICE_SOURCES\.1\.maxAgeSeconds: /],
  ] as const)
    expect(
      faultsOf(() => read(first, wrong)),
      JSON.stringify(wrong),
    ).toEqual([expect.stringMatching(fault)])
  expect(faultsOf(() => readSettings({ USD_PRICE_SOURCES: 'coingecko' }))).toEqual([
    'USD_PRICE_SOURCES: must be JSON',
  ])
})

test('holder sources are read in order, outside ones with their keys', () => {
  const read = (...list: unknown[]) => readSettings({ HOLDER_SOURCES: JSON.stringify(list) }).HOLDER_SOURCES
  expect(readSettings({}).HOLDER_SOURCES).toEqual([{ kind: 'transfers', name: 'transfers' }])
  expect(read()).toEqual([])
  expect(read({ kind: 'moralis', apiKey: 'k' }, { kind: 'ethplorer', apiKey: 'k', network: '1' })).toEqual([
    { kind: 'moralis', name: 'moralis', apiKey: 'k' },
    { kind: 'ethplorer', name: 'ethplorer', apiKey: 'k', network: '1' },
  ])
  for (const [wrong, fault] of [
    [{ kind: 'moralis' }, /^HOLDER_SOURCES\.1\.apiKey: /],
    [{ kind: 'ethplorer', apiKey: '' }, /^HOLDER_SOURCES\.1\.apiKey: /],
    // Its url serves one chain only.
    [
      { kind: 'ethplorer', apiKey: 'k', url: 'http://127.0.0.1:1' },
      /^HOLDER_SOURCES\.1: url needs a network/,
    ],
    [{ kind: 'transfers' }, /^HOLDER_SOURCES\.1\.name: transfers is there already$/],
    [{ kind: 'transfers', name: 'a b' }, /^HOLDER_SOURCES\.1\.name: /],
  ] as const)
    expect(
      faultsOf(() => read({ kind: 'transfers' }, wrong)),
      JSON.stringify(wrong),
    ).toEqual([expect.stringMatching(fault)])
})

test('sources may name configured networks only', () => {
  const networks = readNetworks(file(JSON.stringify([staged])), 'production')
  const wrong = readSettings({
    USD_PRICE_SOURCES: JSON.stringify([
      { kind: 'orderbook', network: 'mainnet' },
      { kind: 'chainlink', network: 'base', feeds: {} },
    ]),
    HOLDER_SOURCES: JSON.stringify([{ kind: 'transfers', network: '2' }]),
    AFFILIATE_NETWORK: 'gnosis',
  })
  expect(faultsOf(() => checkNetworksNamed(wrong, networks))).toEqual([
    'USD_PRICE_SOURCES.chainlink.network: "base" is no network here',
    'HOLDER_SOURCES.transfers.network: "2" is no network here',
    'AFFILIATE_NETWORK: "gnosis" is no network here',
  ])
})

test('each setting is described in one line, with its default', () => {
  const described = new Map(describeSettings().map(({ name, says }) => [name, says]))
  for (const [name, says] of described) expect(`${name} ${says}`).toMatch(/^[A-Z][A-Z0-9_]+ [^ ].+$/)
  expect(described.get('PORT')).toMatch(/ \[4000\]$/)
  expect(described.get('USD_PRICE_SOURCES')).toMatch(/ \[\{"kind":"orderbook","name":"orderbook"\}\]$/)
  expect(described.get('QUOTE_ESTIMATORS')).toMatch(/ \[\]$/)
  expect(described.get('CMS_ENABLED')).not.toMatch(/\]$/)
  expect([...described.values()].join()).not.toMatch(/undefined|\[object/)
})

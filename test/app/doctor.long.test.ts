import { afterAll, beforeAll, expect, test } from 'vitest'
import { misspeltSettings } from '../../src/app/config.ts'
import { isNodeSupported } from '../../src/app/settings/node-version.ts'
import { nearestName } from '../../src/app/settings/setting-readers.ts'
import { freePort } from '../../src/dev/process/process.ts'
import { applyMigrations } from '../../src/storage/database/migrations.ts'
import { temporaryFile } from '../fakes/settings.ts'
import { startTestChain, type TestChain } from '../setup/chain.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { type Ended, runHere, runProgram } from '../setup/program.ts'

let chain: TestChain
let database: TestDatabase
const networks = temporaryFile('networks.json')

beforeAll(async () => {
  ;[chain, database] = await Promise.all([startTestChain(), createTestDatabase()])
  await applyMigrations(database.url)
})
afterAll(async () => {
  networks[Symbol.dispose]()
  await chain?.[Symbol.asyncDispose]()
  await database?.[Symbol.asyncDispose]()
})

function environmentOf(row: object = {}): Record<string, string> {
  const { network, solver } = chain.market
  const text = JSON.stringify([
    { ...network, priceAmount: `${network.priceAmount}`, rpcUrl: chain.rpcUrl, ...row },
  ])
  return {
    DATABASE_URL: database.url,
    NETWORKS_FILE: networks.write(text),
    SOLVER_PRIVATE_KEY: solver.privateKey,
    PUBLIC_URL: 'https://trade.example',
  }
}

async function examined(
  environment: Record<string, string>,
  run: (args: string[], environment: Record<string, string>) => Promise<Ended> = runHere,
) {
  const { code, stdout } = await run(['doctor', '--json'], environment)
  const { checks } = JSON.parse(stdout) as {
    checks: { about: string; state: string; says: string; advice?: string }[]
  }
  return { code, checks, bad: checks.filter(({ state }) => state === 'bad') }
}

test('where all is well it says so of everything, and ends with 0', async () => {
  const { code, stdout } = await runHere(['doctor'], environmentOf())
  expect(stdout).toMatch(/\n0 faults, \d warnings\n$/)
  expect(code).toBe(0)
  for (const line of [
    'node: ',
    'signatures: native code',
    'settings: are valid',
    'database: PostgreSQL',
    'schema: is that of this version',
  ])
    expect(stdout).toContain(`ok    ${line}`)
  expect(stdout).toMatch(/ok {4}sepolia: node: block \d+, \d+ s old/)
  expect(stdout).toMatch(/ok {4}sepolia: solver 0x[0-9a-f]{40}: is on the allow-list and has \d+/)
})

test('it warns where npm has no native code to recover signatures, as the start does', async () => {
  const environment = { NODE_OPTIONS: '--no-addons' }
  const { checks } = await examined({ ...environmentOf(), ...environment }, runProgram)
  expect(checks).toContainEqual(
    expect.objectContaining({
      about: 'signatures',
      state: 'poor',
      says: expect.stringContaining('WebAssembly'),
    }),
  )
  const start = await runProgram(['serve'], { ...environmentOf({ chainId: 5 }), ...environment })
  expect(start.stderr).toContain('WebAssembly recovers who signed')
})

test('it tells every fault at once, with what to do', async () => {
  const port = await freePort()
  const { code, checks, bad } = await examined({
    ...environmentOf({ chainId: 5 }),
    DATABASE_URL: `postgres://tradegraph:pass-word@127.0.0.1:${port}/tradegraph`,
    REDIS_URL: `redis://:pass-word@127.0.0.1:${port}`,
    NATS_URL: `nats://tradegraph:pass-word@127.0.0.1:${port}`,
    RATE_LIMIT_READ: '7',
  })
  expect(code).toBe(1)
  expect(bad.map(({ about, says }) => `${about}: ${says}`)).toEqual([
    `database: DATABASE_URL does not answer: connect ECONNREFUSED 127.0.0.1:${port}`,
    `sepolia: node: is on chain ${chain.market.network.chainId}`,
  ])
  expect(checks).toContainEqual({
    about: 'settings',
    state: 'poor',
    says: 'RATE_LIMIT_READ is no setting',
    advice: 'did you mean RATE_LIMIT_READS?',
  })
  for (const about of ['redis', 'nats'])
    expect(checks).toContainEqual(expect.objectContaining({ about, state: 'poor' }))
  expect(JSON.stringify(checks)).not.toContain('pass-word')
})

test('an account that is not on the allow-list, and a row that the chain contradicts, are found', async () => {
  const stranger = await examined({ ...environmentOf(), SOLVER_PRIVATE_KEY: `0x${'7'.repeat(64)}` })
  expect(stranger.bad.map(({ says }) => says)).toEqual(['is not on the allow-list'])
  const nowhere = `0x${'9'.repeat(40)}`
  const contracts = { settlement: nowhere, wrappedNative: nowhere, poolFactory: nowhere }
  const none = await examined(environmentOf({ ...contracts, firstBlock: 7_000_000 }))
  expect(none.bad.map(({ says }) => says)).toEqual([
    ...Object.keys(contracts).map((name) => `has no code at ${name} ${nowhere}`),
    expect.stringMatching(/^is at block \d+, before firstBlock 7000000$/),
  ])
  for (const { advice } of none.bad) expect(advice).toMatch(/NETWORKS_FILE/)
})

test('commands and flags that do not exist are told with the nearest', async () => {
  const [serv, prot, none] = await Promise.all([
    runHere(['serv'], {}),
    runHere(['serve', '--prot', '1'], {}),
    runHere(['serve'], { DATABSE_URL: 'postgres://127.0.0.1/x' }),
  ])
  expect(serv).toMatchObject({ code: 2, stderr: expect.stringContaining('(Did you mean serve?)') })
  expect(prot).toMatchObject({ code: 2, stderr: expect.stringContaining('(Did you mean --port?)') })
  expect(none).toMatchObject({
    code: 2,
    stderr:
      'tradegraph: DATABSE_URL is no setting: did you mean DATABASE_URL?\n' +
      'configuration: DATABASE_URL: is needed for this command\nconfiguration: NETWORKS_FILE: is needed for this command\n',
  })
})

test('a database that is down is named as such', async () => {
  const port = await freePort()
  const { code, stderr } = await runHere(['serve'], {
    ...environmentOf(),
    DATABASE_URL: `postgres://tradegraph:pass-word@127.0.0.1:${port}/tradegraph`,
  })
  expect([code, stderr]).toEqual([
    1,
    `tradegraph: the database of DATABASE_URL does not answer: connect ECONNREFUSED 127.0.0.1:${port}\n`,
  ])
})

test.each([
  ['18.20.0', false],
  ['20.18.3', false],
  ['20.19.0', true],
  ['22.1.0', true],
])('Node %s: %s', (version, isSupported) => {
  expect(isNodeSupported(version)).toBe(isSupported)
})

test('what other programs set is none of ours', () => {
  const known = ['DATABASE_URL', 'PORT', 'METRICS_PORT', 'SMTP_FROM']
  const environment = { PATH: '', HOME: '', PORTS: '', METRIC_PORT: '', DATABASE_URL: '', SMTP_FORM: '' }
  expect(misspeltSettings(environment, known)).toEqual([
    { name: 'METRIC_PORT', meant: 'METRICS_PORT' },
    { name: 'SMTP_FORM', meant: 'SMTP_FROM' },
  ])
  expect(nearestName('settle', ['serve', 'index'])).toBeUndefined()
})

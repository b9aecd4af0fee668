import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { importInto } from '../../src/app/commands/import.ts'
import { readNetworks, readSettings } from '../../src/app/config.ts'
import { address } from '../../src/domain/evm/address.ts'
import { keccakText } from '../../src/domain/evm/keccak.ts'
import type { OrderData } from '../../src/domain/order/order.ts'
import { orderUid } from '../../src/domain/signing/signing.ts'
import { sql } from '../../src/storage/database/database.ts'
import { numbered } from '../fakes/order.ts'
import { temporaryFile } from '../fakes/settings.ts'
import { silentLog } from '../fakes/silent-log.ts'
import { startTestChain, type TestChain } from '../setup/chain.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { eventually } from '../setup/eventually.ts'
import { program } from '../setup/program.ts'

const owner = numbered('a7')
const temporary = temporaryFile('import')

/** An order book with many orders of one account, newest first. */
let orders: { uid: string }[] = []
const calls: string[] = []
/** Pages from this one on are never answered. */
let silentFrom = Number.POSITIVE_INFINITY
const server = createServer(async (req, res) => {
  calls.push(`${req.method} ${req.url}`)
  const { pathname, searchParams } = new URL(req.url ?? '', 'http://127.0.0.1')
  let text = ''
  for await (const chunk of req) text += chunk
  const [offset, limit] = [Number(searchParams.get('offset')), Number(searchParams.get('limit'))]
  if (pathname.startsWith('/api/v1/account/') && offset / 1_000 >= silentFrom) return
  const found = pathname.startsWith('/api/v1/account/')
    ? orders.slice(offset, offset + limit)
    : pathname === '/api/v1/orders/by_uids'
      ? orders.filter(({ uid }) => (JSON.parse(text) as string[]).includes(uid)).map((order) => ({ order }))
      : undefined
  res.writeHead(found ? 200 : 404, { 'content-type': 'application/json' })
  res.end(JSON.stringify(found ?? { errorType: 'NotFound', description: '' }))
})

let chain: TestChain
let database: TestDatabase
let networksFile: string

/** An order that its owner has not signed on chain. */
function presigned(index: number) {
  const data = {
    sellToken: chain.market.tokens.WETH.address,
    buyToken: chain.market.tokens.USDC.address,
    receiver: owner,
    sellAmount: BigInt(index + 1),
    buyAmount: 1n,
    validTo: 4_000_000_000,
    feeAmount: 0n,
    appData: keccakText('{}'),
    kind: 'sell',
    partiallyFillable: false,
    sellTokenBalance: 'erc20',
    buyTokenBalance: 'erc20',
  } as const satisfies OrderData
  const uid = orderUid(chain.market.network, data, owner)
  const amounts = { sellAmount: String(data.sellAmount), buyAmount: '1', feeAmount: '0' }
  const signature = { signingScheme: 'presign', signature: owner }
  return {
    ...data,
    ...amounts,
    ...signature,
    uid,
    owner,
    creationDate: new Date(Date.UTC(2026, 10, 20) + index * 1_000).toISOString(),
    status: 'open',
  }
}

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  ;[chain, database] = await Promise.all([startTestChain(), createTestDatabase()])
  orders = Array.from({ length: 2_300 }, (_, index) => presigned(index)).toReversed()
  const { name, chainId, settlement, vaultRelayer, wrappedNative } = chain.market.network
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const row = {
    name,
    chainId,
    settlement,
    vaultRelayer,
    wrappedNative,
    rpcUrl: chain.rpcUrl,
    orderBook: { url },
  }
  networksFile = temporary.write(JSON.stringify([row]))
})
afterAll(async () => {
  server.close()
  server.closeAllConnections()
  temporary[Symbol.dispose]()
  await chain?.[Symbol.asyncDispose]()
  await database?.[Symbol.asyncDispose]()
})

/** The command in a process of its own. */
function start(flags: readonly string[]) {
  const environment = { PATH: process.env.PATH, DATABASE_URL: database.url, NETWORKS_FILE: networksFile }
  return spawn(process.execPath, [program(), 'import', ...flags], { env: environment })
}

/** Runs the command. @returns its exit code, its last progress, and its errors */
async function run(flags: readonly string[]) {
  calls.length = 0
  const [errors, shown]: string[][] = [[], []]
  const text = { type: 'string' } as const
  const texts = { ...text, multiple: true, default: [] as string[] } as const
  const options = {
    network: text,
    account: texts,
    uid: texts,
    'from-block': text,
    'to-block': text,
    'calls-per-minute': text,
    all: { type: 'boolean', default: false } as const,
  }
  const { values } = parseArgs({ args: [...flags], options })
  const code = await importInto({
    flags: values,
    networks: readNetworks(networksFile, 'production'),
    databaseUrl: database.url,
    settings: readSettings({}),
    log: silentLog,
    show: (line) => shown?.push(line),
    warn: (line) => errors?.push(line),
  })
  return { code, shown: shown?.at(-1), errors }
}
const stored = () => sql(database.db).order.count()
const pages = () => calls.flatMap((call) => /\/account\/\w+\/orders\?offset=(\d+)/.exec(call)?.[1] ?? [])

test('an account is read to the end, on from where a killed import stored it, and then only what is new', async () => {
  const flags = ['--account', owner, '--calls-per-minute', '0']
  silentFrom = 1
  const killed = start(flags)
  await eventually('a page is stored', async () => (await stored().catch(() => 0)) === 1_000, 110_000)
  killed.kill('SIGKILL')
  await once(killed, 'close')
  silentFrom = Number.POSITIVE_INFINITY
  expect(await run(flags)).toEqual({
    code: 0,
    errors: [],
    shown: expect.stringMatching(
      /^1300 orders stored, 1000 were stored before, \d+ a second, account 1 of 1$/,
    ),
  })
  expect(pages()).toEqual(['0', '1000', '2000'])
  expect(await stored()).toBe(2_300)
  orders = [presigned(5_000), ...orders]
  expect((await run(flags)).shown).toMatch(/^1 orders stored, 999 were/)
  expect(pages()).toEqual(['0'])
  expect(await stored()).toBe(2_301)
  const events = await sql(database.db).orderEvent.groupBy({ by: ['label'], _count: true })
  expect(events).toEqual([{ label: 'created', _count: 2_301 }])
})

test('orders are read by their UIDs once, within the budget of the network', async () => {
  const other = presigned(6_000)
  orders = [...orders, other]
  const unknown = `0x${'12'.repeat(56)}`
  const known = ['--uid', other.uid, '--uid', orders[0]?.uid ?? '']
  expect((await run([...known, '--uid', unknown])).shown).toMatch(
    /^1 orders stored, 0 were .* 1 are not there/,
  )
  expect(calls).toEqual(['POST /api/v1/orders/by_uids', `GET /api/v1/orders/${unknown}`])
  expect((await run(known)).code).toBe(0)
  expect(calls).toEqual([])
})

test('an order counts once, however often it is named, and one that is not true counts as that alone', async () => {
  const [own, other] = [orders[0]?.uid ?? '', presigned(7_000)]
  const untrue = { ...presigned(7_001), sellAmount: '1' }
  orders = [other, ...orders, untrue]
  const flags = ['--uid', other.uid, '--uid', untrue.uid, '--account', owner, '--account', owner, '--all']
  const { shown } = await run([...flags, '--uid', own, '--calls-per-minute', '0'])
  expect(shown).toMatch(/^1 orders stored, 2302 were stored before, 1 are not true, \d+ a second/)
})

test.each([
  [[], 'import needs --account, --uid, or --from-block and --to-block'],
  [['--account', '0x12'], '--account must be an address: 0x and 40 hex digits'],
  [['--uid', '0x12'], '--uid must be 0x and 112 hex digits'],
  [['--from-block', '5'], '--from-block and --to-block go together, --from-block not above --to-block'],
  [
    ['--account', address(owner), '--calls-per-minute', 'x'],
    '--calls-per-minute must be a number, 0 for no limit',
  ],
  [['--account', address(owner), '--network', 'gnosis'], '--network must be one of sepolia'],
])('%j is refused with one line', async (flags, line) => {
  expect(await run(flags)).toEqual({ code: 2, shown: undefined, errors: [`tradegraph: ${line}`] })
})

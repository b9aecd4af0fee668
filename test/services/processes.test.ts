import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createClient } from 'graphql-sse'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestChain, type TestChain } from '../setup/chain.ts'
import { eventually } from '../setup/eventually.ts'
import { createTrader, request } from '../setup/trader.ts'
import { unlimited } from '../setup/world.ts'

/** The program as several processes over an external PostgreSQL. */
const serverUrl = process.env.TEST_POSTGRES_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres'
const cli = path.join(import.meta.dirname, '..', '..', 'src', 'app', 'cli.ts')
const database = `tradegraph_${randomBytes(6).toString('hex')}`
const folder = mkdtempSync(path.join(tmpdir(), 'tradegraph-services-'))
const oneWeth = 10n ** 18n

let chain: TestChain
const running: ChildProcess[] = []

beforeAll(async () => {
  chain = await startTestChain()
  await onServer(`CREATE DATABASE ${database}`)
  const { network } = chain.market
  const row = { ...network, priceAmount: `${network.priceAmount}`, rpcUrl: chain.rpcUrl }
  writeFileSync(path.join(folder, 'networks.json'), JSON.stringify([row]))
})

afterAll(async () => {
  await Promise.all(running.map((child) => end(child, 'SIGTERM')))
  await chain?.[Symbol.asyncDispose]()
  await onServer(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`)
  rmSync(folder, { recursive: true, force: true })
})

async function onServer(statement: string): Promise<void> {
  const client = new Client({ connectionString: serverUrl })
  await client.connect()
  await client.query(statement).finally(() => client.end())
}

/** @returns the process and the URL in its `ready` line */
async function start(role: string): Promise<{ child: ChildProcess; ready: string }> {
  const url = new URL(serverUrl)
  url.pathname = `/${database}`
  const child = spawn(process.execPath, ['--import', 'tsx', cli, role, '--port', '0'], {
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: url.href,
      NETWORKS_FILE: path.join(folder, 'networks.json'),
      SOLVER_PRIVATE_KEY: chain.market.solver.privateKey,
      LOG_LEVEL: 'error',
      CMS_ENABLED: 'true',
      CMS_API_KEY: 'cms-key-of-the-tests',
      ...unlimited,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  running.push(child)
  let output = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  const ready = await eventually(`${role} is ready`, () => /^ready (.*)$/m.exec(output)?.[1], 60_000)
  return { child, ready }
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill(signal)
  await gone
}

test('an order placed at one process is notified by another, and a killed leader is replaced', async () => {
  // All start at once over an empty database, and one of them migrates it.
  const [one, other, indexer] = await Promise.all([
    start('serve'),
    start('serve'),
    start('index'),
    start('auction'),
  ])
  await start('index')
  const trader = createTrader(one.ready, chain.market)
  const client = createClient({ url: `${other.ready}/graphql/stream` })
  const notified: string[] = []
  const stream = client.iterate<{
    notifications: { notification: { type: string; metadata: { orderId: string } } }
  }>({
    query: `subscription ($account: Address!) {
      notifications(account: $account, after: "earliest") { notification { type metadata } }
    }`,
    variables: { account: trader.address },
  })
  const listening = (async () => {
    // A fill may also be a price improvement.
    for await (const { data } of stream) {
      const { type, metadata } = data?.notifications.notification ?? {}
      if (type === 'ORDER_FILLED' && metadata) notified.push(metadata.orderId)
    }
  })()

  const first = await trader.place({ sell: 'WETH', buy: 'USDC', sellAmount: oneWeth, buyAmount: 1n })
  expect(first.status).toBe(201)
  await eventually('a notification of the first order', () => notified.includes(first.body))

  await end(indexer.child, 'SIGKILL')
  const second = await trader.place({ sell: 'DAI', buy: 'USDC', sellAmount: oneWeth, buyAmount: 1n })
  await eventually('a notification of the second order', () => notified.includes(second.body))
  expect(notified).toEqual([first.body, second.body])
  const { body } = await request(`${other.ready}/sepolia/api/v1/orders/${second.body}`)
  expect(body.status).toBe('fulfilled')

  await stream.return?.()
  client.dispose()
  await listening.catch(() => undefined)
}, 90_000)

import { randomBytes } from 'node:crypto'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'pg'
import { inject } from 'vitest'
import { type App, type Role, startApp } from '../../src/app/app.ts'
import { readSettings } from '../../src/app/config.ts'
import { createRpc, type Rpc } from '../../src/chain/rpc/rpc.ts'
import { startChain } from '../../src/dev/chain/chain.ts'
import { describeMarket, type Market } from '../../src/dev/market/market.ts'
import { type Database, openDatabase } from '../../src/storage/database/database.ts'
import { silentLog } from '../fakes/silent-log.ts'

export interface TestDatabase extends AsyncDisposable {
  url: string
  db: Database
  /** SQL statements sent through `db` so far. */
  statements: string[]
}

/** An empty, migrated database of its own. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`
  await onServer(`CREATE DATABASE ${name} TEMPLATE template`)
  const url = new URL(inject('serverUrl'))
  url.pathname = `/${name}`
  const statements: string[] = []
  const db = openDatabase({ url: url.href, maxConnections: 10, onStatement: (sql) => statements.push(sql) })
  return {
    url: url.href,
    db,
    statements,
    async [Symbol.asyncDispose]() {
      await db.close()
      await onServer(`DROP DATABASE ${name} WITH (FORCE)`)
    },
  }
}

export interface TestChain extends AsyncDisposable {
  rpcUrl: string
  rpc: Rpc
  market: Market
}

/** A running copy of the local chain with its market; a block every second. */
export async function startTestChain(): Promise<TestChain> {
  const home = mkdtempSync(path.join(tmpdir(), 'tradegraph-chain-'))
  copyFileSync(path.join(inject('chainHome'), 'chain-state.json'), path.join(home, 'chain-state.json'))
  const chain = await startChain({ home, log: silentLog })
  return {
    rpcUrl: chain.rpcUrl,
    rpc: createRpc({ url: chain.rpcUrl, log: silentLog }),
    market: describeMarket(),
    async [Symbol.asyncDispose]() {
      await chain.stop()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/** Settings of a program that is asked more than clients ask. */
export const unlimited = {
  RATE_LIMIT_READS: '0',
  RATE_LIMIT_QUOTES: '0',
  RATE_LIMIT_ORDERS: '0',
  RATE_LIMIT_INTROSPECTIONS: '0',
  ORDER_MAX_OUT_OF_MARKET: '0',
}

export interface World extends AsyncDisposable {
  url: string
  app: App
  chain: TestChain
  database: TestDatabase
  market: Market
}

/** The whole program over a chain and a database of its own. */
export async function startWorld(
  options: { roles?: readonly Role[]; environment?: Record<string, string> } = {},
): Promise<World> {
  const [database, chain] = await Promise.all([createTestDatabase(), startTestChain()])
  const { market } = chain
  const app = await startApp({
    databaseUrl: database.url,
    networks: [{ network: market.network, rpcUrl: chain.rpcUrl }],
    roles: options.roles ?? ['serve', 'index', 'auction'],
    settings: readSettings({
      PORT: '0',
      ...unlimited,
      SOLVER_PRIVATE_KEY: market.solver.privateKey,
      CMS_ENABLED: 'true',
      CMS_API_KEY: 'cms-key-of-the-tests',
      STATS_SOURCE: 'own',
      FEE_POLICIES: '[{"kind":"surplus","factor":0.5,"maxVolumeFactor":0.01}]',
      ...options.environment,
    }),
    version: 'test',
    log: silentLog,
    now: Date.now,
    random: Math.random,
  })
  return {
    url: app.url ?? '',
    app,
    chain,
    database,
    market,
    async [Symbol.asyncDispose]() {
      await app.close()
      await chain[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
    },
  }
}

/** Asks again until there is an answer; fails by name when there is none in time. */
export async function eventually<T>(
  what: string,
  probe: () => Promise<T | undefined | false> | T | undefined | false,
  timeoutMs = 20_000,
): Promise<T> {
  const deadline = performance.now() + timeoutMs
  for (;;) {
    const answer = await probe()
    if (answer) return answer
    if (performance.now() > deadline) throw new Error(`never: ${what}`)
    await pause(25)
  }
}

async function onServer(statement: string): Promise<void> {
  const client = new Client({ connectionString: inject('serverUrl') })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

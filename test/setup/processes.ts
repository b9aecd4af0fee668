import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Client } from 'pg'
import type { TestChain } from './chain.ts'
import { eventually } from './eventually.ts'
import { program as shipped } from './program.ts'
import { unlimited } from './world.ts'

const serverUrl = process.env.TEST_POSTGRES_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres'

export interface Started {
  child: ChildProcess
  /** The URL in its `ready` line. */
  ready: string
}

/**
 * The program as several processes over one database: one of its own in an external PostgreSQL, unless
 * another is named.
 */
export interface Processes extends AsyncDisposable {
  databaseUrl: string
  start(role: string, environment?: Record<string, string>): Promise<Started>
}

interface ProcessOptions {
  /** One that exists, and stays. */
  databaseUrl?: string
  /** The file of its command; the one that the tests share by default. */
  program?: string
}

export async function createProcesses(
  chain: Pick<TestChain, 'market' | 'rpcUrl'>,
  { databaseUrl, program = shipped() }: ProcessOptions = {},
): Promise<Processes> {
  const database = `tradegraph_${randomBytes(6).toString('hex')}`
  const folder = mkdtempSync(path.join(tmpdir(), 'tradegraph-services-'))
  const running = new Set<ChildProcess>()
  if (databaseUrl === undefined) await onServer(`CREATE DATABASE ${database}`)
  const { network, solver } = chain.market
  const row = { ...network, priceAmount: `${network.priceAmount}`, rpcUrl: chain.rpcUrl }
  writeFileSync(path.join(folder, 'networks.json'), JSON.stringify([row]))
  const url = new URL(databaseUrl ?? serverUrl)
  if (databaseUrl === undefined) url.pathname = `/${database}`
  return {
    databaseUrl: url.href,
    async start(role, environment = {}) {
      const child = spawn(process.execPath, [program, role], {
        env: {
          PATH: process.env.PATH,
          PORT: '0',
          DATABASE_URL: url.href,
          NETWORKS_FILE: path.join(folder, 'networks.json'),
          SOLVER_PRIVATE_KEY: solver.privateKey,
          LOG_LEVEL: 'error',
          CMS_ENABLED: 'true',
          CMS_API_KEY: 'cms-key-of-the-tests',
          SHUTDOWN_DELAY_SECONDS: '0',
          ...unlimited,
          ...environment,
        },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      running.add(child)
      child.once('exit', () => running.delete(child))
      let output = ''
      child.stdout?.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
      const ready = await eventually(
        `${role} is ready`,
        () => {
          if (child.exitCode !== null) throw new Error(`${role} ended with ${child.exitCode}`)
          return /^ready (.*)$/m.exec(output)?.[1]
        },
        180_000,
      )
      return { child, ready }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...running].map((child) => end(child, 'SIGTERM')))
      if (databaseUrl === undefined) await onServer(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function onServer(statement: string): Promise<void> {
  const client = new Client({ connectionString: serverUrl })
  await client.connect()
  await client.query(statement).finally(() => client.end())
}

/** @returns its exit code */
export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
  const gone = once(child, 'exit')
  child.kill(signal)
  const [code] = await gone
  return code
}

/** Ports that were free a moment ago. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer())
  await Promise.all(servers.map((server) => once(server.listen(0, '127.0.0.1'), 'listening')))
  const ports = servers.map((server) => (server.address() as AddressInfo).port)
  for (const server of servers) server.close()
  return ports
}

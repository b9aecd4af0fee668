import { execFile } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statfsSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import type { ProvidedContext } from 'vitest'
import type { TestProject } from 'vitest/node'
import { startChain } from '../../src/dev/chain/chain.ts'
import { endOrphanedDatabase, startDatabase } from '../../src/dev/database/database.ts'
import { buildMarket } from '../../src/dev/market/build.ts'
import { applyMigrations } from '../../src/storage/database/migrations.ts'
import { silentLog } from '../fakes/silent-log.ts'
import { insertableViews } from './auction-views.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** A database server with the migrated database `template`, which tests copy. */
    serverUrl: string
    /** The home of a stopped chain with its market; tests start copies of it. */
    chainHome: string
    /** The file of the command as shipped, which starts in a quarter of the time of its sources. */
    program: string
    /** The seed of all random choices: TEST_SEED, or another one in each run. */
    seed: number
  }
}

/** Several times the need of a whole run. */
const minBytesInMemory = 6 * 2 ** 30

const root = path.join(import.meta.dirname, '..', '..')

/**
 * One database server and one built chain for the whole run; each test gets its own copies in milliseconds.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { provided, teardown } = await startServers()
  for (const [name, value] of Object.entries(provided)) project.provide(name as keyof ProvidedContext, value)
  return teardown
}

/**
 * Returns the folder of Linux that is in memory, where it has room and may hold programs; else the usual one.
 * On a disk the files of databases, made and removed by the thousand, take a sixth of the processor's time.
 */
function temporaryFolder(): string {
  const mounts = existsSync('/proc/mounts') ? readFileSync('/proc/mounts', 'utf8') : ''
  if (!/ \/dev\/shm tmpfs (?!\S*noexec)/.test(mounts)) return tmpdir()
  const { bavail, bsize } = statfsSync('/dev/shm')
  return bavail * bsize > minBytesInMemory ? '/dev/shm' : tmpdir()
}

export async function startServers(): Promise<{ provided: ProvidedContext; teardown: () => Promise<void> }> {
  const home = mkdtempSync(path.join(temporaryFolder(), 'tradegraph-tests-'))
  // Other users start the program too.
  chmodSync(home, 0o755)
  // Files of tests, and of the programs that they start, end with the run.
  const files = path.join(home, 'tmp')
  mkdirSync(files)
  chmodSync(files, 0o1777)
  process.env.TMPDIR = files
  const chainHome = path.join(home, 'chain')
  mkdirSync(chainHome)
  const teardown = async () => {
    await endOrphanedDatabase(home)
    rmSync(home, { recursive: true, force: true })
  }
  try {
    const database = await startDatabase({ home, log: silentLog })
    const [program] = await Promise.all([
      buildProgram(path.join(home, 'build')),
      createTemplate(database.url),
      buildChain(chainHome),
    ])
    const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31))
    console.log(`TEST_SEED=${seed}`)
    return { provided: { serverUrl: database.url, chainHome, program, seed }, teardown }
  } catch (error) {
    await teardown()
    throw error
  }
}

async function buildProgram(home: string): Promise<string> {
  mkdirSync(home)
  symlinkSync(path.join(root, 'node_modules'), path.join(home, 'node_modules'))
  const folder = path.join(home, 'program')
  const flags = ['--import', 'tsx', 'build.ts', 'program', folder]
  await promisify(execFile)(process.execPath, flags, { cwd: root })
  copyFileSync(path.join(root, 'package.json'), path.join(folder, 'package.json'))
  return path.join(folder, 'src', 'app', 'commands', 'tradegraph.js')
}

async function buildChain(home: string): Promise<void> {
  const prepare = async (rpcUrl: string) => void (await buildMarket(rpcUrl, silentLog))
  const chain = await startChain({ home, log: silentLog, prepare })
  await chain.stop()
}

async function createTemplate(serverUrl: string): Promise<void> {
  const client = new Client({ connectionString: serverUrl })
  await client.connect()
  // The data need not survive a crash. Commits still wait for the log, since VACUUM marks pages by it.
  for (const setting of ['fsync', 'full_page_writes']) await client.query(`ALTER SYSTEM SET ${setting} = off`)
  await client.query('SELECT pg_reload_conf()')
  await client.query('CREATE DATABASE template')
  await client.end()
  const template = new URL(serverUrl)
  template.pathname = '/template'
  await applyMigrations(template.href)
  const migrated = new Client({ connectionString: template.href })
  await migrated.connect()
  await migrated.query(insertableViews)
  await migrated.end()
}

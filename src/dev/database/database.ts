import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import type { Log } from '../../domain/log.ts'
import { endProcess, findProcess, freePort, type ProcessMark, until } from '../process/process.ts'
import { databaseEnvironment, findBinaries } from './binaries.ts'
import {
  clusterArguments,
  type DatabaseFolder,
  databaseUser,
  initialiseCluster,
  lastPort,
  openDatabaseFolder,
  removeStaleLock,
  runningServer,
} from './folder.ts'

export interface Database extends ProcessMark {
  url: string
  /** Ends the server, whoever started it; what was committed stays. */
  stop(): Promise<void>
}

export interface DatabaseStart {
  home: string
  log: Log
  /** What the server caches, in its own words; only for one that is started now. */
  sharedBuffers?: string
}

const databaseName = 'tradegraph'
const answerMs = 2_000
const startMs = 20_000
const retryMs = 5_000

/** Fast (drop the clients), immediate (recover at the next start), final. */
const stopSignals: NodeJS.Signals[] = ['SIGINT', 'SIGQUIT', 'SIGKILL']

/** A real PostgreSQL in a process of its own that outlives this program, and is found again by the next one. */
export async function startDatabase({
  home,
  log,
  sharedBuffers = '128MB',
}: DatabaseStart): Promise<Database> {
  const folder = openDatabaseFolder(home)
  const server = (await adopt(folder, log)) ?? (await launch(folder, log, sharedBuffers))
  await createDatabase(serverUrl(folder, server.port, 'postgres'))
  return {
    url: serverUrl(folder, server.port, databaseName),
    pid: server.pid,
    started: server.started,
    stop: () => endProcess(server, stopSignals),
  }
}

/** Ends the server that an earlier program left behind, if there is one. */
export async function endLeftDatabase(home: string): Promise<void> {
  const server = runningServer(join(home, 'database', 'data'))
  if (server) await endProcess(server, stopSignals)
}

type Server = ProcessMark & { port: number }

async function adopt(folder: DatabaseFolder, log: Log): Promise<Server | undefined> {
  // It may be recovering from a crash, or about to end.
  const found = await until(startMs, async () => {
    const server = runningServer(folder.data)
    if (!server) return 'none'
    return (await answers(serverUrl(folder, server.port, 'postgres'))) ? server : undefined
  })
  if (found === 'none') return undefined
  if (found) {
    log.debug('database adopted', { pid: found.pid, port: found.port })
    return found
  }
  const silent = runningServer(folder.data)
  log.warn('the database that was left running does not answer and is restarted', { pid: silent?.pid })
  if (silent) await endProcess(silent, stopSignals)
  return undefined
}

async function launch(folder: DatabaseFolder, log: Log, sharedBuffers: string): Promise<Server> {
  const binaries = findBinaries(folder.runAs, log)
  await initialiseCluster(folder, binaries)
  const preferred = lastPort(folder.data)
  // Again when the port was taken meanwhile, or when workers of a killed server are still on their way out.
  const server = await until(retryMs, async () =>
    launchOnce(folder, binaries, await freePort(preferred), sharedBuffers),
  )
  if (!server) throw new Error(`The embedded database does not start: ${lastWords(folder)}`)
  log.debug('database started', { pid: server.pid, port: server.port })
  return server
}

async function launchOnce(
  folder: DatabaseFolder,
  binaries: string,
  port: number,
  sharedBuffers: string,
): Promise<Server | undefined> {
  removeStaleLock(folder.data)
  const child = spawnServer(folder, binaries, port, sharedBuffers)
  const failure = new Promise<'ended'>((resolve) => {
    child.once('exit', () => resolve('ended'))
    child.once('error', () => resolve('ended'))
  })
  const ready = until(startMs, () => answers(serverUrl(folder, port, 'postgres')))
  const outcome = await Promise.race([failure, ready])
  const row = child.pid === undefined ? undefined : findProcess(child.pid)
  if (!row) return undefined
  const mark = { pid: row.pid, started: row.started }
  if (outcome === true) return { ...mark, port }
  await endProcess(mark, stopSignals)
  return undefined
}

function spawnServer(
  folder: DatabaseFolder,
  binaries: string,
  port: number,
  sharedBuffers: string,
): ChildProcess {
  rmSync(folder.log, { force: true })
  const output = openSync(folder.log, 'wx', 0o600)
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 100,
    shared_buffers: sharedBuffers,
    fsync: 'on',
    max_wal_size: '512MB',
    // The log serves to explain a failed start; what single statements do wrong is the program's own matter.
    log_min_messages: 'fatal',
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const child = spawn(
    join(binaries, 'bin', 'postgres'),
    [...clusterArguments(folder), '-p', String(port), ...flags],
    {
      ...folder.runAs,
      cwd: folder.data,
      env: databaseEnvironment,
      stdio: ['ignore', output, output],
      detached: true,
    },
  )
  closeSync(output)
  child.unref()
  return child
}

function serverUrl(folder: DatabaseFolder, port: number, database: string): string {
  return `postgresql://${databaseUser}:${folder.password}@127.0.0.1:${port}/${database}`
}

/** Our password opens it: whatever else may listen on that port is not this home's database. */
async function answers(url: string): Promise<true | undefined> {
  return withClient(url, () => Promise.resolve<true>(true)).catch(() => undefined)
}

async function createDatabase(url: string): Promise<void> {
  await withClient(url, async (client) => {
    const known = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [databaseName])
    if (known.rowCount === 0) await client.query(`CREATE DATABASE ${databaseName}`)
  })
}

async function withClient<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: answerMs,
    query_timeout: startMs,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    return await use(client)
  } finally {
    await client.end().catch(() => {})
  }
}

function lastWords(folder: DatabaseFolder): string {
  try {
    return readFileSync(folder.log, 'utf8').trim().split('\n').at(-1) || `nothing in ${folder.log}`
  } catch {
    return 'it left no log'
  }
}

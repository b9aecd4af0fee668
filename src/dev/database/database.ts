import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import type { Log } from '../../domain/log.ts'
import { endProcess, findProcess, freePort, type ProcessIdentity, until } from '../process/process.ts'
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

export interface DevDatabase extends ProcessIdentity {
  url: string
  /** Ends the server, also one that was adopted. Committed data stays. */
  stop(): Promise<void>
}

interface DatabaseStart {
  home: string
  log: Log
  /** PostgreSQL's `shared_buffers`; ignored for an adopted server. */
  sharedBuffers?: string
}

const databaseName = 'tradegraph'
const connectTimeoutMs = 2_000
const startTimeoutMs = 20_000
const retryTimeoutMs = 5_000

/** Fast (disconnects the clients), immediate (recovers at the next start), kill. */
const stopSignals: NodeJS.Signals[] = ['SIGINT', 'SIGQUIT', 'SIGKILL']

/** Starts PostgreSQL in a process that outlives this program, or adopts the one that runs. */
export async function startDatabase({
  home,
  log,
  sharedBuffers = '128MB',
}: DatabaseStart): Promise<DevDatabase> {
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

/** Ends the server that an earlier program left running, if there is one. */
export async function endOrphanedDatabase(home: string): Promise<void> {
  const server = runningServer(join(home, 'database', 'data'))
  if (server) await endProcess(server, stopSignals)
}

type Server = ProcessIdentity & { port: number }

async function adopt(folder: DatabaseFolder, log: Log): Promise<Server | undefined> {
  // The server may be recovering from a crash, or about to end.
  const running = await until(startTimeoutMs, async () => {
    const server = runningServer(folder.data)
    if (!server) return 'none'
    return (await answers(serverUrl(folder, server.port, 'postgres'))) ? server : undefined
  })
  if (running === 'none') return undefined
  if (running) {
    log.debug('database adopted', { pid: running.pid, port: running.port })
    return running
  }
  const silent = runningServer(folder.data)
  log.warn('the database that was left running does not answer and is restarted', { pid: silent?.pid })
  if (silent) await endProcess(silent, stopSignals)
  return undefined
}

async function launch(folder: DatabaseFolder, log: Log, sharedBuffers: string): Promise<Server> {
  const binaries = findBinaries(folder.runAs, log)
  await initialiseCluster(folder, binaries)
  const preferredPort = lastPort(folder.data)
  // Retried: the port may be taken meanwhile, or workers of a killed server may still be ending.
  const server = await until(retryTimeoutMs, async () =>
    launchOnce(folder, binaries, await freePort(preferredPort), sharedBuffers),
  )
  if (!server) throw new Error(`The embedded database does not start: ${lastLogLine(folder)}`)
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
  const ready = until(startTimeoutMs, () => answers(serverUrl(folder, port, 'postgres')))
  const outcome = await Promise.race([failure, ready])
  const row = child.pid === undefined ? undefined : findProcess(child.pid)
  if (!row) return undefined
  const identity = { pid: row.pid, started: row.started }
  if (outcome === true) return { ...identity, port }
  await endProcess(identity, stopSignals)
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
    // The log is for failed starts only; the program itself reports errors of statements.
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

/** Checks whether our password opens the server: another server may listen on that port. */
async function answers(url: string): Promise<true | undefined> {
  return withClient(url, () => Promise.resolve<true>(true)).catch(() => undefined)
}

async function createDatabase(url: string): Promise<void> {
  await withClient(url, async (client) => {
    const existing = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [databaseName])
    if (existing.rowCount === 0) await client.query(`CREATE DATABASE ${databaseName}`)
  })
}

async function withClient<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: startTimeoutMs,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    return await use(client)
  } finally {
    await client.end().catch(() => {})
  }
}

function lastLogLine(folder: DatabaseFolder): string {
  try {
    return readFileSync(folder.log, 'utf8').trim().split('\n').at(-1) || `nothing in ${folder.log}`
  } catch {
    return 'it left no log'
  }
}

import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  lchownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { fileExists, writeDurably } from '../home/durable-file.ts'
import { findProcess, type ProcessIdentity } from '../process/process.ts'
import { databaseEnvironment, type RunAs } from './binaries.ts'

/** `HOME/database`: the password and the cluster, private to the user that the database runs as. */
export interface DatabaseFolder {
  path: string
  /** The cluster itself. */
  data: string
  log: string
  runAs: RunAs
  password: string
}

const execute = promisify(execFile)
type ExecuteError = Error & { stderr?: string }

const draftPrefix = 'data.new-'

export const databaseUser = 'tradegraph'

/** The unprivileged user of the system: PostgreSQL refuses to run as root. */
const unprivilegedUser = { uid: 65534, gid: 65534 }

export function openDatabaseFolder(home: string): DatabaseFolder {
  const path = join(home, 'database')
  mkdirSync(path, { mode: 0o700, recursive: true })
  const runAs = chooseUser(path)
  if (runAs) lchownSync(path, runAs.uid, runAs.gid)
  const data = join(path, 'data')
  return {
    path,
    data,
    log: join(path, 'log'),
    runAs,
    password: ensurePassword(join(path, 'password'), data, runAs),
  }
}

/**
 * Root gives the folder to the unprivileged user, unless it has another owner. Others run the database as
 * themselves.
 */
function chooseUser(path: string): RunAs {
  const { uid, gid } = lstatSync(path)
  const ownUid = process.getuid?.()
  if (ownUid === 0) return uid === 0 ? unprivilegedUser : { uid, gid }
  if (ownUid !== undefined && uid !== ownUid)
    throw new Error(`${path} belongs to another user: choose another --home.`)
  return undefined
}

function ensurePassword(path: string, data: string, runAs: RunAs): string {
  if (!fileExists(path)) {
    if (fileExists(data))
      throw new Error(`${path} is missing, and without it the database cannot be opened: use --reset.`)
    writeDurably(path, `${randomBytes(24).toString('base64url')}\n`)
  }
  if (runAs) lchownSync(path, runAs.uid, runAs.gid)
  return readFileSync(path, 'utf8').trim()
}

/**
 * Makes the cluster under a temporary name and renames it, so that an unfinished one is never used. The name
 * is new each time: after a kill -9 the initdb of an earlier program may still be writing to its draft.
 */
export async function initialiseCluster(folder: DatabaseFolder, binaries: string): Promise<void> {
  removeDrafts(folder)
  if (fileExists(folder.data)) return
  const draft = mkdtempSync(join(folder.path, draftPrefix))
  if (folder.runAs) lchownSync(draft, folder.runAs.uid, folder.runAs.gid)
  const flags = [
    ...clusterArguments(folder, draft),
    '--username',
    databaseUser,
    '--auth',
    'scram-sha-256',
    '--pwfile',
    '../password',
    '--encoding',
    'UTF8',
    '--locale',
    'C',
    '--no-instructions',
  ]
  const options = { ...folder.runAs, cwd: draft, env: databaseEnvironment, timeout: 60_000 }
  await execute(join(binaries, 'bin', 'initdb'), flags, options).catch(
    ({ stderr, message }: ExecuteError) => {
      const reason = stderr?.trim().split('\n')[0] || message
      throw new Error(`The embedded database could not be created (${reason}): set DATABASE_URL.`)
    },
  )
  renameSync(draft, folder.data)
}

function removeDrafts({ path }: DatabaseFolder): void {
  for (const name of readdirSync(path)) {
    if (name.startsWith(draftPrefix))
      rmSync(join(path, name), { recursive: true, force: true, maxRetries: 5 })
  }
}

/**
 * Arguments that name the cluster. The unprivileged user may not be able to enter the folders above it (a
 * home below /root). On Linux the working directory, which is set while the process is still root, has a path
 * of its own.
 */
export function clusterArguments(folder: DatabaseFolder, data = folder.data): string[] {
  return ['-D', folder.runAs && process.platform === 'linux' ? '/proc/self/cwd' : data]
}

/**
 * The server that runs on this cluster, read from its lock file. A lock file that names another process is
 * stale.
 */
export function runningServer(data: string): (ProcessIdentity & { port: number }) | undefined {
  const { pid, port } = readLock(data)
  const row = pid === undefined ? undefined : findProcess(pid)
  if (!row || !/\bpostgres\b/.test(row.command) || !worksIn(row.pid, data)) return undefined
  return { pid: row.pid, started: row.started, port: port ?? 0 }
}

/** The port of the last server. It is preferred, so that the address survives a restart. */
export function lastPort(data: string): number {
  return readLock(data).port ?? 0
}

export function removeStaleLock(data: string): void {
  rmSync(join(data, 'postmaster.pid'), { force: true })
}

function readLock(data: string): { pid?: number; port?: number } {
  const path = join(data, 'postmaster.pid')
  if (!fileExists(path)) return {}
  const lines = readFileSync(path, 'utf8').split('\n')
  return { pid: Number(lines[0]), port: Number(lines[3] ?? 0) }
}

/**
 * PostgreSQL runs in its data folder. Where the system has no /proc, only the password proves that it is
 * ours.
 */
function worksIn(pid: number, data: string): boolean {
  if (process.platform !== 'linux') return true
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(data)
  } catch {
    return false
  }
}

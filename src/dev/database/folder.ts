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
import { findProcess, type ProcessMark } from '../process/process.ts'
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

/** The user `nobody`: PostgreSQL refuses to run as root. */
const nobody = { uid: 65534, gid: 65534 }

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
    password: keepPassword(join(path, 'password'), data, runAs),
  }
}

/** Root hands the folder to `nobody`, or leaves it with whoever used it before; others run as themselves. */
function chooseUser(path: string): RunAs {
  const { uid, gid } = lstatSync(path)
  const own = process.getuid?.()
  if (own === 0) return uid === 0 ? nobody : { uid, gid }
  if (own !== undefined && uid !== own)
    throw new Error(`${path} belongs to another user: choose another --home.`)
  return undefined
}

function keepPassword(path: string, data: string, runAs: RunAs): string {
  if (!fileExists(path)) {
    if (fileExists(data))
      throw new Error(`${path} is missing, and without it the database cannot be opened: use --reset.`)
    writeDurably(path, `${randomBytes(24).toString('base64url')}\n`)
  }
  if (runAs) lchownSync(path, runAs.uid, runAs.gid)
  return readFileSync(path, 'utf8').trim()
}

/**
 * Makes the cluster under another name and renames it, so that one killed half-way is never taken for whole. The name is
 * new each time: after a kill -9 the initdb of the program before may still be writing to its own.
 */
export async function initialiseCluster(folder: DatabaseFolder, binaries: string): Promise<void> {
  removeDrafts(folder)
  if (fileExists(folder.data)) return
  const draft = mkdtempSync(join(folder.path, draftPrefix))
  if (folder.runAs) lchownSync(draft, folder.runAs.uid, folder.runAs.gid)
  const flags = [
    ...clusterArguments(folder, draft),
    ...['--username', databaseUser, '--auth', 'scram-sha-256', '--pwfile', '../password'],
    ...['--encoding', 'UTF8', '--locale', 'C', '--no-instructions'],
  ]
  const options = { ...folder.runAs, cwd: draft, env: databaseEnvironment, timeout: 60_000 }
  await execute(join(binaries, 'bin', 'initdb'), flags, options).catch(
    ({ stderr, message }: ExecuteError) => {
      const words = stderr?.trim().split('\n')[0] || message
      throw new Error(`The embedded database could not be created (${words}): set DATABASE_URL.`)
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
 * How a program is told where the cluster is. Another user may not be able to pass the folders above it (a home below
 * /root), but a process is put into its working directory while it still is root, and Linux gives that a name.
 */
export function clusterArguments(folder: DatabaseFolder, data = folder.data): string[] {
  return ['-D', folder.runAs && process.platform === 'linux' ? '/proc/self/cwd' : data]
}

/** The server that runs on this cluster, as its own lock file tells. A lock file that means somebody else is stale. */
export function runningServer(data: string): (ProcessMark & { port: number }) | undefined {
  const { pid, port } = readLock(data)
  const found = pid === undefined ? undefined : findProcess(pid)
  if (!found || !/\bpostgres\b/.test(found.command) || !worksIn(found.pid, data)) return undefined
  return { pid: found.pid, started: found.started, port: port ?? 0 }
}

/** The port that the last server used; it is preferred, so that the address survives a restart. */
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

/** A server works in its data folder. Where the system does not tell, the password is the proof that remains. */
function worksIn(pid: number, data: string): boolean {
  if (process.platform !== 'linux') return true
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(data)
  } catch {
    return false
  }
}

import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { Log } from '../../domain/log.ts'
import { readJson } from '../home/durable-file.ts'
import { findPackage } from '../process/programs.ts'

/** The user that the database runs as; `undefined` means the user of this program. */
export type RunAs = { uid: number; gid: number } | undefined

/** Replaces the environment of this program, which may hold DATABASE_URL and other secrets. */
export const databaseEnvironment = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }

/** Calls that show whether a program runs. This one of initdb also looks up the user's name. */
const trials = { postgres: ['--version'], initdb: ['--show', '-D', '/'] }

/**
 * A folder whose `bin/postgres` and `bin/initdb` run as the given user: the installed package if possible.
 * Otherwise (package below a private folder, library links missing because install scripts are off, user
 * without a name) a copy in the system's folder for temporary files.
 */
export function findBinaries(runAs: RunAs, log: Log): string {
  const installed = installedPackage()
  if (canRun(installed.native, runAs)) return installed.native
  for (const parent of new Set([tmpdir(), '/tmp', '/var/tmp'])) {
    const folder = join(parent, `tradegraph-postgres-${installed.version}-${process.getuid?.() ?? 'user'}`)
    const isUsable = () => isOurs(folder) && isComplete(folder, installed.native) && canRun(folder, runAs)
    if (isUsable()) return folder
    try {
      copyBinaries(installed.native, folder, isUsable)
      log.debug('database binaries copied', { folder })
    } catch (cause) {
      log.debug('database binaries not copied', { folder, cause: String(cause) })
      continue
    }
    if (isUsable()) return folder
  }
  throw new Error(
    `The embedded database does not run on this machine (${faults(installed.native, runAs)[0]}): set DATABASE_URL.`,
  )
}

function installedPackage(): { native: string; version: string } {
  const root = findPackage('postgres')
  if (!root)
    throw new Error(
      `npm has installed no PostgreSQL for this machine (${process.platform} on ${process.arch}): set DATABASE_URL.`,
    )
  const manifest = readJson(join(root, 'package.json'))
  const version =
    manifest && typeof manifest === 'object' && 'version' in manifest ? String(manifest.version) : '0'
  return { native: join(root, 'native'), version }
}

/** The output of each program that does not run. */
function faults(folder: string, runAs: RunAs): string[] {
  const options = { ...runAs, cwd: '/', env: databaseEnvironment, encoding: 'utf8', timeout: 10_000 } as const
  return Object.entries(trials).flatMap(([program, flags]) => {
    const { status, error, stderr } = spawnSync(join(folder, 'bin', program), flags, options)
    return status === 0 ? [] : [error?.message ?? (stderr.trim().split('\n')[0] || 'unknown reason')]
  })
}

function canRun(folder: string, runAs: RunAs): boolean {
  return faults(folder, runAs).length === 0
}

/** Checks that this user owns it and others cannot write to it: then no other user made or changed it. */
function isOurs(folder: string): boolean {
  const stat = lstatSync(folder, { throwIfNoEntry: false })
  return stat?.isDirectory() === true && stat.uid === process.getuid?.() && (stat.mode & 0o022) === 0
}

/** Checks every file, because cleaners of temporary folders remove single files. */
function isComplete(folder: string, native: string): boolean {
  const present = new Set(readdirSync(folder, { recursive: true, encoding: 'utf8' }))
  const links = libraryLinks(native).map(({ target }) => target)
  return [...readdirSync(native, { recursive: true, encoding: 'utf8' }), ...links].every((path) =>
    present.has(path),
  )
}

/** @param isUsable whether another program was first: its copy may be in use */
function copyBinaries(native: string, folder: string, isUsable: () => boolean): void {
  const draft = mkdtempSync(`${folder}-`)
  try {
    cpSync(native, draft, { recursive: true, verbatimSymlinks: true })
    for (const { source, target } of libraryLinks(native)) {
      rmSync(join(draft, target), { force: true })
      symlinkSync(basename(source), join(draft, target))
    }
    for (const entry of readdirSync(draft, { recursive: true, withFileTypes: true })) {
      if (!entry.isSymbolicLink()) chmodSync(join(entry.parentPath, entry.name), 0o755)
    }
    chmodSync(draft, 0o755)
    if (process.platform === 'linux')
      for (const program in trials) acceptNamelessUser(join(draft, 'bin', program))
    if (isUsable()) return
    if (isOurs(folder)) rmSync(folder, { recursive: true, force: true })
    renameSync(draft, folder)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

/**
 * Lets a program run as a user id without an entry in /etc/passwd, as containers may choose it. PostgreSQL
 * refuses one, although it does not use the name: the superuser has a name of its own. The program imports
 * `getpwent` in place of `getpwuid`, and so takes the name of the first entry.
 */
function acceptNamelessUser(path: string): void {
  const [imported, replacement] = ['\0getpwuid\0', '\0getpwent\0']
  const program = readFileSync(path, 'latin1')
  writeFileSync(path, program.replace(imported, replacement), 'latin1')
}

/**
 * Links between the libraries of the package, which its install script would make. Paths are relative to
 * `native`.
 */
function libraryLinks(native: string): { source: string; target: string }[] {
  const rows: { source: string; target: string }[] = JSON.parse(
    readFileSync(join(native, 'pg-symlinks.json'), 'utf8'),
  )
  const relative = (path: string) => path.replace(/^native\//, '')
  return rows.map(({ source, target }) => ({ source: relative(source), target: relative(target) }))
}

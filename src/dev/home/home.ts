import {
  accessSync,
  constants,
  linkSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import type { Log } from '../../domain/log.ts'
import { hasChainRecord } from '../chain/chain.ts'
import { findProcess, isRunning, type ProcessMark, until } from '../process/process.ts'
import { emptyHome, isHalfEmptied, isMarked, markHome } from './content.ts'
import { fileExists, readJson, writeDurably } from './durable-file.ts'

/** What `dev.json` tells: all that a client, a wallet or a test needs to know about the running stack. */
export interface DevManifest {
  url: string
  graphql: string
  stream: string
  rpcUrl: string
  databaseUrl: string
  chainId: number
  network: string
  settlement: string
  vaultRelayer: string
  tokens: Record<string, { address: string; decimals: number }>
  accounts: { address: string; privateKey: string }[]
}

/** The folder that holds everything of one local stack. One program at a time owns it. */
export interface Home {
  path: string
  /** Its appearance means that everything is up. */
  publish(manifest: DevManifest): void
  release(): void
}

export interface HomeOptions {
  path: string
  /** Empties the folder, and ends what an earlier program left running in it. */
  reset: boolean
  log: Log
  /** For how long an owner that may be on its way out is waited for. */
  waitMs?: number
}

/** All that is left of a first claim that was killed half-way. */
const claimDraft = /^owner\.json\.\d+(\.left)?$/

const ownerRecord = z.object({ pid: z.int(), started: z.string() })

/** @throws when another program holds the folder, or when it holds something and is not a home */
export async function openHome(options: HomeOptions): Promise<Home> {
  mkdirSync(resolve(options.path), { recursive: true, mode: 0o700 })
  const path = realpathSync(options.path)
  if (!isWritable(path)) throw new Error(`${path} cannot be written by this user: choose another --home.`)
  if (!isHome(path)) {
    throw new Error(`${path} holds other things and is not a Tradegraph home: choose another --home.`)
  }
  const ownerFile = join(path, 'owner.json')
  const manifestFile = join(path, 'dev.json')
  await claim(ownerFile, path, options)
  markHome(path)
  rmSync(manifestFile, { force: true })
  if (options.reset || isHalfEmptied(path)) await emptyHome(path, options.log)
  return {
    path,
    publish: (manifest) => writeDurably(manifestFile, `${JSON.stringify(manifest, undefined, 2)}\n`),
    release() {
      rmSync(manifestFile, { force: true })
      rmSync(ownerFile, { force: true })
    },
  }
}

/** A program runs in this home, or is about to leave it. */
export function isHeld(path: string): boolean {
  const owner = readOwner(join(path, 'owner.json'))
  return owner !== undefined && isRunning(owner)
}

/**
 * Names prove nothing: others too have a `database`. Homes of earlier versions are known by their records. In this order
 * it is right about a folder that another program is making a home just now, which writes the owner before the mark.
 */
function isHome(path: string): boolean {
  if (readdirSync(path).every((name) => claimDraft.test(name))) return true
  return readOwner(join(path, 'owner.json')) !== undefined || isMarked(path) || hasChainRecord(path)
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** A program that is on its way out is waited for; one that is gone is succeeded. */
async function claim(ownerFile: string, path: string, { log, waitMs = 5_000 }: HomeOptions): Promise<void> {
  const own = findProcess(process.pid)
  if (!own) throw new Error('This system does not tell about its processes.')
  const mark: ProcessMark = { pid: own.pid, started: own.started }
  let logged = false
  const claimed = await until(waitMs, async () => {
    const owner = readOwner(ownerFile)
    if (owner && isRunning(owner)) {
      if (!logged) log.info(`waiting for process ${owner.pid} to leave ${path}`)
      logged = true
      return false
    }
    if (fileExists(ownerFile)) removeDeadOwner(ownerFile)
    return createOwner(ownerFile, mark)
  })
  if (!claimed)
    throw new Error(
      `${path} is in use by process ${readOwner(ownerFile)?.pid}: stop it, or choose another --home.`,
    )
}

function readOwner(ownerFile: string): ProcessMark | undefined {
  return ownerRecord.safeParse(readJson(ownerFile)).data
}

/** `false` when somebody else was first. The file appears with its content, never empty. */
function createOwner(ownerFile: string, mark: ProcessMark): boolean {
  const draft = `${ownerFile}.${mark.pid}`
  writeFileSync(draft, JSON.stringify(mark), { mode: 0o600 })
  try {
    linkSync(draft, ownerFile)
    return true
  } catch {
    return false
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Moved aside before it is removed: what was moved may already be a living successor's, and then goes back. */
function removeDeadOwner(ownerFile: string): void {
  const aside = `${ownerFile}.${process.pid}.left`
  try {
    renameSync(ownerFile, aside)
  } catch {
    return
  }
  const moved = readOwner(aside)
  if (moved && isRunning(moved)) linkSync(aside, ownerFile)
  rmSync(aside, { force: true })
}

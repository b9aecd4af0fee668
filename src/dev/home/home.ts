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
import { findProcess, isRunning, type ProcessIdentity, until } from '../process/process.ts'
import { emptyHome, isHalfEmptied, isMarked, markHome } from './content.ts'
import { fileExists, readJson, writeDurably } from './durable-file.ts'
import { type HomeSecrets, secretsOf } from './secrets.ts'

/** Content of `dev.json`: what a client, a wallet or a test needs to know about the running stack. */
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
  /** `CMS_API_KEY`. */
  cmsKey: string
  accounts: { address: string; privateKey: string }[]
}

/** The folder that holds everything of one local stack. One program at a time owns it. */
export interface Home {
  path: string
  secrets: HomeSecrets
  /** Writes `dev.json`: everything is up. */
  publish(manifest: DevManifest): void
  release(): void
}

export interface HomeOptions {
  path: string
  /** Empties the folder, and ends what an earlier program left running in it. */
  reset: boolean
  log: Log
  /** How long to wait for an owner that is stopping. */
  waitMs?: number
}

/** Files of a first claim that was killed. */
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
    get secrets() {
      return secretsOf(path)
    },
    publish: (manifest) => writeDurably(manifestFile, `${JSON.stringify(manifest, undefined, 2)}\n`),
    release() {
      rmSync(manifestFile, { force: true })
      rmSync(ownerFile, { force: true })
    },
  }
}

/** Whether a program runs in this home. */
export function isInUse(path: string): boolean {
  const owner = readOwner(join(path, 'owner.json'))
  return owner !== undefined && isRunning(owner)
}

/**
 * Names prove nothing: other folders too have a `database`. Homes of earlier versions have records, but no mark. The
 * owner is read first, because a program that makes a new home writes its owner before the mark.
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

/** Waits for an owner that is stopping, and replaces one that has ended. */
async function claim(ownerFile: string, path: string, { log, waitMs = 5_000 }: HomeOptions): Promise<void> {
  const self = findProcess(process.pid)
  if (!self) throw new Error('This system does not report its processes.')
  const identity: ProcessIdentity = { pid: self.pid, started: self.started }
  let logged = false
  const claimed = await until(waitMs, async () => {
    const owner = readOwner(ownerFile)
    if (owner && isRunning(owner)) {
      if (!logged) log.info(`waiting for process ${owner.pid} to leave ${path}`)
      logged = true
      return false
    }
    if (fileExists(ownerFile)) removeDeadOwner(ownerFile)
    return createOwner(ownerFile, identity)
  })
  if (!claimed)
    throw new Error(
      `${path} is in use by process ${readOwner(ownerFile)?.pid}: stop it, or choose another --home.`,
    )
}

function readOwner(ownerFile: string): ProcessIdentity | undefined {
  return ownerRecord.safeParse(readJson(ownerFile)).data
}

/** `false` when another process was first. The file is linked with its content, so that it is never empty. */
function createOwner(ownerFile: string, identity: ProcessIdentity): boolean {
  const draft = `${ownerFile}.${identity.pid}`
  writeFileSync(draft, JSON.stringify(identity), { mode: 0o600 })
  try {
    linkSync(draft, ownerFile)
    return true
  } catch {
    return false
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Renames the file before it removes it: it may already be that of a running successor, and is put back then. */
function removeDeadOwner(ownerFile: string): void {
  const movedFile = `${ownerFile}.${process.pid}.left`
  try {
    renameSync(ownerFile, movedFile)
  } catch {
    return
  }
  const owner = readOwner(movedFile)
  if (owner && isRunning(owner)) linkSync(movedFile, ownerFile)
  rmSync(movedFile, { force: true })
}

import { randomBytes } from 'node:crypto'
import {
  accessSync,
  constants,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import webPush from 'web-push'
import { z } from 'zod'
import type { Log } from '../../domain/log.ts'
import { endOrphanedChain, hasChainRecord } from '../chain/chain.ts'
import { endOrphanedDatabase } from '../database/database.ts'
import { findProcess, isRunning, type ProcessIdentity, until } from '../process/process.ts'
import { fileExists, readJson, writeDurably } from './durable-file.ts'

/** Names of the files and folders of a home. No others are ever removed. */
const ownNames =
  /^(database|emptying|chain\.log|owner\.json(\.\d+(\.left)?)?|(home|dev|secrets|chain|chain-state)\.json(\.new)?|chain-state\.previous\.json)$/

const homeMark = z.object({ tradegraph: z.literal('home') })

/** Marks the folder as a home, which a reset may empty. */
function markHome(path: string): void {
  if (!isMarked(path)) writeDurably(join(path, 'home.json'), JSON.stringify({ tradegraph: 'home' }))
}

function isMarked(path: string): boolean {
  return homeMark.safeParse(readJson(join(path, 'home.json'))).success
}

/** Name of a file that exists while the folder is being emptied. */
const emptying = 'emptying'

/** Checks whether a program was killed while it emptied the folder. */
function isHalfEmptied(path: string): boolean {
  return fileExists(join(path, emptying))
}

/**
 * A half-empty home is unusable: if this program is killed, the file `emptying` makes the next one finish.
 */
async function emptyHome(path: string, log: Log): Promise<void> {
  writeFileSync(join(path, emptying), '')
  await Promise.all([endOrphanedDatabase(path), endOrphanedChain(path)])
  const content = readdirSync(path)
  const kept = ['owner.json', 'home.json', emptying]
  const removed = content.filter((name) => ownNames.test(name) && !kept.includes(name))
  await removeFiles(path, removed, log)
  for (const name of removed) rmSync(join(path, name), { recursive: true, force: true, maxRetries: 5 })
  rmSync(join(path, emptying))
  const foreign = content.filter((name) => !ownNames.test(name))
  if (foreign.length > 0)
    log.warn(`the reset leaves what is not Tradegraph's in ${path}: ${foreign.join(', ')}`)
}

/** Removes the files of these folders one by one: a large database takes a while. */
async function removeFiles(path: string, folders: readonly string[], log: Log): Promise<void> {
  // The target of a link is not ours.
  const isFolder = (name: string) => lstatSync(join(path, name)).isDirectory()
  const files = folders
    .filter(isFolder)
    .flatMap((folder) => readdirSync(join(path, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
  for (const [index, { parentPath, name }] of files.entries()) {
    await rm(join(parentPath, name), { force: true })
    log.progress?.(`emptying ${path}`, index + 1, files.length)
  }
}

const secrets = z.object({
  /** `CMS_API_KEY`. */
  cmsKey: z.string().min(16),
  /** Keys of web push, for subscriptions of browsers. */
  vapid: z.object({ publicKey: z.string(), privateKey: z.string() }),
})

/**
 * Keys of one home. A key in the source would be public: any web page can send it to a service on its
 * reader’s machine.
 */
export type HomeSecrets = z.infer<typeof secrets>

/** Reads the keys, or makes them at the first start and after a reset. */
function secretsOf(path: string): HomeSecrets {
  const file = join(path, 'secrets.json')
  const known = secrets.safeParse(readJson(file)).data
  if (known) return known
  const made = { cmsKey: randomBytes(24).toString('base64url'), vapid: webPush.generateVAPIDKeys() }
  writeDurably(file, JSON.stringify(made))
  return made
}

/** Content of `dev.json`: data of the running stack for clients, wallets and tests. */
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

/** The folder of one local stack. One program at a time owns it. */
export interface Home {
  path: string
  secrets: HomeSecrets
  /** Writes `dev.json`: everything is up. */
  publish(manifest: DevManifest): void
  release(): void
}

interface HomeOptions {
  path: string
  /** Empties the folder, and ends processes that an earlier program left in it. */
  reset: boolean
  log: Log
  /** Wait for an owner that is stopping. */
  waitMs?: number
}

/** Files of a first claim that was killed. */
const claimDraft = /^owner\.json\.\d+(\.left)?$/

const ownerRecord = z.object({ pid: z.int(), started: z.string() })

/** @throws when another program holds the folder, or when it is neither empty nor a home */
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

/** Checks whether a program runs in this home. */
export function isInUse(path: string): boolean {
  const owner = readOwner(join(path, 'owner.json'))
  return owner !== undefined && isRunning(owner)
}

/**
 * Recognizes a home by its marks: names prove too little, since other folders have a `database`. Homes of
 * earlier versions have records only. A new home gets its owner before its mark, so that is read first.
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

/**
 * Renames the file before its removal: the file may already be a running successor's, and is put back then.
 */
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

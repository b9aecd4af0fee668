import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type DevManifest, openHome } from '../../../src/dev/home/home.ts'
import { findProcess } from '../../../src/dev/process/process.ts'
import { silentLog } from '../../fakes/silent-log.ts'
import { eventually } from '../../setup/eventually.ts'
import { createTemporaryHome, removeTemporaryHome } from '../../setup/home.ts'

let home: string
beforeEach(() => {
  home = createTemporaryHome()
})
afterEach(() => removeTemporaryHome(home))

const open = (reset = false, path = home) => openHome({ path, reset, log: silentLog, waitMs: 200 })

/** A process that runs until it is killed and is recorded as the owner. */
function liveOwner() {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
  const row = findProcess(child.pid ?? 0)
  writeFileSync(join(home, 'owner.json'), JSON.stringify({ pid: row?.pid, started: row?.started }))
  return child
}

it('creates a private folder, and describes the stack in a private file that is removed on release', async () => {
  const path = join(home, 'a', 'b')
  const opened = await open(false, path)
  expect(statSync(path).mode & 0o777).toBe(0o700)
  const manifest = { url: 'http://127.0.0.1:1' } as DevManifest
  opened.publish(manifest)
  expect(statSync(join(path, 'dev.json')).mode & 0o777).toBe(0o600)
  expect(JSON.parse(readFileSync(join(path, 'dev.json'), 'utf8'))).toEqual(manifest)
  opened.release()
  expect(readdirSync(path)).toEqual(['home.json'])
})

it('has keys of its own, which last until a reset', async () => {
  const [one, other] = await Promise.all([open(), open(false, join(home, 'other'))])
  const { cmsKey, vapid } = one.secrets
  expect(cmsKey).toMatch(/^[\w-]{32}$/)
  expect(statSync(join(home, 'secrets.json')).mode & 0o777).toBe(0o600)
  expect(other.secrets.cmsKey).not.toBe(cmsKey)
  expect(other.secrets.vapid.privateKey).not.toBe(vapid.privateKey)
  one.release()
  const again = await open()
  expect(again.secrets).toEqual({ cmsKey, vapid })
  again.release()
  const emptied = await open(true)
  expect(emptied.secrets.cmsKey).not.toBe(cmsKey)
  emptied.release()
  other.release()
})

it('refuses a second program with one line', async () => {
  const child = liveOwner()
  try {
    await expect(open()).rejects.toThrow(new RegExp(`^[^\n]* is in use by process ${child.pid}: [^\n]*$`))
  } finally {
    child.kill('SIGKILL')
  }
})

it('waits for an owner that is ending', async () => {
  const child = liveOwner()
  const messages: string[] = []
  const log = { ...silentLog, info: (message: string) => void messages.push(message) }
  const opening = openHome({ path: home, reset: false, log })
  try {
    await eventually('a message about waiting', () => messages.length > 0)
  } finally {
    child.kill('SIGKILL')
  }
  ;(await opening).release()
  expect(messages).toEqual([expect.stringContaining(`process ${child.pid}`)])
})

it('takes over from an owner that has ended, also when another process has its pid', async () => {
  const child = liveOwner()
  child.kill('SIGKILL')
  await once(child, 'exit')
  ;(await open()).release()
  writeFileSync(join(home, 'owner.json'), JSON.stringify({ pid: process.ppid, started: 'long ago' }))
  ;(await open()).release()
})

it('admits one of two programs that find the same ended owner', async () => {
  writeFileSync(join(home, 'owner.json'), '{"pid":1,"started":"long ago"}')
  const both = await Promise.allSettled([open(), open()])
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
})

it.each([true, false])(
  'refuses a folder with files of another origin, whatever their names (reset: %s)',
  async (reset) => {
    for (const name of ['database', 'photos']) mkdirSync(join(home, name))
    for (const name of ['home.json', 'owner.json', 'dev.json', 'chain.json'])
      writeFileSync(join(home, name), '{}')
    const before = readdirSync(home)
    await expect(open(reset)).rejects.toThrow(/^[^\n]* is not a Tradegraph home: choose another --home\.$/)
    expect(readdirSync(home)).toEqual(before)
  },
)

it('a reset removes the files of a home, and lists the files that it leaves', async () => {
  ;(await open()).release()
  const ours = ['chain.json', 'chain.json.new', 'chain-state.json', 'chain-state.previous.json', 'chain.log']
  for (const name of [
    ...ours,
    'dev.json',
    'owner.json.7',
    'owner.json.7.left',
    'notes.txt',
    'chain.json.old',
  ])
    writeFileSync(join(home, name), '')
  for (const name of ['database', 'photos']) mkdirSync(join(home, name))
  mkdirSync(join(home, 'database/base'))
  for (const name of ['PG_VERSION', 'base/1', 'base/2']) writeFileSync(join(home, 'database', name), '')
  const messages: string[] = []
  const removed: string[] = []
  const log = {
    ...silentLog,
    warn: (message: string) => void messages.push(message),
    progress: (message: string, done: number, total: number) =>
      void removed.push(`${message} ${done} of ${total}`),
  }
  const opened = await openHome({ path: home, reset: true, log })
  expect(removed).toEqual([1, 2, 3].map((done) => `emptying ${home} ${done} of 3`))
  expect(readdirSync(home)).toEqual(['chain.json.old', 'home.json', 'notes.txt', 'owner.json', 'photos'])
  expect(messages).toEqual([expect.stringMatching(/: (chain\.json\.old|notes\.txt|photos|, ){5}$/)])
  opened.release()
})

it('a reset removes a link, and nothing behind it', async () => {
  ;(await open()).release()
  mkdirSync(join(home, 'elsewhere'))
  writeFileSync(join(home, 'elsewhere', 'kept'), '')
  symlinkSync(join(home, 'elsewhere'), join(home, 'database'))
  symlinkSync(join(home, 'nowhere'), join(home, 'chain.log'))
  ;(await open(true)).release()
  expect(readdirSync(home).sort()).toEqual(['elsewhere', 'home.json'])
  expect(readdirSync(join(home, 'elsewhere'))).toEqual(['kept'])
})

it('recognises a home of an earlier version by its record of the chain', async () => {
  mkdirSync(join(home, 'database'))
  const record = { pid: 1, started: 'long ago', port: 1, ready: true, genesisTime: 1 }
  writeFileSync(join(home, 'chain.json'), JSON.stringify(record))
  const opened = await open(true)
  expect(readdirSync(home)).toEqual(['home.json', 'owner.json'])
  opened.release()
})

it('accepts a folder in which a first start was killed immediately', async () => {
  for (const name of ['owner.json.7', 'owner.json.8.left']) writeFileSync(join(home, name), '{}')
  ;(await open()).release()
})

it('finishes a reset that was interrupted', async () => {
  ;(await open()).release()
  writeFileSync(join(home, 'emptying'), '')
  mkdirSync(join(home, 'database'))
  const opened = await open(false)
  expect(readdirSync(home)).toEqual(['home.json', 'owner.json'])
  opened.release()
})

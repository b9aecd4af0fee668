import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { findProcess } from '../../src/dev/process/process.ts'
import { startDev } from '../setup/dev.ts'
import { eventually } from '../setup/eventually.ts'
import { createTemporaryHome, removeTemporaryHome } from '../setup/home.ts'
import { graphql } from '../setup/trader.ts'

let home: string
beforeEach(() => {
  home = createTemporaryHome()
})
afterEach(() => removeTemporaryHome(home))

const dev = (...flags: string[]) => startDev(home, { flags })

const pids = () => ({
  chain: Number(JSON.parse(readFileSync(join(home, 'chain.json'), 'utf8')).pid),
  database: Number(readFileSync(join(home, 'database', 'data', 'postmaster.pid'), 'utf8').split('\n')[0]),
})

it.each([
  [['--home='], '--home must name a folder'],
  [['--port', 'abc'], '--port must be a number from 0 to 65535'],
  [['--port', '0x10'], '--port must be a number from 0 to 65535'],
  [['--port', '65536'], '--port must be a number from 0 to 65535'],
])('refuses %j with one line', async (flags, line) => {
  expect(await dev(...flags).ended).toEqual({ code: 2, errors: `tradegraph: ${line}\n` })
  expect(readdirSync(home)).toEqual([])
})

it('starts nothing when the port is in use', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const bound = server.address()
  const port = typeof bound === 'object' && bound ? bound.port : 0
  try {
    const errors = `tradegraph: port ${port} is in use: choose another with --port\n`
    expect(await dev('--port', String(port)).ended).toEqual({ code: 1, errors })
    expect(readdirSync(home)).toEqual([])
  } finally {
    server.close()
  }
})

it('ends when its chain or its database ends, and the next start continues from the saved state', async () => {
  const parts = [
    ['chain', 'database', 'the local chain'],
    ['database', 'chain', 'the local database'],
  ] as const
  for (const [part, other, name] of parts) {
    const { ended, ready } = dev()
    await ready()
    const before = pids()
    process.kill(before[part], 'SIGKILL')
    const errors = `tradegraph: ${name} (pid ${before[part]}) ended; start again to pick up where it was\n`
    expect(await ended).toEqual({ code: 1, errors })
    expect(findProcess(before[other])).toBeDefined()
    expect(existsSync(join(home, 'dev.json'))).toBe(false)
  }
  const { program, ended, ready } = dev()
  const { url, cmsKey, accounts } = await ready()
  expect((await fetch(`${url}/metrics`)).status).toBe(200)
  const challenge = await graphql(url, 'mutation { createSignInChallenge { uri } }')
  expect(challenge).toEqual({ createSignInChallenge: { uri: `http://localhost:${new URL(url).port}` } })
  const channels = (key: string) =>
    fetch(`${url}/accounts/${accounts[0]?.address}/channels`, { headers: { 'x-api-key': key } })
  await eventually('its key is taken', async () => (await channels(cmsKey)).status === 200)
  expect((await channels('local-cms-key-of-this-machine')).status).toBe(401)
  program.kill('SIGTERM')
  expect(await ended).toEqual({ code: 0, errors: '' })
}, 180_000)

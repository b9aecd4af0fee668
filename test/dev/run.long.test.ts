import { once } from 'node:events'
import { chownSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { Wallet } from 'ethers'
import { SiweMessage } from 'siwe'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { findProcess } from '../../src/dev/process/process.ts'
import { startDev } from '../setup/dev.ts'
import { eventually } from '../setup/eventually.ts'
import { createTemporaryHome, removeTemporaryHome } from '../setup/home.ts'
import { ask, createMessage, signInMutation } from '../setup/session.ts'

let home: string
/** The home of several systems, one after the other: an empty home takes seconds to fill. */
let lived: string
beforeAll(() => {
  lived = createTemporaryHome()
})
afterAll(() => removeTemporaryHome(lived))
beforeEach(() => {
  home = createTemporaryHome()
})
afterEach(() => removeTemporaryHome(home))

const dev = (...flags: string[]) => startDev(home, { flags })

const pids = () => ({
  chain: Number(JSON.parse(readFileSync(join(lived, 'chain.json'), 'utf8')).pid),
  database: Number(readFileSync(join(lived, 'database', 'data', 'postmaster.pid'), 'utf8').split('\n')[0]),
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

it('prints a few lines for people, with links, trades at once, and lets its accounts sign in', async () => {
  const { program, ended, ready, output } = startDev(lived, {
    traders: true,
    environment: { LOG_LEVEL: 'info', PROFILE: 'staging', STATS_SOURCE: '' },
  })
  const { url, accounts, network, chainId } = await ready()
  const uid = await eventually(
    'the first trade',
    () =>
      /^First trade: [\d.,]+ WETH for [\d.,]+ USDC\n {2}\S+\/orders\/(0x[0-9a-f]{112})$/m.exec(
        output().out,
      )?.[1],
  )
  const waiting = await eventually('the orders that wait', () => {
    const [, lines] = /^Orders that wait:\n((?: {2}for .+\n){4})/m.exec(output().out) ?? []
    return lines?.match(/http\S+/g) ?? undefined
  })
  const { out, errors } = output()
  expect(out.match(/^ready .+ after [\d.]+ s$/m)?.[0]).toContain(url)
  const links = [...out.matchAll(/^ {2}(?!chain).*?(http\S+)/gm)].map(([, link]) => link ?? '')
  expect(links).toEqual([
    `${url}/`,
    `${url}/graphql`,
    `${url}/docs`,
    ...accounts.map(({ address }) => `${url}/accounts/${address}`),
    ...[`${url}/orders/${uid}`, ...waiting].toSorted((a, b) => out.indexOf(a) - out.indexOf(b)),
  ])
  const headers = { accept: 'text/html' }
  for (const link of links) expect([link, (await fetch(link, { headers })).status]).toEqual([link, 200])
  expect(out.split('\n').length).toBeLessThan(24)
  for (const { privateKey } of accounts) expect(out + errors).not.toContain(privateKey)
  expect(errors).toMatch(
    /^starting the local system in .+\nwarning: PROFILE is ignored: the local system has its own\ndatabase migrated \(applied: \d+\)\n$/,
  )
  await explains(url, accounts, waiting)
  const trades = await fetch(`${url}/${network}/api/v1/trades?orderUid=${uid}`)
  expect(await trades.json()).toHaveLength(1)
  await signsInAtBothNames(url, chainId, accounts[0]?.privateKey ?? '')
  program.kill('SIGTERM')
  expect((await ended).code).toBe(0)
})

/** The orders that wait, each for its reason, and a TWAP of the fourth account by its proxy; others are not touched. */
async function explains(url: string, accounts: { address: string }[], pages: string[]) {
  const ends = pages.map((page) => page.split('/').at(-1))
  const read = async (query: string) => (await ask(url, query)).data as unknown as Record<string, unknown>
  const reasons = async () => {
    const { ordersByUids } = await read(
      `{ ordersByUids(uids: ${JSON.stringify(ends.slice(0, 3))}) { uid diagnosis { code further { code } } } }`,
    )
    const found = ordersByUids as { uid: string; diagnosis: { code: string; further: unknown[] } }[]
    return ends.slice(0, 3).map((uid) => {
      const { code, further } = found.find((order) => order.uid === uid)?.diagnosis ?? expect.fail(uid)
      return [code, further]
    })
  }
  const wanted = ['PRICE_OUT_OF_REACH', 'BALANCE_MISSING', 'ALLOWANCE_MISSING'].map((code) => [code, []])
  await expect.poll(reasons, { timeout: 30_000 }).toEqual(wanted)
  const [first, second, third, , fourth] = accounts.map(({ address }) => address)
  const twap = async () =>
    (await read(`{ programmaticOrder(id: "${ends[3]}") { type resolvedOwner partCount filledParts } }`))
      .programmaticOrder
  await expect
    .poll(twap, { timeout: 30_000 })
    .toEqual({ type: 'TWAP', resolvedOwner: fourth, partCount: 12, filledParts: 1 })
  const { account } = await read(
    `{ account(address: "${fourth}") { programmaticOrders { nodes { id } } notifications(first: 50) { nodes { message } } } }`,
  )
  expect(account).toMatchObject({ programmaticOrders: { nodes: [{ id: ends[3] }] } })
  expect(JSON.stringify(account)).not.toContain('atoms of')
  for (const untouched of [first, second, third])
    expect(await read(`{ account(address: "${untouched}") { orders { nodes { uid } } } }`)).toEqual({
      account: { orders: { nodes: [] } },
    })
}

it.runIf(process.getuid?.() === 0)('runs for a user id without a name, as a container may have', async () => {
  const uid = 12_345
  chownSync(home, uid, uid)
  const { program, ended, ready, output } = startDev(home, { traders: true, uid, environment: { HOME: '/' } })
  await ready()
  await eventually('the first trade', () => /^First trade/m.test(output().out))
  expect(statSync(join(home, 'database', 'data')).uid).toBe(uid)
  program.kill('SIGTERM')
  expect((await ended).code).toBe(0)
})

/** Signs in at both names of this machine, and at no other. */
async function signsInAtBothNames(url: string, chainId: number, privateKey: string): Promise<void> {
  const key = new Wallet(privateKey)
  const { port } = new URL(url)
  const signIn = async (members: Partial<SiweMessage>, pageOrigin?: string) => {
    const issuedAt = new Date().toISOString()
    const message = await createMessage(
      url,
      { address: key.address, chainId, issuedAt, ...members },
      pageOrigin,
    )
    const input = { message, signature: await key.signMessage(message) }
    // The limit of a client is that of a user, who signs in less often.
    const { data, errors } = await eventually('the limit lets it through', async () => {
      const answer = await ask(url, signInMutation, { input }, undefined, pageOrigin)
      return answer.errors?.[0]?.extensions.code !== 'RateLimited' && answer
    })
    return {
      uri: new SiweMessage(message).uri,
      by: data?.signIn.account.address,
      fault: errors?.[0]?.extensions.data,
    }
  }
  const [local, loopback] = [`http://localhost:${port}`, `http://127.0.0.1:${port}`]
  const by = key.address.toLowerCase()
  expect(await signIn({}, local)).toEqual({ uri: local, by })
  expect(await signIn({}, loopback)).toEqual({ uri: loopback, by })
  expect(await signIn({})).toEqual({ uri: local, by })
  expect(await signIn({}, 'http://evil.example')).toEqual({ uri: local, by })
  expect(await signIn({ domain: 'evil.example' })).toMatchObject({ fault: { reason: 'domain' } })
  expect(await signIn({ domain: `localhost:${port}0` })).toMatchObject({ fault: { reason: 'domain' } })
  expect(await signIn({ uri: loopback })).toMatchObject({ fault: { reason: 'uri' } })
}

/**
 * A killed chain loses the blocks since it was last saved, which the indexer may have stored, and a settlement
 * in them is taken up again.
 */
const afterLostBlocks =
  /^(chain reorganised|the .* cannot be followed for the moment|settlement (is cancelled|attempt ended))$/

it('ends when its chain or its database ends, and the next start continues from the saved state; it logs JSON where that is set', async () => {
  const parts = [
    ['chain', 'database', 'the local chain'],
    ['database', 'chain', 'the local database'],
  ] as const
  for (const [part, other, name] of parts) {
    const { ended, ready } = startDev(lived)
    await ready()
    const before = pids()
    process.kill(before[part], 'SIGKILL')
    const errors = `tradegraph: ${name} (pid ${before[part]}) ended; start again to pick up where it was\n`
    expect(await ended).toEqual({ code: 1, errors })
    expect(findProcess(before[other])).toBeDefined()
    expect(existsSync(join(lived, 'dev.json'))).toBe(false)
  }
  const environment = { LOG_LEVEL: 'info', LOG_FORMAT: 'json' }
  const { program, ended, ready } = startDev(lived, { environment })
  const { url, cmsKey, accounts } = await ready()
  expect((await fetch(`${url}/metrics`)).status).toBe(200)
  const channels = (key: string) =>
    fetch(`${url}/accounts/${accounts[0]?.address}/channels`, { headers: { 'x-api-key': key } })
  await eventually('its key is taken', async () => (await channels(cmsKey)).status === 200)
  expect((await channels('local-cms-key-of-this-machine')).status).toBe(401)
  program.kill('SIGTERM')
  const { code, errors } = await ended
  const lines = errors
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).msg)
  expect([code, ...lines.filter((line) => !afterLostBlocks.test(line))]).toEqual([
    0,
    `starting the local system in ${lived}`,
    'stopping',
  ])
}, 180_000)

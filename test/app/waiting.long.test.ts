import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { App, AppOptions } from '../../src/app/app.ts'
import type { Log } from '../../src/domain/log.ts'
import { startScriptedNode } from '../chain/scripted-node.ts'
import { silentLog } from '../fakes/silent-log.ts'
import { startTestChain, type TestChain } from '../setup/chain.ts'
import { createTestDatabase } from '../setup/database.ts'
import { eventually } from '../setup/eventually.ts'
import { createTemporaryHome, removeTemporaryHome } from '../setup/home.ts'
import { program } from '../setup/program.ts'
import { startWay } from '../setup/way.ts'
import { startProgram, unlimited } from '../setup/world.ts'

let chain: TestChain
beforeAll(async () => {
  chain = await startTestChain()
})
afterAll(() => chain?.[Symbol.asyncDispose]())

async function startWithout(
  changes: Partial<TestChain['market']['network']>,
  more: Partial<AppOptions> = {},
) {
  const database = await createTestDatabase()
  const way = await startWay(chain.rpcUrl)
  const { rpcUrl } = way
  const networks = [{ network: { ...chain.market.network, ...changes }, rpcUrl }]
  const environment = { ...unlimited, SOLVER_PRIVATE_KEY: chain.market.solver.privateKey }
  const program = await startProgram({ database, chain }, environment, { networks, ...more }).catch(
    async (fault) => {
      await way[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
      throw fault
    },
  )
  return {
    program,
    way,
    async [Symbol.asyncDispose]() {
      await program.close()
      await way[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
    },
  }
}

const get = async ({ url }: App, path: string) => {
  const response = await fetch(`${url}${path}`)
  return { status: response.status, body: await response.json() }
}

test('a process whose node is away starts, says what it waits for, and goes on once the node has come', async () => {
  const said: string[] = []
  const log: Log = {
    ...silentLog,
    warn: (message, fields) => said.push(`${message} ${fields?.network}`),
    info: (message, fields) => said.push(`${message} ${fields?.network}`),
  }
  await using world = await startWithout({}, { roles: ['serve', 'index', 'auction'], log })
  const { program, way } = world
  const { name } = chain.market.network
  expect(said).toContain(`waiting for a network ${name}`)
  expect(await get(program, '/health/live')).toMatchObject({ status: 200 })
  expect(await get(program, '/health/ready')).toMatchObject({
    status: 503,
    body: { database: true, [name]: false },
  })
  const quote = async () => {
    const { tokens } = chain.market
    const response = await fetch(`${program.url}/${name}/api/v1/quote`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        sellToken: tokens.WETH.address,
        buyToken: tokens.USDC.address,
        from: chain.market.network.settlement,
        kind: 'sell',
        sellAmountBeforeFee: '1000000000000000000',
      }),
    })
    return { status: response.status, body: await response.json() }
  }
  expect(await quote()).toMatchObject({ status: 503, body: { errorType: 'Unavailable' } })
  // What is stored is served.
  expect(await get(program, `/${name}/api/v1/account/${chain.market.network.settlement}/orders`)).toEqual({
    status: 200,
    body: [],
  })

  way.open()
  await eventually('the network is ready', async () => (await get(program, '/health/ready')).status === 200)
  expect(said).toContain(`the network has come ${name}`)
  expect((await quote()).status).toBe(200)
})

test.each([
  ['another chain', { chainId: 5 }, 'the node is on chain 11155111, not 5'],
  [
    'a chain without the settlement contract',
    { settlement: `0x${'12'.repeat(20)}` as const },
    `the node has no code at settlement 0x${'12'.repeat(20)}: name the contract of this chain in NETWORKS_FILE, or another PROFILE`,
  ],
])('a node that comes back on %s ends the program', async (_, changes, line) => {
  await using world = await startWithout(changes)
  world.way.open()
  expect(String(await world.program.failed)).toBe(`Error: ${chain.market.network.name}: ${line}`)
  expect((await get(world.program, '/health/ready')).status).toBe(503)
})

test('one node of two is enough to start, and one that comes later on another chain is never used', async () => {
  let isOpen = false
  const errors: unknown[] = []
  const log: Log = { ...silentLog, error: (message, fields) => void errors.push({ message, ...fields }) }
  await using database = await createTestDatabase()
  await using wrong = await startScriptedNode(() =>
    isOpen
      ? {
          answer: async ({ method, params }) => ({
            result: method === 'eth_chainId' ? '0x5' : await chain.rpc.call(method, params),
          }),
        }
      : 'hang up',
  )
  const { network } = chain.market
  const networks = [{ network, rpcUrl: [wrong.url, chain.rpcUrl] }]
  const program = await startProgram({ database, chain }, unlimited, { networks, log })
  try {
    const ready = { status: 200, body: { database: true, [network.name]: true, [`${network.name}:node`]: 2 } }
    expect(await get(program, '/health/ready')).toEqual(ready)
    isOpen = true
    const line = await eventually('it is told', () => errors[0])
    expect(line).toEqual({
      message: 'a node is not used',
      node: 1,
      fault: `Error: ${network.name}: the node is on chain 5, not ${network.chainId}`,
    })
    expect(await get(program, '/health/ready')).toEqual(ready)
  } finally {
    await program.close()
  }
})

test('the command ends with one clear line when its node comes back on another chain', async () => {
  await using database = await createTestDatabase()
  await using way = await startWay(chain.rpcUrl)
  const { network } = chain.market
  const row = { ...network, chainId: 5, priceAmount: `${network.priceAmount}`, rpcUrl: way.rpcUrl }
  const home = createTemporaryHome()
  const file = path.join(home, 'networks.json')
  writeFileSync(file, JSON.stringify([row]))
  const child = spawn(process.execPath, [program(), 'index'], {
    env: { PATH: process.env.PATH, DATABASE_URL: database.url, NETWORKS_FILE: file, LOG_LEVEL: 'silent' },
  })
  let [out, errors] = ['', '']
  child.stdout.on('data', (text) => {
    out += text
  })
  child.stderr.on('data', (text) => {
    errors += text
  })
  const ended = once(child, 'close')
  await eventually('it is ready', () => out === 'ready index\n', 20_000)
  way.open()
  expect(await ended).toEqual([1, null])
  expect(errors).toBe(`tradegraph: ${network.name}: the node is on chain 11155111, not 5\n`)
  await removeTemporaryHome(home)
})

test('a program that ends while it waits does so at once', async () => {
  const world = await startWithout({})
  const started = performance.now()
  await world[Symbol.asyncDispose]()
  expect(performance.now() - started).toBeLessThan(5_000)
})

test('five networks in one process warn of no listeners', async () => {
  const { network } = chain.market
  await using database = await createTestDatabase()
  const nodes = await Promise.all(
    [1, 2, 3, 4, 5].map((chainId) =>
      startScriptedNode({
        answer: async ({ method, params }) => ({
          result: method === 'eth_chainId' ? `0x${chainId}` : await chain.rpc.call(method, params),
        }),
      }),
    ),
  )
  const networks = nodes.map(({ url }, index) => ({
    network: { ...network, chainId: index + 1, name: `net-${index + 1}` },
    rpcUrl: url,
  }))
  const warnings: string[] = []
  const onWarning = ({ name, message }: Error) => {
    if (name === 'MaxListenersExceededWarning') warnings.push(message)
  }
  process.on('warning', onWarning)
  const { solver, refunder } = chain.market
  const keys = { SOLVER_PRIVATE_KEY: solver.privateKey, REFUND_PRIVATE_KEY: refunder.privateKey }
  const roles = ['serve', 'index', 'auction', 'deliver'] as const
  const program = await startProgram({ database, chain }, { ...unlimited, ...keys }, { networks, roles })
  try {
    await eventually('each is followed', async () => {
      const { status, body } = await get(program, '/health/ready')
      return (
        status === 200 && networks.every(({ network: { name } }) => body[`${name}:indexer`] !== undefined)
      )
    })
    expect(warnings).toEqual([])
  } finally {
    process.off('warning', onWarning)
    await program.close()
    for (const node of nodes) await node[Symbol.asyncDispose]()
  }
})

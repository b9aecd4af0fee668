import { expect, test } from 'vitest'
import { createNodes } from '../../../src/chain/rpc/nodes.ts'
import { RpcError } from '../../../src/chain/rpc/rpc.ts'
import { toQuantity } from '../../../src/chain/rpc/wire.ts'
import { Outage } from '../../../src/domain/errors/error.ts'
import type { Log } from '../../../src/domain/log.ts'
import { silentLog } from '../../fakes/silent-log.ts'
import { eventually } from '../../setup/eventually.ts'
import { type Request, startScriptedNode } from '../scripted-node.ts'

/** A node at a block. While it is down it refuses each request with 502. */
async function startNode(name: string, head: number) {
  const state = { head, isDown: false, isSlow: false }
  const answer = async ({ method, params }: Request) => {
    if (method === 'eth_blockNumber') return { result: toQuantity(state.head) }
    if (method === 'eth_getBlockByNumber' && params[0] === 'latest')
      return { result: { number: toQuantity(state.head) } }
    if (method === 'eth_getTransactionReceipt') return { result: null }
    if (method === 'eth_call' && state.isSlow) await new Promise((resolve) => setTimeout(resolve, 400))
    return method === 'refused' ? { error: { code: -32_000, message: name } } : { result: name }
  }
  const node = await startScriptedNode(() => (state.isDown ? { status: 502 } : { answer }))
  const asked = () => node.requests.flat().map(({ method }) => method)
  return Object.assign(state, { ...node, asked })
}

async function startNodes(heads: readonly number[], { log = silentLog, isWatched = false } = {}) {
  const fakes = await Promise.all(heads.map((head, index) => startNode(`node ${index + 1}`, head)))
  const nodes = createNodes({
    urls: fakes.map(({ url }) => `${url}/secret-key`),
    network: 'testnet',
    blockTimeMs: 500,
    maxLagBlocks: 3,
    now: Date.now,
    log,
  })
  for (const node of nodes.list) node.accept()
  const stop = new AbortController()
  const watching = isWatched ? nodes.watch(stop.signal) : Promise.resolve()
  return {
    fakes: fakes as [(typeof fakes)[number], (typeof fakes)[number]],
    nodes,
    rpc: nodes.connect({ retries: 0, timeoutMs: 1_000 }),
    used: () => nodes.reports().findIndex(({ isUsed }) => isUsed) + 1,
    async [Symbol.asyncDispose]() {
      stop.abort()
      await watching
      await Promise.all(fakes.map((fake) => fake[Symbol.asyncDispose]()))
    },
  }
}

test('calls and batches go to the first node, and after an outage to the next, whole', async () => {
  const said: string[] = []
  const log: Log = {
    ...silentLog,
    warn: (message, fields) => said.push(`${message} ${JSON.stringify(fields)}`),
  }
  await using world = await startNodes([7, 7], { log })
  const { rpc, fakes, used } = world
  expect(await rpc.call('a')).toBe('node 1')
  expect(fakes[1].asked()).toEqual([])
  fakes[0].isDown = true
  const many = Array.from({ length: 150 }, () => ({ method: 'a' }))
  const answers = await rpc.batch(many)
  expect(answers).toEqual(many.map(() => ({ value: 'node 2' })))
  expect([await rpc.call('a'), used()]).toEqual(['node 2', 2])
  expect(said.some((line) => line.includes('another node is used'))).toBe(true)
  expect(said.filter((line) => /secret|127\.0\.0\.1/.test(line))).toEqual([])
})

test('what the first node answers stands: nothing, and a refusal', async () => {
  await using world = await startNodes([7, 7])
  const { rpc, fakes } = world
  expect(await rpc.call('eth_getTransactionReceipt', ['0x'])).toBeNull()
  await expect(rpc.call('refused')).rejects.toEqual(new RpcError('node 1', -32_000))
  expect(fakes[1].asked()).toEqual([])
})

test('code of strangers that takes long moves nobody to another node', async () => {
  await using world = await startNodes([7, 7])
  const { nodes, fakes, used } = world
  fakes[0].isSlow = true
  const rpc = nodes.connect({ retries: 0, timeoutMs: 50, runsStrangersCode: true })
  for (let n = 0; n < 6; n++) await expect(rpc.call('eth_call')).rejects.toThrow(Outage)
  expect([used(), fakes[1].asked()]).toEqual([1, []])
})

test('a node that is behind what was told before is not used until it has as much', async () => {
  await using world = await startNodes([9, 8])
  const { rpc, fakes } = world
  const headOf = async () =>
    Number((await rpc.call<{ number: string }>('eth_getBlockByNumber', ['latest', false])).number)
  expect(await headOf()).toBe(9)
  fakes[0].isDown = true
  await expect(headOf()).rejects.toThrow(Outage)
  fakes[1].head = 9
  expect(await eventually('the second is used', () => headOf().catch(() => false as const))).toBe(9)
})

test('with none that is well, the outage is that of the node in use, and each is asked a bounded number of times', async () => {
  await using world = await startNodes([9, 9])
  const { rpc, fakes } = world
  for (const fake of fakes) fake.isDown = true
  await expect(rpc.call('a')).rejects.toThrow(Outage)
  expect(fakes.map((fake) => fake.requests.length)).toEqual([1, 1])
})

test('a use during which another node takes over fails, and the next one holds', async () => {
  await using world = await startNodes([9, 9])
  const { nodes, rpc, fakes } = world
  const use = async () => {
    const first = await rpc.call('a')
    fakes[0].isDown = true
    return [first, await rpc.call('a')]
  }
  await expect(nodes.consistent(use)).rejects.toThrow(Outage)
  expect(await nodes.consistent(use)).toEqual(['node 2', 'node 2'])
})

test('a first node that stands still is left, and used again when it has caught up', async () => {
  await using world = await startNodes([9, 9], { isWatched: true })
  const { rpc, fakes, used, nodes } = world
  await eventually('both are compared', () => nodes.reports().every(({ blocksBehind }) => blocksBehind === 0))
  fakes[1].head = 12
  await eventually('it is seen', () => nodes.reports()[0]?.blocksBehind === 3)
  expect(used()).toBe(1)
  fakes[1].head = 13
  await eventually('the second is used', () => used() === 2)
  expect(await rpc.call('eth_blockNumber')).toBe(toQuantity(13))
  fakes[0].head = 12
  await eventually('the first is near', () => nodes.reports()[0]?.blocksBehind === 1)
  expect(used()).toBe(2)
  fakes[0].head = 13
  await eventually('the first is used again', () => used() === 1)
  expect(await rpc.call('a')).toBe('node 1')
})

test('a first node that is away is used again when it is back', async () => {
  await using world = await startNodes([9, 9], { isWatched: true })
  const { rpc, fakes, used } = world
  fakes[0].isDown = true
  expect(await rpc.call('a')).toBe('node 2')
  fakes[0].isDown = false
  await eventually('the first is used again', () => used() === 1)
  expect(await rpc.call('a')).toBe('node 1')
})

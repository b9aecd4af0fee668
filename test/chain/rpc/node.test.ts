import { expect, onTestFinished, test, vi } from 'vitest'
import { createNode } from '../../../src/chain/rpc/nodes.ts'
import { RpcError } from '../../../src/chain/rpc/rpc.ts'
import { Outage } from '../../../src/domain/errors/error.ts'
import type { Log } from '../../../src/domain/log.ts'
import { silentLog } from '../../fakes/silent-log.ts'
import { eventually } from '../../setup/eventually.ts'
import { type Behaviour, startScriptedNode } from '../scripted-node.ts'

const echo: Behaviour = {
  answer: ({ method }) => ({ result: method === 'eth_blockNumber' ? '0x1' : method }),
}
const down: Behaviour = { status: 502 }

function nodeAt(url: string, more: { now?: () => number; log?: Log } = {}) {
  const node = createNode({ url, name: 'the node of testnet', now: Date.now, log: silentLog, ...more })
  node.accept()
  return node
}

test('refuses its clients until it is accepted, but not the check itself', async () => {
  await using scripted = await startScriptedNode(echo)
  const node = createNode({ url: scripted.url, name: 'the node of testnet', now: Date.now, log: silentLog })
  const rpc = node.connect({})
  await expect(rpc.call('a')).rejects.toThrow(Outage)
  await expect(rpc.batch([{ method: 'a' }])).rejects.toThrow(Outage)
  expect([node.state(), scripted.requests.length]).toEqual(['unchecked', 0])
  expect(await node.unchecked.call('b')).toBe('b')
  node.accept()
  expect(await rpc.call('a')).toBe('a')
  expect(node.state()).toBe('closed')
})

test('is not asked after five failures in a row by any of its clients, and then once, to see', async () => {
  await using scripted = await startScriptedNode(...Array(5).fill(down), echo)
  const said: string[] = []
  const log: Log = {
    ...silentLog,
    warn: (message, fields) => said.push(`${message}: ${fields?.source}`),
    info: (message) => said.push(message),
  }
  const node = nodeAt(scripted.url, { log })
  const [one, two] = [node.connect({ retries: 0 }), node.connect({ retries: 0, runsStrangersCode: true })]
  for (const rpc of [one, two, one, two, one]) await expect(rpc.call('a')).rejects.toThrow(Outage)
  expect(node.state()).toBe('open')
  await expect(two.call('a')).rejects.toThrow(Outage)
  await expect(node.connect({}).call('a')).rejects.toThrow(Outage)
  expect(scripted.requests).toHaveLength(5)
  const source = 'the node of testnet'
  expect(said).toEqual([`an outside source failed: ${source}`, `an outside source is paused: ${source}`])
  await eventually('the node is asked again', () => one.call('b').catch(() => false))
  expect([node.state(), scripted.requests.length]).toEqual(['closed', 7])
  expect(said.at(-1)).toBe('an outside source is used again')
})

test('is used again within five seconds after nine seconds of faults, and is tried by a short question', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: 0 })
  onTestFinished(() => void vi.useRealTimers())
  let isDown = true
  await using scripted = await startScriptedNode(() => (isDown ? down : echo))
  const rpc = nodeAt(scripted.url).connect({ retries: 0 })
  const isUsed = async () => {
    vi.setSystemTime(Date.now() + 100)
    return rpc.call('a').catch(() => undefined)
  }
  while (Date.now() < 9_000) expect(await isUsed()).toBeUndefined()
  isDown = false
  scripted.requests.splice(0)
  while (Date.now() < 20_000 && !(await isUsed())) vi.setSystemTime(Date.now())
  expect(Date.now()).toBeLessThanOrEqual(9_000 + 2_100)
  expect(scripted.requests).toMatchObject([{ method: 'eth_blockNumber' }, { method: 'a' }])
})

test.each([
  ['of another shape', { answer: () => ({ result: 'no list' }) }, 'open', 'open'],
  ['too large', { answer: () => ({ result: ['x'.repeat(1_000)] }) }, 'open', 'closed'],
] satisfies [string, Behaviour, string, string][])(
  'answers that are %s are faults, but for what code of strangers makes large',
  async (_, behaviour, plain, strangers) => {
    await using scripted = await startScriptedNode(behaviour)
    const stateAfter = async (more: object) => {
      const node = nodeAt(scripted.url)
      const rpc = node.connect({ retries: 0, maxBytes: 500, ...more })
      for (let n = 0; n < 5; n++) await expect(rpc.call('eth_getLogs')).rejects.toThrow(Outage)
      return node.state()
    }
    expect(await stateAfter({})).toBe(plain)
    expect(await stateAfter({ runsStrangersCode: true })).toBe(strangers)
  },
)

test('is asked on when it answers, though with errors, or when code of strangers takes long', async () => {
  const refusal: Behaviour = { answer: () => ({ error: { code: -32000, message: 'no' } }) }
  await using refusing = await startScriptedNode(refusal)
  const refused = nodeAt(refusing.url)
  for (let n = 0; n < 8; n++) await expect(refused.connect({}).call('a')).rejects.toThrow(RpcError)
  expect([refused.state(), refusing.requests.length]).toEqual(['closed', 8])

  await using hanging = await startScriptedNode('silence')
  const slow = nodeAt(hanging.url)
  const options = { retries: 0, timeoutMs: 20 }
  const ask = async (more: object) => {
    for (let n = 0; n < 6; n++)
      await expect(slow.connect({ ...options, ...more }).call('a')).rejects.toThrow(Outage)
    return slow.state()
  }
  expect(await ask({ runsStrangersCode: true })).toBe('closed')
  expect(await ask({})).toBe('open')
})

test('is left alone by all clients for as long as it asks, a minute at most', async () => {
  let time = Date.now()
  const busy: Behaviour = { status: 429, headers: { 'retry-after': '7200' } }
  await using scripted = await startScriptedNode(busy, echo)
  const node = nodeAt(scripted.url, { now: () => time })
  await expect(node.connect({}).call('a')).rejects.toThrow(Outage)
  time += 59_999
  await expect(node.connect({}).call('a')).rejects.toThrow(Outage)
  expect([node.state(), scripted.requests.length]).toEqual(['throttled', 1])
  time += 1
  expect(await node.connect({}).call('a')).toBe('a')
  expect(node.state()).toBe('closed')
})

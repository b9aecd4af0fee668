import { expect, test } from 'vitest'
import { createNode } from '../../../src/chain/rpc/node.ts'
import { RpcError } from '../../../src/chain/rpc/rpc.ts'
import { Outage } from '../../../src/domain/errors/error.ts'
import type { Log } from '../../../src/domain/log.ts'
import { silentLog } from '../../fakes/silent-log.ts'
import { eventually } from '../../setup/eventually.ts'
import { type Behaviour, startScriptedNode } from '../scripted-node.ts'

const echo: Behaviour = { answer: ({ method }) => ({ result: method }) }
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
  await expect(rpc.call('eth_call')).rejects.toThrow(Outage)
  await expect(rpc.batch([{ method: 'eth_call' }])).rejects.toThrow(Outage)
  expect([node.state(), scripted.requests.length]).toEqual(['unchecked', 0])
  expect(await node.unchecked.call('eth_chainId')).toBe('eth_chainId')
  node.accept()
  expect(await rpc.call('eth_call')).toBe('eth_call')
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
  expect(said).toEqual([`an outside source failed: ${source}`, `an outside source is left alone: ${source}`])
  await eventually('the node is asked again', () => one.call('b').catch(() => false))
  expect([node.state(), scripted.requests.length]).toEqual(['closed', 6])
  expect(said.at(-1)).toBe('an outside source is asked again')
})

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

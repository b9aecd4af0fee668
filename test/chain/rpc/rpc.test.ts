import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { createRpc, RpcError } from '../../../src/chain/rpc/rpc.ts'
import { Outage } from '../../../src/domain/errors/error.ts'
import { silentLog } from '../../fakes/silent-log.ts'
import { eventually } from '../../setup/eventually.ts'
import { type Behaviour, startScriptedNode } from '../scripted-node.ts'

const echo: Behaviour = { answer: ({ method, params }) => ({ result: `${method}(${params})` }) }
const refuse: Behaviour = { answer: () => ({ error: { code: -32000, message: 'no', data: '0x12' } }) }
const rpcTo = (node: { url: string }, timeoutMs = 2000) =>
  createRpc({ url: node.url, log: silentLog, timeoutMs, backoffMs: 1 })

describe('call', () => {
  test('returns the result, over connections that are kept alive', async () => {
    await using node = await startScriptedNode(echo)
    const rpc = rpcTo(node)
    expect(await rpc.call('x_chainId')).toBe('x_chainId()')
    for (let n = 0; n < 10; n++) expect(await rpc.call('x_call', [n, 2])).toBe(`x_call(${n},2)`)
    expect(node.connections()).toBeLessThan(4)
  })

  test('takes a compressed answer, up to the limit of what it becomes', async () => {
    const gzip = (text: string) => ({
      status: 200,
      headers: { 'content-encoding': 'gzip' },
      body: gzipSync(text),
    })
    const result = 'x'.repeat(10_000)
    await using node = await startScriptedNode(
      gzip(JSON.stringify({ id: 1, result })),
      gzip(`"${'x'.repeat(1_000_000)}"`),
      { ...gzip('{}'), body: Buffer.from('{}') },
    )
    const rpc = createRpc({ url: node.url, log: silentLog, retries: 0, maxBytes: 20_000 })
    expect(await rpc.call('x_chainId')).toBe(result)
    const causeOfNext = async () => rpc.call('x_chainId').catch((fault: Outage) => String(fault.cause))
    expect(await causeOfNext()).toContain('answers with more than 20000 bytes')
    expect(await causeOfNext()).toContain('incorrect header check')
  })

  test('follows no redirect', async () => {
    await using other = await startScriptedNode(echo)
    await using node = await startScriptedNode({ status: 308, headers: { location: other.url } })
    await expect(rpcTo(node).call('x_chainId')).rejects.toEqual(
      new Outage('the network node', new Error('status 308')),
    )
    expect(other.requests).toEqual([])
  })

  test('opens another connection where the node closes one that it kept, with the next request', async () => {
    await using node = await startScriptedNode(echo, 'hang up', echo, 'hang up')
    const rpc = createRpc({ url: node.url, log: silentLog, retries: 0 })
    expect(await rpc.call('x_chainId')).toBe('x_chainId()')
    expect(await rpc.call('x_chainId')).toBe('x_chainId()')
    expect(node.connections()).toBe(2)
    const fresh = createRpc({ url: node.url, log: silentLog, retries: 0 })
    await expect(fresh.call('x_chainId')).rejects.toThrow(Outage)
  })

  test.each<[string, Behaviour]>([
    ['429', { status: 429 }],
    ['503', { status: 503 }],
    ['a broken connection', 'hang up'],
    ['something that is not JSON', { status: 200, body: '<html>' }],
    ['another envelope', { status: 200, body: '{"ok":true}' }],
    ['an answer without an id', { body: () => ({ result: 'x_chainId()' }) }],
    ['an answer to another request', { body: () => ({ id: 99, result: 'x_call()' }) }],
    ['an error of another request', { body: () => ({ id: null, error: { code: 3, message: 'reverted' } }) }],
    ['an id as text', { body: (asked) => ({ id: String([asked].flat()[0]?.id), result: '0x' }) }],
  ])('tries again after %s', async (_, fault) => {
    await using node = await startScriptedNode(fault, fault, echo)
    expect(await rpcTo(node).call('x_chainId')).toBe('x_chainId()')
    expect(node.requests).toHaveLength(3)
  })

  test('fails with an outage after the last try', async () => {
    await using node = await startScriptedNode({ status: 502 })
    await expect(rpcTo(node).call('x_chainId')).rejects.toThrow(Outage)
    expect(node.requests).toHaveLength(3)
  })

  test('ends a try after the timeout', async () => {
    await using node = await startScriptedNode('silence')
    const started = performance.now()
    await expect(rpcTo(node, 50).call('x_chainId')).rejects.toThrow(Outage)
    expect(node.requests).toHaveLength(3)
    expect(performance.now() - started).toBeGreaterThan(140)
    expect(performance.now() - started).toBeLessThan(2000)
  })

  test('a status that no retry changes is an outage at once, and the error does not name the URL', async () => {
    await using node = await startScriptedNode({ status: 401 })
    await expect(rpcTo(node).call('x_chainId')).rejects.toEqual(
      new Outage('the network node', new Error('status 401')),
    )
    expect(node.requests).toHaveLength(1)
  })

  test('an error of the node is typed and never retried, with any status below 500', async () => {
    const error = { code: -32005, message: 'too many', data: { limit: 1 } }
    await using node = await startScriptedNode(refuse, {
      status: 400,
      body: JSON.stringify({ id: 2, error }),
    })
    const rpc = rpcTo(node)
    await expect(rpc.call('x_call')).rejects.toMatchObject({ code: -32000, message: 'no', data: '0x12' })
    await expect(rpc.call('x_call')).rejects.toMatchObject({ name: 'RpcError', ...error })
    expect(node.requests).toHaveLength(2)
  })
})

describe('Retry-After', () => {
  const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000).toUTCString()

  test.each([
    ['429, in seconds', 429, () => '1'],
    ['503, as a date', 503, () => inSeconds(2)],
  ])('of a %s, is waited for', async (_, status, pauseText) => {
    await using node = await startScriptedNode({ status, headers: { 'retry-after': pauseText() } }, echo)
    const started = performance.now()
    expect(await rpcTo(node).call('x_chainId')).toBe('x_chainId()')
    expect(performance.now() - started).toBeGreaterThan(900)
    expect(node.requests).toHaveLength(2)
  })

  test.each([
    ['in seconds', () => '6'],
    ['as a date', () => inSeconds(3_600)],
  ])('of more than five seconds %s is an outage at once', async (_, pauseText) => {
    await using node = await startScriptedNode({ status: 429, headers: { 'retry-after': pauseText() } }, echo)
    await expect(rpcTo(node).call('x_chainId')).rejects.toThrow(Outage)
    expect(node.requests).toHaveLength(1)
  })
})

describe('a response that is too large', () => {
  test('is an outage and is not retried; a response at the limit is accepted', async () => {
    const body = (size: number) => JSON.stringify({ id: 2, result: 'x'.repeat(size - 20) })
    await using node = await startScriptedNode(
      { status: 200, body: body(10_001) },
      { status: 200, body: body(10_000) },
      { status: 500, body: body(10_001) },
    )
    const rpc = createRpc({ url: node.url, log: silentLog, backoffMs: 1, maxBytes: 10_000 })
    const tooLarge = new Outage('the network node', new Error('answers with more than 10000 bytes'))
    await expect(rpc.call('x_getLogs')).rejects.toEqual(tooLarge)
    expect(node.requests).toHaveLength(1)
    expect(await rpc.call('x_getLogs')).toBe('x'.repeat(9_980))
    await expect(rpc.batch([{ method: 'x_getLogs' }])).rejects.toEqual(tooLarge)
    expect(node.requests).toHaveLength(3)
  })

  test('is read no further than the limit, even if it never ends', async () => {
    let sent = 0
    let isClosed = false
    const server = createServer((_, response) => {
      response.on('close', () => {
        isClosed = true
      })
      const more = () => {
        do sent += 65_536
        while (!response.destroyed && response.write(Buffer.alloc(65_536, 'x')))
      }
      response.on('drain', more)
      more()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const rpc = createRpc({ url: `http://127.0.0.1:${port}`, log: silentLog, maxBytes: 1_000_000 })
    await expect(rpc.call('x_getLogs')).rejects.toThrow(Outage)
    await eventually('the response is read no further', () => isClosed)
    expect(sent).toBeLessThan(20_000_000)
    server.close()
  })
})

describe('batch', () => {
  test('is split at 100 calls, and returns results in the order of the calls', async () => {
    await using node = await startScriptedNode(echo)
    const calls = Array.from({ length: 250 }, (_, index) => ({ method: 'x_call', params: [index] }))
    const answers = await rpcTo(node).batch(calls)
    expect(answers).toEqual(calls.map(({ params }) => ({ value: `x_call(${params})` })))
    expect(node.requests.map((request) => [request].flat().length)).toEqual([100, 100, 50])
  })

  test('a refused call is one result among the others', async () => {
    await using node = await startScriptedNode({
      answer: ({ method }) =>
        method === 'bad' ? { error: { code: 3, message: 'reverted' } } : { result: 1 },
    })
    const answers = await rpcTo(node).batch([{ method: 'good' }, { method: 'bad' }])
    expect(answers).toEqual([{ value: 1 }, { error: new RpcError('reverted', 3) }])
  })

  test('a response that lacks a call is retried', async () => {
    await using node = await startScriptedNode({ status: 200, body: '[]' }, echo)
    expect(await rpcTo(node).batch([{ method: 'a' }])).toEqual([{ value: 'a()' }])
  })

  test.each<[string, (results: object[]) => object[]]>([
    ['an answer twice', ([one]) => [one ?? {}, one ?? {}]],
    ['two answers to one request', ([one]) => [one ?? {}, { ...one, result: 'b()' }]],
    ['an answer more', (results) => [...results, { id: 99, result: '0x' }]],
    ['an answer without an id', ([one]) => [one ?? {}, { result: 'b()' }]],
    ['an answer to another request', ([one, two]) => [one ?? {}, { ...two, id: 99 }]],
  ])('a response with %s is retried', async (_, spoil) => {
    const spoilt: Behaviour = {
      body: (asked) => spoil([asked].flat().map(({ id, method }) => ({ id, result: `${method}()` }))),
    }
    await using node = await startScriptedNode(spoilt, echo)
    const answers = await rpcTo(node).batch([{ method: 'a' }, { method: 'b' }])
    expect(answers).toEqual([{ value: 'a()' }, { value: 'b()' }])
    expect(node.requests).toHaveLength(2)
  })

  test('a batch refused as a whole is an error', async () => {
    const body = JSON.stringify({ error: { code: -32600, message: 'batch too large' } })
    await using node = await startScriptedNode({ status: 200, body })
    await expect(rpcTo(node).batch([{ method: 'a' }])).rejects.toMatchObject({ code: -32600 })
    expect(node.requests).toHaveLength(1)
  })

  test('an empty batch needs no node', async () => {
    const rpc = createRpc({ url: 'http://127.0.0.1:1', log: silentLog })
    expect(await rpc.batch([])).toEqual([])
  })
})

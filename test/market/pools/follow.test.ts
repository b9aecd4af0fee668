import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Rpc } from '../../../src/chain/rpc/rpc.ts'
import { Outage } from '../../../src/domain/errors/error.ts'
import type { Address } from '../../../src/domain/evm/address.ts'
import { type PollOptions, pollPools } from '../../../src/market/pools/head.ts'
import type { TokenPair } from '../../../src/market/pools/pairs.ts'
import { createPools } from '../../../src/market/pools/pools.ts'
import { silentLog } from '../../fakes/silent-log.ts'
import { createNetwork } from '../../setup/evm.ts'
import { createMadeUpNode } from '../made-up-node.ts'
import { notingRpc, numberedAddress, reservesOf, startPoolChain } from '../pool-chain.ts'

let stop: AbortController
let ends: Promise<void>[]
beforeEach(() => {
  stop = new AbortController()
  ends = []
})
afterEach(async () => {
  stop.abort()
  await Promise.all(ends)
})
const following = (end: Promise<void>) => void ends.push(end)
const until = (condition: () => void) => vi.waitFor(condition, { timeout: 10_000, interval: 5 })

describe('a followed market', () => {
  let time: number
  let node: ReturnType<typeof createMadeUpNode>
  const wrappedNative = numberedAddress('ff', 1)
  const network = createNetwork({ wrappedNative, baseTokens: [], blockTimeMs: 100 })
  beforeEach(() => {
    time = 1_000_000
    node = createMadeUpNode()
  })
  const market = (rpc: Rpc = node.rpc) => createPools({ rpc, network, now: () => time, log: silentLog })
  /** Pairs with the base token, one pool each. */
  const pairs = (count: number, from = 0): TokenPair[] =>
    Array.from({ length: count }, (_, index) => [numberedAddress('01', from + index), wrappedNative])

  test('is read in one round trip for a new block, and answers from memory then', async () => {
    const pools = market()
    await pools.look(pairs(900))
    expect(node.reads).toEqual([{ pools: 0, pairs: 900, calls: 5 }])
    following(pools.follow(stop.signal))
    for (const change of [() => node.height++, () => node.fork++]) {
      node.reads = []
      change()
      await until(() => expect(node.reads).toEqual([{ pools: 900, pairs: 0, calls: 3 }]))
      const view = await pools.look(pairs(900))
      expect(view.block).toBe(node.height)
      expect(new Set(view.pools.flatMap(({ reserve0, reserve1 }) => [reserve0, reserve1]))).toEqual(
        new Set([BigInt(node.height)]),
      )
      expect(node.reads).toHaveLength(1)
    }
  })

  /** The node, but the read of block 2 waits for `release`. */
  function holdingSecondBlock() {
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    const rpc: Rpc = {
      call: node.rpc.call,
      batch: async (calls) => {
        const answer = await node.rpc.batch(calls)
        if (node.height === 2 && calls[0]?.method === 'eth_call') await released
        return answer
      },
    }
    return { rpc, release }
  }

  test('serves the block before until the new one is read, for a moment at most', async () => {
    const { rpc, release } = holdingSecondBlock()
    const pools = market(rpc)
    await pools.look(pairs(2))
    following(pools.follow(stop.signal))
    node.height = 2
    await until(() => expect(node.reads).toHaveLength(2))
    expect((await pools.look(pairs(2))).block).toBe(1)
    time += 1_000
    const late = pools.look(pairs(2))
    release()
    expect((await late).block).toBe(2)
    // It waited for the read under way.
    expect(node.reads).toHaveLength(2)
  })

  test('never goes back to a block that took longer to read', async () => {
    const { rpc, release } = holdingSecondBlock()
    const pools = market(rpc)
    await pools.look(pairs(2))
    following(pools.follow(stop.signal))
    await new Promise(setImmediate)
    time += 500
    node.height = 2
    await until(() => expect(node.reads).toHaveLength(2))
    node.height = 3
    time += 500
    expect((await pools.look(pairs(2))).block).toBe(3)
    release()
    await new Promise(setImmediate)
    expect((await pools.look(pairs(2))).block).toBe(3)
  })

  test('reads the pools that were requested last, up to a bound, for ten minutes', async () => {
    const pools = market()
    await pools.look(pairs(3_000))
    await pools.look(pairs(3_000, 3_000))
    following(pools.follow(stop.signal))
    node.reads = []
    node.height++
    await until(() => expect(node.reads).toEqual([{ pools: 5_000, pairs: 0, calls: 13 }]))
    time += 600_000
    await pools.look(pairs(1, 5_999))
    node.reads = []
    time += 1
    node.height++
    await until(() => expect(node.reads).toEqual([{ pools: 1, pairs: 0, calls: 1 }]))
  })

  test('keeps pools that are requested repeatedly during one long block', async () => {
    const pools = market()
    following(pools.follow(stop.signal))
    for (let minutes = 0; minutes < 20; minutes++) {
      await pools.look(pairs(3))
      time += 60_000
    }
    await pools.look(pairs(3))
    node.reads = []
    node.height++
    await until(() => expect(node.reads).toEqual([{ pools: 3, pairs: 0, calls: 1 }]))
  })

  test('looks for missing pools again before a caller has to wait for that', async () => {
    node.barren = true
    const pools = market()
    await pools.look(pairs(3))
    following(pools.follow(stop.signal))
    const missed = { pools: 0, pairs: 3, calls: 1 }
    /** A new block, seen by the follower. */
    const pass = async (ms: number) => {
      time += ms
      node.height++
      node.reads = []
      const { heads } = node
      await until(() => expect(node.heads).toBeGreaterThan(heads + 1))
    }
    await pass(29_000)
    expect(node.reads).toEqual([])
    node.barren = false
    await pass(2_000)
    await until(() => expect(node.reads).toEqual([missed]))
    expect((await pools.look(pairs(3))).pools).toHaveLength(3)
    expect(node.reads).toEqual([missed])
  })

  test('does not ask the node before the first request, nor a minute after the last one', async () => {
    const pools = market()
    following(pools.follow(stop.signal))
    await new Promise(setImmediate)
    expect(node.heads).toBe(0)
    await pools.look(pairs(1))
    await until(() => expect(node.heads).toBeGreaterThan(2))
    time += 60_000
    const { heads } = node
    node.height++
    await pools.look(pairs(1))
    // The first request after the pause reads the new block itself.
    expect(node.heads).toBe(heads + 1)
  })

  test('caches a bounded number of results, and returns the same array for the same request', async () => {
    const { look } = market()
    const [first = [wrappedNative, wrappedNative], ...others] = pairs(1_001)
    const { pools } = await look([first])
    for (const pair of others.slice(1)) await look([pair])
    expect((await look([first])).pools).toBe(pools)
    for (const pair of others) await look([pair])
    const again = (await look([first])).pools
    expect(again).not.toBe(pools)
    expect(again).toEqual(pools)
    expect(again[0]).toBe(pools[0])
  })
})

test('detects a new block of a real chain by itself', async () => {
  const chain = await startPoolChain()
  try {
    const [a, base] = [await chain.createToken(), await chain.createToken()]
    const pool = await chain.filledPool(a, 10n, base, 20n)
    const { rpc, taken } = notingRpc(chain.evm)
    const network = createNetwork({ wrappedNative: base, poolFactory: chain.factory, blockTimeMs: 100 })
    const pools = createPools({ rpc, network, now: Date.now, log: silentLog })
    const reserves = async (token: Address) =>
      (await pools.look([[a, base]])).pools.map((one) => reservesOf(one, token))
    expect(await reserves(a)).toEqual([[10n, 20n]])
    following(pools.follow(stop.signal))
    await chain.fund(pool, a, 1n, base, 2n)
    await vi.waitFor(async () => expect(await reserves(a)).toEqual([[11n, 22n]]), { timeout: 10_000 })
    taken()
    expect(await reserves(a)).toEqual([[11n, 22n]])
    expect(taken()).toEqual([])
  } finally {
    await chain.evm[Symbol.asyncDispose]()
  }
})

describe('following', () => {
  const options = (more: Partial<PollOptions>): PollOptions => ({
    advance: async () => {},
    isIdle: () => false,
    pollMs: 1,
    log: silentLog,
    ...more,
  })

  test('asks nothing while idle', async () => {
    let ticks = 0
    const advance = vi.fn(async () => {})
    following(pollPools(options({ advance, isIdle: () => ++ticks < 10 || ticks > 12 }), stop.signal))
    await until(() => expect(ticks).toBeGreaterThan(30))
    expect(advance).toHaveBeenCalledTimes(3)
  })

  test('survives any fault, and logs it once', async () => {
    const faults = [new Outage('the network node'), new TypeError('odd'), undefined]
    const advance = vi.fn(async () => {
      if (faults.length > 0) throw faults.shift()
    })
    const logged: string[] = []
    const note = (message: string) => void logged.push(message)
    const log = { ...silentLog, warn: note, info: note }
    following(pollPools(options({ advance, log }), stop.signal))
    await until(() => expect(advance.mock.calls.length).toBeGreaterThan(5))
    expect(logged).toEqual(['the pools could not be read', 'the pools are read again'])
  })

  test('stops at once, also while the node is silent, or before it began', async () => {
    const end = pollPools(options({ advance: () => new Promise(() => {}) }), stop.signal)
    stop.abort()
    await end
    await pollPools(options({ advance: () => expect.fail() }), stop.signal)
  })

  test('does not keep the process alive', async () => {
    const alive = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    const before = alive()
    const advance = vi.fn(async () => {})
    following(pollPools(options({ advance, pollMs: 600_000 }), stop.signal))
    await new Promise(setImmediate)
    expect(advance).toHaveBeenCalledTimes(1)
    expect(alive()).toBe(before)
  })
})

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createRpc, type Rpc } from '../../../src/chain/rpc/rpc.ts'
import { Outage } from '../../../src/domain/errors/error.ts'
import type { Address } from '../../../src/domain/evm/address.ts'
import type { Network } from '../../../src/domain/network/network.ts'
import type { TokenPair } from '../../../src/market/pools/pairs.ts'
import { createPools } from '../../../src/market/pools/pools.ts'
import { silentLog } from '../../fakes/silent-log.ts'
import { createNetwork, type Evm } from '../../setup/evm.ts'
import { notingRpc, type PoolChain, reservesOf, startPoolChain } from '../pool-chain.ts'

const noBlock = `0x${'12'.repeat(32)}` as const
let chain: PoolChain
let evm: Evm
let network: Network
let tokens: { a: Address; b: Address; c: Address; base: Address; other: Address }
let poolOfA: Address
let poolOfB: Address

beforeAll(async () => {
  chain = await startPoolChain()
  evm = chain.evm
  const token = chain.createToken
  tokens = { a: await token(), b: await token(), c: await token(), base: await token(), other: await token() }
  poolOfA = await chain.filledPool(tokens.a, 1000n, tokens.base, 2000n)
  poolOfB = await chain.filledPool(tokens.b, 500n, tokens.base, 70n)
  await chain.filledPool(tokens.base, 30n, tokens.other, 40n)
  await chain.createPool(tokens.a, tokens.b)
  network = createNetwork({ poolFactory: chain.factory, baseTokens: [tokens.base, tokens.other] })
})
afterAll(() => evm[Symbol.asyncDispose]())

let time: number
beforeEach(() => {
  time = 1_000_000
})
const now = () => time

const market = (rpc: Rpc = evm.rpc) => createPools({ rpc, network, now, log: silentLog })

/** A market, and its requests to the node since the last call. */
function noted() {
  const { rpc, taken } = notingRpc(evm)
  return { ...market(rpc), taken }
}

const head = ['eth_getBlockByNumber', 'eth_maxPriorityFeePerGas']
const read = ['eth_call']
/** Longer than any cached head is used. */
const aMoment = 1_000

describe('pools around pairs', () => {
  test('are those of the tokens with base tokens and each other, in address order, without empty ones', async () => {
    const { pools } = await market().look([[tokens.a, tokens.b]])
    expect(pools).toHaveLength(3)
    for (const pool of pools) expect(pool.token0 < pool.token1).toBe(true)
    const ofToken = (token: Address) =>
      pools.filter(({ token0, token1 }) => [token0, token1].includes(token)).map((p) => reservesOf(p, token))
    expect(ofToken(tokens.a)).toEqual([[1000n, 2000n]])
    expect(ofToken(tokens.b)).toEqual([[500n, 70n]])
    expect(ofToken(tokens.other)).toEqual([[40n, 30n]])
  })

  test('are the same if a token is named twice or is a base token', async () => {
    const { look } = market()
    const around = async (pairs: TokenPair[]) => (await look(pairs)).pools
    const { a, base, c } = tokens
    const twice = await around([
      [a, a],
      [a, base],
    ])
    expect(twice.map(({ address }) => address)).toContain(poolOfA)
    expect(twice).toEqual(await around([[base, a]]))
    expect(await around([[c, c]])).toHaveLength(1)
    expect(await around([])).toHaveLength(1)
  })

  test('are empty if the factory has no code', async () => {
    const nowhere = createNetwork({ baseTokens: [tokens.base] })
    const { look } = createPools({ rpc: evm.rpc, network: nowhere, now, log: silentLog })
    expect((await look([[tokens.a, tokens.base]])).pools).toEqual([])
  })
})

describe('a look', () => {
  test('takes two round trips at first and none from then on; other pairs take one', async () => {
    const { look, taken } = noted()
    const first = await look([[tokens.a, tokens.base]])
    expect(taken()).toEqual([head, read])
    time += aMoment - 1
    expect(await look([[tokens.a, tokens.base]])).toEqual(first)
    expect((await look([[tokens.a, tokens.base]])).pools).toBe(first.pools)
    expect(taken()).toEqual([])
    await look([[tokens.base, tokens.a]])
    expect(taken()).toEqual([])
    await look([[tokens.b, tokens.base]])
    expect(taken()).toEqual([read])
  })

  test('is of one block: its number, its reserves, its gas price', async () => {
    const { look } = market()
    await evm.rpc.call('anvil_setNextBlockBaseFeePerGas', ['0x3b9aca00'])
    await evm.mine()
    const block = Number(await evm.rpc.call('eth_blockNumber'))
    const priority = BigInt(await evm.rpc.call<string>('eth_maxPriorityFeePerGas'))
    const view = await look([[tokens.a, tokens.base]])
    expect([view.block, view.gasPrice]).toEqual([block, 1_000_000_000n + priority])
    await chain.fund(poolOfB, tokens.b, 1n, tokens.base, 2n)
    // New pools are read in the block of the view, not in the newest.
    const later = await look([[tokens.b, tokens.base]])
    expect(later.block).toBe(block)
    const pool = later.pools.find(({ address }) => address === poolOfB)
    expect(pool && reservesOf(pool, tokens.b)).toEqual([500n, 70n])
  })

  test('sees a new block once a moment has passed', async () => {
    const { look, taken } = noted()
    const before = await look([[tokens.a, tokens.base]])
    time += aMoment
    expect(await look([[tokens.a, tokens.base]])).toEqual(before)
    expect(taken()).toEqual([head, read, head])
    await chain.fund(poolOfA, tokens.a, 11n, tokens.base, 22n)
    time += aMoment
    const after = await look([[tokens.a, tokens.base]])
    expect(taken()).toEqual([head, read])
    expect(after.block).toBeGreaterThan(before.block)
    const [was, is] = [before, after].map(({ pools }) => pools.find(({ address }) => address === poolOfA))
    expect(is && reservesOf(is, tokens.a)[0]).toBe((was ? (reservesOf(was, tokens.a)[0] ?? 0n) : 0n) + 11n)
  })

  test('sees another block of the same height', async () => {
    const reserve = (pools: { pools: readonly Parameters<typeof reservesOf>[0][] }) =>
      pools.pools
        .filter(({ address }) => address === poolOfA)
        .map((pool) => reservesOf(pool, tokens.a)[0])
        .at(0)
    const { look } = market()
    const snapshot = await evm.rpc.call('evm_snapshot')
    await chain.fund(poolOfA, tokens.a, 1n, tokens.base, 2n)
    const before = await look([[tokens.a, tokens.base]])
    await evm.rpc.call('evm_revert', [snapshot])
    await chain.fund(poolOfA, tokens.a, 2n, tokens.base, 4n)
    time += aMoment
    const after = await look([[tokens.a, tokens.base]])
    expect(after.block).toBe(before.block)
    expect(reserve(after)).toBe((reserve(before) ?? 0n) + 1n)
  })

  test('recovers when its block leaves the chain before it was read', async () => {
    const { look } = market()
    const snapshot = await evm.rpc.call('evm_snapshot')
    await chain.fund(poolOfA, tokens.a, 1n, tokens.base, 2n)
    const gone = await look([[tokens.a, tokens.base]])
    await evm.rpc.call('evm_revert', [snapshot])
    const { block, pools } = await look([[tokens.b, tokens.base]])
    expect(block).toBeLessThan(gone.block)
    expect(pools).toHaveLength(2)
  })

  test('is read once for concurrent callers', async () => {
    const { look, taken } = noted()
    const views = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        look([index % 2 ? [tokens.a, tokens.base] : [tokens.base, tokens.b]]),
      ),
    )
    // Only the first caller reads what both pairs have in common.
    expect(taken()).toEqual([head, read, read])
    expect(new Set(views.map(({ pools }) => JSON.stringify(pools.map((pool) => pool.address)))).size).toBe(2)
  })

  test('caches for a minute that there is no pool', async () => {
    const { look, taken } = noted()
    expect((await look([[tokens.c, tokens.base]])).pools).toHaveLength(1)
    const pool = await chain.filledPool(tokens.c, 5n, tokens.base, 6n)
    time += 59_999
    expect((await look([[tokens.c, tokens.base]])).pools).toHaveLength(1)
    taken()
    time += 1
    const { pools } = await look([[tokens.c, tokens.base]])
    expect(pools.map(({ address }) => address)).toContain(pool)
    expect(taken()).toEqual([read])
  })

  test('is an outage while the node is away, and serves nothing stale', async () => {
    let rpc = evm.rpc
    const { look } = market({ call: (...args) => rpc.call(...args), batch: (calls) => rpc.batch(calls) })
    const before = await look([[tokens.a, tokens.base]])
    rpc = createRpc({ url: 'http://127.0.0.1:1', log: silentLog, retries: 0 })
    time += aMoment - 1
    expect(await look([[tokens.a, tokens.base]])).toEqual(before)
    await expect(look([[tokens.c, tokens.b]])).rejects.toThrow(Outage)
    time += 1
    await expect(look([[tokens.a, tokens.base]])).rejects.toThrow(Outage)
    rpc = evm.rpc
    expect(await look([[tokens.a, tokens.base]])).toEqual(before)
  })

  test('checks the head again if the clock was set back', async () => {
    const { look, taken } = noted()
    await look([[tokens.a, tokens.base]])
    taken()
    time -= 3_600_000
    await look([[tokens.a, tokens.base]])
    expect(taken()).toEqual([head])
  })
})

describe('a named block', () => {
  test('is read exactly, whatever block looks see', async () => {
    const { look, around, taken } = noted()
    const reserve = async (hash: `0x${string}`) =>
      (await around([[tokens.a, tokens.base]], hash))
        .filter(({ address }) => address === poolOfA)
        .map((pool) => reservesOf(pool, tokens.a)[0])
    const old = await chain.newestHash()
    const [before = 0n] = await reserve(old)
    await look([[tokens.a, tokens.base]])
    await chain.fund(poolOfA, tokens.a, 7n, tokens.base, 14n)
    const newer = await chain.newestHash()
    expect(await reserve(newer)).toEqual([before + 7n])
    expect(await reserve(old)).toEqual([before])
    taken()
    expect(await reserve(newer)).toEqual([before + 7n])
    expect(await reserve(old)).toEqual([before])
    expect(taken()).toEqual([])
  })

  test('is shared with looks that see the same one', async () => {
    const { look, around, taken } = noted()
    const { pools } = await look([[tokens.a, tokens.b]])
    taken()
    expect(await around([[tokens.a, tokens.b]], await chain.newestHash())).toEqual(pools)
    expect(taken()).toEqual([])
  })

  test('is an outage if it does not exist', async () => {
    await expect(market().around([[tokens.a, tokens.b]], noBlock)).rejects.toThrow(Outage)
  })
})

import { Interface } from 'ethers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRpc, type Rpc } from '../../src/chain/rpc.ts'
import poolArtifact from '../../src/dev/contracts/artifacts/Pool.json' with { type: 'json' }
import factoryArtifact from '../../src/dev/contracts/artifacts/PoolFactory.json' with { type: 'json' }
import testToken from '../../src/dev/contracts/artifacts/TestToken.json' with { type: 'json' }
import { type Address, address } from '../../src/domain/address.ts'
import { Outage } from '../../src/domain/error.ts'
import type { Network } from '../../src/domain/network.ts'
import { createPools } from '../../src/market/pools.ts'
import { createNetwork, type Evm, startEvm } from '../chain/evm.ts'
import { silentLog } from '../fakes/silent-log.ts'

let evm: Evm
let network: Network
let tokens: { a: Address; b: Address; c: Address; base: Address }
let factory: Awaited<ReturnType<Evm['deploy']>>

beforeAll(async () => {
  evm = await startEvm()
  factory = await evm.deploy(factoryArtifact)
  const token = async () =>
    (await evm.deploy(testToken, ['string', 'string', 'uint8'], ['T', 'T', 18])).address
  tokens = { a: await token(), b: await token(), c: await token(), base: await token() }
  await createPool(tokens.a, 1000n, tokens.base, 2000n)
  await createPool(tokens.b, 500n, tokens.base, 70n)
  await createPool(tokens.a, 0n, tokens.b, 0n)
  network = createNetwork({ poolFactory: factory.address, baseTokens: [tokens.base] })
})
afterAll(() => evm[Symbol.asyncDispose]())

async function createPool(one: Address, amountOne: bigint, other: Address, amountOther: bigint) {
  await factory.write('createPair', [one, other])
  const pool = address(String(await factory.read('getPair', [one, other])))
  await fund(pool, one, amountOne, other, amountOther)
  return pool
}

async function fund(pool: Address, one: Address, amountOne: bigint, other: Address, amountOther: bigint) {
  if (amountOne === 0n) return
  const token = new Interface(testToken.abi)
  const mint = (to: Address, amount: bigint) =>
    evm.send({ to, data: token.encodeFunctionData('mint', [pool, amount]) })
  await mint(one, amountOne)
  await mint(other, amountOther)
  const data = new Interface(poolArtifact.abi).encodeFunctionData('mint', [evm.account])
  await evm.send({ to: pool, data })
}

/** Notes how many contract reads each batch had. */
function notingRpc() {
  const batches: number[] = []
  const batch: Rpc['batch'] = (calls) => {
    if (calls.length > 0) batches.push(calls.length)
    return evm.rpc.batch(calls)
  }
  return { rpc: { call: evm.rpc.call, batch }, batches }
}

const reservesOf = (pool: { token0: Address; reserve0: bigint; reserve1: bigint }, token: Address) =>
  pool.token0 === token ? [pool.reserve0, pool.reserve1] : [pool.reserve1, pool.reserve0]

test('pools of the tokens with base tokens and each other, in address order, without empty ones', async () => {
  const pools = await createPools({ rpc: evm.rpc, network, now: () => 0 }).around([[tokens.a, tokens.b]])
  expect(pools).toHaveLength(2)
  for (const pool of pools) expect(pool.token0 < pool.token1).toBe(true)
  const withA = pools.find(({ token0, token1 }) => [token0, token1].includes(tokens.a))
  const withB = pools.find(({ token0, token1 }) => [token0, token1].includes(tokens.b))
  expect(withA && reservesOf(withA, tokens.a)).toEqual([1000n, 2000n])
  expect(withB && reservesOf(withB, tokens.b)).toEqual([500n, 70n])
})

test('a token named twice, or a base token itself, is no matter', async () => {
  const { around } = createPools({ rpc: evm.rpc, network, now: () => 0 })
  const { a, base, c } = tokens
  expect(
    (
      await around([
        [a, a],
        [a, base],
      ])
    ).map(({ address }) => address),
  ).toEqual((await around([[base, a]])).map(({ address }) => address))
  expect(await around([[c, c]])).toEqual([])
  expect(await around([])).toEqual([])
})

test('addresses are read once, reserves once for each block', async () => {
  const { rpc, batches } = notingRpc()
  const { around } = createPools({ rpc, network, now: () => 0 })
  const before = await around([[tokens.a, tokens.base]])
  expect(await around([[tokens.a, tokens.base]])).toEqual(before)
  expect(batches).toEqual([3, 1])
  const [pool] = before
  await fund(pool?.address ?? tokens.a, tokens.a, 11n, tokens.base, 22n)
  const [after] = await around([[tokens.a, tokens.base]])
  expect(after && reservesOf(after, tokens.a)).toEqual([1011n, 2022n])
  expect(batches).toEqual([3, 1, 1])
  const old = Number(await evm.rpc.call('eth_blockNumber')) - 3
  expect(await around([[tokens.a, tokens.base]], old)).toEqual(before)
})

test('that there is no pool is believed for a minute', async () => {
  let time = 1_000_000
  const { rpc, batches } = notingRpc()
  const { around } = createPools({ rpc, network, now: () => time })
  expect(await around([[tokens.c, tokens.base]])).toEqual([])
  const pool = await createPool(tokens.c, 5n, tokens.base, 6n)
  time += 59_999
  expect(await around([[tokens.c, tokens.base]])).toEqual([])
  expect(batches).toEqual([3])
  time += 1
  expect((await around([[tokens.c, tokens.base]])).map(({ address }) => address)).toEqual([pool])
})

test('a factory without code has no pools; a node that is away is an outage', async () => {
  const nowhere = createNetwork({ baseTokens: [tokens.base] })
  expect(
    await createPools({ rpc: evm.rpc, network: nowhere, now: () => 0 }).around([[tokens.a, tokens.base]]),
  ).toEqual([])
  const rpc = createRpc({ url: 'http://127.0.0.1:1', log: silentLog, retries: 0 })
  await expect(createPools({ rpc, network, now: () => 0 }).around([[tokens.a, tokens.base]])).rejects.toThrow(
    Outage,
  )
})

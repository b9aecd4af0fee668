import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readPools } from '../../src/chain/pool-reader.ts'
import { createRpc, type Rpc, RpcError } from '../../src/chain/rpc/rpc.ts'
import { toQuantity } from '../../src/chain/rpc/wire.ts'
import { Outage } from '../../src/domain/errors/error.ts'
import { type Address, address, zeroAddress } from '../../src/domain/evm/address.ts'
import type { Bytes32 } from '../../src/domain/evm/hex.ts'
import { silentLog } from '../fakes/silent-log.ts'
import {
  answerWords,
  notingRpc,
  numberedAddress,
  type PoolChain,
  startPoolChain,
} from '../market/pool-chain.ts'

const noBlock = `0x${'12'.repeat(32)}` as const
let chain: PoolChain
let rpc: Rpc
beforeAll(async () => {
  chain = await startPoolChain()
  rpc = chain.evm.rpc
})
afterAll(() => chain.evm[Symbol.asyncDispose]())

const range = (count: number) => Array.from({ length: count }, (_, index) => index)
const unused = numberedAddress('0b', 1)
const maxReserve = 2n ** 112n - 1n
const read = async (pools: Address[], from: Rpc = rpc) =>
  (await readPools(from, { factory: zeroAddress, pools, pairs: [] }, await chain.newestHash())).reserves
const find = async (pairs: [Address, Address][], factory: Address, from: Rpc = rpc) =>
  (await readPools(from, { factory, pools: [], pairs }, await chain.newestHash())).found

test('hundreds of pools and pairs are read in one round trip, in their order', async () => {
  const pools = range(850).map((index) => numberedAddress('01', index))
  await answerWords(
    chain.evm,
    pools.map((pool, index) => [pool, [BigInt(index), maxReserve - BigInt(index), 7n]]),
  )
  const [a, b] = [await chain.createToken(), await chain.createToken()]
  const there = await chain.filledPool(a, 1_000n, b, 2_000n)
  const pairs = range(450).map((index): [Address, Address] =>
    index % 100 === 99 ? [a, b] : [a, numberedAddress('02', index)],
  )
  const { rpc: noting, taken } = notingRpc(chain.evm)
  const { reserves, found } = await readPools(
    noting,
    { factory: chain.factory, pools, pairs },
    await chain.newestHash(),
  )
  expect(taken()).toEqual([Array(6).fill('eth_call')])
  expect(reserves).toEqual(
    pools.map((_, index) => ({ reserve0: BigInt(index), reserve1: maxReserve - BigInt(index) })),
  )
  const [reserve0, reserve1] = a < b ? [1_000n, 2_000n] : [2_000n, 1_000n]
  expect(found).toEqual(
    pairs.map((_, index) =>
      index % 100 === 99 ? { pool: there, reserves: { reserve0, reserve1 } } : undefined,
    ),
  )
})

test('an empty request does not reach the node', async () => {
  const { rpc: noting, taken } = notingRpc(chain.evm)
  const nothing = { factory: zeroAddress, pools: [], pairs: [] }
  expect(await readPools(noting, nothing, await chain.newestHash())).toEqual({ reserves: [], found: [] })
  expect(taken()).toEqual([])
})

describe('an address that is no pool is left out, and only that', () => {
  const good = numberedAddress('03', 0)
  const odd: [string, string][] = [
    ['reverts', '0x60006000fd'],
    ['is no code at all', '0xfe'],
    ['runs for ever', '0x5b600056'],
    ['returns one word', '0x60206000f3'],
    ['returns 63 bytes', '0x603f6000f3'],
    ['returns 100,000 bytes of nothing much', `0x7f${'ff'.repeat(32)}600052620186a06000f3`],
  ]
  const at = odd.map((_, index) => numberedAddress('04', index + 1))
  beforeAll(async () => {
    await answerWords(chain.evm, [[good, [5n, 6n, 7n]]])
    for (const [index, [, code]] of odd.entries()) await rpc.call('anvil_setCode', [at[index], code])
    await chain.evm.mine()
  })

  test.each(odd.map(([name], index) => [name, at[index]] as const))('that %s', async (_, where = unused) => {
    expect(await read([good, where, good])).toEqual([
      { reserve0: 5n, reserve1: 6n },
      undefined,
      { reserve0: 5n, reserve1: 6n },
    ])
    expect(await find([[good, good]], where)).toEqual([undefined])
  })

  test('that has larger reserves than a pool can hold', async () => {
    const [large, larger] = [numberedAddress('07', 1), numberedAddress('07', 2)]
    await answerWords(chain.evm, [
      [large, [maxReserve + 1n, 1n, 0n]],
      [larger, [1n, maxReserve + 1n, 0n]],
    ])
    expect(await read([large, larger])).toEqual([undefined, undefined])
  })

  test('that has no code', async () => {
    expect(await read([unused, zeroAddress, numberedAddress('', 4), good])).toEqual([
      undefined,
      undefined,
      undefined,
      { reserve0: 5n, reserve1: 6n },
    ])
    expect(await find([[good, unused]], unused)).toEqual([undefined])
  })

  test('a factory may name an address that is no pool', async () => {
    const factory = numberedAddress('05', 1)
    await answerWords(chain.evm, [[factory, [BigInt(unused)]]])
    expect(await find([[good, unused]], factory)).toEqual([{ pool: unused, reserves: undefined }])
    await answerWords(chain.evm, [[factory, [2n ** 160n]]])
    expect(await find([[good, unused]], factory)).toEqual([undefined])
  })

  test('four hundred that use up all their gas, before a valid one', async () => {
    const [burner] = at.slice(2)
    const pools = [...Array<Address>(399).fill(address(String(burner))), good]
    expect((await read(pools)).at(-1)).toEqual({ reserve0: 5n, reserve1: 6n })
    const pairs = range(200).map((): [Address, Address] => [good, unused])
    const factory = numberedAddress('05', 2)
    await answerWords(chain.evm, [[factory, [BigInt(String(burner))]]])
    expect(await find(pairs, factory)).toHaveLength(200)
  })

  test('no pool is left out because the call had too little gas', async () => {
    const stingy: Rpc = {
      call: rpc.call,
      batch: (calls) =>
        rpc.batch(
          calls.map(({ method, params: [call, block] = [] }) => ({
            method,
            params: [{ ...(call as object), gas: toQuantity(3_000_000) }, block],
          })),
        ),
    }
    const [burner] = at.slice(2)
    const pools = [...Array<Address>(399).fill(address(String(burner))), good]
    expect(await read([good], stingy)).toEqual([{ reserve0: 5n, reserve1: 6n }])
    await expect(read(pools, stingy)).rejects.toThrow(Outage)
  })
})

test('the state is that of the named block', async () => {
  const [a, b] = [await chain.createToken(), await chain.createToken()]
  const unplaced = await chain.newestHash()
  const pool = await chain.filledPool(a, 10n, b, 10n)
  const before = await chain.newestHash()
  await chain.fund(pool, a, 1n, b, 1n)
  const question = { factory: chain.factory, pools: [pool], pairs: [[a, b] as const] }
  const at = async (hash: Bytes32) => {
    const { reserves, found } = await readPools(rpc, question, hash)
    return [reserves[0]?.reserve0, found[0]?.reserves?.reserve0]
  }
  expect(await at(unplaced)).toEqual([undefined, undefined])
  expect(await at(before)).toEqual([10n, 10n])
  expect(await at(await chain.newestHash())).toEqual([11n, 11n])
  await expect(at(noBlock)).rejects.toThrow(Outage)
})

test('a node that is away, refuses or sends invalid data is an outage', async () => {
  const away = createRpc({ url: 'http://127.0.0.1:1', log: silentLog, retries: 0 })
  await expect(read([unused], away)).rejects.toThrow(Outage)
  const answering = (answer: Awaited<ReturnType<Rpc['batch']>>): Rpc => ({
    call: rpc.call,
    batch: async () => answer,
  })
  await expect(read([unused], answering([{ error: new RpcError('limit', -32005) }]))).rejects.toThrow(Outage)
  await expect(read([unused], answering([{ value: '0x' }]))).rejects.toThrow(Outage)
  await expect(read([unused], answering([{ value: `0x${'00'.repeat(64)}` }]))).rejects.toThrow(Outage)
  await expect(read([unused], answering([]))).rejects.toThrow(Outage)
})

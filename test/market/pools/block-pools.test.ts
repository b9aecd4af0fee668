import { beforeEach, expect, test } from 'vitest'
import type { Rpc } from '../../../src/chain/rpc/rpc.ts'
import { Outage } from '../../../src/domain/errors/error.ts'
import { createBlockPools, createPoolRegistry } from '../../../src/market/pools/block-pools.ts'
import { createPairsAround } from '../../../src/market/pools/pairs.ts'
import { createMadeUpNode } from '../made-up-node.ts'
import { numberedAddress } from '../pool-chain.ts'

const base = numberedAddress('ff', 1)
const blockHash = `0x${'12'.repeat(32)}` as const
const pairs = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) =>
    createPairsAround([base])([[numberedAddress('01', from + index), base]]),
  ).flat()

let node: ReturnType<typeof createMadeUpNode>
let ends: { answer: () => void; fail: () => void }[]
beforeEach(() => {
  node = createMadeUpNode()
  ends = []
})

/** Pools of one block, over a node whose reads wait until the test ends each. */
function heldPools() {
  const rpc: Rpc = {
    call: node.rpc.call,
    batch: async (calls) => {
      const answer = node.rpc.batch(calls)
      await new Promise<void>((resolve, reject) => {
        ends.push({ answer: resolve, fail: () => reject(new Outage('the network node')) })
      })
      return answer
    },
  }
  const registry = createPoolRegistry(() => 1_000_000)
  return createBlockPools({ rpc, factory: base, registry, used: { note() {} } }, blockHash)
}

const settled = () => new Promise(setImmediate)
const readCounts = () => node.reads.map((read) => read.pairs + read.pools)

test('a read that fails for its initiator is retried by those who wait for a part of it', async () => {
  const { find } = heldPools()
  const large = find(pairs(100))
  const refused = expect(large).rejects.toThrow(Outage)
  const small = find(pairs(3, 98))
  const smaller = find(pairs(1, 99))
  expect(readCounts()).toEqual([100, 1])
  ends[1]?.answer()
  ends[0]?.fail()
  await refused
  await settled()
  // Common pools are requested once, and known ones not again.
  expect(readCounts()).toEqual([100, 1, 1, 1])
  for (const end of ends) end.answer()
  expect((await small).pools).toHaveLength(3)
  expect((await smaller).pools).toHaveLength(1)
})

test('a retry that fails as well is an error', async () => {
  const { find } = heldPools()
  const finds = [5, 1, 1].map((count) => expect(find(pairs(count))).rejects.toThrow(Outage))
  ends[0]?.fail()
  await settled()
  ends[1]?.fail()
  await Promise.all(finds)
  expect(readCounts()).toEqual([5, 1])
})

test('evicted pools are kept for callers who wait for their other pools', async () => {
  const { find } = heldPools()
  const first = find(pairs(1))
  ends[0]?.answer()
  await first
  const waiting = find(pairs(2))
  for (const from of [10, 20_010, 20_011]) {
    const other = find(pairs(from === 10 ? 20_000 : 1, from))
    ends.at(-1)?.answer()
    await other
  }
  ends[1]?.answer()
  const { pools, absent } = await waiting
  expect(pools).toHaveLength(2)
  expect(absent).toEqual([])
})

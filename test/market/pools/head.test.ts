import { beforeEach, expect, test } from 'vitest'
import type { Head } from '../../../src/chain/transaction/fees.ts'
import type { Bytes32 } from '../../../src/domain/evm/hex.ts'
import { type ChainHead, createChainHead, createView } from '../../../src/market/pools/head.ts'

const staleMs = 1_000
let time: number
let reported: number
let made: number[]
let newest: ChainHead

/** The fraction of the height distinguishes forks. */
const headOf = (height: number): Head => ({
  number: Math.floor(height),
  hash: `0x${String(height * 10).padStart(64, '0')}` as Bytes32,
  fees: { baseFee: 1n, maxFeePerGas: 2n, maxPriorityFeePerGas: 1n },
})

beforeEach(() => {
  time = 1_000_000
  reported = 10
  made = []
  newest = createChainHead({
    readHead: async () => headOf(reported),
    createView: (head) => {
      made.push(head.number)
      const pools = { blockHash: head.hash, find: () => expect.fail() }
      return createView({ head, pools, now: () => time, pairsAround: () => [], onUse: () => {} })
    },
    now: () => time,
    staleMs,
  })
})

/** The block that is served after the node has reported this one. */
async function after(height: number, ms = 100) {
  time += ms
  reported = height
  return (await newest.check()).block
}

test('a node that lags behind undoes nothing, and no block is prepared twice', async () => {
  const prepared: number[] = []
  for (const height of [10, 11, 10, 11, 9, 11, 12, 11, 12]) {
    reported = height
    time += 400
    await newest.advance(async ({ block }) => prepared.push(block))
  }
  expect(prepared).toEqual([10, 11, 12])
  expect(made).toEqual([10, 11, 12])
  expect((await newest.view()).block).toBe(12)
})

test('a lower block is accepted once the higher one was not reported for a while', async () => {
  expect(await after(10)).toBe(10)
  expect(await after(7, staleMs - 1)).toBe(10)
  expect(await after(7, 1)).toBe(7)
  expect(await after(8)).toBe(8)
})

test('a lower block is accepted at once if the other could not be read, or the clock was set back', async () => {
  await after(10)
  reported = 9
  const view = await newest.view()
  expect((await newest.check()).block).toBe(10)
  expect((await newest.check(view)).block).toBe(9)
  reported = 8
  // The failed read was of the other block.
  expect((await newest.check()).block).toBe(9)
  expect(await after(8, -1)).toBe(8)
})

test('a block that is reported again after a failed read is trusted again', async () => {
  await after(10)
  const view = await newest.view()
  expect((await newest.check(view)).block).toBe(10)
  expect(await after(9)).toBe(10)
})

test('another block of the same height is accepted at once', async () => {
  await after(10)
  const [before] = newest.views()
  expect(await after(10.1)).toBe(10)
  expect(newest.views()).not.toContain(before)
})

import { beforeEach, expect, test } from 'vitest'
import type { Head } from '../../../src/chain/transaction/fees.ts'
import type { Bytes32 } from '../../../src/domain/evm/hex.ts'
import { type ChainHead, createChainHead } from '../../../src/market/pools/head.ts'
import { createView } from '../../../src/market/pools/view.ts'

const staleMs = 1_000
let time: number
let told: number
let made: number[]
let newest: ChainHead

/** The fraction of the height tells forks apart. */
const headOf = (height: number): Head => ({
  number: Math.floor(height),
  hash: `0x${String(height * 10).padStart(64, '0')}` as Bytes32,
  fees: { baseFee: 1n, maxFeePerGas: 2n, maxPriorityFeePerGas: 1n },
})

beforeEach(() => {
  time = 1_000_000
  told = 10
  made = []
  newest = createChainHead({
    readHead: async () => headOf(told),
    createView: (head) => {
      made.push(head.number)
      const pools = { blockHash: head.hash, find: () => expect.fail() }
      return createView({ head, pools, now: () => time, pairsAround: () => [], onUse: () => {} })
    },
    now: () => time,
    staleMs,
  })
})

/** What is served after the node has told of this block. */
async function after(height: number, ms = 100) {
  time += ms
  told = height
  return (await newest.check()).block
}

test('a node that lags behind turns nothing back, and nothing is prepared anew', async () => {
  const prepared: number[] = []
  for (const height of [10, 11, 10, 11, 9, 11, 12, 11, 12]) {
    told = height
    time += 400
    await newest.advance(async ({ block }) => prepared.push(block))
  }
  expect(prepared).toEqual([10, 11, 12])
  expect(made).toEqual([10, 11, 12])
  expect((await newest.view()).block).toBe(12)
})

test('a lower block is believed once the higher one was not told of for a while', async () => {
  expect(await after(10)).toBe(10)
  expect(await after(7, staleMs - 1)).toBe(10)
  expect(await after(7, 1)).toBe(7)
  expect(await after(8)).toBe(8)
})

test('is believed at once in place of a block that could not be read, and where the clock was set back', async () => {
  await after(10)
  told = 9
  const view = await newest.view()
  expect((await newest.check()).block).toBe(10)
  expect((await newest.check(view)).block).toBe(9)
  told = 8
  // The doubt was about the other block.
  expect((await newest.check()).block).toBe(9)
  expect(await after(8, -1)).toBe(8)
})

test('a block that is told of again after it could not be read is doubted no more', async () => {
  await after(10)
  const view = await newest.view()
  expect((await newest.check(view)).block).toBe(10)
  expect(await after(9)).toBe(10)
})

test('another block of the same height is believed at once', async () => {
  await after(10)
  const [before] = newest.views()
  expect(await after(10.1)).toBe(10)
  expect(newest.views()).not.toContain(before)
})

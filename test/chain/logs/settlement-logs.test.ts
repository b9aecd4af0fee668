import { AbiCoder } from 'ethers'
import { describe, expect, test } from 'vitest'
import { chainLogs } from '../../../src/chain/logs/chain-logs.ts'
import { parseSettlementLog } from '../../../src/chain/logs/settlement-logs.ts'
import type { Rpc, RpcCall } from '../../../src/chain/rpc/rpc.ts'
import { RpcError } from '../../../src/chain/rpc/rpc.ts'
import { toQuantity } from '../../../src/chain/rpc/wire.ts'
import { Outage } from '../../../src/domain/errors/error.ts'
import { address } from '../../../src/domain/evm/address.ts'
import type { Hex } from '../../../src/domain/evm/hex.ts'
import type { Log } from '../../../src/domain/log.ts'
import type { Network } from '../../../src/domain/network/network.ts'
import { silentLog } from '../../fakes/silent-log.ts'

const owner = address(`0x${'ab'.repeat(20)}`)
const uid: Hex = `0x${'cd'.repeat(56)}`
const topic = {
  trade: '0xa07a543ab8a018198e99ca0184c93fe9050a79400a0a723441f84de1d972cc17',
  interaction: '0xed99827efb37016f2275f98c4bcf71c7551c75d59e9b450f79fa32e60be672c2',
  settlement: '0x40338ce1a7c49204f0099533b1e9a7ee0a3d261f84974ab7af36105b8c4e9db4',
  invalidated: '0x875b6cb035bbd4ac6500fabc6d1e4ca5bdc58a3e2b424ccb5c24cdbebeb009a9',
  presignature: '0x01bf7c8b0ca55deecbea89d7e58295b7ffbf685fd0d96801034ba8c6ffe1c68d',
}
const encode = (types: string[], values: unknown[]) => AbiCoder.defaultAbiCoder().encode(types, values)
const raw = (topic0: string, data: string, block = 16, logIndex = 3) => ({
  address: owner,
  blockNumber: toQuantity(block),
  blockHash: `0x${'b1'.repeat(32)}`,
  logIndex: toQuantity(logIndex),
  transactionHash: `0x${'f0'.repeat(32)}`,
  topics: [topic0, `0x${'00'.repeat(12)}${owner.slice(2)}`],
  data,
})
const place = {
  blockNumber: 16,
  blockHash: `0x${'b1'.repeat(32)}`,
  logIndex: 3,
  txHash: `0x${'f0'.repeat(32)}`,
}

describe('one log', () => {
  test('a trade is parsed', () => {
    const [sellToken, buyToken] = [address(`0x${'01'.repeat(20)}`), address(`0x${'02'.repeat(20)}`)]
    const types = ['address', 'address', 'uint256', 'uint256', 'uint256', 'bytes']
    const data = encode(types, [sellToken, buyToken, 5n, 2n ** 255n, 1n, uid])
    expect(parseSettlementLog(raw(topic.trade, data))).toEqual({
      type: 'trade',
      ...place,
      owner,
      orderUid: uid,
      sellToken,
      buyToken,
      sellAmount: 5n,
      buyAmount: 2n ** 255n,
      feeAmount: 1n,
    })
  })

  test('a settlement, an invalidation and a presignature are parsed', () => {
    expect(parseSettlementLog(raw(topic.settlement, '0x'))).toEqual({
      type: 'settlement',
      ...place,
      solver: owner,
    })
    expect(parseSettlementLog(raw(topic.invalidated, encode(['bytes'], [uid])))).toEqual({
      type: 'invalidation',
      ...place,
      owner,
      orderUid: uid,
    })
    for (const signed of [true, false]) {
      const data = encode(['bytes', 'bool'], [uid, signed])
      expect(parseSettlementLog(raw(topic.presignature, data))).toEqual({
        type: 'presignature',
        ...place,
        owner,
        orderUid: uid,
        signed,
      })
    }
  })

  test('of another event is ignored', () => {
    expect(parseSettlementLog(raw(topic.interaction, '0x'))).toBeUndefined()
    expect(parseSettlementLog({ ...raw(topic.trade, '0x'), topics: [] })).toBeUndefined()
  })

  test.each([
    ['a uid of 55 bytes', raw(topic.invalidated, encode(['bytes'], [uid.slice(0, -2)]))],
    ['data cut short', raw(topic.presignature, encode(['bytes', 'bool'], [uid, true]).slice(0, -64))],
    ['no data', raw(topic.trade, '0x')],
    ['an argument less in the topics', { ...raw(topic.settlement, '0x'), topics: [topic.settlement] }],
  ])('with %s is malformed', (_, log) => {
    expect(parseSettlementLog(log)).toBe('malformed')
  })

  test('without a block is an outage', () => {
    expect(() => parseSettlementLog({ ...raw(topic.settlement, '0x'), blockNumber: null })).toThrow(Outage)
  })
})

/** A log in a block with a hash of its own. */
const at = (block: number, logIndex: number, event = topic.settlement) => ({
  ...raw(event, '0x', block, logIndex),
  blockHash: `0x${block.toString(16).padStart(64, '0')}`,
})

const header = { hash: `0x${'e1'.repeat(32)}` as const }

/** Holds one settlement log for each block, takes ranges of at most `most` blocks, and ends at `head`. */
function nodeWithLogs(maxRange: number, head = 1000) {
  const ranges: string[] = []
  const answer = ({ method, params = [] }: RpcCall) => {
    if (method === 'eth_getBlockByNumber') return { value: Number(params[0]) > head ? null : header }
    const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string }
    const [from, to] = [Number(fromBlock), Number(toBlock)]
    ranges.push(`${from}-${to}`)
    if (to - from + 1 > maxRange) return { error: new RpcError('range too large', -32005) }
    const logs = Array.from({ length: to - from + 1 }, (_, index) => at(to - index, 1))
    return { value: [...logs, at(from, 5, topic.invalidated), at(from, 6, topic.interaction)] }
  }
  const rpc: Rpc = {
    call: () => Promise.reject(new Error('unused')),
    batch: async (calls) => calls.map(answer),
  }
  return { rpc, ranges }
}
const network = {
  settlement: owner,
  ethFlows: [],
  holderTokens: [] as Network['holderTokens'],
} as unknown as Network

describe('a range of blocks', () => {
  test('is read in order; malformed and other logs are skipped and reported', async () => {
    const { rpc } = nodeWithLogs(100)
    const warnings: string[] = []
    const log: Log = { ...silentLog, warn: (message) => warnings.push(message) }
    const logs = await chainLogs({ rpc, network, log }, { from: 10, to: 14 })
    expect(logs.map(({ type, blockNumber }) => `${type} ${blockNumber}`)).toEqual(
      [10, 11, 12, 13, 14].map((number) => `settlement ${number}`),
    )
    expect(warnings).toEqual(['skipped a malformed log of the protocol, or one of no block'])
  })

  test('is halved until the node accepts it', async () => {
    const { rpc, ranges } = nodeWithLogs(2)
    const logs = await chainLogs({ rpc, network, log: silentLog }, { from: 0, to: 4 })
    expect(logs.map(({ blockNumber }) => blockNumber)).toEqual([0, 1, 2, 3, 4])
    expect(ranges).toEqual(['0-4', '0-2', '0-1', '2-2', '3-4'])
  })

  const filterIn = ({ params = [] }: RpcCall) => params[0] as { fromBlock: string; toBlock: string }

  /** Answers every read of logs, also of a part of the range, with these; blocks have the hashes of `at`. */
  const nodeOf = (logs: unknown[], maxRange = 100): Rpc => ({
    call: () => Promise.reject(new Error('unused')),
    batch: async (calls) =>
      calls.map((call) => {
        if (call.method === 'eth_getBlockByNumber')
          return { value: { hash: at(Number(call.params?.[0]), 0).blockHash } }
        const { fromBlock, toBlock } = filterIn(call)
        const isRefused = Number(toBlock) - Number(fromBlock) >= maxRange
        return isRefused ? { error: new RpcError('too large', -32005) } : { value: logs }
      }),
  })

  test('has each log once, by place, however often and in whatever order and case the node sends it', async () => {
    const [a, b, c] = [at(10, 1), at(10, 2), at(11, 0)]
    const loud = { ...b, address: b.address.toUpperCase().replace('X', 'x'), blockTimestamp: '0x1' }
    const read = async (rpc: Rpc) =>
      (await chainLogs({ rpc, network, log: silentLog }, { from: 10, to: 11 })).map(
        ({ blockNumber, logIndex }) => `${blockNumber}:${logIndex}`,
      )
    expect(await read(nodeOf([c, loud, a, a, b, c, a]))).toEqual(['10:1', '10:2', '11:0'])
  })

  test('has logs without an index or a transaction at places behind the others, in whatever order they come', async () => {
    const odd = (logIndex: unknown, more: object = {}) => ({ ...at(10, 1), logIndex, ...more })
    const logs = [
      odd('0xffffffff'),
      odd('0xfffffffe', { transactionHash: `0x${'f2'.repeat(32)}` }),
      odd('0xfffffffe', { transactionHash: null }),
      odd(null),
      { ...at(10, 4), transactionHash: undefined },
      at(10, 2),
    ]
    const counts: string[] = []
    const read = async (sent: unknown[]) =>
      (
        await chainLogs(
          { rpc: nodeOf(sent), network, log: silentLog, countOdd: (what) => counts.push(what) },
          { from: 10, to: 11 },
        )
      ).map(({ logIndex, txHash }) => [logIndex, txHash.slice(0, 4)])
    const places = [
      [2, '0xf0'],
      [4, at(10, 0).blockHash.slice(0, 4)],
      [2 ** 30, '0xf2'],
      [2 ** 30 + 1, at(10, 0).blockHash.slice(0, 4)],
      [2 ** 30 + 2, '0xf0'],
      [2 ** 30 + 3, '0xf0'],
    ]
    expect(await read(logs)).toEqual(places)
    expect(counts).toEqual(Array(5).fill('placed'))
    expect(await read([...logs, ...logs].reverse())).toEqual(places)
  })

  test.each([
    ['two logs at one place', [at(10, 1), { ...at(10, 1), topics: [topic.settlement, topic.trade] }]],
    ['a log of two transactions', [at(10, 1), { ...at(10, 1), transactionHash: `0x${'f1'.repeat(32)}` }]],
    ['two hashes of a block', [at(10, 1), { ...at(10, 2), blockHash: `0x${'b2'.repeat(32)}` }]],
    ['a log in two blocks', [at(10, 1), { ...at(11, 1), blockHash: at(10, 1).blockHash }]],
    ['a log from outside the range', [at(12, 0)]],
  ])('with %s is an outage', async (_, logs) => {
    await expect(
      chainLogs({ rpc: nodeOf(logs), network, log: silentLog }, { from: 10, to: 11 }),
    ).rejects.toThrow(Outage)
  })

  test('is an outage if the node refuses even a single block', async () => {
    const { rpc, ranges } = nodeWithLogs(0)
    await expect(chainLogs({ rpc, network, log: silentLog }, { from: 0, to: 1000 })).rejects.toThrow(Outage)
    expect(ranges.length).toBe(11)
  })

  test.each([
    ['the whole', 100, '0xa'],
    ['the lower half', 1, '0xa'],
    ['the upper half', 1, '0xb'],
  ])(
    'of which a node on another branch reads %s, without logs there, is an outage',
    async (_, maxRange, first) => {
      const known = nodeOf([at(10, 1)], maxRange)
      const rpc = (hash: string): Rpc => ({
        ...known,
        batch: async (calls) => {
          const answers = await known.batch(calls)
          const reads = calls.find(({ method }) => method === 'eth_getLogs')
          const isOther =
            reads && filterIn(reads).fromBlock === first && !answers.some((answer) => 'error' in answer)
          return isOther ? [{ value: { hash } }, { value: [] }] : answers
        },
      })
      const last = at(11, 0).blockHash as Hex
      const read = (node: Rpc) =>
        chainLogs({ rpc: node, network, log: silentLog }, { from: 10, to: 11, endHash: last })
      expect(await read(known)).toHaveLength(1)
      await expect(read(rpc(`0x${'e2'.repeat(32)}`))).rejects.toThrow(Outage)
    },
  )

  test('that ends above the head of the answering node is an outage', async () => {
    const { rpc } = nodeWithLogs(100, 13)
    await expect(chainLogs({ rpc, network, log: silentLog }, { from: 10, to: 14 })).rejects.toThrow(Outage)
  })
})

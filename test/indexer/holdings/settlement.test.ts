import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ownerLogs } from '../../../src/chain/logs/transfer-logs.ts'
import { type Rpc, RpcError, type RpcResponse } from '../../../src/chain/rpc/rpc.ts'
import { toQuantity } from '../../../src/chain/rpc/wire.ts'
import { type Address, address } from '../../../src/domain/evm/address.ts'
import type { Bytes32, Hex } from '../../../src/domain/evm/hex.ts'
import { keccakText } from '../../../src/domain/evm/keccak.ts'
import { addressWord, type LoggedRight, type Right } from '../../../src/domain/settlement/rights.ts'
import { applyBlocks, applyFinality, applyReorg, type Indexing } from '../../../src/indexer/apply.ts'
import { runHoldingsIndex } from '../../../src/indexer/settlement-holdings.ts'
import { findCheckpoint } from '../../../src/storage/chain/indexed-logs.ts'
import {
  findHoldingIndex,
  settlementRights,
  settlementTokens,
} from '../../../src/storage/chain/settlement-holdings.ts'
import type { Database } from '../../../src/storage/database/database.ts'
import { sampleNetwork } from '../../fakes/network.ts'
import { numbered } from '../../fakes/order.ts'
import { silentLog } from '../../fakes/silent-log.ts'
import { connectDirectly, createTestDatabase, type TestDatabase } from '../../setup/database.ts'
import { rangeOf } from '../hand-made.ts'

const network = { ...sampleNetwork, finalityBlocks: 12, firstBlock: 5 }
const { chainId, settlement } = network
const [router, other] = [numbered('b0'), numbered('b1')]
const tokenAt = (index: number) => address(`0xcc${index.toString(16).padStart(38, '0')}`)

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database?.[Symbol.asyncDispose]())
beforeEach(async () => {
  const client = await connectDirectly(database.url)
  await client.query(
    'TRUNCATE settlement_holding_indexes, settlement_tokens, settlement_rights, checkpoints, blocks',
  )
  await client.end()
})

interface RawLog {
  address: Address
  topics: Bytes32[]
  data: Hex
}

const word = (value: bigint) => `0x${value.toString(16).padStart(64, '0')}` as Bytes32
const received = (token: Address, to = settlement): RawLog => ({
  address: token,
  topics: [keccakText('Transfer(address,address,uint256)'), addressWord(router), addressWord(to)],
  data: word(1n),
})
const allowed = (token: Address, spender: Address, value: bigint, owner = settlement): RawLog => ({
  address: token,
  topics: [keccakText('Approval(address,address,uint256)'), addressWord(owner), addressWord(spender)],
  data: word(value),
})

/** A node with blocks of logs, which limits its answers. */
function createWorld(max?: number) {
  const indexing: Indexing = { chainId, db: database.db, now: () => 0, network }
  const blocks: { number: number; hash: Bytes32; parentHash: Bytes32; timestamp: number; logs: RawLog[] }[] =
    []
  const asked: string[] = []
  const figures: object[] = []
  const warnings: string[] = []
  /** Of the node. */
  const limits = { blocks: Number.POSITIVE_INFINITY, logs: Number.POSITIVE_INFINITY }
  let hashes = 0

  function mine(...logs: RawLog[]): number {
    const number = blocks.length
    const hash = word(BigInt(++hashes))
    blocks.push({ number, hash, parentHash: blocks.at(-1)?.hash ?? word(0n), timestamp: number, logs })
    return number
  }

  function matching(params: readonly unknown[]): RpcResponse {
    const [{ fromBlock, toBlock, topics }] = params as [
      { fromBlock: string; toBlock: string; topics: [string[], ...(string | null)[]] },
    ]
    const [from, to] = [Number(fromBlock), Number(toBlock)]
    const [events, ...indexed] = topics
    const value = blocks.slice(from, to + 1).flatMap(({ number, hash, logs }) =>
      logs.flatMap((log, logIndex) => {
        const isWanted =
          events.includes(log.topics[0] ?? '') &&
          indexed.every((topic, index) => topic === null || topic === log.topics[index + 1])
        const place = { blockNumber: toQuantity(number), blockHash: hash, logIndex: toQuantity(logIndex) }
        return isWanted ? [{ ...log, ...place, transactionHash: hash }] : []
      }),
    )
    const isRefused = to - from >= limits.blocks || value.length > limits.logs
    return isRefused ? { error: new RpcError('query returned more than 10000 results', -32005) } : { value }
  }

  const rpc: Pick<Rpc, 'batch'> = {
    batch: async (calls) =>
      calls.map(({ method, params = [] }): RpcResponse => {
        if (method === 'eth_getLogs') return matching(params)
        const block = blocks[Number(params[0])]
        return { value: block ? { ...block, number: toQuantity(block.number) } : null }
      }),
  }

  async function index(): Promise<void> {
    const from = await findCheckpoint(database.db, chainId)
    const fresh = blocks.slice((from?.number ?? -1) + 1)
    if (fresh.length > 0)
      await applyBlocks(from, rangeOf(fresh.map((block) => ({ block, logs: [] }))), indexing)
    const final = blocks.length - 1 - network.finalityBlocks
    if (final > 0) await applyFinality(final, indexing)
  }

  return {
    blocks,
    mine,
    index,
    asked,
    figures,
    limits,
    warnings,
    /** Replaces the newest blocks. */
    async reorg(depth: number): Promise<void> {
      const to = blocks[blocks.length - 1 - depth] ?? expect.fail()
      const from = await findCheckpoint(database.db, chainId)
      blocks.splice(to.number + 1)
      await applyReorg(from, to, indexing)
    },
    /** Follows until there is nothing more to do. `chain` has the rights that exist. */
    async settle({
      db = database.db,
      chain = new Map<string, bigint>(),
    }: {
      db?: Database
      chain?: Map<string, bigint>
    } = {}): Promise<void> {
      const stopping = new AbortController()
      await runHoldingsIndex(
        {
          network,
          db,
          indexed: () => findCheckpoint(db, network.chainId),
          ...(max !== undefined && { max }),
          log: { ...silentLog, warn: (text) => warnings.push(text), error: (text) => warnings.push(text) },
          meter: {
            known: (known) => void figures.push(known),
            moved: (place) => void figures.push(place),
          },
          ownerLogs: (range) => {
            asked.push(`${range.from}-${range.to}`)
            return ownerLogs(rpc as Rpc, settlement, range)
          },
          readRights: async (rights) =>
            rights.map((right): LoggedRight => ({ ...right, value: chain.get(keyOf(right)) ?? 0n })),
          poll: async (count) => {
            if (count === 0 || count > 30) stopping.abort()
          },
        },
        stopping.signal,
      )
    },
  }
}

const keyOf = ({ contract, grantee }: Right) => `${contract} ${grantee}`
const stored = (limit = 100_000) => settlementTokens(database.db, chainId, limit)
/** The newest ones first. */
const tokens = async (limit = 10) =>
  (await stored())
    .toSorted((a, b) => b.firstBlock - a.firstBlock || (a.token < b.token ? -1 : 1))
    .slice(0, limit)
    .map(({ token, firstBlock }) => [token, firstBlock])
const rights = async () =>
  (await settlementRights(database.db, chainId, { limit: 100 })).map(({ contract, grantee, value }) => [
    contract,
    grantee,
    value,
  ])

describe('what the settlement contract received', () => {
  test('is known from the first block of the network on', async () => {
    const world = createWorld()
    for (let block = 0; block < 40; block++)
      world.mine(
        ...(block === 4 ? [received(tokenAt(0))] : []),
        ...(block % 10 === 5 ? [received(tokenAt(block)), received(tokenAt(1))] : []),
        received(tokenAt(99), router),
      )
    await world.index()
    await world.settle()
    expect(await tokens()).toEqual([
      [tokenAt(35), 35],
      [tokenAt(25), 25],
      [tokenAt(15), 15],
      [tokenAt(1), 5],
      [tokenAt(5), 5],
    ])
    expect(await tokens(1)).toEqual([[tokenAt(35), 35]])
    expect(world.asked).toEqual(['5-39'])
  })
})

/** Thousands of blocks, some with a token of their own. */
function mineMany(world: ReturnType<typeof createWorld>, blocks: number): void {
  for (let block = 0; block < blocks; block++)
    world.mine(...(block % 100 === 50 ? [received(tokenAt(block))] : []))
}

const expectedOf = (blocks: number) =>
  Array.from({ length: blocks / 100 }, (_, index) => [
    tokenAt(index * 100 + 50),
    index * 100 + 50,
  ]).toReversed()

describe('a node', () => {
  test('that refuses large ranges is asked for smaller ones, without a wait', async () => {
    const world = createWorld()
    mineMany(world, 3_000)
    world.limits.blocks = 700
    await world.index()
    await world.settle()
    expect(await tokens(100)).toEqual(expectedOf(3_000))
    expect(world.asked.slice(0, 6)).toEqual(['5-2999', '5-2999', '5-2504', '5-1254', '5-629', '630-1254'])
    expect(world.warnings).toEqual([])
  })

  test('that is asked again by another process continues where the one before has stopped', async () => {
    const world = createWorld()
    mineMany(world, 3_000)
    world.limits.blocks = 700
    await world.index()
    let transactions = 0
    const db = new Proxy(database.db, {
      get: (target, name, receiver) =>
        name === 'transaction' && ++transactions > 2
          ? () => Promise.reject(new Error('the process has ended'))
          : Reflect.get(target, name, receiver),
    })
    await world.settle({ db })
    expect(await findHoldingIndex(database.db, chainId)).toMatchObject({ fromBlock: 5, block: 1_254 })
    const before = world.asked.length
    await world.settle()
    expect(world.asked.slice(before).every((range) => Number(range.split('-')[0]) > 1_254)).toBe(true)
    expect(await tokens(100)).toEqual(expectedOf(3_000))
  })

  test('that refuses one block alone costs that block, and it is said', async () => {
    const world = createWorld()
    mineMany(world, 200)
    const flooded = world.mine(...Array.from({ length: 60 }, (_, index) => received(tokenAt(5_000 + index))))
    world.mine(received(tokenAt(201)))
    world.limits.logs = 50
    await world.index()
    await world.settle()
    expect((await tokens(100)).map(([, block]) => block)).toEqual([201, 150, 50])
    expect(await findHoldingIndex(database.db, chainId)).toMatchObject({ block: 201, missedBlock: flooded })
    expect(world.warnings.at(-1)).toMatch(/^the logs of a block cannot be read/)
    expect(world.figures).toContainEqual({ blocksBehind: 0, missedBlock: flooded })
  })
})

describe('a flood', () => {
  test('of 3,000 donated tokens in one range is stored, each once', async () => {
    const world = createWorld()
    for (let block = 0; block < 30; block++)
      world.mine(
        ...Array.from({ length: 100 }, (_, index) => received(tokenAt(block * 100 + index))),
        ...Array.from({ length: 50 }, () => received(tokenAt(600))),
      )
    await world.index()
    await world.settle()
    const stored = await tokens(5_000)
    expect(stored).toHaveLength(2_500)
    expect(new Set(stored.map(([token]) => token)).size).toBe(2_500)
    expect(stored.filter(([token]) => token === tokenAt(600))).toEqual([[tokenAt(600), 5]])
    expect(world.figures).toContainEqual({ tokens: 2_500, rights: 0 })
  })

  test('of more tokens and rights than are kept leaves what is known, and is said', async () => {
    const world = createWorld(3)
    for (let block = 0; block < 6; block++) world.mine()
    world.mine(received(tokenAt(1)), allowed(tokenAt(1), router, 5n))
    await world.index()
    await world.settle({ chain: new Map([[`${tokenAt(1)} ${router}`, 5n]]) })
    world.mine(...[2, 3, 4, 5].flatMap((one) => [received(tokenAt(one)), allowed(tokenAt(one), router, 5n)]))
    for (let block = 0; block < 3; block++) world.mine(allowed(tokenAt(1), router, BigInt(10 + block)))
    const chain = new Map([1, 2, 3, 4, 5].map((one) => [`${tokenAt(one)} ${router}`, BigInt(one)]))
    await world.index()
    await world.settle({ chain })
    expect((await tokens()).map(([token]) => token)).toEqual([tokenAt(2), tokenAt(3), tokenAt(1)])
    expect((await rights()).map(([token, , value]) => [token, value])).toEqual([
      [tokenAt(2), 2n],
      [tokenAt(3), 3n],
      [tokenAt(1), 1n],
    ])
    expect(await findHoldingIndex(database.db, chainId)).toMatchObject({ block: 10, missedBlock: 7 })
  })
})

describe('rights', () => {
  test('are those of the settlement contract that the chain confirms', async () => {
    const world = createWorld()
    for (let block = 0; block < 6; block++) world.mine()
    world.mine(
      allowed(tokenAt(1), router, 10n),
      allowed(tokenAt(1), other, 10n),
      allowed(tokenAt(2), router, 10n),
      allowed(tokenAt(3), router, 10n, router),
      allowed(tokenAt(4), router, 10n),
      allowed(tokenAt(4), router, 0n),
    )
    await world.index()
    await world.settle({
      chain: new Map([
        [`${tokenAt(1)} ${router}`, 7n],
        [`${tokenAt(3)} ${router}`, 10n],
      ]),
    })
    expect(await rights()).toEqual([[tokenAt(1), router, 7n]])
    expect(world.figures.at(-2)).toEqual({ blocksBehind: 0, missedBlock: null })
    expect(world.figures.at(-1)).toEqual({ tokens: 0, rights: 1 })
  })

  test('and tokens of blocks that a reorg took back are not known any more, and rights that it left are', async () => {
    const world = createWorld()
    for (let block = 0; block < 10; block++) world.mine()
    world.mine(received(tokenAt(1)), allowed(tokenAt(1), router, 10n))
    world.mine(received(tokenAt(2)), allowed(tokenAt(1), router, 0n), allowed(tokenAt(2), router, 10n))
    const chain = new Map([[`${tokenAt(2)} ${router}`, 10n]])
    await world.index()
    await world.settle({ chain })
    expect(await rights()).toEqual([[tokenAt(2), router, 10n]])
    await world.reorg(1)
    chain.set(`${tokenAt(1)} ${router}`, 10n).delete(`${tokenAt(2)} ${router}`)
    for (let block = 0; block < 20; block++) world.mine(...(block === 3 ? [received(tokenAt(3))] : []))
    await world.index()
    await world.settle({ chain })
    expect(await tokens()).toEqual([
      [tokenAt(3), 14],
      [tokenAt(1), 10],
    ])
    expect(await rights()).toEqual([[tokenAt(1), router, 10n]])
  })

  test('are indexed again where the network begins earlier than before', async () => {
    const world = createWorld()
    for (let block = 0; block < 9; block++) world.mine(received(tokenAt(block)))
    await world.index()
    await world.settle()
    expect(await tokens(1)).toEqual([[tokenAt(8), 8]])
    expect((await tokens()).at(-1)).toEqual([tokenAt(5), 5])
    network.firstBlock = 2
    await world.settle()
    network.firstBlock = 5
    expect((await tokens()).at(-1)).toEqual([tokenAt(2), 2])
  })
})

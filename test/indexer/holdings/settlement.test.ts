import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ownerLogs } from '../../../src/chain/logs/owner-logs.ts'
import { type Rpc, RpcError, type RpcResponse } from '../../../src/chain/rpc/rpc.ts'
import { toQuantity } from '../../../src/chain/rpc/wire.ts'
import { type Address, address } from '../../../src/domain/evm/address.ts'
import type { Bytes32, Hex } from '../../../src/domain/evm/hex.ts'
import { keccakText } from '../../../src/domain/evm/keccak.ts'
import { addressWord, type LoggedRight, type Right } from '../../../src/domain/settlement/rights.ts'
import { applyBlocks, applyFinality, applyReorg, type Indexing } from '../../../src/indexer/apply.ts'
import { followHoldings } from '../../../src/indexer/holdings/settlement.ts'
import { findCheckpoint } from '../../../src/storage/chain/log.ts'
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
const [router, vault] = [numbered('b0'), numbered('b1')]
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
function createWorld(most?: number) {
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
    ...{ blocks, mine, index, asked, figures, limits, warnings },
    /** Replaces the newest blocks. */
    async reorg(depth: number): Promise<void> {
      const to = blocks[blocks.length - 1 - depth] ?? expect.fail()
      const from = await findCheckpoint(database.db, chainId)
      blocks.splice(to.number + 1)
      await applyReorg(from, to, indexing)
    },
    /** Follows until there is nothing more to do, or `crash` throws. */
    async settle({
      db = database.db,
      chain = new Map<string, bigint>(),
    }: {
      db?: Database
      chain?: Map<string, bigint>
    } = {}): Promise<void> {
      const stopping = new AbortController()
      let failures = 0
      await followHoldings(
        {
          ...{ network, db, ...(most !== undefined && { most }) },
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
            failures = count
            if (failures === 0 || failures > 30) stopping.abort()
          },
        },
        stopping.signal,
      )
    },
  }
}

const keyOf = ({ contract, grantee }: Right) => `${contract} ${grantee}`
const tokens = async (limit = 10) =>
  (await settlementTokens(database.db, chainId, limit)).map(({ token, firstBlock }) => [token, firstBlock])
const rights = async () =>
  (await settlementRights(database.db, chainId, { limit: 100 })).map(({ contract, grantee, value }) => [
    contract,
    grantee,
    value,
  ])

describe('what the settlement contract received', () => {
  test('is known from the first block of the network on, newest first', async () => {
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

import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Block } from '../../src/chain/chain.ts'
import type { PoolLog } from '../../src/chain/pool-reader.ts'
import { Outage } from '../../src/domain/errors/error.ts'
import { type Address, address } from '../../src/domain/evm/address.ts'
import type { Bytes32 } from '../../src/domain/evm/hex.ts'
import { applyBlocks, applyFinality, applyReorg, type Indexing } from '../../src/indexer/apply.ts'
import { runPoolIndex } from '../../src/indexer/pools/pools.ts'
import { type Checkpoint, findCheckpoint } from '../../src/storage/chain/indexed-logs.ts'
import { findPoolDays, forgetUnusedPools, noteUsedPools } from '../../src/storage/token/pools.ts'
import { sampleNetwork } from '../fakes/network.ts'
import { numbered } from '../fakes/order.ts'
import { silentLog } from '../fakes/silent-log.ts'
import { connectDirectly, createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { rangeOf } from './hand-made.ts'

/** A day has 864 blocks, a span 9. */
const network = { ...sampleNetwork, blockTimeMs: 100_000, finalityBlocks: 12, firstBlock: 0 }
const { chainId } = network
const span = 9
const daySeconds = 86_400
const poolAt = (index: number) => address(`0xcc${index.toString(16).padStart(38, '0')}`)
const max = 100

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database?.[Symbol.asyncDispose]())

interface FakeBlock extends Block {
  logs: PoolLog[]
}

/** A chain of blocks in which pools trade, indexed as far as `index` says. */
function createWorld() {
  const indexing: Indexing = { chainId, db: database.db, now: () => 0, network }
  const blocks: FakeBlock[] = []
  const noted: Address[] = []
  let hashes = 0
  let meanwhile: (() => Promise<void>) | undefined
  let outages = 0

  function mine(trades: readonly number[]): void {
    const number = blocks.length
    const hash = `0x${(++hashes).toString(16).padStart(64, '0')}` as Bytes32
    const logs = trades.flatMap((pool, index): PoolLog[] => {
      const place = { blockNumber: number, blockHash: hash, txHash: hash, pool: poolAt(pool) }
      const amount = BigInt(hashes * 10 + index)
      return [
        { ...place, logIndex: 2 * index, type: 'sync', amount0: 10_000n + amount, amount1: 20_000n + amount },
        { ...place, logIndex: 2 * index + 1, type: 'swap', amount0: amount, amount1: amount % 3n },
      ]
    })
    const parentHash = blocks.at(-1)?.hash ?? (`0x${'00'.repeat(32)}` as Bytes32)
    blocks.push({ number, hash, parentHash, timestamp: 1_800_000_000 + number * 100, logs })
  }

  async function index(): Promise<void> {
    const from: Checkpoint | null = await findCheckpoint(database.db, chainId)
    const fresh = blocks.slice((from?.number ?? -1) + 1)
    const final = blocks.length - 1 - network.finalityBlocks
    if (fresh.length > 0)
      await applyBlocks(from, rangeOf(fresh.map((block) => ({ block, logs: [] }))), indexing)
    if (final > 0) await applyFinality(final, indexing)
  }

  async function reorg(depth: number, trades: readonly number[][]): Promise<void> {
    const to = blocks[blocks.length - 1 - depth]
    const from = await findCheckpoint(database.db, chainId)
    if (!to || !from) return
    blocks.splice(to.number + 1)
    await applyReorg(from, to, indexing)
    // A branch replaces another when it is longer.
    for (let block = 0; block <= Math.max(depth, trades.length); block++) mine(trades[block] ?? [])
    await index()
  }

  function answering(): void {
    if (outages-- > 0) throw new Outage('the network node')
  }

  /** Follows until there is nothing more to do. */
  async function settle(): Promise<void> {
    const stopping = new AbortController()
    let pauses = 0
    await runPoolIndex(
      {
        network,
        db: database.db,
        max,
        log: silentLog,
        indexed: () => findCheckpoint(database.db, chainId),
        now: () => blocks.length * 100_000 + pauses * 1_000,
        chain: {
          block: async (number) => {
            answering()
            return blocks[number]
          },
        },
        async poolLogs(pools, { from, to, endHash }) {
          answering()
          const logs = blocks.slice(from, to + 1).flatMap((block) => block.logs)
          if (endHash !== undefined && blocks[to]?.hash !== endHash) throw new Outage(`block ${to}`)
          const interfere = meanwhile
          meanwhile = undefined
          await interfere?.()
          return logs.filter(({ pool }) => pools.includes(pool))
        },
        async readReserves(pools, hash) {
          answering()
          const at = blocks.find((block) => block.hash === hash)
          if (!at) throw new Outage('the block')
          return pools.map((pool) => reservesAt(pool, at.number) ?? { reserve0: 1n, reserve1: 2n })
        },
        lookAround: async () => undefined,
        poll: async (failures) => {
          pauses++
          // Who waits for a node that was away waits 30 s at most; then there is nothing to ask it.
          if ((failures === 0 && (outages <= 0 || pauses > 40)) || failures > 20) stopping.abort()
        },
      },
      stopping.signal,
    )
  }

  const logsOf = (pool: Address, from: number, to: number) =>
    blocks.slice(from, to + 1).flatMap(({ logs }) => logs.filter((log) => log.pool === pool))

  function reservesAt(pool: Address, block: number) {
    const sync = logsOf(pool, 0, block).findLast(({ type }) => type === 'sync')
    return sync && { reserve0: sync.amount0, reserve1: sync.amount1 }
  }

  return {
    blocks,
    index,
    reorg,
    settle,
    interfere: (run: () => Promise<void>) => {
      meanwhile = run
    },
    goAway: (calls: number) => {
      outages = calls
    },
    async grow(trades: readonly number[][]) {
      for (const pools of trades) mine(pools)
      await index()
    },
    async note(pool: number) {
      const place = { address: poolAt(pool), token0: numbered('01'), token1: numbered('02') }
      if (!noted.includes(place.address)) noted.push(place.address)
      await noteUsedPools(database.db, chainId, [place], { at: new Date(), max })
    },
    expected() {
      const head = blocks.at(-1) as FakeBlock
      const isWithin = (block: FakeBlock) => block.timestamp >= head.timestamp - daySeconds
      const from = blocks.find((block) => block.number % span === 0 && isWithin(block)) as FakeBlock
      const pools = noted.toSorted().map((pool) => {
        const swaps = logsOf(pool, from.number, head.number).filter(({ type }) => type === 'swap')
        const sum = (side: 'amount0' | 'amount1') => swaps.reduce((total, swap) => total + swap[side], 0n)
        return {
          address: pool,
          token0: numbered('01'),
          token1: numbered('02'),
          ...(reservesAt(pool, head.number) ?? { reserve0: 1n, reserve1: 2n }),
          day: { amount0: sum('amount0'), amount1: sum('amount1') },
        }
      })
      const timeOf = ({ timestamp }: Block) => new Date(timestamp * 1_000)
      return {
        block: head.number,
        blockTime: timeOf(head),
        fromBlock: from.number,
        fromTime: timeOf(from),
        pools,
      }
    },
  }
}

async function counted() {
  const days = await findPoolDays(database.db, chainId)
  if (!days) return undefined
  const { updatedAt: _, ...rest } = days
  return { ...rest, pools: days.pools.toSorted((a, b) => (a.address < b.address ? -1 : 1)) }
}

async function empty(): Promise<void> {
  const client = await connectDirectly(database.url)
  await client.query('TRUNCATE followed_pools, pool_volumes, pool_indexes, checkpoints, blocks')
  await client.end()
}

const trades = (maxLength: number) =>
  fc.array(fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 3 }), { minLength: 1, maxLength })
const commands = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ op: fc.constant('grow' as const), trades: trades(30) }) },
    {
      weight: 2,
      arbitrary: fc.record({
        op: fc.constant('rest' as const),
        blocks: fc.integer({ min: 100, max: 1_300 }),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        op: fc.constant('reorg' as const),
        depth: fc.integer({ min: 1, max: 11 }),
        trades: trades(14),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        op: fc.constant('interfere' as const),
        depth: fc.integer({ min: 1, max: 11 }),
        trades: trades(14),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ op: fc.constant('note' as const), pool: fc.integer({ min: 0, max: 3 }) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ op: fc.constant('away' as const), calls: fc.integer({ min: 1, max: 5 }) }),
    },
    { weight: 4, arbitrary: fc.constant({ op: 'settle' as const }) },
  ),
  { minLength: 4, maxLength: 14 },
)

test('after any history, sums are those of the logs that stand', async () => {
  await fc.assert(
    fc.asyncProperty(commands, async (history) => {
      await empty()
      const world = createWorld()
      await world.grow(Array.from({ length: 20 }, (_, index) => [index % 4]))
      await world.note(0)
      for (const command of history) {
        if (command.op === 'grow') await world.grow(command.trades)
        if (command.op === 'rest')
          await world.grow(
            Array.from({ length: command.blocks }, (_, index) => (index % 50 === 0 ? [1] : [])),
          )
        if (command.op === 'reorg') await world.reorg(command.depth, command.trades)
        if (command.op === 'interfere') world.interfere(() => world.reorg(command.depth, command.trades))
        if (command.op === 'note') await world.note(command.pool)
        if (command.op === 'away') world.goAway(command.calls)
        if (command.op === 'settle') await world.settle()
      }
      await world.settle()
      await world.settle()
      expect(await counted()).toEqual(world.expected())
    }),
    { numRuns: 20 },
  )
}, 60_000)

test('final blocks are summed by span, and days that are over are dropped', async () => {
  await empty()
  const world = createWorld()
  await world.note(0)
  await world.grow(Array.from({ length: 900 }, () => [0]))
  await world.settle()
  const rows = async () => {
    const client = await connectDirectly(database.url)
    const { rows } = await client.query(
      'SELECT count(*) FILTER (WHERE block_number = 0)::int AS spans, count(*) FILTER (WHERE block_number > 0)::int AS blocks FROM pool_volumes',
    )
    await client.end()
    return rows[0]
  }
  expect(await rows()).toEqual({ spans: 95, blocks: network.finalityBlocks })
  for (let part = 0; part < 12; part++) {
    await world.grow(Array.from({ length: 45 }, () => [0]))
    await world.settle()
  }
  expect(await counted()).toEqual(world.expected())
  expect((await rows()).spans).toBeLessThanOrEqual(97)
  expect((await rows()).blocks).toBe(network.finalityBlocks)
})

test('no more pools are followed than may be, and those in use are kept', async () => {
  await empty()
  const { db } = database
  const note = (from: number, count: number, at: Date) =>
    noteUsedPools(
      db,
      chainId,
      Array.from({ length: count }, (_, index) => ({
        address: poolAt(from + index),
        token0: numbered('01'),
        token1: numbered('02'),
      })),
      { at, max: 10 },
    )
  const listed = async () => {
    const client = await connectDirectly(database.url)
    const { rows } = await client.query(
      `SELECT encode(address, 'hex') AS pool FROM followed_pools ORDER BY address`,
    )
    await client.end()
    return rows.map(({ pool }) => address(`0x${pool}`))
  }
  const poolsFrom = (first: number, count: number) =>
    Array.from({ length: count }, (_, index) => poolAt(first + index)).toSorted()
  const days = (count: number) => new Date(count * daySeconds * 1_000)
  await note(0, 8, days(1))
  await note(20, 200, days(2))
  expect(await listed()).toEqual([...poolsFrom(0, 8), ...poolsFrom(20, 2)].toSorted())
  await note(3, 2, days(9))
  await forgetUnusedPools(db, chainId, { since: days(1.5), max: 10 })
  expect(await listed()).toEqual([...poolsFrom(3, 2), ...poolsFrom(20, 2)].toSorted())
  await forgetUnusedPools(db, chainId, { since: days(0), max: 3 })
  expect(await listed()).toEqual([...poolsFrom(3, 2), ...poolsFrom(20, 1)].toSorted())
})

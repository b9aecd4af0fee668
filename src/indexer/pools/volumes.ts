import type { Block } from '../../chain/chain.ts'
import type { LogRange } from '../../chain/logs/logs.ts'
import type { PoolLog, Reserves } from '../../chain/pool-reader.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Bytes32 } from '../../domain/evm/hex.ts'
import type { Clock } from '../../domain/log.ts'
import type { Network } from '../../domain/network/network.ts'
import { blockHash, type Checkpoint } from '../../storage/chain/indexed-logs.ts'
import type { Database, Tx } from '../../storage/database/database.ts'
import {
  addVolumes,
  type BlockVolume,
  dropPools,
  findCountedPools,
  holdBlock,
  mergeFinalVolumes,
  movePoolIndex,
  movePoolsBack,
  type PoolIndex,
  type PoolToRead,
  setReserves,
  startPoolIndex,
} from '../../storage/token/pools.ts'
import { ChainMoved, type ChainReads, maxLogs, RangeTooFull, timeOf } from '../block-range.ts'

const daySeconds = 86_400
const spanMs = 900_000

/** Volumes are summed by spans of so many blocks: about a quarter of an hour. */
export function spanOf({ blockTimeMs }: { blockTimeMs: number }): number {
  return Math.max(1, Math.round(spanMs / blockTimeMs))
}

/** Beginning of the day before a block. */
interface DayStart {
  fromBlock: number
  fromTime: Date
}

interface DayOptions {
  chain: Pick<ChainReads, 'block'>
  span: number
}

/** The first span from block `minBlock` on that begins a day or less before this block; else the newest. */
async function findDayStart(
  { chain, span }: DayOptions,
  block: Pick<Block, 'number' | 'timestamp'>,
  minBlock: number,
): Promise<DayStart> {
  const timeOf = async (number: number) => {
    const found = await chain.block(number)
    if (!found) throw new ChainMoved(`block ${number} is missing below the head`)
    return found.timestamp
  }
  const oldest = block.timestamp - daySeconds
  let low = Math.floor(Math.max(0, minBlock) / span)
  let high = Math.floor(block.number / span)
  let time = await timeOf(high * span)
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const middleTime = await timeOf(middle * span)
    if (middleTime < oldest) low = middle + 1
    else {
      high = middle
      time = middleTime
    }
  }
  return { fromBlock: high * span, fromTime: new Date(time * 1_000) }
}

function isDayOver({ fromTime }: DayStart, { timestamp }: Pick<Block, 'timestamp'>): boolean {
  return fromTime.getTime() < (timestamp - daySeconds) * 1_000
}

/** Checks whether a day has passed between the two. */
export function isDayLater(before: Date, { timestamp }: Pick<Block, 'timestamp'>): boolean {
  return timestamp * 1_000 - before.getTime() > daySeconds * 1_000
}

export interface PoolReading {
  network: Pick<Network, 'chainId' | 'name' | 'firstBlock' | 'finalityBlocks' | 'blockTimeMs'>
  db: Database
  now: Clock
  chain: Pick<ChainReads, 'block'>
  /** @throws Outage if the last block does not exist */
  poolLogs(pools: readonly Address[], range: LogRange): Promise<PoolLog[]>
  /** Reserves at this block; undefined for a contract that is no pool. @throws Outage */
  readReserves(pools: readonly Address[], blockHash: Bytes32): Promise<(Reserves | undefined)[]>
  /** Blocks of a span. */
  span: number
}

/** Begins at a block, as if none had been read before. @throws ChainMoved, Outage */
export async function begin(reading: PoolReading, at: Checkpoint): Promise<void> {
  const { network, db, now } = reading
  const block = await blockAt(reading, at.number, at.hash)
  const day = await findDayStart(reading, block, network.firstBlock)
  await db.transaction(async (tx) => {
    await hold(tx, reading, block)
    const index = { block: block.number, blockTime: timeOf(block), ...day }
    await startPoolIndex(tx, network.chainId, index, new Date(now()))
  })
}

/**
 * Counts the logs of the blocks after `index`, up to `to`, and moves the day on.
 * @param hash of `to`; undefined if it is final
 * @returns the number of logs
 * @throws ChainMoved, RangeTooFull, Outage
 */
export async function advance(
  reading: PoolReading,
  index: PoolIndex,
  { to, hash, newest }: { to: number; hash: Bytes32 | undefined; newest: number },
): Promise<number> {
  const { network, db, now, span } = reading
  const { chainId } = network
  const logs = await logsIn(reading, await findCountedPools(db, chainId), {
    from: index.block + 1,
    to,
    endHash: hash,
  })
  const block = await blockAt(reading, to, hash)
  const day = isDayOver(index, block) ? await findDayStart(reading, block, index.fromBlock) : index
  const { fromBlock, fromTime } = day
  const final = newest - network.finalityBlocks
  await db.transaction(async (tx) => {
    await hold(tx, reading, block)
    const next = { block: to, blockTime: timeOf(block), fromBlock, fromTime }
    const isMoved = await movePoolIndex(tx, chainId, index, { to: next, at: new Date(now()) })
    if (!isMoved) throw new ChainMoved('the index of pools was moved')
    await addVolumes(tx, chainId, volumesOf(logs), { span, final })
    await setReserves(tx, chainId, reservesOf(logs), to + 1)
    await mergeFinalVolumes(tx, chainId, final)
  })
  return logs.length
}

/** Reads reserves at the last block that is counted. @throws ChainMoved, Outage */
export async function readUnknown(
  reading: PoolReading,
  pools: readonly PoolToRead[],
  at: Checkpoint,
): Promise<void> {
  const { network, db, readReserves } = reading
  const addresses = pools.map(({ address }) => address)
  const answers = await readReserves(addresses, at.hash)
  await db.transaction(async (tx) => {
    await hold(tx, reading, at)
    const reserves = addresses.flatMap((pool, index) => {
      const known = answers[index]
      return known ? [{ pool, ...known }] : []
    })
    await setReserves(tx, network.chainId, reserves, at.number + 1)
    const absent = addresses.filter((_, index) => answers[index] === undefined)
    if (absent.length > 0) await dropPools(tx, network.chainId, absent)
  })
}

/**
 * Counts older logs of the pools that begin last, back to where others or the day begin.
 * @returns the number of logs
 * @throws ChainMoved, RangeTooFull, Outage
 */
export async function readBack(
  reading: PoolReading,
  pools: readonly PoolToRead[],
  { fromBlock, newest, range }: { fromBlock: number; newest: number; range: number },
): Promise<number> {
  const { network, db, span } = reading
  const starts = [...new Set(pools.flatMap((pool) => pool.fromBlock ?? []))].sort((a, b) => b - a)
  const [from = 0, next = 0] = starts
  const to = Math.max(fromBlock, next, from - range)
  const group = pools.filter((pool) => pool.fromBlock === from).map(({ address }) => address)
  const hash = await blockHash(db, network.chainId, from - 1)
  const logs = await logsIn(reading, group, { from: to, to: from - 1, endHash: hash })
  await db.transaction(async (tx) => {
    if (hash !== undefined) await hold(tx, reading, { number: from - 1, hash })
    const moved = await movePoolsBack(tx, network.chainId, group, { from, to })
    if (moved !== group.length) throw new ChainMoved('the pools were changed')
    await addVolumes(tx, network.chainId, volumesOf(logs), { span, final: newest - network.finalityBlocks })
  })
  return logs.length
}

async function logsIn(
  { poolLogs }: PoolReading,
  pools: readonly Address[],
  range: LogRange,
): Promise<PoolLog[]> {
  const logs = pools.length > 0 ? await poolLogs(pools, range) : []
  if (logs.length > maxLogs && range.from < range.to) throw new RangeTooFull(`${logs.length} logs`)
  return logs
}

async function blockAt({ chain }: PoolReading, number: number, hash: Bytes32 | undefined): Promise<Block> {
  const block = await chain.block(number)
  if (!block || (hash ?? block.hash) !== block.hash) throw new ChainMoved(`block ${number} changed`)
  return block
}

/** @throws ChainMoved when the block is not stored as part of the chain */
async function hold(tx: Tx, { network }: PoolReading, block: Checkpoint): Promise<void> {
  if (!(await holdBlock(tx, network.chainId, block))) throw new ChainMoved(`block ${block.number} changed`)
}

/** Volumes, one for each pool and block. */
function volumesOf(logs: readonly PoolLog[]): BlockVolume[] {
  const volumes = new Map<string, BlockVolume>()
  for (const { type, pool, blockNumber, amount0, amount1 } of logs) {
    if (type !== 'swap') continue
    const key = `${pool}${blockNumber}`
    const before = volumes.get(key) ?? { amount0: 0n, amount1: 0n }
    volumes.set(key, {
      pool,
      blockNumber,
      amount0: before.amount0 + amount0,
      amount1: before.amount1 + amount1,
    })
  }
  return [...volumes.values()]
}

/** The last reserves of each pool. */
function reservesOf(logs: readonly PoolLog[]) {
  const syncs = logs.filter(({ type }) => type === 'sync')
  return [...new Map(syncs.map((sync) => [sync.pool, sync])).values()].map(({ pool, amount0, amount1 }) => ({
    pool,
    reserve0: amount0,
    reserve1: amount1,
  }))
}

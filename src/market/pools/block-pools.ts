import { LRUCache } from 'lru-cache'
import { type PoolAnswer, type Reserves, readPools } from '../../chain/pool-reader.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Bytes32 } from '../../domain/evm/hex.ts'
import type { Pool } from '../../domain/routing/pool.ts'
import type { Pair } from './pairs.ts'
import type { PoolRegistry } from './registry.ts'

/** The pools of one block. Each is read when it is asked for first, and once for all who ask. */
export interface BlockPools {
  blockHash: Bytes32
  /**
   * @param aheadMs what would have to be looked up within this time is looked up now
   * @throws Outage, also when the node has no such block (any more)
   */
  find(pairs: readonly Pair[], aheadMs?: number): Promise<FoundPools>
}

export interface FoundPools {
  /** In the order of the pairs; those with nothing in them are left out. */
  pools: readonly Pool[]
  /** The pairs that have a pool, be it empty. */
  placed: readonly Pair[]
  absent: readonly Pair[]
  /** When the first of the others has to be looked up again, in milliseconds since 1970. */
  knownUntil: number
}

export interface PoolSource {
  rpc: Rpc
  factory: Address
  registry: PoolRegistry
}

/** By the pair's key; null stands for a pool that nobody can trade with. */
type PoolsByKey = ReadonlyMap<string, Pool | null>

const maxKept = 20_000

export function createBlockPools(source: PoolSource, blockHash: Bytes32): BlockPools {
  const { registry } = source
  // By size: with `max` the memory for all of them is taken at once, which is 2 ms for each block.
  const read = new LRUCache<string, { pool: Pool | null }>({ maxSize: maxKept, sizeCalculation: () => 1 })
  const underWay = new Map<string, Promise<PoolsByKey>>()

  const isAbsent = (key: string, aheadMs: number) => {
    const place = registry.find(key, aheadMs)
    return place !== undefined && place.pool === undefined
  }

  function start(pairs: readonly Pair[], aheadMs: number): Promise<PoolsByKey> {
    const reading = readPairs(source, pairs, blockHash, aheadMs).then((pools) => {
      for (const [key, pool] of pools) read.set(key, { pool })
      return pools
    })
    const ended = reading.finally(() => {
      for (const { key } of pairs) underWay.delete(key)
    })
    for (const { key } of pairs) underWay.set(key, ended)
    return ended
  }

  /**
   * Holds what it has found, whatever is forgotten meanwhile. Where a read that others began fails, it asks
   * once more.
   */
  async function batch(pairs: readonly Pair[], aheadMs: number, isLast = false): Promise<PoolsByKey> {
    const held = new Map<string, Pool | null>()
    for (const { key } of pairs) {
      const known = read.get(key)
      if (known) held.set(key, known.pool)
    }
    const unread = pairs.filter(({ key }) => !held.has(key) && !isAbsent(key, aheadMs))
    const shared = new Set(unread.flatMap(({ key }) => underWay.get(key) ?? []))
    const unasked = unread.filter(({ key }) => !underWay.has(key))
    const own = unasked.length > 0 ? start(unasked, aheadMs) : undefined
    const ends = await Promise.allSettled(own ? [own, ...shared] : shared)
    if (own) await own
    const failed = ends.find((end) => end.status === 'rejected')
    if (failed && isLast) throw failed.reason
    if (failed) return batch(pairs, aheadMs, true)
    for (const end of ends)
      if (end.status === 'fulfilled') for (const [key, pool] of end.value) held.set(key, pool)
    return held
  }

  return {
    blockHash,
    async find(pairs, aheadMs = 0) {
      const held = await batch(pairs, aheadMs)
      const until = pairs.map(({ key }) => registry.find(key)?.knownUntil ?? Number.POSITIVE_INFINITY)
      return {
        pools: pairs.flatMap(({ key }) => held.get(key) ?? []),
        placed: pairs.filter(({ key }) => held.has(key)),
        absent: pairs.filter(({ key }) => !held.has(key)),
        knownUntil: until.reduce((first, one) => Math.min(first, one), Number.POSITIVE_INFINITY),
      }
    },
  }
}

/**
 * Reserves of pools whose place is known, place and reserves of the others, in one round trip. Absent ones
 * are only noted.
 */
async function readPairs(
  { rpc, factory, registry }: PoolSource,
  pairs: readonly Pair[],
  blockHash: Bytes32,
  aheadMs: number,
) {
  const known = pairs.flatMap((pair) => {
    const pool = registry.find(pair.key)?.pool
    return pool ? [{ pair, pool }] : []
  })
  const sought = pairs.filter(({ key }) => !registry.find(key, aheadMs))
  const { reserves, found }: PoolAnswer = await readPools(
    rpc,
    {
      pools: known.map(({ pool }) => pool),
      factory,
      pairs: sought.map(({ token0, token1 }) => [token0, token1]),
    },
    blockHash,
  )
  const pools = new Map<string, Pool | null>()
  known.forEach(({ pair, pool }, index) => {
    pools.set(pair.key, toPool(pair, pool, reserves[index]))
  })
  sought.forEach((pair, index) => {
    const one = found[index]
    registry.note(pair.key, one?.pool)
    if (one) pools.set(pair.key, toPool(pair, one.pool, one.reserves))
  })
  return pools
}

function toPool({ token0, token1 }: Pair, address: Address, reserves: Reserves | undefined): Pool | null {
  if (!reserves || reserves.reserve0 === 0n || reserves.reserve1 === 0n) return null
  return { address, token0, token1, ...reserves }
}

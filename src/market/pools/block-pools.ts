import { type PoolAnswer, type Reserves, readPools } from '../../chain/pool-reader.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import { createLruCache } from '../../domain/derived.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Bytes32 } from '../../domain/evm/hex.ts'
import type { Clock } from '../../domain/log.ts'
import type { Pool, PoolIdentity } from '../../domain/routing/pool.ts'
import type { Pair } from './pairs.ts'

/**
 * The addresses of pools by the pair's key. An address never expires; the absence of a pool expires after a
 * minute.
 */
interface PoolRegistry {
  /** Returns the entry; undefined if the pair must be looked up now, or within `aheadMs`. */
  find(key: string, aheadMs?: number): PoolEntry | undefined
  note(key: string, pool: Address | undefined): void
}

interface PoolEntry {
  pool: Address | undefined
  /** The expiry in milliseconds since 1970. */
  validUntil: number
}

const absentForMs = 60_000
const maxPairs = 50_000

export function createPoolRegistry(now: Clock): PoolRegistry {
  const entries = createLruCache<string, PoolEntry>({ max: maxPairs })
  return {
    find(key, aheadMs = 0) {
      const entry = entries.get(key)
      return entry && entry.validUntil > now() + aheadMs ? entry : undefined
    },
    note(key, pool) {
      entries.set(key, { pool, validUntil: pool ? Number.POSITIVE_INFINITY : now() + absentForMs })
    },
  }
}

/** The pools that are read for quotes and auctions, each at most once an hour. */
interface UsedPools {
  note(pool: PoolIdentity): void
  /** Returns the pools noted since the last call, in order. */
  take(): PoolIdentity[]
}

const againMs = 3_600_000
const maxUsed = 10_000

export function createUsedPools(now: Clock): UsedPools {
  const noted = createLruCache<Address, true>({ max: maxUsed, ttl: againMs, ttlResolution: 0, perf: { now } })
  let waiting: PoolIdentity[] = []
  return {
    note({ address, token0, token1 }) {
      if (waiting.length >= maxUsed || noted.has(address)) return
      noted.set(address, true)
      waiting.push({ address, token0, token1 })
    },
    take() {
      const taken = waiting
      waiting = []
      return taken
    },
  }
}

/** The pools of one block. Each pool is read on its first request; later requests share the read. */
export interface BlockPools {
  blockHash: Bytes32
  /**
   * Finds the pools of the pairs.
   * @param aheadMs pairs whose entry in the registry expires within this time are looked up now
   * @throws Outage, also if the node does not have the block (any more)
   */
  find(pairs: readonly Pair[], aheadMs?: number): Promise<FoundPools>
}

export interface FoundPools {
  /** The pools in the order of the pairs, without empty pools. */
  pools: readonly Pool[]
  /** The pairs that have a pool, even an empty one. */
  placed: readonly Pair[]
  /** The pairs without a pool. */
  absent: readonly Pair[]
  /** The time when the first absent pair must be looked up again, in milliseconds since 1970. */
  validUntil: number
}

interface PoolSource {
  rpc: Rpc
  factory: Address
  registry: PoolRegistry
  used: Pick<UsedPools, 'note'>
}

/** Pools by the pair's key; null stands for a pool that is empty or could not be read. */
type PoolsByKey = ReadonlyMap<string, Pool | null>

const maxPools = 20_000

export function createBlockPools(source: PoolSource, blockHash: Bytes32): BlockPools {
  const { registry } = source
  const cache = createLruCache<string, { pool: Pool | null }>({ max: maxPools })
  const pendingReads = new Map<string, Promise<PoolsByKey>>()

  const isAbsent = (key: string, aheadMs: number) => {
    const entry = registry.find(key, aheadMs)
    return entry !== undefined && entry.pool === undefined
  }

  function startRead(pairs: readonly Pair[], aheadMs: number): Promise<PoolsByKey> {
    const read = readPairs(source, pairs, blockHash, aheadMs).then((pools) => {
      for (const [key, pool] of pools) cache.set(key, { pool })
      return pools
    })
    const pendingRead = read.finally(() => {
      for (const { key } of pairs) pendingReads.delete(key)
    })
    for (const { key } of pairs) pendingReads.set(key, pendingRead)
    return pendingRead
  }

  /**
   * Collects the pools of the pairs in a map of its own, because the cache may drop entries meanwhile. Reads
   * once more if a read that another caller started fails.
   */
  async function collectPools(pairs: readonly Pair[], aheadMs: number, isLast = false): Promise<PoolsByKey> {
    const poolsByKey = new Map<string, Pool | null>()
    for (const { key } of pairs) {
      const cached = cache.get(key)
      if (cached) poolsByKey.set(key, cached.pool)
    }
    const unread = pairs.filter(({ key }) => !poolsByKey.has(key) && !isAbsent(key, aheadMs))
    const sharedReads = new Set(unread.flatMap(({ key }) => pendingReads.get(key) ?? []))
    const unrequested = unread.filter(({ key }) => !pendingReads.has(key))
    const ownRead = unrequested.length > 0 ? startRead(unrequested, aheadMs) : undefined
    const results = await Promise.allSettled(ownRead ? [ownRead, ...sharedReads] : sharedReads)
    if (ownRead) await ownRead
    const failed = results.find((result) => result.status === 'rejected')
    if (failed && isLast) throw failed.reason
    if (failed) return collectPools(pairs, aheadMs, true)
    for (const result of results)
      if (result.status === 'fulfilled') for (const [key, pool] of result.value) poolsByKey.set(key, pool)
    return poolsByKey
  }

  return {
    blockHash,
    async find(pairs, aheadMs = 0) {
      const poolsByKey = await collectPools(pairs, aheadMs)
      const expiries = pairs.map(({ key }) => registry.find(key)?.validUntil ?? Number.POSITIVE_INFINITY)
      return {
        pools: pairs.flatMap(({ key }) => poolsByKey.get(key) ?? []),
        placed: pairs.filter(({ key }) => poolsByKey.has(key)),
        absent: pairs.filter(({ key }) => !poolsByKey.has(key)),
        validUntil: expiries.reduce((first, expiry) => Math.min(first, expiry), Number.POSITIVE_INFINITY),
      }
    },
  }
}

/**
 * Reads the reserves of known pools, and the addresses and reserves of others, in one round trip. Pairs
 * without a pool are recorded in the registry only.
 */
async function readPairs(
  { rpc, factory, registry, used }: PoolSource,
  pairs: readonly Pair[],
  blockHash: Bytes32,
  aheadMs: number,
) {
  const located = pairs.flatMap((pair) => {
    const pool = registry.find(pair.key)?.pool
    return pool ? [{ pair, pool }] : []
  })
  const unlocated = pairs.filter(({ key }) => !registry.find(key, aheadMs))
  const { reserves, found }: PoolAnswer = await readPools(
    rpc,
    {
      pools: located.map(({ pool }) => pool),
      factory,
      pairs: unlocated.map(({ token0, token1 }) => [token0, token1]),
    },
    blockHash,
  )
  const pools = new Map<string, Pool | null>()
  located.forEach(({ pair, pool }, index) => {
    pools.set(pair.key, toPool(pair, pool, reserves[index]))
  })
  unlocated.forEach((pair, index) => {
    const pairPool = found[index]
    registry.note(pair.key, pairPool?.pool)
    if (pairPool) pools.set(pair.key, toPool(pair, pairPool.pool, pairPool.reserves))
  })
  for (const pool of pools.values()) if (pool) used.note(pool)
  return pools
}

function toPool({ token0, token1 }: Pair, address: Address, reserves: Reserves | undefined): Pool | null {
  if (!reserves || reserves.reserve0 === 0n || reserves.reserve1 === 0n) return null
  return { address, token0, token1, ...reserves }
}

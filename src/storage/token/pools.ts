import type { Address } from '../../domain/evm/address.ts'
import type { PoolIdentity } from '../../domain/routing/pool.ts'
import type { PoolDay } from '../../domain/routing/pool-value.ts'
import type { Checkpoint } from '../chain/indexed-logs.ts'
import { bytea, hexOf, json, raw } from '../database/columns.ts'
import { type Db, sql, type Tx } from '../database/database.ts'

/** How far the logs of followed pools are read. */
export interface PoolIndex {
  block: number
  blockTime: Date
  /** The first block of the day that volumes are of, which begins a span. */
  fromBlock: number
  fromTime: Date
}

export interface PoolToRead {
  address: Address
  /** Null until its reserves were read for the first time. */
  fromBlock: number | null
  hasReserves: boolean
}

export async function findPoolIndex(db: Db, chainId: number): Promise<PoolIndex | null> {
  const row = await sql(db).poolIndex.findUnique({ where: { chainId } })
  return (
    row && {
      block: Number(row.blockNumber),
      blockTime: row.blockTime,
      fromBlock: Number(row.fromBlock),
      fromTime: row.fromTime,
    }
  )
}

/** The pools whose logs are counted. */
export async function findCountedPools(db: Db, chainId: number): Promise<Address[]> {
  const rows = await sql(db).followedPool.findMany({
    where: { chainId, fromBlock: { not: null } },
    select: { address: true },
  })
  return rows.map(({ address }) => hexOf(address))
}

/** Pools whose reserves have to be read, or their logs since `block`. */
export async function findPoolsToRead(db: Db, chainId: number, block: number): Promise<PoolToRead[]> {
  const rows = await sql(db).followedPool.findMany({
    where: { chainId, OR: [{ reserve0: null }, { fromBlock: { gt: BigInt(block) } }] },
    select: { address: true, fromBlock: true, reserve0: true },
  })
  return rows.map(({ address, fromBlock, reserve0 }) => ({
    address: hexOf(address),
    fromBlock: fromBlock === null ? null : Number(fromBlock),
    hasReserves: reserve0 !== null,
  }))
}

/**
 * Follows used pools, up to `most` in all; beyond that, only those already followed get a new time. In SQL:
 * one statement that counts, inserts and updates.
 */
export async function noteUsedPools(
  db: Db,
  chainId: number,
  pools: readonly PoolIdentity[],
  { at, max }: { at: Date; max: number },
): Promise<void> {
  await sql(db).$executeRaw`
    WITH used AS (
      SELECT * FROM unnest(${pools.map(({ address }) => bytea(address))}::bytea[], ${pools.map(({ token0 }) => bytea(token0))}::bytea[],
        ${pools.map(({ token1 }) => bytea(token1))}::bytea[]) WITH ORDINALITY AS u(address, token0, token1, place)
    ), fresh AS (
      SELECT * FROM used u WHERE NOT EXISTS (SELECT 1 FROM followed_pools p WHERE p.chain_id = ${chainId} AND p.address = u.address)
      ORDER BY place LIMIT greatest(0, ${max} - (SELECT count(*) FROM followed_pools WHERE chain_id = ${chainId}))
    ), again AS (
      UPDATE followed_pools p SET used_at = ${at} FROM used u WHERE p.chain_id = ${chainId} AND p.address = u.address
    )
    INSERT INTO followed_pools (chain_id, address, token0, token1, used_at)
    SELECT ${chainId}, address, token0, token1, ${at} FROM fresh ON CONFLICT DO NOTHING`
}

/** Stops following pools unused since a time, and the least recently used above `most`. In SQL: an order. */
export async function forgetUnusedPools(
  db: Db,
  chainId: number,
  { since, max }: { since: Date; max: number },
): Promise<void> {
  await sql(db).$executeRaw`
    WITH gone AS (
      DELETE FROM followed_pools WHERE chain_id = ${chainId} AND address IN (
        SELECT address FROM (SELECT address, used_at, row_number() OVER (ORDER BY used_at DESC, address) AS place
          FROM followed_pools WHERE chain_id = ${chainId}) p WHERE p.place > ${max} OR p.used_at < ${since})
      RETURNING address)
    DELETE FROM pool_volumes WHERE chain_id = ${chainId} AND pool IN (SELECT address FROM gone)`
}

/** Removes pools that are not, or no longer, valid. */
export async function dropPools(tx: Tx, chainId: number, pools: readonly Address[]): Promise<void> {
  await sql(tx).poolVolume.deleteMany({ where: { chainId, pool: { in: pools.map(bytea) } } })
  await sql(tx).followedPool.deleteMany({ where: { chainId, address: { in: pools.map(bytea) } } })
}

/** Begins at a block, as if none had been read before. */
export async function startPoolIndex(tx: Tx, chainId: number, index: PoolIndex, at: Date): Promise<void> {
  const data = { ...rowOf(index), updatedAt: at }
  await sql(tx).poolIndex.upsert({ where: { chainId }, create: { chainId, ...data }, update: data })
  await sql(tx).poolVolume.deleteMany({ where: { chainId } })
  await sql(tx).followedPool.updateMany({
    where: { chainId },
    data: { fromBlock: null, reserve0: null, reserve1: null },
  })
}

/** @returns false when it is not at `from`: another process or a reorg has moved it */
export async function movePoolIndex(
  tx: Tx,
  chainId: number,
  from: PoolIndex,
  { to, at }: { to: PoolIndex; at: Date },
): Promise<boolean> {
  const { count } = await sql(tx).poolIndex.updateMany({
    where: { chainId, blockNumber: BigInt(from.block), fromBlock: BigInt(from.fromBlock) },
    data: { ...rowOf(to), updatedAt: at },
  })
  if (to.fromBlock > from.fromBlock)
    await sql(tx).poolVolume.deleteMany({ where: { chainId, span: { lt: BigInt(to.fromBlock) } } })
  return count === 1
}

function rowOf({ block, blockTime, fromBlock, fromTime }: PoolIndex) {
  return { blockNumber: BigInt(block), blockTime, fromBlock: BigInt(fromBlock), fromTime }
}

/**
 * Locks the chain's checkpoint, so that no reorg is applied until the transaction ends.
 * @returns whether this block is in the chain that the indexer has stored; older blocks are final
 */
export async function holdBlock(tx: Tx, chainId: number, { number, hash }: Checkpoint): Promise<boolean> {
  const rows = await sql(tx).$queryRaw<unknown[]>`
    SELECT 1 FROM checkpoints c WHERE c.chain_id = ${chainId} AND c.block_number >= ${number}
      AND NOT EXISTS (SELECT 1 FROM blocks b WHERE b.chain_id = ${chainId} AND b.number = ${number} AND b.hash <> ${bytea(hash)})
    FOR UPDATE OF c`
  return rows.length === 1
}

/** Inflow of a pool in one block, in atoms. */
export interface BlockVolume {
  pool: Address
  blockNumber: number
  amount0: bigint
  amount1: bigint
}

interface PoolReserves {
  pool: Address
  reserve0: bigint
  reserve1: bigint
}

/** @param fromBlock for pools whose logs were not counted before */
export async function setReserves(
  tx: Tx,
  chainId: number,
  reserves: readonly PoolReserves[],
  fromBlock: number,
): Promise<void> {
  if (reserves.length === 0) return
  // In SQL: one statement for all.
  await sql(tx).$executeRaw`
    UPDATE followed_pools p SET reserve0 = r.reserve0, reserve1 = r.reserve1, from_block = coalesce(p.from_block, ${fromBlock})
    FROM unnest(${reserves.map(({ pool }) => bytea(pool))}::bytea[], ${reserves.map(({ reserve0 }) => String(reserve0))}::numeric[],
      ${reserves.map(({ reserve1 }) => String(reserve1))}::numeric[]) AS r(pool, reserve0, reserve1)
    WHERE p.chain_id = ${chainId} AND p.address = r.pool`
}

/**
 * Adds inflows, each block once. Blocks up to `final` are summed by span, later ones are kept apart, so that
 * a reorg can undo them. In SQL: one statement that adds.
 */
export async function addVolumes(
  tx: Tx,
  chainId: number,
  volumes: readonly BlockVolume[],
  { span, final }: { span: number; final: number },
): Promise<void> {
  if (volumes.length === 0) return
  await sql(tx).$executeRaw`
    INSERT INTO pool_volumes AS v (chain_id, pool, span, block_number, amount0, amount1)
    SELECT ${chainId}, p.address, n.block / ${span}::bigint * ${span}::bigint,
      CASE WHEN n.block > ${final} THEN n.block ELSE 0 END, sum(n.amount0), sum(n.amount1)
    FROM unnest(${volumes.map(({ pool }) => bytea(pool))}::bytea[], ${volumes.map(({ blockNumber }) => BigInt(blockNumber))}::bigint[],
      ${volumes.map(({ amount0 }) => String(amount0))}::numeric[], ${volumes.map(({ amount1 }) => String(amount1))}::numeric[])
      AS n(pool, block, amount0, amount1)
      JOIN followed_pools p ON p.chain_id = ${chainId} AND p.address = n.pool
    GROUP BY 2, 3, 4
    ON CONFLICT (chain_id, pool, span, block_number)
    DO UPDATE SET amount0 = v.amount0 + EXCLUDED.amount0, amount1 = v.amount1 + EXCLUDED.amount1`
}

/** Sums blocks up to `final` by span. In SQL: deleted rows are added. */
export async function mergeFinalVolumes(tx: Tx, chainId: number, final: number): Promise<void> {
  await sql(tx).$executeRaw`
    WITH merged AS (
      DELETE FROM pool_volumes WHERE chain_id = ${chainId} AND block_number > 0 AND block_number <= ${final}
      RETURNING pool, span, amount0, amount1)
    INSERT INTO pool_volumes AS v (chain_id, pool, span, block_number, amount0, amount1)
    SELECT ${chainId}, pool, span, 0, sum(amount0), sum(amount1) FROM merged GROUP BY pool, span
    ON CONFLICT (chain_id, pool, span, block_number)
    DO UPDATE SET amount0 = v.amount0 + EXCLUDED.amount0, amount1 = v.amount1 + EXCLUDED.amount1`
}

/** Counts the logs of these pools from `to` on, instead of `from`. @returns the number of pools that moved */
export async function movePoolsBack(
  tx: Tx,
  chainId: number,
  pools: readonly Address[],
  { from, to }: { from: number; to: number },
): Promise<number> {
  const { count } = await sql(tx).followedPool.updateMany({
    where: { chainId, address: { in: pools.map(bytea) }, fromBlock: BigInt(from) },
    data: { fromBlock: BigInt(to) },
  })
  return count
}

/**
 * Undoes the blocks above `block`; null is before the first. Reserves that they may have changed are read
 * again.
 */
export async function rollbackPools(tx: Tx, chainId: number, block: number | null): Promise<void> {
  const client = sql(tx)
  if (block === null) {
    await client.poolIndex.deleteMany({ where: { chainId } })
    return
  }
  // In SQL: the deleted rows decide which pools to update.
  await client.$executeRaw`
    WITH moved AS (
      UPDATE pool_indexes SET block_number = ${block} WHERE chain_id = ${chainId} AND block_number > ${block} RETURNING chain_id
    ), undone AS (
      DELETE FROM pool_volumes v USING moved m WHERE v.chain_id = m.chain_id AND v.block_number > ${block}
    )
    UPDATE followed_pools p SET reserve0 = NULL, reserve1 = NULL,
      from_block = CASE WHEN p.from_block <= ${block} THEN p.from_block END
    FROM moved m WHERE p.chain_id = m.chain_id`
}

export interface PoolDays {
  block: number
  blockTime: Date
  fromBlock: number
  fromTime: Date
  updatedAt: Date
  pools: PoolDay[]
}

const poolJson = raw(
  `coalesce(json_agg(json_build_array(${json.hex('p.address')}, ${json.hex('p.token0')}, ${json.hex('p.token1')},
    ${json.amount('p.reserve0')}, ${json.amount('p.reserve1')}, coalesce(p.from_block <= i.from_block, false),
    ${json.amount('v.amount0')}, ${json.amount('v.amount1')})), '[]')`,
)

type PoolRow = [
  address: Address,
  token0: Address,
  token1: Address,
  reserve0: string | null,
  reserve1: string | null,
  isWhole: boolean,
  amount0: string | null,
  amount1: string | null,
]

/**
 * All followed pools of a network, as of one block; undefined while none are followed. In SQL: one statement
 * over three tables.
 */
export async function findPoolDays(db: Db, chainId: number): Promise<PoolDays | undefined> {
  const [row] = await sql(db).$queryRaw<
    {
      block_number: bigint
      block_time: Date
      from_block: bigint
      from_time: Date
      updated_at: Date
      pools: PoolRow[]
    }[]
  >`
    SELECT i.block_number, i.block_time, i.from_block, i.from_time, i.updated_at, (
      SELECT ${poolJson} FROM followed_pools p LEFT JOIN (
        SELECT pool, sum(amount0) AS amount0, sum(amount1) AS amount1 FROM pool_volumes
        WHERE chain_id = i.chain_id AND span >= i.from_block GROUP BY pool) v ON v.pool = p.address
      WHERE p.chain_id = i.chain_id) AS pools
    FROM pool_indexes i WHERE i.chain_id = ${chainId}`
  return (
    row && {
      block: Number(row.block_number),
      blockTime: row.block_time,
      fromBlock: Number(row.from_block),
      fromTime: row.from_time,
      updatedAt: row.updated_at,
      pools: row.pools.map(toPoolDay),
    }
  )
}

function toPoolDay([
  address,
  token0,
  token1,
  reserve0,
  reserve1,
  isWhole,
  amount0,
  amount1,
]: PoolRow): PoolDay {
  return {
    address,
    token0,
    token1,
    reserve0: reserve0 === null ? null : BigInt(reserve0),
    reserve1: reserve1 === null ? null : BigInt(reserve1),
    day: isWhole ? { amount0: BigInt(amount0 ?? 0), amount1: BigInt(amount1 ?? 0) } : null,
  }
}

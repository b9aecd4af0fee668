import type { Address } from '../../../domain/evm/address.ts'
import type { PoolDay } from '../../../domain/routing/pool-value.ts'
import { bytea, json, raw } from '../../database/columns.ts'
import { type Db, sql, type Tx } from '../../database/database.ts'

/** What came into a pool in one block, in atoms. */
export interface BlockVolume {
  pool: Address
  blockNumber: number
  amount0: bigint
  amount1: bigint
}

export interface PoolReserves {
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
 * Adds what came in, each block once. Blocks up to `final` are summed by span, later ones are kept apart, so that a reorg can take
 * them back. In SQL: one statement that adds.
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

/** Sums blocks up to `final` by span. In SQL: what is deleted is added. */
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

/** The logs of these pools are counted from `to` on, instead of `from`. @returns of how many that was so */
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

/** Undoes the blocks above `block`; null is before the first. Reserves that they may have changed are read again. */
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

/** All followed pools of a network, as of one block; undefined while none are followed. In SQL: one statement over three tables. */
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
    ...{ address, token0, token1 },
    reserve0: reserve0 === null ? null : BigInt(reserve0),
    reserve1: reserve1 === null ? null : BigInt(reserve1),
    day: isWhole ? { amount0: BigInt(amount0 ?? 0), amount1: BigInt(amount1 ?? 0) } : null,
  }
}

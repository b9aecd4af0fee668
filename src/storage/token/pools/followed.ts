import type { Address } from '../../../domain/evm/address.ts'
import type { PoolPlace } from '../../../domain/routing/pool.ts'
import type { Checkpoint } from '../../chain/log.ts'
import { bytea, hexOf } from '../../database/columns.ts'
import { type Db, sql, type Tx } from '../../database/database.ts'

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

/** The last block that the indexer has stored, and the newest that it has seen. */
export async function findIndexed(
  db: Db,
  chainId: number,
): Promise<(Checkpoint & { head: number }) | undefined> {
  const row = await sql(db).checkpoint.findUnique({ where: { chainId } })
  if (!row) return undefined
  const number = Number(row.blockNumber)
  return { number, hash: hexOf(row.blockHash), head: Number(row.headNumber ?? number) }
}

/**
 * Follows pools that were used, up to `most` in all: while there are so many, only those that are followed already get another time.
 * In SQL: one statement that counts, inserts and updates.
 */
export async function noteUsedPools(
  db: Db,
  chainId: number,
  pools: readonly PoolPlace[],
  { at, most }: { at: Date; most: number },
): Promise<void> {
  await sql(db).$executeRaw`
    WITH used AS (
      SELECT * FROM unnest(${pools.map(({ address }) => bytea(address))}::bytea[], ${pools.map(({ token0 }) => bytea(token0))}::bytea[],
        ${pools.map(({ token1 }) => bytea(token1))}::bytea[]) WITH ORDINALITY AS u(address, token0, token1, place)
    ), fresh AS (
      SELECT * FROM used u WHERE NOT EXISTS (SELECT 1 FROM followed_pools p WHERE p.chain_id = ${chainId} AND p.address = u.address)
      ORDER BY place LIMIT greatest(0, ${most} - (SELECT count(*) FROM followed_pools WHERE chain_id = ${chainId}))
    ), again AS (
      UPDATE followed_pools p SET used_at = ${at} FROM used u WHERE p.chain_id = ${chainId} AND p.address = u.address
    )
    INSERT INTO followed_pools (chain_id, address, token0, token1, used_at)
    SELECT ${chainId}, address, token0, token1, ${at} FROM fresh ON CONFLICT DO NOTHING`
}

/** Stops following pools that nothing has used since, and those above `most`, the least recently used first. In SQL: an order decides. */
export async function forgetUnusedPools(
  db: Db,
  chainId: number,
  { since, most }: { since: Date; most: number },
): Promise<void> {
  await sql(db).$executeRaw`
    WITH gone AS (
      DELETE FROM followed_pools WHERE chain_id = ${chainId} AND address IN (
        SELECT address FROM (SELECT address, used_at, row_number() OVER (ORDER BY used_at DESC, address) AS place
          FROM followed_pools WHERE chain_id = ${chainId}) p WHERE p.place > ${most} OR p.used_at < ${since})
      RETURNING address)
    DELETE FROM pool_volumes WHERE chain_id = ${chainId} AND pool IN (SELECT address FROM gone)`
}

/** Those that are no pools (any more). */
export async function dropPools(tx: Tx, chainId: number, pools: readonly Address[]): Promise<void> {
  await sql(tx).poolVolume.deleteMany({ where: { chainId, pool: { in: pools.map(bytea) } } })
  await sql(tx).followedPool.deleteMany({ where: { chainId, address: { in: pools.map(bytea) } } })
}

/** Begins at a block, as if nothing had been read before. */
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

import type { OrderExecution } from '../../domain/auction/competition.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Bytes32 } from '../../domain/evm/hex.ts'
import type { OrderUid, Trade } from '../../domain/order/order.ts'
import type { SettlementAmount } from '../../domain/settlement/accounting.ts'
import { bytea, hexOf, numeric, raw } from '../database/columns.ts'
import { type Db, sql, type Tx } from '../database/database.ts'
import { Prisma } from '../generated/client.ts'
import { lockOrders } from '../order/progress.ts'

interface BlockRow {
  number: number
  hash: Bytes32
  parentHash: Bytes32
  /** Unix seconds. */
  timestamp: number
}

export interface Checkpoint {
  number: number
  hash: Bytes32
}

interface LogPosition {
  blockNumber: number
  logIndex: number
  txHash: Bytes32
}

interface SettlementRow extends LogPosition {
  solver: Address
  /** The time from which its solver is looked for again; null once it is known. */
  solverDue?: Date | null
  /** null when it is not a settlement of one of the service's auctions. */
  auctionId: bigint | null
  solutionUid: number | null
  /** Deadline of its auction. */
  deadlineBlock?: number | null
  /** The number of the auction that its call names. */
  calledAuction?: bigint | null
  gasUsed?: bigint | null
  effectiveGasPrice?: bigint | null
  /** No node knows its transaction. */
  isUnread?: boolean
  /** null where they are not known. */
  amounts?: readonly SettlementAmount[] | null
}

export interface InvalidationRow extends LogPosition {
  orderUid: OrderUid
}

/** A log of which only the order is stored. */
export type OrderLogRow = InvalidationRow

interface PresignatureRow extends LogPosition {
  orderUid: OrderUid
  owner: Address
  signed: boolean
}

/** Facts from the logs of a block range. Writing them is idempotent. */
export interface ChainFacts {
  trades: (Trade & { orderId: bigint | null })[]
  settlements: SettlementRow[]
  invalidations: InvalidationRow[]
  presignatures: PresignatureRow[]
  refunds?: OrderLogRow[]
  executions: (OrderExecution & { orderId: bigint })[]
}

/** The last block that the indexer has stored, and the newest that it has seen. */
export type Indexed = Checkpoint & { head: number }

/** Finds the last stored block, with the time of the last move in Unix milliseconds. */
export async function findCheckpoint(
  db: Db,
  chainId: number,
): Promise<(Indexed & { movedAt: number }) | null> {
  const row = await sql(db).checkpoint.findUnique({ where: { chainId } })
  return (
    row && {
      number: Number(row.blockNumber),
      hash: hexOf(row.blockHash),
      head: Number(row.headNumber ?? row.blockNumber),
      movedAt: row.updatedAt.getTime(),
    }
  )
}

interface CheckpointMove {
  from: Checkpoint | null
  /** `timestamp`: the block's Unix seconds, if known. */
  to: (Checkpoint & { timestamp?: number }) | null
  at: Date
  /** Number of the chain's head as last seen. */
  head?: number
}

/**
 * Moves the checkpoint forward or back; null is before the first block.
 * @throws when the checkpoint is not at `from`: another process moved it, and this transaction must roll back
 */
export async function moveCheckpoint(
  tx: Tx,
  chainId: number,
  { from, to, at, head }: CheckpointMove,
): Promise<void> {
  const { checkpoint } = sql(tx)
  const data = to && {
    blockNumber: BigInt(to.number),
    blockHash: bytea(to.hash),
    blockTime: to.timestamp === undefined ? null : new Date(to.timestamp * 1_000),
    headNumber: head === undefined ? null : BigInt(head),
    updatedAt: at,
  }
  if (from) {
    const where = { chainId, blockNumber: BigInt(from.number), blockHash: bytea(from.hash) }
    const { count } = await (data ? checkpoint.updateMany({ where, data }) : checkpoint.deleteMany({ where }))
    if (count !== 1) throw new Error(`the checkpoint of chain ${chainId} was moved by another process`)
  } else if (data) {
    await lockNoCheckpoint(tx, chainId)
    await checkpoint.create({ data: { chainId, ...data } })
  }
}

/** Lets one transaction at a time rely on the absence of the checkpoint. In SQL: an advisory lock. */
async function lockNoCheckpoint(tx: Tx, chainId: number): Promise<void> {
  await sql(tx).$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${`checkpoint:${chainId}`}, 0))`
}

/** Locks the checkpoint, and where there is none yet, its first position. In SQL: a row lock. */
export async function lockCheckpoint(tx: Tx, chainId: number): Promise<void> {
  const lock = () =>
    sql(tx).$queryRaw<unknown[]>`SELECT 1 FROM checkpoints WHERE chain_id = ${chainId} FOR UPDATE`
  if ((await lock()).length > 0) return
  await lockNoCheckpoint(tx, chainId)
  await lock()
}

/**
 * Moves the checkpoint over blocks without logs, and stores their hashes. In SQL: one statement, since most
 * blocks are such.
 * @returns whether orders that are not marked have expired before the last block
 * @throws when the checkpoint is not at `from`
 */
export async function moveThrough(
  db: Db,
  chainId: number,
  { from, to, at, head }: CheckpointMove & { from: Checkpoint; to: Checkpoint; head: number },
  blocks: readonly [BlockRow, ...BlockRow[]],
): Promise<boolean> {
  const { timestamp } = blocks.at(-1) ?? blocks[0]
  const [moved] = await sql(db).$queryRaw<{ expired: boolean }[]>`
    WITH moved AS (
      UPDATE checkpoints SET block_number = ${to.number}, block_hash = ${bytea(to.hash)}, head_number = ${head}, updated_at = ${at},
        block_time = ${new Date(timestamp * 1_000)}
      WHERE chain_id = ${chainId} AND block_number = ${from.number} AND block_hash = ${bytea(from.hash)} RETURNING chain_id
    ), stored AS (
      INSERT INTO blocks (chain_id, number, hash, parent_hash, time)
      SELECT m.chain_id, b.number, b.hash, b.parent, b.time
      FROM moved m, unnest(${blocks.map(({ number }) => BigInt(number))}::bigint[], ${blocks.map(({ hash }) => bytea(hash))}::bytea[],
        ${blocks.map(({ parentHash }) => bytea(parentHash))}::bytea[], ${blocks.map(({ timestamp }) => BigInt(timestamp))}::bigint[])
        AS b(number, hash, parent, time)
      ON CONFLICT DO NOTHING
    )
    SELECT EXISTS (
      SELECT FROM orders WHERE chain_id = ${chainId} AND expired_at_block IS NULL AND effective_valid_to < ${timestamp}
    ) AS expired FROM moved`
  if (!moved) throw new Error(`the checkpoint of chain ${chainId} was moved by another process`)
  return moved.expired
}

/**
 * Locks the checkpoint: no other transaction moves it, or writes under it, until this transaction ends. In
 * SQL: a row lock.
 * @throws when the checkpoint is not at `at`
 */
export async function holdCheckpoint(tx: Tx, chainId: number, at: Checkpoint): Promise<void> {
  const held = await sql(tx).$queryRaw<unknown[]>`SELECT 1 FROM checkpoints
    WHERE chain_id = ${chainId} AND block_number = ${at.number} AND block_hash = ${bytea(at.hash)} FOR UPDATE`
  if (held.length !== 1) throw new Error(`the checkpoint of chain ${chainId} was moved by another process`)
}

export async function blockHash(db: Db, chainId: number, number: number): Promise<Bytes32 | undefined> {
  const row = await sql(db).block.findUnique({
    where: { chainId_number: { chainId, number: BigInt(number) } },
  })
  return row ? hexOf(row.hash) : undefined
}

/**
 * Hashes by number of the stored blocks above `number`. Only blocks that may still be reorganised are stored.
 */
export async function blockHashesAbove(
  db: Db,
  chainId: number,
  number: number,
): Promise<Map<number, Bytes32>> {
  const rows = await sql(db).block.findMany({ where: { chainId, number: { gt: BigInt(number) } } })
  return new Map(rows.map((row) => [Number(row.number), hexOf(row.hash)]))
}

export async function insertBlocks(tx: Tx, chainId: number, blocks: readonly BlockRow[]): Promise<void> {
  await sql(tx).block.createMany({
    data: blocks.map(({ number, hash, parentHash, timestamp }) => ({
      chainId,
      number: BigInt(number),
      hash: bytea(hash),
      parentHash: bytea(parentHash),
      time: BigInt(timestamp),
    })),
    skipDuplicates: true,
  })
}

/** Deletes the hashes of final blocks. */
export async function forgetBlocksBelow(db: Db, chainId: number, number: number): Promise<void> {
  await sql(db).block.deleteMany({ where: { chainId, number: { lt: BigInt(number) } } })
}

export async function insertChainFacts(tx: Tx, chainId: number, facts: ChainFacts): Promise<void> {
  const client = sql(tx)
  const position = (row: LogPosition) => positionColumns(chainId, row)
  await client.trade.createMany({
    data: facts.trades.map((trade) => ({ ...position(trade), ...tradeColumns(trade) })),
    skipDuplicates: true,
  })
  await client.settlement.createMany({
    data: facts.settlements.map((row) => ({
      ...position(row),
      solver: bytea(row.solver),
      auctionId: row.auctionId,
      solutionUid: row.solutionUid,
      deadlineBlock: row.deadlineBlock == null ? null : BigInt(row.deadlineBlock),
      calledAuction: row.calledAuction ?? null,
      gasUsed: orNull(row.gasUsed),
      effectiveGasPrice: orNull(row.effectiveGasPrice),
      isMeasured: row.amounts != null,
      isUnread: row.isUnread ?? false,
      solverDue: row.solverDue ?? null,
    })),
    skipDuplicates: true,
  })
  await insertAmounts(tx, chainId, facts.settlements)
  await insertOrderLogs(tx, 'invalidations', chainId, facts.invalidations)
  await insertOrderLogs(tx, 'refunds', chainId, facts.refunds ?? [])
  await client.presignature.createMany({
    data: facts.presignatures.map((row) => ({
      ...position(row),
      orderUid: bytea(row.orderUid),
      owner: bytea(row.owner),
      signed: row.signed,
    })),
    skipDuplicates: true,
  })
  await insertExecutions(tx, facts.executions)
}

async function insertAmounts(tx: Tx, chainId: number, settlements: readonly SettlementRow[]): Promise<void> {
  const data = settlements.flatMap((row) => amountColumns(chainId, row))
  if (data.length > 0) await sql(tx).settlementAmount.createMany({ data, skipDuplicates: true })
}

async function insertExecutions(tx: Tx, executions: ChainFacts['executions']): Promise<void> {
  await sql(tx).execution.createMany({
    data: executions.map((row) => ({
      orderId: row.orderId,
      auctionId: row.auctionId,
      executedFee: numeric(row.executedFee),
      executedFeeToken: bytea(row.executedFeeToken),
      blockNumber: BigInt(row.blockNumber),
      protocolFeeTokens: row.protocolFees.map(({ token }) => bytea(token)),
      protocolFeeAmounts: row.protocolFees.map(({ amount }) => numeric(amount)),
      networkFee: orNull(row.networkFee),
    })),
    skipDuplicates: true,
  })
}

/** Adds the facts of their transactions to settlements stored by their logs alone, and to their trades. */
export async function completeChainFacts(tx: Tx, chainId: number, facts: ChainFacts): Promise<void> {
  const client = sql(tx)
  const placeOf = ({ blockNumber, logIndex }: LogPosition) => ({
    chainId_blockNumber_logIndex: { chainId, blockNumber: BigInt(blockNumber), logIndex },
  })
  for (const row of facts.settlements)
    await client.settlement.update({
      where: placeOf(row),
      data: {
        solver: bytea(row.solver),
        auctionId: row.auctionId,
        solutionUid: row.solutionUid,
        deadlineBlock: row.deadlineBlock == null ? null : BigInt(row.deadlineBlock),
        calledAuction: row.calledAuction ?? null,
        gasUsed: orNull(row.gasUsed),
        effectiveGasPrice: orNull(row.effectiveGasPrice),
        isMeasured: row.amounts != null,
        isUnread: false,
        ...(row.solverDue ? {} : { solverDue: null, solverTries: 0 }),
      },
    })
  for (const { auctionId, orderId, ...trade } of facts.trades)
    await client.trade.update({ where: placeOf(trade), data: { auctionId, orderId } })
  await insertAmounts(tx, chainId, facts.settlements)
  await insertExecutions(tx, facts.executions)
}

/** Inserts placements; to be called before the orders are stored: without one an order counts as undone. */
export function insertPlacements(tx: Tx, chainId: number, rows: readonly OrderLogRow[]): Promise<void> {
  return insertOrderLogs(tx, 'placements', chainId, rows)
}

/**
 * Inserts logs. In SQL: a block can have thousands, and Prisma's client takes as long to write the statement
 * as the server to run it.
 */
async function insertOrderLogs(
  tx: Tx,
  table: 'placements' | 'invalidations' | 'refunds',
  chainId: number,
  rows: readonly OrderLogRow[],
): Promise<void> {
  if (rows.length === 0) return
  await sql(tx).$executeRaw`
    INSERT INTO ${raw(table)} (chain_id, block_number, log_index, order_uid, tx_hash)
    SELECT ${chainId}::int, n.block, n.log, n.uid, n.tx
    FROM unnest(${rows.map(({ blockNumber }) => BigInt(blockNumber))}::bigint[], ${rows.map(({ logIndex }) => logIndex)}::int[],
      ${rows.map(({ orderUid }) => bytea(orderUid))}::bytea[], ${rows.map(({ txHash }) => bytea(txHash))}::bytea[])
      AS n(block, log, uid, tx)
    ON CONFLICT DO NOTHING`
}

function positionColumns(chainId: number, { blockNumber, logIndex, txHash }: LogPosition) {
  return { chainId, blockNumber: BigInt(blockNumber), logIndex, txHash: bytea(txHash) }
}

const orNull = (amount: bigint | null | undefined) => (amount == null ? null : numeric(amount))

function amountColumns(chainId: number, { blockNumber, logIndex, amounts }: SettlementRow) {
  return (amounts ?? []).map(({ kind, policy, recipient, token, amount, value }, position) => ({
    chainId,
    blockNumber: BigInt(blockNumber),
    logIndex,
    position,
    kind,
    policy,
    recipient: recipient && bytea(recipient),
    token: bytea(token),
    amount: numeric(amount),
    value: orNull(value),
  }))
}

function tradeColumns(trade: Trade & { orderId: bigint | null }) {
  return {
    orderId: trade.orderId,
    orderUid: bytea(trade.orderUid),
    owner: bytea(trade.owner),
    sellToken: bytea(trade.sellToken),
    buyToken: bytea(trade.buyToken),
    sellAmount: numeric(trade.sellAmount),
    buyAmount: numeric(trade.buyAmount),
    feeAmount: numeric(trade.feeAmount),
    auctionId: trade.auctionId,
  }
}

/** The tables of logs about orders: those above a block say whose progress a reorg changes. */
const orderLogs = ['trades', 'invalidations', 'presignatures', 'placements', 'refunds']

/** All tables whose rows a reorg deletes by their block alone. */
const blockFacts = [...orderLogs, 'solver_permissions', 'hook_calls', 'settlement_amounts']

/**
 * Undoes all facts of blocks above `block`. Settlement attempts are running again if none of their
 * settlements remains. `docs/architecture.md` lists what a reorg does to each column of a block number.
 * @returns row keys of the orders whose progress has to be refreshed
 */
export async function rollbackChainFacts(tx: Tx, chainId: number, block: number): Promise<bigint[]> {
  const client = sql(tx)
  const later = Prisma.sql`chain_id = ${chainId} AND block_number > ${block}`
  // In SQL: one statement over several tables.
  const uids = Prisma.join(
    orderLogs.map((table) => Prisma.sql`SELECT order_uid AS uid FROM ${raw(table)} WHERE ${later}`),
    ' UNION ',
  )
  const changed = await client.$queryRaw<{ uid: Uint8Array }[]>`${uids}`
  const changedUids = changed.map(({ uid }): OrderUid => hexOf(uid))
  await lockOrders(tx, changedUids)
  const rows = await client.$queryRaw<{ id: bigint }[]>`
    SELECT id FROM orders WHERE chain_id = ${chainId} AND uid IN (${uids})`
  const orderIds = rows.map(({ id }) => id)
  const above = { gt: BigInt(block) }
  await client.settlementAttempt.updateMany({
    where: { chainId, revertedBlock: above },
    data: {
      revertedGas: null,
      revertedGasPrice: null,
      revertedBlock: null,
      cancellationGas: null,
      cancellationGasPrice: null,
    },
  })
  // In SQL: the deleted rows decide which attempts to update.
  await client.$executeRaw`
    WITH ${Prisma.join(blockFacts.map((table) => Prisma.sql`${raw(`${table}_above`)} AS (DELETE FROM ${raw(table)} WHERE ${later})`))},
      settlement AS (DELETE FROM settlements WHERE ${later} RETURNING auction_id, solution_uid, block_number)
    UPDATE settlement_attempts a SET outcome = NULL, ended_at = NULL, end_block = NULL, replaced_block = s.block_number
    FROM settlement s
    WHERE a.auction_id = s.auction_id AND a.solution_uid = s.solution_uid
      AND NOT EXISTS (SELECT 1 FROM settlements r WHERE r.auction_id = s.auction_id AND r.solution_uid = s.solution_uid
        AND r.block_number <= ${block})`
  await client.execution.deleteMany({ where: { orderId: { in: orderIds }, blockNumber: above } })
  await client.orderEvent.deleteMany({ where: { orderId: { in: orderIds }, blockNumber: above } })
  // In SQL: any number of orders can have expired by one block.
  await client.$executeRaw`
    WITH unexpired AS (UPDATE orders SET expired_at_block = NULL WHERE chain_id = ${chainId} AND expired_at_block > ${block} RETURNING id)
    DELETE FROM order_events WHERE order_id IN (SELECT id FROM unexpired) AND block_number > ${block}`
  await client.block.deleteMany({ where: { chainId, number: above } })
  return orderIds
}

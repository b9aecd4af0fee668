import type { Address } from '../../domain/evm/address.ts'
import type { ProgrammaticProgress } from '../../domain/notification/programmatic.ts'
import type { HandlerType } from '../../domain/programmatic/handlers.ts'
import type { ConditionalOrderParams, ProgrammaticKey } from '../../domain/programmatic/params.ts'
import type { PollResult } from '../../domain/programmatic/statuses.ts'
import { amountOf, bytea, hexOf, raw } from '../database/columns.ts'
import { type Db, sql } from '../database/database.ts'
import type { Prisma } from '../generated/client.ts'
import {
  accountBehind,
  executedOf,
  filledParts,
  isOf,
  type ParamsRow,
  paramsOf,
} from './programmatic-status.ts'

/** A programmatic order, with what a notification about it needs. */
export interface NoticedOrder extends ProgrammaticKey {
  id: bigint
  chainId: number
  /** The account behind the owner. */
  account: Address
  type: HandlerType
  params: ConditionalOrderParams
  /** Null until it is read. */
  context: bigint | null
  partCount: number | null
  isRemoved: boolean
  /** The last poll, and the last one before its part. */
  polls: { result: PollResult; reason: string | null; time: number }[]
}

interface NoticedRow extends ParamsRow {
  id: bigint
  owner: Uint8Array
  hash: Uint8Array
  account: Uint8Array
  type: string
  context: Uint8Array | null
  part_count: bigint | null
  is_removed: boolean
  polled_at: Date | null
  poll_result: string | null
  poll_reason: string | null
  prior_polled_at: Date | null
  prior_result: string | null
  prior_reason: string | null
}

/** The programmatic orders that are known among these. In SQL: a list of pairs, and a derived account. */
export async function findNoticed(
  db: Db,
  chainId: number,
  keys: readonly ProgrammaticKey[],
): Promise<NoticedOrder[]> {
  if (keys.length === 0) return []
  const rows = await sql(db).$queryRaw<NoticedRow[]>`
    SELECT g.id, g.owner, g.hash, ${raw(accountBehind)} AS account, g.type, g.handler, g.salt, g.static_input, g.context,
      g.part_count, g.removed_block IS NOT NULL AS is_removed,
      g.polled_at, g.poll_result, g.poll_reason, g.prior_polled_at, g.prior_result, g.prior_reason
    FROM (SELECT DISTINCT * FROM unnest(${keys.map(({ owner }) => bytea(owner))}::bytea[],
      ${keys.map(({ hash }) => bytea(hash))}::bytea[]) AS k(owner, hash)) n
    JOIN programmatic_orders g ON g.chain_id = ${chainId} AND g.owner = n.owner AND g.hash = n.hash`
  return rows.map((row) => ({
    id: row.id,
    chainId,
    owner: hexOf(row.owner),
    hash: hexOf(row.hash),
    account: hexOf(row.account),
    type: row.type as HandlerType,
    params: paramsOf(row),
    context: row.context && BigInt(hexOf(row.context)),
    partCount: row.part_count === null ? null : Number(row.part_count),
    isRemoved: row.is_removed,
    polls: [
      ...pollOf(row.polled_at, row.poll_result, row.poll_reason),
      ...pollOf(row.prior_polled_at, row.prior_result, row.prior_reason),
    ],
  }))
}

function pollOf(at: Date | null, result: string | null, reason: string | null): NoticedOrder['polls'] {
  if (at === null || result === null) return []
  return [{ result: result as PollResult, reason, time: Math.floor(at.getTime() / 1_000) }]
}

interface NoticedProgress extends ProgrammaticProgress {
  /** How many logs authorised it. */
  creations: number
}

/** Reads the amounts that programmatic orders have traded. In SQL: sums over their orders. */
export async function findNoticedProgress(
  db: Db,
  ids: readonly bigint[],
): Promise<Map<bigint, NoticedProgress>> {
  if (ids.length === 0) return new Map()
  const rows = await sql(db).$queryRaw<
    { id: bigint; filled: bigint; sold: Prisma.Decimal; bought: Prisma.Decimal; creations: bigint }[]
  >`SELECT g.id, ${raw(filledParts)} AS filled, ${raw(executedOf('executed_sell'))} AS sold,
      ${raw(executedOf('executed_buy'))} AS bought,
      (SELECT count(*) FROM programmatic_creations pc WHERE ${raw(isOf('pc'))}) AS creations
    FROM programmatic_orders g WHERE g.id = ANY(${ids})`
  return new Map(
    rows.map(({ id, filled, sold, bought, creations }) => [
      id,
      {
        filledParts: Number(filled),
        executedSellAmount: amountOf(sold),
        executedBuyAmount: amountOf(bought),
        creations: Number(creations),
      },
    ]),
  )
}

import type { Address } from '../../domain/evm/address.ts'
import type { FailedOrder, FailedSettlement, Trades } from '../../domain/settlement/failed-gas.ts'
import { bytea, hexOf } from '../database/columns.ts'
import { type Db, sql } from '../database/database.ts'
import type { AttemptKey } from './settlement-attempts.ts'

/** Stores what made the settlement of an attempt fail on chain. */
export async function storeFailureCause(
  db: Db,
  { auctionId, solutionUid }: AttemptKey,
  { orders, tokens }: NonNullable<FailedSettlement['cause']>,
): Promise<void> {
  await sql(db).settlementAttempt.updateMany({
    where: { auctionId, solutionUid },
    data: { failureCause: { orders: orders.map(String), tokens: [...tokens] } },
  })
}

interface FailedRow {
  auction_id: bigint
  solution_uid: number
  gas: string
  cause: { orders: string[]; tokens: Address[] } | null
  order_id: bigint
  account: Uint8Array
  sell_token: Uint8Array
  buy_token: Uint8Array
  has_own_code: boolean
}

/** Orders of failed settlements above which the oldest do not count. */
const maxRows = 10_000

/**
 * Settlements that failed on chain after the block, with their placed orders; those that solvers sent
 * themselves cost the service nothing. In SQL: one statement over three tables.
 */
export async function failedSettlements(db: Db, chainId: number, after: number): Promise<FailedSettlement[]> {
  const rows = await sql(db).$queryRaw<FailedRow[]>`
    SELECT a.auction_id, a.solution_uid, a.reverted_gas::text AS gas, a.failure_cause AS cause, o.id AS order_id,
      coalesce(o.onchain_user, o.owner) AS account, o.sell_token, o.buy_token,
      o.signing_scheme = 'eip1271' OR o.interactions IS NOT NULL AS has_own_code
    FROM settlement_attempts a
    JOIN solution_executions x ON x.auction_id = a.auction_id AND x.solution_uid = a.solution_uid
    JOIN orders o ON o.id = x.order_id
    WHERE a.chain_id = ${chainId} AND a.reverted_gas > 0 AND a.reverted_block > ${after} AND a.driver_solution IS NULL
    ORDER BY a.reverted_block DESC LIMIT ${maxRows}`
  const found = new Map<string, FailedSettlement & { orders: FailedOrder[] }>()
  for (const row of rows) {
    const key = `${row.auction_id}:${row.solution_uid}`
    const { cause } = row
    const failed = found.get(key) ?? {
      gas: BigInt(row.gas),
      orders: [],
      cause: cause && { orders: cause.orders.map(BigInt), tokens: cause.tokens },
    }
    failed.orders.push({
      id: row.order_id,
      account: hexOf(row.account),
      hasOwnCode: row.has_own_code,
      sellToken: hexOf(row.sell_token),
      buyToken: hexOf(row.buy_token),
    })
    found.set(key, failed)
  }
  return [...found.values()]
}

/** Trades of one token or owner above which they are not counted. */
const maxTrades = 10_000

/** Counts the trades of auctions after the block. In SQL: each count ends at a limit. */
export async function tradesAfter(
  db: Db,
  chainId: number,
  after: number,
  failed: readonly FailedSettlement[],
): Promise<Trades> {
  const orders = failed.flatMap((settlement) => settlement.orders)
  const named = failed.flatMap(({ cause }) => cause?.tokens ?? [])
  const tokens = new Set([...named, ...orders.flatMap(({ sellToken, buyToken }) => [sellToken, buyToken])])
  const accounts = new Set(orders.map(({ account }) => account))
  const ofTokens = await sql(db).$queryRaw<CountRow[]>`
    SELECT n.key, (SELECT count(*) FROM (
        SELECT FROM trades t WHERE t.chain_id = ${chainId} AND t.sell_token = n.key AND t.block_number > ${after} AND t.auction_id IS NOT NULL
        UNION ALL
        SELECT FROM trades t WHERE t.chain_id = ${chainId} AND t.buy_token = n.key AND t.block_number > ${after} AND t.auction_id IS NOT NULL
        LIMIT ${maxTrades}) c) AS count
    FROM unnest(${[...tokens].map(bytea)}::bytea[]) AS n(key)`
  const ofAccounts = await sql(db).$queryRaw<CountRow[]>`
    SELECT n.key, (SELECT count(*) FROM (
        SELECT FROM trades t WHERE t.chain_id = ${chainId} AND t.owner = n.key AND t.block_number > ${after} AND t.auction_id IS NOT NULL
        LIMIT ${maxTrades}) c) AS count
    FROM unnest(${[...accounts].map(bytea)}::bytea[]) AS n(key)`
  return { ofToken: countsOf(ofTokens), ofAccount: countsOf(ofAccounts) }
}

interface CountRow {
  key: Uint8Array
  count: bigint
}

const countsOf = (rows: readonly CountRow[]) =>
  new Map(rows.map(({ key, count }) => [hexOf(key), Number(count)]))

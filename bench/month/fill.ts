import { createHash } from 'node:crypto'
import { query } from '../database/open.ts'
import { shape } from '../database/shape.ts'

const { network, prices, tokens } = shape
const { chainId } = network

/** A number above those of all other orders and their auctions. */
const orderNumber = 1_000_000_000
const firstAuction = 1_000_000_001
/** The interval of auctions with a solution that trades the order, and an event. */
const tradedEvery = 20_000

/** Statements that take the numbers of the first and last auction. */
const statements: Readonly<Record<string, string>> = {
  auctions: `
INSERT INTO auctions (id, chain_id, block, deadline_block, created_at)
SELECT a, ${chainId}, 30000000 + a - $1, 30000005 + a - $1, bench.created(0) + (a - $1) * '12 seconds'::interval
FROM generate_series($1::bigint, $2::bigint) a`,

  // It still rests. The statement uses the last auction only for its type.
  auction_spans: `
INSERT INTO auction_spans (chain_id, order_id, first_auction)
SELECT ${chainId}, ${orderNumber}, $1::bigint WHERE $2::bigint IS NOT NULL`,

  // Every price differs from the previous auction; tokens of other orders have none.
  price_changes: `
INSERT INTO price_changes (series_id, auction_id, price)
SELECT bench.series(k), a, bench.amount(a, k) FROM generate_series($1::bigint, $2::bigint) a, generate_series(0, ${prices - 1}) k
UNION ALL
SELECT bench.series(k), $1::bigint, NULL FROM generate_series(${prices}, ${tokens - 1}) k`,

  solutions: `
INSERT INTO solutions (auction_id, uid, ranking, solver, is_winner, filtered_out, score, reference_score)
SELECT a, 0, 1, bench.bytes('solver', a % 7, 20), true, false, bench.amount(a, 9), 0
FROM generate_series($1::bigint, $2::bigint) a`,

  settlement_attempts: `
INSERT INTO settlement_attempts (auction_id, solution_uid, chain_id, solver, started_at, start_block, deadline_block, tx_hash,
  ended_at, end_block, outcome)
SELECT a, 0, ${chainId}, bench.bytes('solver', a % 7, 20), at, 30000000 + a - $1, 30000005 + a - $1, bench.bytes('tx', a, 32),
  at + '9 seconds'::interval, 30000001 + a - $1, 'success'
FROM generate_series($1::bigint, $2::bigint) a,
  LATERAL (SELECT bench.created(0) + (a - $1) * '12 seconds'::interval + '3 seconds'::interval AS at) t`,

  solution_executions: `
INSERT INTO solution_executions (order_id, auction_id, solution_uid, executed_sell, executed_buy, policy_set_id)
SELECT ${orderNumber}, a, 0, bench.amount(a, 1), bench.amount(a, 2), 2
FROM generate_series($1::bigint, $2::bigint) a WHERE (a - $1 + 1) % ${tradedEvery} = 0`,

  order_events: `
INSERT INTO order_events (order_id, label, timestamp)
SELECT ${orderNumber}, CASE WHEN a = $1 THEN 'created' ELSE 'considered' END, bench.created(0) + (a - $1) * '12 seconds'::interval
FROM generate_series($1::bigint, $2::bigint) a WHERE a = $1 OR (a - $1 + 1) % ${tradedEvery} = 0`,
}

/** A copy of the first order, untraded and valid for some years. */
const orderSql = `
INSERT INTO orders SELECT (jsonb_populate_record(o, jsonb_build_object('id', ${orderNumber}, 'uid', $1::bytea,
  'sell_token', bench.token(0), 'buy_token', bench.token(1), 'partially_fillable', true,
  'executed_sell', 0, 'executed_buy', 0, 'executed_fee', 0, 'executed_fee_token', NULL,
  'valid_to', 4000000000, 'effective_valid_to', 4000000000, 'created_at', bench.created(0)))).*
FROM orders o WHERE o.id = 1`

const version = createHash('sha256')
  .update(JSON.stringify([statements, orderSql]))
  .digest('hex')

/** Adds a resting order, in an auction every 12 s, unless an earlier run has. @returns its UID */
export async function fillResting(
  url: string,
  auctions: number,
  print: (line: string) => void,
): Promise<Buffer> {
  const uid = createHash('sha256').update('resting').digest()
  const whole = Buffer.concat([uid, Buffer.alloc(20, 7), Buffer.from('ee6b2800', 'hex')])
  await query(url, 'CREATE TABLE IF NOT EXISTS bench.resting (version text, auctions int)')
  const [known] = await query<{ version: string; auctions: number }>(url, 'SELECT * FROM bench.resting')
  if (known?.version === version && known.auctions === auctions) return whole
  const started = performance.now()
  await clearResting(url)
  await query(url, orderSql, [whole])
  const last = firstAuction + auctions - 1
  await Promise.all(Object.values(statements).map((sql) => query(url, sql, [firstAuction, last])))
  await query(url, 'VACUUM (ANALYZE)')
  await query(url, 'INSERT INTO bench.resting VALUES ($1, $2)', [version, auctions])
  print(`an order in ${auctions} auctions: ${((performance.now() - started) / 1000).toFixed(1)} s`)
  return whole
}

async function clearResting(url: string): Promise<void> {
  const keys: Record<string, string> = { auctions: 'id', order_events: 'order_id', auction_spans: 'order_id' }
  for (const table of Object.keys(statements)) {
    const column = keys[table] ?? 'auction_id'
    await query(url, `DELETE FROM ${table} WHERE ${column} >= ${orderNumber}`)
  }
  await query(url, `DELETE FROM orders WHERE id = ${orderNumber}`)
  await query(url, 'DELETE FROM bench.resting')
}

import { createHash } from 'node:crypto'
import { applyMigrations } from '../../src/storage/database/migrations.ts'
import { clear } from '../database/fill.ts'
import { query } from '../database/open.ts'
import { shape } from '../database/shape.ts'

const { chainId } = shape.network

/** The number of owners, of which each has as many events as another. */
export const owners = 100

const bytes = (number: string, width: number) => `decode(lpad(to_hex(${number}), ${width * 2}, '0'), 'hex')`

/** A hundred orders are open at a time, and have twenty events each. */
const orderOf = (event: string) => `(${event} - 1) / 2000 * 100 + (${event} - 1) % 100 + 1`

/** Statements that take the number of events. After ten events comes the trade of one of their orders. */
const statements = [
  `INSERT INTO orders (id, chain_id, uid, owner, sell_token, buy_token, sell_amount, buy_amount, valid_to, app_data, fee_amount, kind,
    partially_fillable, sell_token_balance, buy_token_balance, signing_scheme, signature, settlement, class, full_balance_check,
    created_at, effective_valid_to, app_code)
  SELECT n, ${chainId}, ${bytes('n', 56)}, ${bytes(`n % ${owners}`, 20)}, ${bytes('n % 40', 20)}, ${bytes('n % 30', 20)}, 10, 10, 4000000000,
    '', 0, 'sell', true, 'erc20', 'erc20', 'eip712', '', '', 'limit', false, '2026-01-01Z'::timestamptz + n * '1 second'::interval, 4000000000,
    'app' || n % 50
  FROM generate_series(1, $1::bigint / 20) n`,
  `INSERT INTO order_events (id, order_id, label, timestamp)
  SELECT n, ${orderOf('n')}, (ARRAY['ready', 'considered'])[1 + n % 2], '2026-01-01Z'::timestamptz + n * '1 second'::interval
  FROM generate_series(1, $1::bigint) n`,
  `INSERT INTO order_feed (place, order_id, owner, event_id)
  SELECT n + (n - 1) / 10, o, ${bytes(`o % ${owners}`, 20)}, n FROM generate_series(1, $1::bigint) n, LATERAL (SELECT ${orderOf('n')} AS o) m`,
  `INSERT INTO trades (chain_id, block_number, log_index, order_id, order_uid, owner, sell_token, buy_token, sell_amount, buy_amount,
    fee_amount, tx_hash, auction_id)
  SELECT ${chainId}, n, 0, o, ${bytes('o', 56)}, ${bytes(`o % ${owners}`, 20)}, ${bytes('o % 40', 20)}, ${bytes('o % 30', 20)}, 5, 5, 0,
    ${bytes('n', 32)}, n
  FROM generate_series(1, $1::bigint / 10) n, LATERAL (SELECT ${orderOf('(n * 10)')} AS o) m`,
  `INSERT INTO trade_feed (place, chain_id, block_number, log_index, order_id)
  SELECT n * 11, ${chainId}, n, 0, ${orderOf('(n * 10)')} FROM generate_series(1, $1::bigint / 10) n`,
]

const after = (events: number) => `
  SELECT setval('feed_places', ${lastPlace(events)}), setval('order_events_id_seq', ${events}), setval('orders_id_seq', ${events})`

export const lastPlace = (events: number) => Math.floor(events * 1.1)

const version = createHash('sha256').update(statements.join()).digest('hex')

/** Fills a database with a feed, unless an earlier run has. Triggers do not run. */
export async function fillFeed(url: string, events: number, print: (line: string) => void): Promise<void> {
  const [known] = await query<{ filled: string | null }>(
    url,
    `SELECT to_regclass('bench.feed')::text AS filled`,
  )
  if (known?.filled) {
    const [row] = await query<{ version: string }>(url, 'SELECT version FROM bench.feed')
    if (row?.version === version) return
  }
  const started = performance.now()
  await clear(url)
  await applyMigrations(url)
  const filling = new URL(url)
  filling.searchParams.set('options', '-c session_replication_role=replica -c synchronous_commit=off')
  await Promise.all(statements.map((sql) => query(filling.href, sql, [events])))
  await query(url, after(events))
  await query(url, 'VACUUM (ANALYZE)')
  await query(url, 'CREATE TABLE bench.feed (version text)')
  await query(url, 'INSERT INTO bench.feed VALUES ($1)', [version])
  print(`${events} events: ${((performance.now() - started) / 1_000).toFixed(0)} s`)
}

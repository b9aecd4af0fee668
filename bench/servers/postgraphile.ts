import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { query } from '../database/open.ts'
import { install } from './install.ts'
import { type ServerProcess, startServer } from './process.ts'

const sources = path.join(import.meta.dirname, '..', 'postgraphile')

/**
 * Functions on a table's row that its schema lacks, added by its documentation's advice. Orders find their
 * auctions through a separate view, whose condition fits the index of auctions.
 */
const functions = `
CREATE OR REPLACE VIEW order_auctions AS SELECT s.order_id, a.id AS auction_id FROM auction_spans s JOIN auctions a
  ON a.chain_id = s.chain_id AND a.id BETWEEN s.first_auction AND coalesce(s.last_auction, 9223372036854775807);
CREATE OR REPLACE FUNCTION order_auctions_native_prices(ao order_auctions) RETURNS SETOF auction_prices LANGUAGE sql STABLE AS $$
  SELECT p.* FROM auction_prices p JOIN orders o ON o.id = ao.order_id
  WHERE p.auction_id = ao.auction_id AND p.token IN (o.sell_token, o.buy_token) ORDER BY p.token = o.buy_token $$;
CREATE OR REPLACE FUNCTION orders_status(o orders) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE
    WHEN CASE o.kind WHEN 'buy' THEN o.executed_buy > 0 AND o.executed_buy = o.buy_amount
      ELSE o.executed_sell > 0 AND o.executed_sell - o.executed_signed_fee = o.sell_amount END THEN 'fulfilled'
    WHEN o.cancelled_at IS NOT NULL OR o.invalidated THEN 'cancelled'
    WHEN o.effective_valid_to < extract(epoch FROM now()) THEN 'expired'
    WHEN o.signing_scheme = 'presign' AND NOT o.presigned THEN 'presignaturePending'
    ELSE 'open' END $$;
CREATE OR REPLACE FUNCTION tokens_first_trade_block(t tokens) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT least(
    (SELECT min(block_number) FROM trades WHERE chain_id = t.chain_id AND sell_token = t.address),
    (SELECT min(block_number) FROM trades WHERE chain_id = t.chain_id AND buy_token = t.address)) $$;
CREATE OR REPLACE FUNCTION orders_by_status(chain_id int, statuses text[]) RETURNS SETOF orders LANGUAGE sql STABLE AS $$
  SELECT o.* FROM orders o WHERE o.chain_id = orders_by_status.chain_id AND orders_status(o) = ANY(statuses)
  ORDER BY o.created_at DESC, o.id DESC $$;
CREATE OR REPLACE FUNCTION orders_by_uids(chain_id int, uids bytea[]) RETURNS SETOF orders LANGUAGE sql STABLE AS $$
  SELECT o.* FROM unnest(uids) WITH ORDINALITY AS named(uid, place)
  JOIN orders o ON o.chain_id = orders_by_uids.chain_id AND o.uid = named.uid ORDER BY named.place $$;
CREATE OR REPLACE FUNCTION transaction_orders(chain_id int, hash bytea) RETURNS SETOF orders LANGUAGE sql STABLE AS $$
  SELECT o.* FROM orders o WHERE o.id IN (
    SELECT tr.order_id FROM settlements s
    JOIN trades tr ON tr.chain_id = s.chain_id AND tr.block_number = s.block_number AND tr.tx_hash = s.tx_hash
    WHERE s.tx_hash = transaction_orders.hash AND s.chain_id = transaction_orders.chain_id) ORDER BY o.id $$`

/**
 * Starts PostGraphile over the same tables, with its own packages and Node, installed once into `folder`.
 * @throws when they cannot be installed or do not start
 */
export async function startPostgraphile(folder: string, databaseUrl: string): Promise<ServerProcess> {
  const node = path.join(folder, 'node_modules', 'node', 'bin', 'node')
  if (!isInstalled(folder, node)) install(folder, path.join(sources, 'package.json'))
  if (!isInstalled(folder, node)) throw new Error('npm did not install Node 22 (package node)')
  await query(databaseUrl, functions)
  return startServer({
    name: 'PostGraphile',
    node,
    args: [path.join(sources, 'server.mjs'), databaseUrl],
    cwd: folder,
    env: { GRAPHILE_ENV: 'production' },
  })
}

function isInstalled(folder: string, node: string): boolean {
  if (!existsSync(path.join(folder, 'node_modules', 'postgraphile', 'package.json'))) return false
  return spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout?.startsWith('v22.') ?? false
}

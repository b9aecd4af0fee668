import { type Size, shape } from './shape.ts'

const { network, groupSize, auctions, solutions, prices, tokens, documents } = shape
const { chainId } = network
const executions = groupSize * solutions

const firstAuction = `($1::bigint - 1) / ${groupSize} * ${auctions} + 1`
const lastAuction = `$2::bigint / ${groupSize} * ${auctions}`
const auctionNumbers = `generate_series(${firstAuction}, ${lastAuction}) a`

/** The numbers of an order and of each auction that traded it. */
const tradeNumbers = `generate_series($1::bigint, $2::bigint) i,
  LATERAL generate_series(${auctions + 1} - bench.trades(i), ${auctions}) k,
  LATERAL (SELECT (i - 1) / ${groupSize} * ${auctions} + k AS a) n`

/** A trade's position among all trades, and its notification's position. */
const notificationNumber = `a * ${groupSize} + (i - 1) % ${groupSize}`

/** Returns functions of an order's number that several tables share, in their own schema. */
export function helperSql({ orders, stride, owners, brief }: Size): string {
  return `

CREATE FUNCTION bench.bytes(salt text, n bigint, size int) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN substr(sha256((salt || n::text)::bytea), 1, size);
CREATE FUNCTION bench.owner(i bigint) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE WHEN i > ${orders} THEN bench.bytes('brief owner', i % ${Math.ceil(brief / shape.ordersOfOwner) || 1}, 20)
    WHEN i % ${stride} = 0 THEN bench.bytes('collector', 0, 20)
    ELSE bench.bytes('owner', (i - i / ${stride}) % ${owners}, 20) END;
CREATE FUNCTION bench.created(i bigint) RETURNS timestamptz LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN '2026-01-01 00:00:00.250+00'::timestamptz + ((i - 1) % ${orders} + 1) * '10 seconds'::interval;
CREATE FUNCTION bench.valid_to(i bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN 1767225600 + ((i - 1) % ${orders} + 1) * 10 + 3600;
CREATE FUNCTION bench.uid(i bigint) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN bench.bytes('uid', i, 32) || bench.owner(i) || int4send(bench.valid_to(i)::int);
CREATE FUNCTION bench.token(k bigint) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN bench.bytes('token', k % ${tokens}, 20);
CREATE FUNCTION bench.series(k bigint) RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN k % ${tokens} + 1;
CREATE FUNCTION bench.sell_token(i bigint) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN bench.token((i - 1) / ${groupSize} * 3 + (i - 1) % ${prices});
CREATE FUNCTION bench.buy_token(i bigint) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN bench.token((i - 1) / ${groupSize} * 3 + (i + (i - 1) % ${groupSize} / ${prices} * 3) % ${prices});
-- Even, of up to 22 digits.
CREATE FUNCTION bench.amount(i bigint, salt bigint) RETURNS numeric LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN (((i * 7919 + salt * 104729) % 1000003 + 1) * 2000000014 + 2 * i) * 1000003::numeric;
CREATE FUNCTION bench.trades(i bigint) RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE WHEN i % 4 = 0 THEN 2 ELSE 1 END;`
}

/**
 * Statements for tables that do not grow with the orders. Hashes of documents are not keccak256 here: no read
 * computes them.
 */
export const sharedSql = `
INSERT INTO tokens (chain_id, address, symbol, name, decimals)
  SELECT ${chainId}, bench.token(k), 'TK' || k, 'Token ' || k, CASE WHEN k % 3 = 0 THEN 6 ELSE 18 END
  FROM generate_series(0, ${tokens - 1}) k;
INSERT INTO app_data (hash, app_code, document, created_at)
  SELECT bench.bytes('document', k, 32), 'Bench ' || k, format('{"appCode":"Bench %s","metadata":{"orderClass":{"orderClass":"limit"},' ||
    '"quote":{"slippageBips":%s},"utm":{"utmCampaign":"developer-docs","utmMedium":"bench","utmSource":"web"}},"version":"1.3.0"}',
    k, 50 + k), bench.created(0)
  FROM generate_series(0, ${documents - 1}) k;
-- Their ids are numbers: see bench.series.
INSERT INTO price_series (id, chain_id, token) SELECT bench.series(k), ${chainId}, bench.token(k) FROM generate_series(0, ${tokens - 1}) k;
INSERT INTO fee_policy_sets (id, policies) VALUES
  (1, '[{"kind": "surplus", "factor": 500000, "maxVolumeFactor": 10000}]'),
  (2, '[{"kind": "volume", "factor": 200}]'),
  (3, '[{"kind": "priceImprovement", "factor": 500000, "maxVolumeFactor": 10000}]');
-- Behind every auction's deadline, so that no competition is hidden, and long behind the orders' end.
INSERT INTO checkpoints (chain_id, block_number, block_hash, updated_at)
  VALUES (${chainId}, 90000000, bench.bytes('block', 90000000, 32), bench.created(0));`

/** Statements for brief orders from number \`$1\` to \`$2\`: cancelled, or expired. */
export const briefSql: Readonly<Record<string, string>> = {
  orders: `
INSERT INTO orders (id, chain_id, uid, owner, sell_token, buy_token, sell_amount, buy_amount, valid_to, app_data, fee_amount, kind,
  partially_fillable, sell_token_balance, buy_token_balance, signing_scheme, signature, settlement, class, full_balance_check,
  created_at, effective_valid_to, expired_at_block, cancelled_at, app_code)
SELECT i, ${chainId}, bench.uid(i), bench.owner(i), bench.sell_token(i), bench.buy_token(i), bench.amount(i, 1), bench.amount(i, 2),
  bench.valid_to(i), bench.bytes('document', i % ${documents}, 32), 0, CASE WHEN i % 3 = 0 THEN 'buy' ELSE 'sell' END, false, 'erc20',
  'erc20', 'eip712', bench.bytes('r', i, 32) || bench.bytes('s', i, 32) || '\\x1b', bench.bytes('settlement', 0, 20), 'limit', false,
  bench.created(i), bench.valid_to(i), CASE WHEN i % 2 = 0 THEN 80000000 END,
  CASE WHEN i % 2 = 1 THEN bench.created(i) + '60 seconds'::interval END, 'Bench ' || i % ${documents}
FROM generate_series($1::bigint, $2::bigint) i`,

  order_events: `
INSERT INTO order_events (order_id, label, timestamp)
SELECT i, (ARRAY['created', 'cancelled'])[k], bench.created(i) + (k - 1) * '60 seconds'::interval
FROM generate_series($1::bigint, $2::bigint) i, generate_series(1, 1 + i % 2) k`,
}

/** Statements for orders from number \`$1\` to \`$2\`, both whole groups; each takes both. */
export const batchSql: Readonly<Record<string, string>> = {
  orders: `
INSERT INTO orders (id, chain_id, uid, owner, sell_token, buy_token, receiver, sell_amount, buy_amount, valid_to, app_data,
  fee_amount, kind, partially_fillable, sell_token_balance, buy_token_balance, signing_scheme, signature, settlement, class,
  quote_id, full_balance_check, created_at, executed_sell, executed_buy, executed_fee, executed_fee_token, effective_valid_to,
  expired_at_block, app_code)
SELECT i, ${chainId}, bench.uid(i), bench.owner(i), bench.sell_token(i), bench.buy_token(i),
  CASE WHEN i % 10 = 0 THEN bench.bytes('receiver', i, 20) END, bench.amount(i, 1), bench.amount(i, 2), bench.valid_to(i),
  bench.bytes('document', i % ${documents}, 32), 0, CASE WHEN i % 3 = 0 THEN 'buy' ELSE 'sell' END, bench.trades(i) = 2,
  'erc20', 'erc20', 'eip712', bench.bytes('r', i, 32) || bench.bytes('s', i, 32) || '\\x1b', bench.bytes('settlement', 0, 20),
  'limit', i, false, bench.created(i), bench.amount(i, 1), bench.amount(i, 2), bench.trades(i) * div(bench.amount(i, 3), 1000000),
  bench.sell_token(i), bench.valid_to(i), 80000000, 'Bench ' || i % ${documents}
FROM generate_series($1::bigint, $2::bigint) i`,

  order_quotes: `
INSERT INTO order_quotes (order_id, gas_amount, gas_price, sell_token_price, sell_amount, buy_amount, fee_amount, solver, verified)
SELECT i, 150000 + i % 1000, 15000000000 + i, '0.00' || (1 + i % 997), bench.amount(i, 1), bench.amount(i, 2),
  bench.amount(i, 4), bench.bytes('solver', i % 7, 20), false
FROM generate_series($1::bigint, $2::bigint) i`,

  order_events: `
INSERT INTO order_events (order_id, label, reason, timestamp)
SELECT i, (ARRAY['created', 'ready', 'considered', 'filtered', 'executing', 'traded'])[k],
  CASE k WHEN 4 THEN 'in_flight' END, bench.created(i) + (k - 1) * '12 seconds'::interval
FROM generate_series($1::bigint, $2::bigint) i, generate_series(1, 6) k`,

  auctions: `
INSERT INTO auctions (id, chain_id, block, deadline_block, created_at)
SELECT a, ${chainId}, 20000000 + a, 20000005 + a, bench.created(a * ${groupSize / auctions})
FROM ${auctionNumbers}`,

  auction_spans: `
INSERT INTO auction_spans (chain_id, order_id, first_auction, last_auction)
SELECT ${chainId}, i, (i - 1) / ${groupSize} * ${auctions} + 1, ((i - 1) / ${groupSize} + 1) * ${auctions}
FROM generate_series($1::bigint, $2::bigint) i`,

  // Every price differs from the previous auction. A group's first three tokens are not in the next one, and
  // lose theirs there.
  price_changes: `
INSERT INTO price_changes (series_id, auction_id, price)
SELECT bench.series((a - 1) / ${auctions} * 3 + k), a, bench.amount(a, k)
FROM ${auctionNumbers}, generate_series(0, ${prices - 1}) k
UNION ALL
SELECT bench.series((a - 1) / ${auctions} * 3 + k), a + 1, NULL
FROM ${auctionNumbers}, generate_series(0, 2) k WHERE a % ${auctions} = 0`,

  solutions: `
INSERT INTO solutions (auction_id, uid, ranking, solver, is_winner, filtered_out, score, reference_score)
SELECT a, s, s + 1, bench.bytes('solver', (a + s) % 7, 20), s = 0, s = ${solutions - 1} AND a % 3 = 0,
  bench.amount(a, 9 - s), CASE s WHEN 0 THEN bench.amount(a, 8) END
FROM ${auctionNumbers}, generate_series(0, ${solutions - 1}) s`,

  // Rows follow the end of auctions: the rows of one order are scattered, as in a live database.
  solution_executions: `
INSERT INTO solution_executions (order_id, auction_id, solution_uid, executed_sell, executed_buy, policy_set_id)
SELECT i, a, s, div(bench.amount(i, 1), bench.trades(i)), div(bench.amount(i, 2), bench.trades(i)) + s, 1 + i % 3
FROM generate_series((${firstAuction} - 1) * ${executions}, ${lastAuction} * ${executions} - 1) x,
  LATERAL (SELECT x / ${executions} + 1 AS a, x / ${groupSize} % ${solutions} AS s) n,
  LATERAL (SELECT (a - 1) / ${auctions} * ${groupSize} + x % ${groupSize} + 1 AS i) m`,

  settlement_attempts: `
INSERT INTO settlement_attempts (auction_id, solution_uid, chain_id, solver, started_at, start_block, deadline_block, tx_hash,
  ended_at, end_block, outcome)
SELECT a, 0, ${chainId}, bench.bytes('solver', a % 7, 20), at, 20000000 + a, 20000005 + a,
  CASE WHEN outcome = 'success' THEN bench.bytes('tx', a, 32) END, at + '24 seconds'::interval, 20000002 + a, outcome
FROM ${auctionNumbers}, LATERAL (SELECT bench.created(a * ${groupSize / auctions}) + '3 seconds'::interval AS at,
  (ARRAY['timeout', 'driver failed: the settlement reverted', 'timeout', 'success', 'success'])[(a - 1) % ${auctions} + 1] AS outcome) o`,

  executions: `
INSERT INTO executions (order_id, auction_id, executed_fee, executed_fee_token, block_number, protocol_fee_tokens, protocol_fee_amounts)
SELECT i, a, div(bench.amount(i, 3), 1000000), bench.sell_token(i), 20000002 + a, ARRAY[bench.sell_token(i)], ARRAY[div(bench.amount(i, 3), 2000000)]
FROM ${tradeNumbers}`,

  trades: `
INSERT INTO trades (chain_id, block_number, log_index, order_id, order_uid, owner, sell_token, buy_token, sell_amount, buy_amount,
  fee_amount, tx_hash, auction_id)
SELECT ${chainId}, 20000002 + a, (i - 1) % ${groupSize}, i, bench.uid(i), bench.owner(i), bench.sell_token(i), bench.buy_token(i),
  div(bench.amount(i, 1), bench.trades(i)), div(bench.amount(i, 2), bench.trades(i)), 0, bench.bytes('tx', a, 32), a
FROM ${tradeNumbers}`,

  settlements: `
INSERT INTO settlements (chain_id, block_number, log_index, solver, tx_hash, auction_id, solution_uid)
SELECT ${chainId}, 20000002 + a, ${groupSize}, bench.bytes('solver', a % 7, 20), bench.bytes('tx', a, 32), a, 0
FROM ${auctionNumbers} WHERE (a - 1) % ${auctions} >= ${auctions - 2}`,

  notifications: `
INSERT INTO notifications (id, cause, chain_id, account, type, message, timestamp, metadata, block_number)
SELECT ${notificationNumber}, 'bench:' || ${notificationNumber}, ${chainId}, bench.owner(i),
  CASE WHEN k < ${auctions} THEN 'order_partially_filled' ELSE 'order_filled' END,
  'Order filled: sold ' || div(bench.amount(i, 1), bench.trades(i)), bench.created(a * ${groupSize / auctions}) + '24 seconds'::interval,
  jsonb_build_object('orderId', '0x' || encode(bench.uid(i), 'hex'), 'chainId', ${chainId},
    'executedAmount', div(bench.amount(i, 1), bench.trades(i))::text, 'txHash', '0x' || encode(bench.bytes('tx', a, 32), 'hex')),
  20000002 + a
FROM ${tradeNumbers}`,
}

import { type Database, sql } from '../../../src/storage/database/database.ts'

/** Rows with values chosen by hand; the expected answers were written from the documented interface. */

const hex = (pair: string, bytes: number) => `0x${pair.repeat(bytes)}`

export const names = {
  /** Sells the maximum amount, without a receiver and without history. */
  bare: hex('a1', 56),
  /** A buy order, half filled before it expired. */
  traded: hex('b2', 56),
  owner: hex('0a', 20),
  other: hex('0b', 20),
  sell: hex('11', 20),
  buy: hex('22', 20),
  third: hex('33', 20),
  solver: hex('50', 20),
  loser: hex('51', 20),
  settlement: hex('90', 20),
  zero: hex('00', 20),
  transaction: hex('ab', 32),
  attempt: hex('ac', 32),
  unknownDocument: hex('cd', 32),
  document: hex('ce', 32),
}

/** The largest uint256. */
export const max = '115792089237316195423570985008687907853269984665640564039457584007913129639935'

const bytes = (text: string) => `'\\x${text.slice(2)}'`
const n = Object.fromEntries(Object.entries(names).map(([name, text]) => [name, bytes(text)])) as typeof names

const statements = [
  `INSERT INTO tokens (chain_id, address, symbol, name, decimals) VALUES
    (11155111, ${n.sell}, 'A "B"', NULL, 18), (11155111, ${n.buy}, NULL, E'two\\nlines', NULL)`,
  `INSERT INTO app_data (hash, document, created_at) VALUES (${n.document}, '{"a":"\\u0041 \\"ü\\""}', now())`,
  `INSERT INTO orders (id, chain_id, uid, owner, sell_token, buy_token, receiver, sell_amount, buy_amount, valid_to, app_data, fee_amount,
     kind, partially_fillable, sell_token_balance, buy_token_balance, signing_scheme, signature, settlement, class, quote_id,
     full_balance_check, valid_from, interactions, created_at, effective_valid_to, executed_sell, executed_buy, executed_signed_fee,
     executed_fee, executed_fee_token)
   VALUES
    (1, 11155111, ${n.bare}, ${n.owner}, ${n.sell}, ${n.buy}, ${n.zero}, ${max}, 1, 4294967295, ${n.unknownDocument}, 0,
     'sell', true, 'erc20', 'erc20', 'presign', '', ${n.settlement}, 'liquidity', NULL,
     false, NULL, NULL, '2026-01-02T03:04:05Z', 4294967295, 0, 0, 0, 0, NULL),
    (2, 11155111, ${n.traded}, ${n.other}, ${n.sell}, ${n.buy}, NULL, 1000, 400, 1799999999, ${n.document}, 10,
     'buy', false, 'external', 'internal', 'eip1271', '\\x1234', ${n.settlement}, 'limit', 77,
     true, 5, '{"pre": [{"target": "${names.third}", "value": "${max}", "callData": "0x"}], "post": []}',
     '2026-01-02T03:04:05.678Z', 1799999999, 410, 200, 5, 9, ${n.buy})`,
  `INSERT INTO order_quotes (order_id, gas_amount, gas_price, sell_token_price, sell_amount, buy_amount, fee_amount, solver, verified, metadata)
   VALUES (2, 155000, ${max}, '0.000332330009999999999', 1000, 400, 10, ${n.solver}, true, '{"version": "1.0", "jitOrders": []}')`,
  `INSERT INTO order_events (id, order_id, label, reason, timestamp) VALUES
    (1, 2, 'created', NULL, '2026-01-02T03:04:05.678Z'), (2, 2, 'invalid', 'banned_user', '2026-01-02T03:04:06Z'),
    (3, 2, 'cancelled', 'he said "no" \\', '2026-01-02T03:04:07.1Z')`,
  `INSERT INTO auctions (id, chain_id, block, deadline_block) VALUES (30, 11155111, 100, 103), (31, 11155111, 104, 107)`,
  'INSERT INTO auction_orders (order_id, auction_id) VALUES (2, 30), (2, 31), (1, 31)',
  `INSERT INTO auction_prices (auction_id, token, price) VALUES (30, ${n.buy}, ${max}), (30, ${n.sell}, 0), (30, ${n.third}, 7)`,
  `INSERT INTO solutions (auction_id, uid, ranking, solver, is_winner, filtered_out, score, reference_score) VALUES
    (30, 0, 1, ${n.solver}, true, false, 900, 0), (30, 1, 2, ${n.loser}, false, true, ${max}, NULL)`,
  `INSERT INTO solution_executions (order_id, auction_id, solution_uid, executed_sell, executed_buy) VALUES
    (2, 30, 0, 410, 200), (1, 30, 1, ${max}, 1)`,
  `INSERT INTO fee_policies (order_id, auction_id, position, kind, factor, max_volume_factor) VALUES
    (2, 30, 0, 'surplus', 500000, 10000), (2, 30, 1, 'volume', 2500, NULL), (2, 30, 2, 'priceImprovement', 1, 0)`,
  `INSERT INTO executions (order_id, auction_id, executed_fee, executed_fee_token, block_number, protocol_fee_tokens, protocol_fee_amounts)
   VALUES (2, 30, 9, ${n.buy}, 102, ARRAY[${n.buy}, ${n.sell}, ${n.buy}]::bytea[], ARRAY[1, ${max}, 3])`,
  `INSERT INTO settlement_attempts (auction_id, solution_uid, chain_id, solver, started_at, start_block, deadline_block, tx_hash, ended_at, end_block, outcome)
   VALUES (30, 0, 11155111, ${n.solver}, '2026-01-02T03:04:06Z', 101, 103, ${n.transaction}, '2026-01-02T03:04:06.5Z', 102, 'success'),
    (30, 1, 11155111, ${n.loser}, '2026-01-02T03:04:06.25Z', 101, 103, NULL, '2026-01-02T03:04:08Z', 103, 'driver failed: "odd"'),
    (31, 0, 11155111, ${n.solver}, '2026-01-02T03:04:09Z', 104, 107, ${n.attempt}, NULL, NULL, NULL)`,
  `INSERT INTO settlements (chain_id, block_number, log_index, solver, tx_hash, auction_id, solution_uid)
   VALUES (11155111, 102, 9, ${n.solver}, ${n.transaction}, 30, 0)`,
  `INSERT INTO trades (chain_id, block_number, log_index, order_id, order_uid, owner, sell_token, buy_token, sell_amount, buy_amount, fee_amount, tx_hash, auction_id)
   VALUES (11155111, 102, 7, 2, ${n.traded}, ${n.other}, ${n.sell}, ${n.buy}, 410, 200, 5, ${n.transaction}, 30),
    (11155111, 90, 0, 2, ${n.traded}, ${n.other}, ${n.sell}, ${n.buy}, ${max}, 0, 0, ${n.attempt}, NULL)`,
  `INSERT INTO notifications (id, cause, chain_id, account, type, message, timestamp, metadata, read_at) VALUES
    (5, 'one', 11155111, ${n.other}, 'order_filled', 'all of "it"', '2026-01-02T03:04:05Z',
     '{"orderId": "${names.traded}", "chainId": 11155111, "executedAmount": "200", "txHash": "${names.transaction}"}', '2026-01-03T00:00:00Z'),
    (6, 'two', 11155111, ${n.other}, 'order_cancelled', 'gone', '2026-01-02T03:04:05.007Z',
     '{"orderId": "${names.traded}", "chainId": 11155111, "reverted": true}', NULL)`,
  `INSERT INTO affiliates (wallet, code, digest, signed_message, enabled, created_at, reward_amount, trigger_volume, time_cap_days, volume_cap,
     revenue_split_affiliate_pct, revenue_split_trader_pct, revenue_split_dao_pct)
   VALUES (${n.owner}, 'GOLDEN', ${bytes(hex('01', 32))}, ${bytes(hex('02', 65))}, true, '2026-01-02T03:04:05Z', 20.000000000000000001, 250000, 90, 0, 33.30, 66.70, 0)`,
]

export async function storeGoldenRows(db: Database): Promise<void> {
  for (const statement of statements) await sql(db).$executeRawUnsafe(statement)
}

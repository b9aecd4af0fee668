import type { Client } from 'pg'
import { numbered } from './order.ts'

/** Accounts in a store of 180,000 orders, in which each filter matches only a few orders. */
export const large = {
  chainId: 11155111,
  now: 1_800_000_000,
  /** 100,000 orders, nearly all fulfilled or expired. */
  busy: numbered('b5'),
  /** 20,000 orders, nearly all open. */
  patient: numbered('9a'),
  rarePair: { sellToken: numbered('71'), buyToken: numbered('72') },
}

const busyOrders = 100_000
const patientOrders = 20_000
const othersOrders = 60_000
const bytes = (expression: string) => `decode(repeat(${expression}, 10), 'hex')`
const hex = (address: string) => `'\\${address.slice(1)}'::bytea`

/** The orders of the accounts by number; a few of them have a rare property. */
const made = `SELECT n, owner,
  CASE WHEN n % 33333 = 7 THEN ${hex(large.rarePair.sellToken)} ELSE ${bytes(`lpad(to_hex(n % 5), 4, '0')`)} END AS sell_token,
  CASE WHEN n % 33333 = 7 THEN ${hex(large.rarePair.buyToken)} ELSE ${bytes(`lpad(to_hex(n % 7 + 5), 4, '0')`)} END AS buy_token,
  CASE WHEN n % 33333 = 11 THEN 'buy' ELSE 'sell' END AS kind,
  CASE WHEN n % 33333 = 13 THEN 'liquidity' ELSE 'limit' END AS class,
  CASE WHEN n % 33333 = 17 THEN 'Rare' ELSE 'Usual' END AS app_code,
  CASE WHEN owner = ${hex(large.patient)} AND n % 5000 <> 19 OR n % 33333 = 23 THEN 'open'
    WHEN n % 33333 = 29 THEN 'cancelled' WHEN n % 2 = 0 THEN 'expired' ELSE 'fulfilled' END AS state
  FROM (
    SELECT n, ${hex(large.busy)} AS owner FROM generate_series(1, ${busyOrders}) n
    UNION ALL SELECT n, ${hex(large.patient)} FROM generate_series(1, ${patientOrders}) n
    UNION ALL SELECT n, ${bytes(`lpad(to_hex(n % 200), 4, '0')`)} FROM generate_series(1, ${othersOrders}) n
  ) accounts`

const fillSql = `
INSERT INTO orders (chain_id, uid, owner, sell_token, buy_token, sell_amount, buy_amount, valid_to, app_data, fee_amount, kind,
  partially_fillable, sell_token_balance, buy_token_balance, signing_scheme, signature, settlement, class, full_balance_check,
  created_at, executed_sell, executed_buy, cancelled_at, expired_at_block, effective_valid_to, app_code)
SELECT ${large.chainId}, decode(md5(owner::text || n) || md5(n::text), 'hex') || owner || '\\x00000000', owner, sell_token, buy_token, 1000, 1000,
  valid_to, '\\x00', 0, kind, false, 'erc20', 'erc20', 'eip712', '\\x00', '\\x00', class, false,
  to_timestamp(${large.now} - 1000000 + n * 10), CASE state WHEN 'fulfilled' THEN 1000 ELSE 0 END,
  CASE state WHEN 'fulfilled' THEN 1000 ELSE 0 END, CASE state WHEN 'cancelled' THEN to_timestamp(0) END,
  CASE WHEN valid_to < ${large.now} THEN 1000 END, valid_to, app_code
FROM (SELECT made.*, CASE state WHEN 'open' THEN ${large.now} + 1000 ELSE ${large.now} - 900000 + n * 5 END AS valid_to FROM (${made}) made) dated
ORDER BY n, owner`

/** Takes a few seconds: the database generates the rows, and the indexes are built afterwards. */
export async function fillLargeAccounts(client: Client): Promise<void> {
  const { rows } = await client.query<{ name: string; made: string }>(
    `SELECT indexname AS name, indexdef AS made FROM pg_indexes WHERE tablename = 'orders' AND indexdef NOT LIKE '%UNIQUE%'`,
  )
  await client.query(rows.map(({ name }) => `DROP INDEX ${name}`).join(';'))
  await client.query(fillSql)
  await client.query(rows.map(({ made }) => made).join(';'))
  await client.query('VACUUM ANALYZE orders')
}

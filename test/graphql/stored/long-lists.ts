import type { Address } from '../../../src/domain/evm/address.ts'
import type { Order } from '../../../src/domain/order/order.ts'
import { type Database, sql } from '../../../src/storage/database/database.ts'
import { numbered } from '../../fakes/order.ts'
import { storeNotification, storeOrder } from '../../fakes/story.ts'

/** Items in each list that a test pages through. */
export const long = 23
/** More orders than one page examines. */
export const beyondLook = 10_400

export interface LongLists {
  order: Order
  owner: Address
  /** The account with `beyondLook` orders, few of them buy orders. */
  many: Address
}

/**
 * An order and an account with long lists, and an account with more orders than a page examines. Times differ
 * by microseconds.
 */
export async function storeLongLists(db: Database): Promise<LongLists> {
  const owner = numbered('0f')
  const many = numbered('0d')
  const order = await storeOrder(db, { owner })
  const { id } = order
  await sql(db).$executeRaw`DELETE FROM order_events`
  await sql(db).$executeRaw`
    INSERT INTO order_events (order_id, label, reason, timestamp)
    SELECT ${id}, 'cancelled', 'event ' || n, timestamptz '2026-01-01' + (n * 7 % 5) * interval '1 microsecond'
    FROM generate_series(1, ${long}) n`
  await sql(db).$executeRaw`
    INSERT INTO trades (chain_id, block_number, log_index, order_id, order_uid, owner, sell_token, buy_token, sell_amount, buy_amount, fee_amount, tx_hash)
    SELECT o.chain_id, n / 4, n % 4, o.id, o.uid, o.owner, o.sell_token, o.buy_token, n, n, 0, decode(lpad(to_hex(n), 64, '0'), 'hex')
    FROM orders o, generate_series(1, ${long}) n WHERE o.id = ${id}`
  await sql(db).$executeRaw`
    INSERT INTO auctions (id, chain_id, block, deadline_block) SELECT 100 + n * 3, ${order.chainId}, n, n FROM generate_series(1, ${long}) n`
  await sql(db)
    .$executeRaw`INSERT INTO auction_orders (order_id, auction_id) SELECT ${id}, a.id FROM auctions a`
  await sql(db).$executeRaw`
    INSERT INTO price_series (chain_id, token)
    SELECT chain_id, token FROM orders, unnest(ARRAY[sell_token, buy_token]) token ON CONFLICT DO NOTHING`
  await sql(db).$executeRaw`
    INSERT INTO market_prices (series_id, at, price)
    SELECT s.id, o.created_at + n * interval '1 second', n FROM price_series s, orders o, generate_series(1, ${long}) n`
  await cloneOrders(db, id, owner, long - 1)
  await sql(db).$executeRaw`
    INSERT INTO auction_orders (order_id, auction_id) SELECT o.id, 103 FROM orders o`
  await cloneOrders(db, id, many, beyondLook)
  for (let index = 0; index < long; index++) await storeNotification(db, owner, index)
  await sql(db).$executeRaw`ANALYZE`
  return { order, owner, many }
}

/** Copies with another pair, three per microsecond; every 450th is a buy order of the class liquidity. */
async function cloneOrders(db: Database, id: bigint, owner: Address, howMany: number): Promise<void> {
  await sql(db).$executeRaw`
    INSERT INTO orders SELECT r.* FROM orders o, generate_series(1, ${howMany}) n,
      LATERAL jsonb_populate_record(o, jsonb_build_object(
        'id', ${howMany}::bigint * 10 + n,
        'uid', '\\x' || substr(${owner}, 3) || lpad(to_hex(n), 72, '0'),
        'owner', '\\x' || substr(${owner}, 3),
        'app_code', 'an app',
        'kind', CASE WHEN n % 450 = 7 THEN 'buy' ELSE 'sell' END,
        'class', CASE WHEN n % 450 = 7 THEN 'liquidity' ELSE 'limit' END,
        'created_at', timestamptz '2026-01-01' + (n / 3) * interval '1 microsecond')) r
    WHERE o.id = ${id}`
}

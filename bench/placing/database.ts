import type { Market } from '../../src/dev/market/market.ts'
import { query } from '../database/open.ts'
import { quotedAmount, quotes } from './submissions.ts'

/** Restores the state before the first order. */
export async function emptyOrders(url: string, { network, tokens }: Market): Promise<void> {
  await query(url, 'TRUNCATE orders, order_quotes, order_events, app_data, quotes RESTART IDENTITY')
  await query(
    url,
    `INSERT INTO quotes (chain_id, kind, quote_kind, sell_token, buy_token, sell_amount, buy_amount, fee_amount, gas_amount,
       gas_price, sell_token_price, solver, verified, expiration)
     SELECT $1, 'sell', 'standard', $2, $3, amount, amount / 3000, 1000, 150000, 1000000000, '0.0003', $2, false,
       now() + interval '1 hour'
     FROM unnest($4::numeric[]) AS amount`,
    [
      network.chainId,
      Buffer.from(tokens.DAI.address.slice(2), 'hex'),
      Buffer.from(tokens.WETH.address.slice(2), 'hex'),
      Array.from({ length: quotes }, (_, index) => String(quotedAmount(index + 1))),
    ],
  )
  await query(url, 'CHECKPOINT')
}

/** @throws when the number of any row differs from that of the orders */
export async function checkRows(url: string, placed: number): Promise<void> {
  const [rows] = await query<Record<string, string>>(
    url,
    `SELECT (SELECT count(*) FROM orders) AS orders, (SELECT count(*) FROM order_quotes) AS quotes,
       (SELECT count(*) FROM order_events) AS events`,
  )
  for (const [what, count] of Object.entries(rows ?? {})) {
    if (Number(count) !== placed)
      throw new Error(`${placed} orders were taken, and ${count} ${what} are stored`)
  }
}

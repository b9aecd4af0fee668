import type { Address } from '../../domain/evm/address.ts'
import { amountOf, bytea, hexOf } from '../database/columns.ts'
import { type Db, sql } from '../database/database.ts'
import type { Prisma } from '../generated/client.ts'

export interface RecordedPrices {
  chainId: number
  tokens: readonly Address[]
  since: Date
  /** One price of each token for each span of so many milliseconds since 1970. */
  spanMs: number
}

/**
 * Native atoms for 10^18 atoms of tokens as auctions and markets had them: the last of each span, by the beginning of the span, the oldest
 * first. In SQL: the last row of each group.
 */
export async function findMarketPrices(
  db: Db,
  { chainId, tokens, since, spanMs }: RecordedPrices,
): Promise<Map<Address, Map<number, bigint>>> {
  const rows = await sql(db).$queryRaw<{ token: Uint8Array; span: bigint; price: Prisma.Decimal }[]>`
    SELECT s.token, m.span, m.price FROM price_series s CROSS JOIN LATERAL (
      SELECT DISTINCT ON (span) floor(extract(epoch FROM p.at) * 1000 / ${spanMs})::bigint AS span, p.price FROM market_prices p
      WHERE p.series_id = s.id AND p.at >= ${since} ORDER BY span, p.at DESC) m
    WHERE s.chain_id = ${chainId} AND s.token = ANY(${tokens.map(bytea)}::bytea[]) ORDER BY m.span`
  const prices = new Map(tokens.map((token) => [token, new Map<number, bigint>()]))
  for (const { token, span, price } of rows)
    prices.get(hexOf(token))?.set(Number(span) * spanMs, amountOf(price))
  return prices
}

import { priceScale } from '../../domain/amount.ts'
import { nativeMarker } from '../../domain/evm/address.ts'
import type { Network } from '../../domain/network/network.ts'
import { bytea, raw } from '../database/columns.ts'
import { Prisma } from '../generated/client.ts'

/** SQL for traded amounts: sold without the signed fee, and bought. */
export interface FillColumns {
  sell: string
  buy: string
}

/** `tradedSurplusDown` of the domain in SQL, over the limits of order `o`; a test holds the two equal. */
export function surplusDownSql({ sell, buy }: FillColumns): string {
  return `greatest(0, CASE o.kind
    WHEN 'sell' THEN ${buy} - div((${sell}) * o.buy_amount + o.sell_amount - 1, o.sell_amount)
    ELSE div(o.sell_amount * ${buy}, o.buy_amount) - (${sell}) END)`
}

const tradeSurplus = surplusDownSql({ sell: 'tr.sell_amount - tr.fee_amount', buy: 'tr.buy_amount' })

/**
 * Surplus of all trades of account `ac` in native atoms, those of the orders that it owns and those that it placed on chain: each trade at the prices of its auction, and rounded down.
 * Trades without an auction of the service count 0, since they have no price.
 */
export function surplusSql({
  chainId,
  wrappedNative,
}: Pick<Network, 'chainId' | 'wrappedNative'>): Prisma.Sql {
  return Prisma.sql`(SELECT coalesce(sum(div(${raw(tradeSurplus)} * p.price, ${raw(String(priceScale))})), 0) AS total
    FROM (
      SELECT own.* FROM trades own WHERE own.owner = ac.address AND own.chain_id = ${chainId}
      UNION ALL SELECT placed.* FROM orders u JOIN trades placed ON placed.order_id = u.id
      WHERE u.onchain_user = ac.address AND u.chain_id = ${chainId} AND u.owner <> ac.address
    ) tr
    JOIN orders o ON o.id = tr.order_id
    JOIN executions x ON x.order_id = tr.order_id AND x.auction_id = tr.auction_id
    JOIN auction_prices p ON p.auction_id = tr.auction_id AND p.token = CASE
      WHEN o.kind = 'buy' THEN o.sell_token
      WHEN o.buy_token = ${bytea(nativeMarker)} THEN ${bytea(wrappedNative)}
      ELSE o.buy_token END) ts`
}

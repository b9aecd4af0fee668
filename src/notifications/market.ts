import { priceScale } from '../domain/amount.ts'
import { type Address, nativeMarker } from '../domain/evm/address.ts'
import type { Order, Trade } from '../domain/order/order.ts'
import { type Comparison, comparisonDown, fillOf } from '../domain/order/surplus.ts'
import { pricesOfAuctions } from '../storage/auction/auctions.ts'
import type { Tx } from '../storage/database/database.ts'

interface Traded {
  order: Pick<Order, 'kind' | 'sellToken' | 'buyToken'>
  trade: Trade
}

/** Compares trades with the market prices of their auctions; undefined where these lack one of the tokens. */
export async function marketComparisons(
  tx: Tx,
  traded: readonly Traded[],
): Promise<(traded: Traded) => Comparison | undefined> {
  const ids = traded.flatMap(({ trade }) => trade.auctionId ?? [])
  const tokens = traded.flatMap(({ order }) => [order.sellToken, order.buyToken])
  const stored = ids.length === 0 ? undefined : await pricesOfAuctions(tx, ids, tokens)
  return ({ order: { kind, sellToken, buyToken }, trade }) => {
    const prices = trade.auctionId === null ? undefined : stored?.get(trade.auctionId)
    const priceOf = (token: Address) => (token === nativeMarker ? priceScale : prices?.get(token))
    const [sold, bought] = [priceOf(sellToken), priceOf(buyToken)]
    // As many atoms of each are worth the same.
    return sold && bought
      ? comparisonDown({ kind, sellAmount: bought, buyAmount: sold }, fillOf(trade))
      : undefined
  }
}

import { maxUint256, minOf, mulDivDown, mulDivUp } from '../../domain/amount.ts'
import type { AuctionOrder } from '../../domain/auction/auction.ts'
import type { ProposedTrade } from '../../domain/auction/solution.ts'
import type { Address } from '../../domain/evm/address.ts'
import { factorScale } from '../../domain/fee/policy.ts'
import { poolSide } from '../../domain/routing/pool.ts'
import { type Match, matchPriceScale, type PriceRange } from './clearing.ts'
import type { Task } from './task.ts'

/** `undefined` when the limits do not meet. */
export function priceRange(
  task: Task,
  sellerEntry: AuctionOrder,
  buyerEntry: AuctionOrder,
  match: Match,
): PriceRange | undefined {
  const seller = worstTerms(sellerEntry, match.seller.trade)
  const buyer = worstTerms(buyerEntry, match.buyer.trade)
  if (seller.give <= 0n || buyer.take <= 0n) return undefined
  const lowest = mulDivUp(seller.take, matchPriceScale, seller.give)
  const highest = minOf(mulDivDown(buyer.give, matchPriceScale, buyer.take), maxUint256)
  if (lowest > highest || lowest === 0n) return undefined
  const market = marketPrice(task, match.base, match.quoted) ?? (lowest + highest) / 2n
  return { lowest, highest, start: market < lowest ? lowest : minOf(market, highest) }
}

/** The most that an order gives and the least that it takes, without its network fee but with volume fees, which apply at any price. */
function worstTerms({ order, feePolicies }: AuctionOrder, trade: ProposedTrade) {
  const volumeFactors = feePolicies.flatMap((policy) => (policy.kind === 'volume' ? [policy.factor] : []))
  if (order.kind === 'sell') {
    const net = mulDivUp(trade.executedAmount + trade.fee, order.buyAmount, order.sellAmount)
    const take = volumeFactors.reduceRight(
      (sum, factor) => mulDivUp(sum, factorScale, factorScale - factor),
      net,
    )
    return { give: trade.executedAmount, take }
  }
  const net = mulDivDown(trade.executedAmount, order.sellAmount, order.buyAmount)
  const gross = volumeFactors.reduceRight(
    (sum, factor) => mulDivDown(sum, factorScale, factorScale + factor),
    net,
  )
  return { give: gross - trade.fee, take: trade.executedAmount }
}

/** Reserves of the deepest pool of the pair, else the auction's native prices. */
function marketPrice(
  { pools, auction: { nativePrices } }: Task,
  base: Address,
  quoted: Address,
): bigint | undefined {
  const deepest = pools
    .filter(
      ({ token0, token1 }) =>
        (token0 === base && token1 === quoted) || (token0 === quoted && token1 === base),
    )
    .map((pool) => poolSide(pool, base))
    .filter(({ reserveIn }) => reserveIn > 0n)
    .reduce<ReturnType<typeof poolSide> | undefined>(
      (best, side) => (best && best.reserveIn >= side.reserveIn ? best : side),
      undefined,
    )
  if (deepest) return mulDivDown(deepest.reserveOut, matchPriceScale, deepest.reserveIn)
  const [basePrice, quotedPrice] = [nativePrices.get(base), nativePrices.get(quoted)]
  return basePrice && quotedPrice ? mulDivDown(basePrice, matchPriceScale, quotedPrice) : undefined
}

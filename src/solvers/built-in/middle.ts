import type { Market } from './balance.ts'
import { firstRate } from './curve.ts'
import type { Member } from './member.ts'

/** The margin around a limit: at the limit itself, rounding an amount to a whole atom would break it. */
export const limitMargin = 1e-6

/**
 * The price of the second of two tokens in the first: between the pools' rates for the first atom in both
 * directions, otherwise by native prices.
 */
export function middleRate({ reference, selling, buying }: Market, token = 1): number {
  const [bid, back] = [firstRate(selling[token] ?? []), firstRate(buying[token] ?? [])]
  return bid > 0 && back > 0 ? Math.sqrt(bid / back) : (reference[token] ?? 1) / (reference[0] ?? 1)
}

/**
 * The market's prices, moved by the minimum that makes the best limit between each two tokens accept them, if
 * possible.
 */
export function middlePrices(market: Market, members: readonly Member[]): number[] {
  const prices = market.reference.map((_, token) => (token === 0 ? 1 : middleRate(market, token)))
  for (let round = 0; round < prices.length; round++) {
    for (const { from, to, minRate } of bestLimits(members)) {
      const least = minRate * (prices[to] ?? 1) * (1 + limitMargin)
      prices[from] = Math.max(prices[from] ?? 0, least)
    }
  }
  return prices
}

/** The maximum number of tokens; a market has fewer. */
const maxTokens = 16

function bestLimits(members: readonly Member[]): Member[] {
  const best = new Map<number, Member>()
  for (const member of members) {
    const key = member.from * maxTokens + member.to
    const other = best.get(key)
    if (!other || member.minRate < other.minRate) best.set(key, member)
  }
  return [...best.values()]
}

import { maxOf, minOf } from '../../domain/amount.ts'
import { excessTerms, type Market, toBook } from './balance.ts'
import { acceptance, type Member, toMember } from './member.ts'
import { middlePrices } from './middle.ts'

export function isPartial({ entry }: Member): boolean {
  return entry.order.partiallyFillable
}

/**
 * The order with another size and the same fee, at most its remaining amount.
 * @param amount of the fixed side, without the fee
 */
export function resized({ task, tokens }: Market, member: Member, amount: number): Member | undefined {
  const { entry, isSell, trade } = member
  const executed = BigInt(Math.trunc(amount))
  const filled = minOf(maxOf(isSell ? executed + trade.fee : executed, 0n), entry.remaining)
  return toMember(task, tokens, entry, filled, trade.fee)
}

/**
 * The sizes at which the orders need no pools at the middle prices, as far as partially fillable orders
 * allow.
 * @returns undefined if an order refuses
 */
export function sizedToBalance(market: Market, members: readonly Member[]): Member[] | undefined {
  if (!members.some(isPartial)) return undefined
  const prices = middlePrices(market, members)
  if (members.some((member) => acceptance(member, prices) < 1)) return undefined
  let sized = [...members]
  for (let step = 0; step < 2 * prices.length; step++) {
    const next = shrunk(market, prices, sized)
    if (!next) break
    sized = next
  }
  return sized.length === members.length ? sized : undefined
}

/** Reduces the sales of the token with the largest excess. */
function shrunk(market: Market, prices: readonly number[], members: readonly Member[]): Member[] | undefined {
  const book = toBook(prices.length, members)
  const sold = prices.map((_, token) => soldInPart(prices, members, token))
  const excess = prices.map((price, token) => {
    const { fixed, inverse } = excessTerms(book, prices, token)
    return fixed * price + inverse
  })
  const [token] = [...prices.keys()]
    .filter((index) => (excess[index] ?? 0) > 1e-12 * (sold[index] ?? 0) && (sold[index] ?? 0) > 0)
    .sort((a, b) => (excess[b] ?? 0) - (excess[a] ?? 0))
  if (token === undefined) return undefined
  const kept = Math.max(0, 1 - (excess[token] ?? 0) / (sold[token] ?? 1))
  return members.flatMap((member) =>
    isPartial(member) && member.from === token
      ? (resized(market, member, member.amount * kept) ?? [])
      : member,
  )
}

/** The value of a token that partially fillable orders sell. */
function soldInPart(prices: readonly number[], members: readonly Member[], token: number): number {
  return members
    .filter((member) => isPartial(member) && member.from === token)
    .reduce((sum, { isSell, amount, to }) => sum + amount * ((isSell ? prices[token] : prices[to]) ?? 0), 0)
}

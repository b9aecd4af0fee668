import { isInsideSpread, type Market } from './balance.ts'
import { type Choice, chooseMembers, moreValuable, toChoice } from './choice.ts'
import type { Member } from './member.ts'
import { isPartial, resized } from './sizes.ts'

/**
 * The parts of a partially fillable order that are tried, and the factors by which the best size is changed
 * afterwards.
 */
const fractions = [1, 1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64]
const factors = [1.5, 1.2, 1.05, 1.01, 0.99, 0.95, 0.8, 0.5]
const maxResized = 6
const maxSizeTrials = 40

/** The most valuable choice of orders. Partially fillable orders get a size that the pools pay for. */
export function chooseSized(market: Market, members: readonly Member[]): Choice | undefined {
  const whole = chooseMembers(market, members)
  if (!members.some(isPartial)) return whole
  const alone = members.map((member) => (isPartial(member) ? sizedAlone(market, member) : member))
  const isSame = alone.every((member, index) => member === members[index])
  const best = isSame ? whole : moreValuable(whole, chooseMembers(market, alone))
  return best && usesPools(market, best) ? refined(market, best) : best
}

/**
 * Reports whether the choice uses pools. Without pools, another size only moves the price from one trader to
 * the other.
 */
function usesPools(market: Market, { prices, balance }: Choice): boolean {
  return balance === 'pools' && prices.some((_, token) => token > 0 && !isInsideSpread(market, prices, token))
}

function sizedAlone(market: Market, member: Member): Member {
  for (const fraction of fractions) {
    const part = fraction === 1 ? member : resized(market, member, member.amount * fraction)
    if (part && toChoice(market, [part])) return part
  }
  return member
}

/** Changes one size at a time while the result improves. */
function refined(market: Market, start: Choice): Choice {
  let best = start
  for (const { entry } of start.members.filter(isPartial).slice(0, maxResized)) {
    let trials = maxSizeTrials
    for (const factor of factors) {
      for (let before: Choice | undefined; before !== best && trials > 0; trials--) {
        before = best
        const members = best.settled.map((member) =>
          member.entry === entry ? (resized(market, member, member.amount * factor) ?? member) : member,
        )
        best = moreValuable(best, toChoice(market, members)) ?? best
      }
    }
  }
  return best
}

import { balancedPrices, type Market, withoutCurves } from './balance.ts'
import { acceptance, type Member, rateOf, worthAt } from './member.ts'
import { feeShare, movedFees } from './moved-fees.ts'
import { balanceRigid } from './rigid.ts'
import { sizedToBalance } from './sizes.ts'

/** Orders that can be settled together, with prices that balance them. */
export interface Choice {
  members: readonly Member[]
  /** The same orders with the fees that these prices need. */
  settled: readonly Member[]
  prices: readonly number[]
  worth: number
  /** The balance of the orders: at any prices, only at these prices, or through pools at these prices. */
  balance: 'any' | 'prices' | 'pools'
}

/**
 * The number of orders up to which every subset is tried. It is smaller with many tokens, whose prices take
 * longer to find.
 */
const maxExhaustive = (market: Market) => (market.tokens.length > 2 ? 6 : 8)
/** Limits of the work for many orders. */
const maxPasses = 2
const maxTrials = 200
/**
 * The minimum parts of all fees that must be paid if some orders pay for others. Verified quotes limit the
 * fees: if nothing else settles the orders, the settling solver pays the rest.
 */
const [allPaid, minPaid] = [0.999, 1 / 3]
/** The relative rounding error of the prices. Exact arithmetic decides later. */
const tolerance = 1e-12

/** The most valuable set found; its orders accept its prices. */
export function chooseMembers(market: Market, members: readonly Member[]): Choice | undefined {
  if (members.length <= maxExhaustive(market)) return bestSubset(market, members)
  const start = moreValuable(withoutWorst(market, members), addedOneByOne(market, members))
  return start && improved(market, members, start)
}

/** Creates a choice from all members. @returns undefined if an order refuses the prices */
export function toChoice(market: Market, members: readonly Member[]): Choice | undefined {
  if (members.length === 0) return undefined
  const choice = moreValuable(withoutPools(market, members), throughPools(market, members))
  // Balancing the sizes of many orders that pools can fill changes little and takes long.
  if (choice && members.length > maxExhaustive(market)) return choice
  const balanced = sizedToBalance(market, members)
  const sized = balanced && throughPools(market, balanced)
  const best = moreValuable(choice, sized && { ...sized, members })
  return moreValuable(best, withMovedFees(market, members, best ? allPaid : minPaid))
}

function withoutPools(market: Market, members: readonly Member[]): Choice | undefined {
  const rigid = balanceRigid(market, members)
  if (!rigid) return undefined
  const { members: settled, prices } = rigid
  return { members, settled, prices, worth: worthOf(settled, prices), balance: 'any' }
}

function throughPools(market: Market, members: readonly Member[]): Choice | undefined {
  return accepted(members, balancedPrices(market, members), 'pools')
}

function accepted(
  members: readonly Member[],
  prices: readonly number[],
  balance: Choice['balance'],
): Choice | undefined {
  if (members.some((member) => acceptance(member, prices) < 1 - tolerance)) return undefined
  return { members, settled: members, prices, worth: worthOf(members, prices), balance }
}

/**
 * The choice for orders that balance except for their fees, so that pools would have to give the difference.
 */
function withMovedFees(market: Market, members: readonly Member[], paid: number): Choice | undefined {
  if (members.length > maxExhaustive(market) || !isClosed(market, members)) return undefined
  const alone = withoutCurves(market)
  const prices = balancedPrices(alone, members)
  const least = 1 - 2 * feeShare(market, members)
  if (members.some((member) => acceptance(member, prices) < least)) return undefined
  return movedFees(market, members, paid)
    .map((settled) => accepted(settled, balancedPrices(alone, settled), 'prices'))
    .reduce<Choice | undefined>(
      (best, choice) => moreValuable(best, choice && { ...choice, members }),
      undefined,
    )
}

/** Reports whether each token is both sold and bought. */
function isClosed({ tokens }: Market, members: readonly Member[]): boolean {
  const [sold, bought] = [new Set(members.map(({ from }) => from)), new Set(members.map(({ to }) => to))]
  return tokens.every((_, token) => sold.has(token) === bought.has(token))
}

function worthOf(members: readonly Member[], prices: readonly number[]): number {
  return members.reduce((sum, member) => sum + worthAt(member, rateOf(member, prices)), 0)
}

export function moreValuable(a: Choice | undefined, b: Choice | undefined): Choice | undefined {
  if (!a || !b) return a ?? b
  return b.worth > a.worth * (1 + tolerance) ? b : a
}

function bestSubset(market: Market, members: readonly Member[]): Choice | undefined {
  let best: Choice | undefined
  for (let bits = 2 ** members.length - 1; bits > 0; bits--) {
    const subset = members.filter((_, index) => (bits >> index) & 1)
    best = moreValuable(best, toChoice(market, subset))
  }
  return best
}

/** Starts with all orders and drops those that are farthest from accepting the prices. */
function withoutWorst(market: Market, members: readonly Member[]): Choice | undefined {
  let kept = members
  while (kept.length > 0) {
    const choice = toChoice(market, kept)
    if (choice) return choice
    const prices = balancedPrices(market, kept)
    const ranked = kept
      .map((member) => ({ member, accepts: acceptance(member, prices) }))
      .sort((a, b) => a.accepts - b.accepts)
    const refusing = ranked.filter(({ accepts }) => accepts < 1 - tolerance).length
    kept = ranked.slice(Math.max(1, Math.floor(refusing / 8))).map(({ member }) => member)
  }
  return undefined
}

function addedOneByOne(market: Market, members: readonly Member[]): Choice | undefined {
  let best: Choice | undefined
  for (const member of members)
    best = moreValuable(best, toChoice(market, [...(best?.members ?? []), member]))
  return best
}

/** Adds or removes one order at a time while the result improves. */
function improved(market: Market, members: readonly Member[], start: Choice): Choice {
  let best = start
  let trials = maxTrials
  for (let pass = 0; pass < maxPasses; pass++) {
    const before = best
    for (const member of members) {
      if (trials-- === 0) return best
      best = moreValuable(best, toChoice(market, toggled(best.members, member))) ?? best
    }
    if (best === before) return best
  }
  return best
}

function toggled(members: readonly Member[], member: Member): Member[] {
  const rest = members.filter(({ entry }) => entry !== member.entry)
  return rest.length < members.length ? rest : [...rest, member]
}

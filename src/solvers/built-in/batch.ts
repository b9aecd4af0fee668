import { maxOf, minOf } from '../../domain/amount.ts'
import { acceptance, type BatchOrder, feeOf, rateOf, toBatchOrder, worthAt } from './batch-order.ts'
import {
  balancedPrices,
  type Crossing,
  excessTerms,
  isInsideSpread,
  midPrices,
  toBook,
  withoutCurves,
} from './clearing-prices.ts'
import { feeShare, matchDirectly, movedFees } from './direct-matching.ts'

function isPartial({ entry }: BatchOrder): boolean {
  return entry.order.partiallyFillable
}

/**
 * The order with another size and the same fee, at most its remaining amount.
 * @param amount see `BatchOrder`
 */
function resized({ task, tokens }: Crossing, member: BatchOrder, amount: number): BatchOrder | undefined {
  const { entry, isSell, trade } = member
  const executed = BigInt(Math.trunc(amount))
  const filled = minOf(maxOf(isSell ? executed + trade.fee : executed - trade.boughtFee, 0n), entry.remaining)
  return toBatchOrder(task, tokens, entry, filled, feeOf(member))
}

/**
 * The sizes at which the orders need no pools at the middle prices, as far as partially fillable orders
 * allow.
 * @returns undefined if an order refuses
 */
function sizedToBalance(market: Crossing, members: readonly BatchOrder[]): BatchOrder[] | undefined {
  if (!members.some(isPartial)) return undefined
  const prices = midPrices(market, members)
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
function shrunk(
  market: Crossing,
  prices: readonly number[],
  members: readonly BatchOrder[],
): BatchOrder[] | undefined {
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
function soldInPart(prices: readonly number[], members: readonly BatchOrder[], token: number): number {
  return members
    .filter((member) => isPartial(member) && member.from === token)
    .reduce((sum, { isSell, amount, to }) => sum + amount * ((isSell ? prices[token] : prices[to]) ?? 0), 0)
}

/** Orders that can be settled together, with prices that balance them. */
export interface Batch {
  members: readonly BatchOrder[]
  /** The same orders with the fees that these prices need. */
  settled: readonly BatchOrder[]
  prices: readonly number[]
  worth: number
  /** The balance of the orders: at any prices, only at these prices, or through pools at these prices. */
  balance: 'any' | 'prices' | 'pools'
}

/**
 * The number of orders up to which every subset is tried. It is smaller with many tokens, whose prices take
 * longer to find.
 */
const maxExhaustive = (market: Crossing) => (market.tokens.length > 2 ? 6 : 8)
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
function selectBatch(market: Crossing, members: readonly BatchOrder[]): Batch | undefined {
  if (members.length <= maxExhaustive(market)) return bestSubset(market, members)
  const start = moreValuable(withoutWorst(market, members), addedOneByOne(market, members))
  return start && improved(market, members, start)
}

/** Creates a choice from all members. @returns undefined if an order refuses the prices */
export function toBatch(market: Crossing, members: readonly BatchOrder[]): Batch | undefined {
  if (members.length === 0) return undefined
  const choice = moreValuable(withoutPools(market, members), throughPools(market, members))
  // Balancing the sizes of many orders that pools can fill changes little and takes long.
  if (choice && members.length > maxExhaustive(market)) return choice
  const balanced = sizedToBalance(market, members)
  const sized = balanced && throughPools(market, balanced)
  const best = moreValuable(choice, sized && { ...sized, members })
  // Matched directly the orders pay all fees, and any price balances them.
  if (best?.balance === 'any') return best
  return moreValuable(best, withMovedFees(market, members, best ? allPaid : minPaid))
}

function withoutPools(market: Crossing, members: readonly BatchOrder[]): Batch | undefined {
  const rigid = matchDirectly(market, members)
  if (!rigid) return undefined
  const { members: settled, prices } = rigid
  return { members, settled, prices, worth: worthOf(settled, prices), balance: 'any' }
}

function throughPools(market: Crossing, members: readonly BatchOrder[]): Batch | undefined {
  return accepted(members, balancedPrices(market, members), 'pools')
}

function accepted(
  members: readonly BatchOrder[],
  prices: readonly number[],
  balance: Batch['balance'],
): Batch | undefined {
  if (members.some((member) => acceptance(member, prices) < 1 - tolerance)) return undefined
  return { members, settled: members, prices, worth: worthOf(members, prices), balance }
}

/**
 * The choice for orders that balance except for their fees, so that pools would have to give the difference.
 */
function withMovedFees(market: Crossing, members: readonly BatchOrder[], paid: number): Batch | undefined {
  if (members.length > maxExhaustive(market) || !isClosed(market, members)) return undefined
  const alone = withoutCurves(market)
  const prices = balancedPrices(alone, members)
  const min = 1 - 2 * feeShare(market, members)
  if (members.some((member) => acceptance(member, prices) < min)) return undefined
  return movedFees(market, members, paid)
    .map((settled) => accepted(settled, balancedPrices(alone, settled), 'prices'))
    .reduce<Batch | undefined>(
      (best, choice) => moreValuable(best, choice && { ...choice, members }),
      undefined,
    )
}

/** Reports whether each token is both sold and bought. */
function isClosed({ tokens }: Crossing, members: readonly BatchOrder[]): boolean {
  const [sold, bought] = [new Set(members.map(({ from }) => from)), new Set(members.map(({ to }) => to))]
  return tokens.every((_, token) => sold.has(token) === bought.has(token))
}

function worthOf(members: readonly BatchOrder[], prices: readonly number[]): number {
  return members.reduce((sum, member) => sum + worthAt(member, rateOf(member, prices)), 0)
}

function moreValuable(a: Batch | undefined, b: Batch | undefined): Batch | undefined {
  if (!a || !b) return a ?? b
  return b.worth > a.worth * (1 + tolerance) ? b : a
}

function bestSubset(market: Crossing, members: readonly BatchOrder[]): Batch | undefined {
  let best: Batch | undefined
  for (let bits = 2 ** members.length - 1; bits > 0; bits--) {
    const subset = members.filter((_, index) => (bits >> index) & 1)
    best = moreValuable(best, toBatch(market, subset))
  }
  return best
}

/** Starts with all orders and drops those that are farthest from accepting the prices. */
function withoutWorst(market: Crossing, members: readonly BatchOrder[]): Batch | undefined {
  let kept = members
  while (kept.length > 0) {
    const choice = toBatch(market, kept)
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

function addedOneByOne(market: Crossing, members: readonly BatchOrder[]): Batch | undefined {
  let best: Batch | undefined
  for (const member of members) best = moreValuable(best, toBatch(market, [...(best?.members ?? []), member]))
  return best
}

/** Adds or removes one order at a time while the result improves. */
function improved(market: Crossing, members: readonly BatchOrder[], start: Batch): Batch {
  let best = start
  let trials = maxTrials
  for (let pass = 0; pass < maxPasses; pass++) {
    const before = best
    for (const member of members) {
      if (trials-- === 0) return best
      best = moreValuable(best, toBatch(market, toggled(best.members, member))) ?? best
    }
    if (best === before) return best
  }
  return best
}

function toggled(members: readonly BatchOrder[], member: BatchOrder): BatchOrder[] {
  const rest = members.filter(({ entry }) => entry !== member.entry)
  return rest.length < members.length ? rest : [...rest, member]
}

/**
 * The parts of a partially fillable order that are tried, and the factors by which the best size is changed
 * afterwards.
 */
const fractions = [1, 1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64]
const factors = [1.5, 1.2, 1.05, 1.01, 0.99, 0.95, 0.8, 0.5]
const maxResized = 6
const maxSizeTrials = 40

/** The most valuable choice of orders. Partially fillable orders get a size that the pools pay for. */
export function selectSizedBatch(market: Crossing, members: readonly BatchOrder[]): Batch | undefined {
  const whole = selectBatch(market, members)
  if (!members.some(isPartial)) return whole
  const alone = members.map((member) => (isPartial(member) ? sizedAlone(market, member) : member))
  const isSame = alone.every((member, index) => member === members[index])
  const best = isSame ? whole : moreValuable(whole, selectBatch(market, alone))
  return best && usesPools(market, best) ? refined(market, best) : best
}

/**
 * Reports whether the choice uses pools. Without pools, another size only moves the price from one trader to
 * the other.
 */
function usesPools(market: Crossing, { prices, balance }: Batch): boolean {
  return balance === 'pools' && prices.some((_, token) => token > 0 && !isInsideSpread(market, prices, token))
}

function sizedAlone(market: Crossing, member: BatchOrder): BatchOrder {
  for (const fraction of fractions) {
    const part = fraction === 1 ? member : resized(market, member, member.amount * fraction)
    if (part && toBatch(market, [part])) return part
  }
  return member
}

/** Changes one size at a time while the result improves. */
function refined(market: Crossing, start: Batch): Batch {
  let best = start
  for (const { entry } of start.members.filter(isPartial).slice(0, maxResized)) {
    let trials = maxSizeTrials
    for (const factor of factors) {
      for (let before: Batch | undefined; before !== best && trials > 0; trials--) {
        before = best
        const members = best.settled.map((member) =>
          member.entry === entry ? (resized(market, member, member.amount * factor) ?? member) : member,
        )
        best = moreValuable(best, toBatch(market, members)) ?? best
      }
    }
  }
  return best
}

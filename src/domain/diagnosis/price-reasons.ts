import { limitGap } from '../auction/admission.ts'
import { formatSeconds, readableDown, readablePercent, readableUp } from '../text/readable.ts'
import { noLimitPays } from './advice.ts'
import {
  type DiagnosisInput,
  fillOf,
  type ObservedStanding,
  type Reason,
  reasonOf,
  remainingSell,
  tokenOf,
} from './diagnosis.ts'
import type { EvidenceOf, PriceAmounts } from './evidence.ts'

/** Compares the market price for an order with its limit. */

const million = 1_000_000n
/** The minimum time span from which the movement of a day is derived. */
const minMovementMs = 3_600_000
/** The minimum time span from which a movement is continued into the future. */
const minForecastMs = 21_600_000

/** Returns no reason if the market meets the order's price including fees, or if nothing is known. */
export function marketReasons(facts: DiagnosisInput, standing: ObservedStanding): Reason[] {
  const evidence = priceEvidence(facts, standing)
  // Of less than its fee no market may give an atom.
  if (standing.routed === 'none' && (standing.feeShare ?? 0n) > million) return feeReason(facts, standing, 0n)
  if (standing.routed === 'none') return [reasonOf('noLiquidity', standing.since, [evidence])]
  const gap = gapOf(facts, standing)
  if (gap === null) return []
  const fee = feeReason(facts, standing, gap)
  if (gap >= 0n)
    return standing.reason === 'fee_exceeds_value' ? fee : (partReason(facts, standing, evidence) ?? fee)
  const wasReached = evidence.best !== null && limitGap(facts.order, evidence.best) >= 0n
  const summary = priceSummary(evidence, facts, standing)
  const reason = reasonOf('priceOutOfReach', wasReached ? null : standing.since, [evidence], summary)
  if (standing.reason !== 'fee_exceeds_value') return [reason]
  const advice = fee[0]?.advice
  return [{ ...reason, ...(advice && { advice }) }, ...fee]
}

/**
 * The share by which the market is better than the limit after fees on the volume, in parts per million of
 * the limit. The router quotes the whole remaining amount. A small part of a partially fillable order gets
 * the market price.
 */
function gapOf(
  { order }: DiagnosisInput,
  { routed, marketGap, policyShare }: ObservedStanding,
): bigint | null {
  const whole = routed && routed !== 'none' ? limitGap(order, routed) : marketGap
  if (whole === null) return null
  const best = order.partiallyFillable && whole < 0n && marketGap !== null ? marketGap : whole
  return best - (policyShare ?? 0n)
}

/** The maximum age of token prices for a statement about now. */
const newestMs = 900_000

/** The same gap from the stored token prices, with its time, for an order that the router has not quoted. */
export function storedGap({
  order,
  market,
  now,
}: Pick<DiagnosisInput, 'order' | 'market' | 'now'>): { marketGap: bigint; at: Date } | null {
  if (!market || now.getTime() - market.newest.at.getTime() > newestMs) return null
  const { sell, buy, at } = market.newest
  return { marketGap: limitGap(order, { sell: buy, buy: sell }), at }
}

function feeReason(facts: DiagnosisInput, standing: ObservedStanding, gap: bigint): Reason[] {
  const { order, isPast } = facts
  if (standing.feeShare === null) return []
  const sold = remainingSell(order)
  const fee = (sold * standing.feeShare) / million
  const left = gap > 0n ? (sold * gap) / (million + gap) : 0n
  // Shares are rounded down: exactly at the limit nothing is left for even the smallest fee. A part of an
  // order may get a better price, and so may one whose other side has so few atoms that a price at its limit
  // was rounded to it.
  const free = order.kind === 'sell' ? order.buyAmount : order.sellAmount
  const isAtLimit = gap === 0n && !order.partiallyFillable
  const isTooSmall = fee > sold
  const isPaid = isAtLimit ? free < million && !isTooSmall : left >= fee
  if (standing.reason !== 'fee_exceeds_value' && isPaid) return []
  const token = order.sellToken
  const leastAmount = gap > 0n ? (fee * (million + gap) + gap - 1n) / gap : null
  const words = tokenOf(facts, token)
  const [is, leaves, sells, fills, pays] = isPast
    ? ['was', 'left', 'sold', 'filled', 'would have paid']
    : ['is', 'leaves', 'sells', 'fills', 'would pay']
  const share = standing.feeShare > 0n ? `${readablePercent(standing.feeShare)} %` : 'less than a millionth'
  const amount = fee > 0n ? readableUp(fee, words) : `${share} of what it sells`
  const cost = `The fee of the network for the order ${is} ${amount}`
  const least =
    leastAmount === null
      ? ''
      : ` From ${readableUp(leastAmount, words)} on it ${pays}${isTooSmall ? ' at this limit' : ''}.`
  const rest = left > 0n ? `${readableDown(left, words)} for that` : 'nothing for that'
  const summary = isTooSmall
    ? `${cost}, more than the ${readableDown(sold, words)} that it ${sells}: alone, so small an order ${fills} at no limit.${least}`
    : `${cost}, but its price ${leaves} ${rest}.${least}`
  const evidence = { kind: 'fee', token, fee, left, leastAmount } as const
  const reason = reasonOf('costsMoreThanItBrings', standing.since, [evidence], summary)
  return [{ ...reason, ...(isTooSmall && { advice: noLimitPays }) }]
}

/**
 * The reason if the market meets the limit only for a small part of the remaining amount. Solvers trade that
 * part if it pays its fee.
 */
function partReason(
  facts: DiagnosisInput,
  standing: ObservedStanding,
  evidence: EvidenceOf<'price'>,
): Reason[] | undefined {
  const { order, isPast } = facts
  const { routed, policyShare } = standing
  const gap = routed && routed !== 'none' ? (policyShare ?? 0n) - limitGap(order, routed) : 0n
  if (gap <= 0n) return undefined
  const { token, target, filled } = fillOf(order)
  const [is, does] = isPast ? ['was', 'did'] : ['is', 'does']
  const left = readableUp(target - filled, tokenOf(facts, token))
  const summary = `For all that ${is} left, ${left}, the market ${is} ${readablePercent(gap)} % worse than the limit. A part that ${is} small enough to get the limit, if there ${is} one, ${does} not pay the fee of the network.`
  return [reasonOf('priceOutOfReach', standing.since, [{ ...evidence, gap }], summary)]
}

/** The best price seen, and the gap between the newest price and the limit. */
export function priceEvidence(facts: DiagnosisInput, standing: ObservedStanding): EvidenceOf<'price'> {
  const { order, bestBid } = facts
  const { best: routed } = standing
  const bid = bestBid && (!routed || isBetter(bestBid, routed)) ? bestBid : null
  const best = bid ?? routed
  const gap = standing.routed === 'none' ? null : gapOf(facts, standing)
  const distance = gap === null ? null : -gap
  const { dayMovement, secondsNeeded } = movementOf(facts, distance)
  return {
    kind: 'price',
    limit: { sell: order.sellAmount, buy: order.buyAmount },
    best: best && { sell: best.sell, buy: best.buy },
    at: best?.at ?? null,
    block: best?.block ?? null,
    solver: bid?.solver ?? null,
    auctionId: bid?.auctionId ?? null,
    gap: distance,
    gapSeenAt: distance === null ? null : standing.at,
    dayMovement,
    secondsNeeded,
  }
}

function isBetter(one: PriceAmounts, other: PriceAmounts): boolean {
  return one.buy * other.sell > other.buy * one.sell
}

/**
 * The movement of the sell token's price in the buy token, and the time that it would need for the distance,
 * before the order expires.
 */
function movementOf({ market, order, now }: DiagnosisInput, distance: bigint | null) {
  const none = { dayMovement: null, secondsNeeded: null }
  if (!market) return none
  const { newest, oldest } = market
  const spanMs = newest.at.getTime() - oldest.at.getTime()
  const before = oldest.sell * newest.buy
  if (spanMs < minMovementMs || before === 0n) return none
  const moved = ((newest.sell * oldest.buy - before) * million) / before
  const dayMovement = (moved * 86_400_000n) / BigInt(spanMs)
  const isUnknown = distance === null || distance >= million || spanMs < minForecastMs
  if (isUnknown || distance <= 0n || dayMovement <= 0n) return { dayMovement, secondsNeeded: null }
  // The distance is a share of the limit, the movement one of the price.
  const needed = (distance * million) / (million - distance)
  const seconds = (needed * 86_400n + dayMovement - 1n) / dayMovement
  const isInTime = now.getTime() / 1_000 + Number(seconds) <= order.effectiveValidTo
  return { dayMovement, secondsNeeded: isInTime ? Number(seconds) : null }
}

/** The minimum share of an order, in parts per million, that a fee must have to be mentioned. */
const minFeeShare = 1_000n

function priceSummary(
  { gap, secondsNeeded }: EvidenceOf<'price'>,
  facts: Pick<DiagnosisInput, 'order' | 'tokens' | 'isPast'>,
  { routed, feeShare }: ObservedStanding,
): string {
  const { order, isPast } = facts
  const { token, target } = fillOf(order)
  const isWhole = routed !== null && !order.partiallyFillable
  const asked = isWhole ? `its whole amount, ${readableUp(target, tokenOf(facts, token))},` : 'a small amount'
  const ofOrder =
    feeShare === null || feeShare < minFeeShare ? '' : `, ${readablePercent(feeShare)} % of the order`
  const share = feeShare !== null && feeShare > million ? ', which is more than the order sells' : ofOrder
  const distance =
    gap === null
      ? ''
      : ` For ${asked} the market ${isPast ? 'was' : 'is'} ${readablePercent(gap)} % worse than the limit, before the fee of the network${share}.`
  if (isPast) return `The order asked for a better price than the market gave.${distance}`
  const time =
    secondsNeeded === null
      ? ''
      : ` If it moves on as within the last day, it is there in ${formatSeconds(secondsNeeded)}.`
  return `The order asks for a better price than the market gives.${distance}${time}`
}

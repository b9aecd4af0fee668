import { divUp, minOf } from '../../domain/amount.ts'
import { maxTransactionGas } from '../../domain/settlement/gas.ts'
import type { Market } from './balance.ts'
import { type Member, toMember } from './member.ts'
import { limitMargin, middleRate } from './middle.ts'
import { orderFeeUp } from './task.ts'

/**
 * Balances opposite orders whose amounts are all fixed in one token. No price balances them, because each
 * sell order keeps its fee in that token and the buy orders lack it. The fees of the sell orders are lowered
 * by the missing amount, and those of the buy orders raised by its worth. Then any price that all accept
 * suffices: the pools' middle, or the limit nearest to it.
 * @returns undefined if more is missing than the fees, or if no price is accepted
 */
export function balanceRigid(
  market: Market,
  members: readonly Member[],
): { members: Member[]; prices: number[] } | undefined {
  const token = fixedToken(members)
  if (market.tokens.length !== 2 || token === undefined) return undefined
  const sellers = members.filter(({ isSell }) => isSell)
  const buyers = members.filter(({ isSell }) => !isSell)
  const missing = sumOf(buyers, executed) - sumOf(sellers, executed)
  const fitted = fitPartial(market, members, missing, sumOf(sellers, feeOf))
  if (fitted) return balanceRigid(market, fitted)
  if (sellers.length === 0 || missing < 0n || missing > sumOf(sellers, feeOf)) return undefined
  const lowered = sharedFees(market, sellers, -missing)
  const middle = middleRate(market)
  const rate = nearestRate(members, token === 1 ? middle : 1 / middle)
  const raised = rate && sharedFees(market, buyers, BigInt(Math.ceil(Number(missing) * rate)))
  if (!lowered || !raised) return undefined
  const changed = members.map((member) => lowered.get(member) ?? raised.get(member) ?? member)
  const accepted = nearestRate(changed, rate)
  return accepted === undefined
    ? undefined
    : { members: changed, prices: token === 1 ? [1, accepted] : [accepted, 1] }
}

/** Reduces a partially fillable order by the excess of its side. */
function fitPartial(
  market: Market,
  members: readonly Member[],
  missing: bigint,
  most: bigint,
): Member[] | undefined {
  if (missing >= 0n && missing <= most) return undefined
  const tooMuch = missing < 0n ? -missing : missing
  const large = members.find(
    ({ isSell, entry, trade }) =>
      isSell === missing < 0n && entry.order.partiallyFillable && trade.executedAmount > tooMuch,
  )
  const fitted =
    large && toMember(market.task, market.tokens, large.entry, large.filled - tooMuch, large.trade.fee)
  return fitted && members.map((member) => (member === large ? fitted : member))
}

function fixedToken(members: readonly Member[]): number | undefined {
  const tokens = new Set(members.map(({ isSell, from, to }) => (isSell ? from : to)))
  return tokens.size === 1 ? [...tokens][0] : undefined
}

/**
 * The orders with fees that change by `change` in total, in proportion. A verified quote limits a fee as
 * always.
 */
export function sharedFees(
  market: Market,
  members: readonly Member[],
  change: bigint,
): Map<Member, Member> | undefined {
  const result = new Map<Member, Member>()
  let [left, weights] = [change, sumOf(members, feeOf)]
  for (const member of members) {
    const { entry, filled, trade } = member
    const part = weights > 0n ? shareOf(left, trade.fee, weights) : left
    const most = orderFeeUp(market.task, entry, maxTransactionGas) ?? 0n
    const fee = change > 0n ? minOf(trade.fee + part, most) : trade.fee + part
    const next = toMember(market.task, market.tokens, entry, filled, fee)
    if (!next) return undefined
    result.set(member, next)
    left -= part
    weights -= trade.fee
  }
  return result
}

/** A share, rounded away from zero; the last order takes the rest. */
function shareOf(amount: bigint, weight: bigint, weights: bigint): bigint {
  return amount < 0n ? -divUp(-amount * weight, weights) : divUp(amount * weight, weights)
}

/** The rate nearest to the wanted one. Sell orders set the lowest rate, buy orders the highest. */
function nearestRate(members: readonly Member[], wanted: number): number | undefined {
  let [lowest, highest] = [0, Number.POSITIVE_INFINITY]
  for (const { isSell, minRate } of members) {
    if (isSell) lowest = Math.max(lowest, minRate * (1 + limitMargin))
    else highest = Math.min(highest, (1 - limitMargin) / minRate)
  }
  return lowest <= highest ? Math.min(Math.max(wanted, lowest), highest) : undefined
}

function executed({ trade }: Member): bigint {
  return trade.executedAmount
}

function feeOf({ trade }: Member): bigint {
  return trade.fee
}

function sumOf(members: readonly Member[], of: (member: Member) => bigint): bigint {
  return members.reduce((sum, member) => sum + of(member), 0n)
}

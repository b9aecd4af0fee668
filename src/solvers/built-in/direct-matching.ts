import { divUp, minOf } from '../../domain/amount.ts'
import { maxTransactionGas } from '../../domain/settlement/gas.ts'
import { type BatchOrder, feeOf, toBatchOrder } from './batch-order.ts'
import { type Crossing, limitMargin, midRate } from './clearing-prices.ts'
import { orderFeeUp } from './task.ts'

/**
 * Balances opposite orders whose amounts are all fixed in one token. No price balances them, because each
 * sell order keeps its fee in that token and the buy orders lack the fee. The fees of the sell orders are
 * lowered by the missing amount, and those of the buy orders raised by its worth. Then any price that all
 * accept suffices: the pools' middle, or the limit nearest to it.
 * @returns undefined if more is missing than the fees, or if no price is accepted
 */
export function matchDirectly(
  market: Crossing,
  members: readonly BatchOrder[],
): { members: BatchOrder[]; prices: number[] } | undefined {
  const token = fixedToken(members)
  if (market.tokens.length !== 2 || token === undefined) return undefined
  const sellers = members.filter(({ isSell }) => isSell)
  const buyers = members.filter(({ isSell }) => !isSell)
  const missing = sumOf(buyers, ({ take }) => take) - sumOf(sellers, ({ give }) => give)
  const fitted = fitPartial(market, members, missing, sumOf(sellers, soldFee))
  if (fitted) return matchDirectly(market, fitted)
  if (sellers.length === 0 || missing < 0n || missing > sumOf(sellers, soldFee)) return undefined
  const lowered = sharedFees(market, sellers, -missing)
  const middle = midRate(market)
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
  market: Crossing,
  members: readonly BatchOrder[],
  missing: bigint,
  max: bigint,
): BatchOrder[] | undefined {
  if (missing >= 0n && missing <= max) return undefined
  const tooMuch = missing < 0n ? -missing : missing
  const large = members.find(
    ({ isSell, entry, trade }) =>
      isSell === missing < 0n && entry.order.partiallyFillable && trade.executedAmount > tooMuch,
  )
  const fitted =
    large && toBatchOrder(market.task, market.tokens, large.entry, large.filled - tooMuch, feeOf(large))
  return fitted && members.map((member) => (member === large ? fitted : member))
}

function fixedToken(members: readonly BatchOrder[]): number | undefined {
  const tokens = new Set(members.map(({ isSell, from, to }) => (isSell ? from : to)))
  return tokens.size === 1 ? [...tokens][0] : undefined
}

/**
 * The orders with fees that change by `change` in total, in proportion. A verified quote limits a fee as
 * always.
 */
function sharedFees(
  market: Crossing,
  members: readonly BatchOrder[],
  change: bigint,
): Map<BatchOrder, BatchOrder> | undefined {
  const result = new Map<BatchOrder, BatchOrder>()
  let [left, weights] = [change, sumOf(members, soldFee)]
  for (const member of members) {
    const { entry, filled, trade } = member
    const part = weights > 0n ? shareOf(left, trade.fee, weights) : left
    const max = orderFeeUp(market.task, entry, maxTransactionGas)?.sold ?? 0n
    const sold = change > 0n ? minOf(trade.fee + part, max) : trade.fee + part
    const next = toBatchOrder(market.task, market.tokens, entry, filled, { ...feeOf(member), sold })
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
function nearestRate(members: readonly BatchOrder[], wanted: number): number | undefined {
  let [lowest, highest] = [0, Number.POSITIVE_INFINITY]
  for (const { isSell, minRate } of members) {
    if (isSell) lowest = Math.max(lowest, minRate * (1 + limitMargin))
    else highest = Math.min(highest, (1 - limitMargin) / minRate)
  }
  return lowest <= highest ? Math.min(Math.max(wanted, lowest), highest) : undefined
}

function soldFee({ trade }: BatchOrder): bigint {
  return trade.fee
}

function sumOf(members: readonly BatchOrder[], of: (member: BatchOrder) => bigint): bigint {
  return members.reduce((sum, member) => sum + of(member), 0n)
}

/**
 * The orders with all fees paid by those that sell one token, for each token that is sold. A sell order keeps
 * its fee in its token, so the order that takes just that amount lacks the fee: pools would have to give it,
 * at a worse price. Instead, orders that sell the token in which the group has a surplus pay the other fees.
 * @param least minimum part of all fees that they must pay
 */
export function movedFees(market: Crossing, members: readonly BatchOrder[], min: number): BatchOrder[][] {
  const sold = new Set(members.map(({ from }) => from))
  return [...sold]
    .map((token) => paidIn(market, members, token, min))
    .filter((changed) => changed !== undefined)
}

function paidIn(
  market: Crossing,
  members: readonly BatchOrder[],
  token: number,
  min: number,
): BatchOrder[] | undefined {
  const { task, tokens, reference } = market
  const payers = members.filter(({ from }) => from === token)
  const others = members.filter(({ from }) => from !== token)
  const moved = feesOf(market, others) / (reference[token] ?? 1)
  const paid = sharedFees(market, payers, BigInt(Math.ceil(moved)))
  if (!paid || feesOf(market, [...paid.values()]) < min * feesOf(market, members)) return undefined
  const changed = members.flatMap(
    (member) =>
      paid.get(member) ??
      toBatchOrder(task, tokens, member.entry, member.filled, { sold: 0n, bought: 0n }) ??
      [],
  )
  return changed.length === members.length ? changed : undefined
}

/** All fees as a part of the smallest order: moving them to a price changes it by little more. */
export function feeShare(market: Crossing, members: readonly BatchOrder[]): number {
  const volumes = members.map(
    ({ from, to, isSell, amount }) => amount * (market.reference[isSell ? from : to] ?? 0),
  )
  return feesOf(market, members) / Math.min(...volumes)
}

/** The fees in native atoms. */
function feesOf({ reference }: Crossing, members: readonly BatchOrder[]): number {
  return members.reduce(
    (sum, { from, to, trade }) =>
      sum + Number(trade.fee) * (reference[from] ?? 0) + Number(trade.boughtFee) * (reference[to] ?? 0),
    0,
  )
}

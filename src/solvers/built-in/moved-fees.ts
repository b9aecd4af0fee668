import type { Market } from './balance.ts'
import { type Member, toMember } from './member.ts'
import { sharedFees } from './rigid.ts'

/**
 * The orders with all fees paid by those that sell one token, for each token that is sold. A sell order keeps
 * its fee in its token, so the order that takes just that amount lacks it: pools would have to give it, at a
 * worse price. Instead, orders that sell the token in which the group has a surplus pay for the others.
 * @param least minimum part of all fees that they must pay
 */
export function movedFees(market: Market, members: readonly Member[], least: number): Member[][] {
  const sold = new Set(members.map(({ from }) => from))
  return [...sold]
    .map((token) => paidIn(market, members, token, least))
    .filter((changed) => changed !== undefined)
}

function paidIn(
  market: Market,
  members: readonly Member[],
  token: number,
  least: number,
): Member[] | undefined {
  const { task, tokens, reference } = market
  const payers = members.filter(({ from }) => from === token)
  const others = members.filter(({ from }) => from !== token)
  const moved = feesOf(market, others) / (reference[token] ?? 1)
  const paid = sharedFees(market, payers, BigInt(Math.ceil(moved)))
  if (!paid || feesOf(market, [...paid.values()]) < least * feesOf(market, members)) return undefined
  const changed = members.flatMap(
    (member) => paid.get(member) ?? toMember(task, tokens, member.entry, member.filled, 0n) ?? [],
  )
  return changed.length === members.length ? changed : undefined
}

/** All fees as a part of the smallest order: moving them to a price changes it by little more. */
export function feeShare(market: Market, members: readonly Member[]): number {
  const volumes = members.map(
    ({ from, to, isSell, amount }) => amount * (market.reference[isSell ? from : to] ?? 0),
  )
  return feesOf(market, members) / Math.min(...volumes)
}

/** The fees in native atoms. */
function feesOf({ reference }: Market, members: readonly Member[]): number {
  return members.reduce((sum, { from, trade }) => sum + Number(trade.fee) * (reference[from] ?? 0), 0)
}

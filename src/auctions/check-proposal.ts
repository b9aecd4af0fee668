import { maxUint256 } from '../domain/amount.ts'
import type { Auction, AuctionOrder } from '../domain/auction/auction.ts'
import { directedPair } from '../domain/auction/score.ts'
import { type Execution, type Proposal, type Solution, tradable } from '../domain/auction/solution.ts'
import type { Address } from '../domain/evm/address.ts'
import type { Network } from '../domain/network/network.ts'
import type { Order } from '../domain/order/order.ts'
import { type Booking, bookingsOf } from '../domain/settlement/accounting.ts'
import { type Fault, type Outcome, tradeOutcome } from '../domain/settlement/execution.ts'
import type { PricePair } from '../domain/settlement/fees.ts'
import { wrappedForm } from '../domain/token/token.ts'

/**
 * Computes the solution that a solver's proposal stands for. It trusts only the prices, executed amounts and
 * network fees of the proposal. One trade that breaks a rule discards the whole proposal. The simulation
 * checks the interactions.
 */
export function checkProposal(
  auction: Auction,
  solver: Address,
  proposal: Proposal,
  wrappedNative: Address,
): Solution | Fault {
  const entries = new Map(tradable(auction, proposal).map((entry) => [entry.order.uid, entry]))
  const valuation = { nativePrices: auction.nativePrices, wrappedNative }
  const executions: Execution[] = []
  const pairScores = new Map<string, bigint>()
  const fault = jitFault(auction, proposal)
  if (fault) return fault
  const counting = new Set(auction.surplusCapturingOwners)
  const own = new Set(proposal.jitOrders)
  let score = 0n
  for (const trade of proposal.trades) {
    const entry = entries.get(trade.orderUid)
    if (!entry)
      return {
        fault: `order ${trade.orderUid} is not in the auction, or is traded twice`,
        code: 'unknown_order',
      }
    entries.delete(trade.orderUid)
    const counts = !own.has(entry) || counting.has(entry.order.owner)
    const uniform = uniformPrices(proposal, entry.order, wrappedNative)
    const outcome: Outcome | Fault = uniform
      ? tradeOutcome(entry, trade, uniform, counts ? valuation : withoutValue(entry, wrappedNative))
      : { fault: 'has no clearing price', code: 'invalid_price' }
    if ('fault' in outcome) return { ...outcome, fault: `order ${trade.orderUid} ${outcome.fault}` }
    executions.push(outcome.execution)
    if (!counts) continue
    const pair = directedPair(entry.order.sellToken, wrappedForm(entry.order.buyToken, wrappedNative))
    pairScores.set(pair, (pairScores.get(pair) ?? 0n) + outcome.score)
    score += outcome.score
  }
  if (pairScores.size === 0)
    return { fault: 'the solution has no score: it trades no order that counts for it', code: 'no_score' }
  return { solver, proposal, executions, score, pairScores }
}

/** A solver's own order is one that it trades, once, and that is not in the auction. */
function jitFault({ orders }: Auction, { jitOrders = [], trades }: Proposal): Fault | undefined {
  const traded = new Set(trades.map(({ orderUid }) => orderUid))
  const uids = jitOrders.map(({ order }) => order.uid)
  const repeated = uids.find((uid, index) => uids.indexOf(uid) < index)
  const known = uids.find((uid) => orders.some(({ order }) => order.uid === uid))
  const idle = uids.find((uid) => !traded.has(uid))
  const uid = repeated ?? known ?? idle
  return (
    uid && { fault: `order ${uid} of the solver is in the auction, or not traded once`, code: 'own_order' }
  )
}

/** An order that does not count has no score, and needs no price. */
function withoutValue({ order }: AuctionOrder, wrappedNative: Address) {
  return { nativePrices: new Map([[wrappedForm(order.buyToken, wrappedNative), 0n]]), wrappedNative }
}

/** The prices of an order's tokens in a proposal. Engines price the native coin by its wrapped form. */
export function uniformPrices(
  { prices }: Proposal,
  { sellToken, buyToken }: Pick<Order, 'sellToken' | 'buyToken'>,
  wrappedNative: Address,
): PricePair | undefined {
  const sell = prices.get(sellToken)
  const buy = prices.get(wrappedForm(buyToken, wrappedNative))
  return isPrice(sell) && isPrice(buy) ? { sell, buy } : undefined
}

function isPrice(price: bigint | undefined): price is bigint {
  return price !== undefined && price > 0n && price <= maxUint256
}

/** The changes that a solution is to make to the token balances of the settlement contract. */
export function solutionBookings(
  auction: Auction,
  solution: Solution,
  { wrappedNative }: Pick<Network, 'wrappedNative'>,
): Booking[] {
  return bookingsOf(solution, auction, wrappedNative, (order) =>
    uniformPrices(solution.proposal, order, wrappedNative),
  )
}

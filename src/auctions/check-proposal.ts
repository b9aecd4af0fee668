import { maxUint256 } from '../domain/amount.ts'
import type { Auction } from '../domain/auction/auction.ts'
import { directedPair } from '../domain/auction/score.ts'
import type { Execution, Proposal, Solution } from '../domain/auction/solution.ts'
import type { Address } from '../domain/evm/address.ts'
import type { Order } from '../domain/order/order.ts'
import { type Fault, type Outcome, tradeOutcome } from '../domain/settlement/execution.ts'
import type { PricePair } from '../domain/settlement/fees.ts'
import { wrappedForm } from '../domain/token/token.ts'

/**
 * Computes the solution that a solver's proposal stands for. It trusts only the prices, executed amounts and network fees of the
 * proposal. One trade that breaks a rule discards the whole proposal. The simulation checks the interactions.
 */
export function checkProposal(
  auction: Auction,
  solver: Address,
  proposal: Proposal,
  wrappedNative: Address,
): Solution | Fault {
  const entries = new Map(auction.orders.map((entry) => [entry.order.uid, entry]))
  const valuation = { nativePrices: auction.nativePrices, wrappedNative }
  const executions: Execution[] = []
  const pairScores = new Map<string, bigint>()
  let score = 0n
  for (const trade of proposal.trades) {
    const entry = entries.get(trade.orderUid)
    if (!entry) return { fault: `order ${trade.orderUid} is not in the auction, or is traded twice` }
    entries.delete(trade.orderUid)
    const uniform = uniformPrices(proposal, entry.order, wrappedNative)
    const outcome: Outcome | Fault = uniform
      ? tradeOutcome(entry, trade, uniform, valuation)
      : { fault: 'has no clearing price' }
    if ('fault' in outcome) return { fault: `order ${trade.orderUid} ${outcome.fault}` }
    const pair = directedPair(entry.order.sellToken, wrappedForm(entry.order.buyToken, wrappedNative))
    executions.push(outcome.execution)
    pairScores.set(pair, (pairScores.get(pair) ?? 0n) + outcome.score)
    score += outcome.score
  }
  if (score <= 0n) return { fault: 'the solution has no score' }
  return { solver, proposal, executions, score, pairScores }
}

/** For an order that buys the native coin, engines give the price of its wrapped form. */
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

import { maxUint256, mulDivDown, mulDivUp } from '../amount.ts'
import type { AuctionOrder } from '../auction/auction.ts'
import type { SolutionRefusal } from '../auction/competition.ts'
import { orderScoreDown } from '../auction/score.ts'
import type { Execution, ProposedTrade } from '../auction/solution.ts'
import type { Address } from '../evm/address.ts'
import { type Fill, protocolFeeDown, surplusDown, takeFee } from '../fee/policy.ts'
import type { OrderKind } from '../order/order.ts'
import { wrappedForm } from '../token/token.ts'
import { chargedFees, type PricePair } from './fees.ts'

export type Fault = { fault: string; code: SolutionRefusal }

/** The result of one proposed trade: the trader's executed amounts, and the score in native atoms. */
export interface Outcome {
  execution: Execution
  score: bigint
}

interface Valuation {
  nativePrices: ReadonlyMap<Address, bigint>
  wrappedNative: Address
}

/**
 * The fill before protocol fees, rounded in favour of the settlement, so that it never pays out more than it
 * takes in.
 */
export function grossFill(
  kind: OrderKind,
  { executedAmount, fee, boughtFee = 0n }: ProposedTrade,
  uniform: PricePair,
): Fill {
  return kind === 'sell'
    ? {
        sell: executedAmount + fee,
        buy: mulDivDown(executedAmount, uniform.sell, uniform.buy) - boughtFee,
      }
    : {
        sell: mulDivUp(executedAmount + boughtFee, uniform.buy, uniform.sell) + fee,
        buy: executedAmount,
      }
}

/** Computes the result of a proposed trade, or the rule of the order that it breaks. */
export function tradeOutcome(
  entry: AuctionOrder,
  trade: ProposedTrade,
  uniform: PricePair,
  valuation: Valuation,
): Outcome | Fault {
  const { order, feePolicies } = entry
  const amountFault = executedAmountFault(entry, trade)
  if (amountFault) return amountFault
  let fill = grossFill(order.kind, trade, uniform)
  for (const policy of feePolicies) {
    fill = takeFee(order.kind, fill, protocolFeeDown(policy, order, fill, order.quote))
  }
  return fillOutcome(entry, fill, uniform, valuation)
}

/** The outcome of amounts that include every fee. */
export function fillOutcome(
  { order, feePolicies }: AuctionOrder,
  fill: Fill,
  uniform: PricePair,
  valuation: Valuation,
): Outcome | Fault {
  if (fill.sell <= 0n || fill.buy <= 0n) return { fault: 'trades nothing', code: 'invalid_amount' }
  if (surplusDown(order, fill) < 0n) return { fault: 'breaks the limit price', code: 'invalid_price' }
  if (order.sellAmount * fill.buy > maxUint256 || order.buyAmount * fill.sell > maxUint256) {
    return { fault: "exceeds the settlement contract's arithmetic", code: 'invalid_amount' }
  }
  const { network, protocol, side } = chargedFees({ ...order, feePolicies }, fill, uniform)
  const score = orderScoreDown(
    { ...order, buyToken: wrappedForm(order.buyToken, valuation.wrappedNative) },
    fill,
    protocol,
    valuation.nativePrices,
  )
  if (score === undefined) return { fault: 'has no native price', code: 'no_score' }
  const fees = { networkFee: network, feeSide: side, protocolFees: protocol }
  return { execution: { orderUid: order.uid, ...fill, ...fees }, score }
}

function executedAmountFault(entry: AuctionOrder, trade: ProposedTrade): Fault | undefined {
  if (trade.executedAmount <= 0n || trade.fee < 0n || (trade.boughtFee ?? 0n) < 0n)
    return invalid('has no positive amount')
  const filled = entry.order.kind === 'sell' ? trade.executedAmount + trade.fee : trade.executedAmount
  return filledFault(entry, filled)
}

/** Compares the fixed side with the remaining amount. A sell order's fixed side includes the network fee. */
export function filledFault({ order, remaining }: AuctionOrder, filled: bigint): Fault | undefined {
  if (order.feeAmount !== 0n) return { fault: 'has a signed fee', code: 'unsupported' }
  if (filled > remaining) return invalid('is filled beyond what remains')
  if (!order.partiallyFillable && filled !== remaining) return invalid('can only be filled whole')
  return undefined
}

const invalid = (fault: string): Fault => ({ fault, code: 'invalid_amount' })

import { minOf, priceScale } from '../../domain/amount.ts'
import type { Auction, AuctionOrder } from '../../domain/auction/auction.ts'
import { directedPair } from '../../domain/auction/score.ts'
import type { Proposal, ProposedTrade } from '../../domain/auction/solution.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Order } from '../../domain/order/order.ts'
import type { Pool } from '../../domain/routing/pool.ts'
import { type Outcome, tradeOutcome } from '../../domain/settlement/execution.ts'
import { hopCostDown, type NetworkFee, networkFeeUp } from '../../domain/settlement/gas.ts'
import type { NativeRate } from '../../domain/token/prices.ts'
import { wrappedForm } from '../../domain/token/token.ts'

/** The input of one call of the built-in solver. */
export interface Task {
  auction: Auction
  pools: readonly Pool[]
  settlement: Address
  wrappedNative: Address
}

/** A proposal of valid trades, with its value in native atoms, in total and by directed pair. */
export interface Candidate {
  proposal: Proposal
  value: bigint
  pairValues: ReadonlyMap<string, bigint>
}

export interface TokenPair {
  sell: Address
  buy: Address
}

/** The tokens that pools trade for the order: the native coin in its wrapped form. */
export function pairOf(order: Pick<Order, 'sellToken' | 'buyToken'>, { wrappedNative }: Task): TokenPair {
  return { sell: order.sellToken, buy: wrappedForm(order.buyToken, wrappedNative) }
}

export function pairKey(order: Pick<Order, 'sellToken' | 'buyToken'>, task: Task): string {
  const { sell, buy } = pairOf(order, task)
  return directedPair(sell, buy)
}

/**
 * The fee for `gas` and the order's extra gas; undefined without native prices. If the order's verified quote
 * has less gas, that is charged, so that the trader pays no more than quoted.
 */
export function orderFeeUp(
  task: Task,
  { order, extraGas }: AuctionOrder,
  gas: bigint,
): NetworkFee | undefined {
  const pair = pairOf(order, task)
  const [sellRate, buyRate] = [rateOf(task, pair.sell), rateOf(task, pair.buy)]
  if (!sellRate || !buyRate) return undefined
  const { quote } = order
  const needed = quote?.verified ? minOf(gas, quote.gasAmount) : gas
  return networkFeeUp((needed + extraGas) * task.auction.gasPrice, sellRate, buyRate)
}

function rateOf({ auction: { nativePrices } }: Task, token: Address): NativeRate | undefined {
  const price = nativePrices.get(token)
  return price ? { nativeAmount: price, tokenAmount: priceScale } : undefined
}

/**
 * The gas of one swap in atoms of a token, rounded down. Zero without a native price: an order with such a
 * token has no score anyway.
 */
export function hopCostOf(task: Task, token: Address): bigint {
  const rate = rateOf(task, token)
  return rate ? hopCostDown(task.auction.gasPrice, rate) : 0n
}

export function outcomeOf(
  task: Task,
  entry: AuctionOrder,
  trade: ProposedTrade,
  prices: Proposal['prices'],
): Outcome | undefined {
  const pair = pairOf(entry.order, task)
  const [sell, buy] = [prices.get(pair.sell), prices.get(pair.buy)]
  if (!sell || !buy) return undefined
  const outcome = tradeOutcome(
    entry,
    trade,
    { sell, buy },
    {
      nativePrices: task.auction.nativePrices,
      wrappedNative: task.wrappedNative,
    },
  )
  return 'fault' in outcome ? undefined : outcome
}

/** Creates a candidate; undefined if a trade breaks a rule, or nothing is traded. */
export function toCandidate(
  task: Task,
  entries: readonly AuctionOrder[],
  proposal: Proposal,
): Candidate | undefined {
  let value = 0n
  const pairValues = new Map<string, bigint>()
  for (const [index, trade] of proposal.trades.entries()) {
    const entry = entries[index]
    const outcome = entry && outcomeOf(task, entry, trade, proposal.prices)
    if (!outcome) return undefined
    const key = pairKey(entry.order, task)
    pairValues.set(key, (pairValues.get(key) ?? 0n) + outcome.score)
    value += outcome.score
  }
  return pairValues.size > 0 ? { proposal, value, pairValues } : undefined
}

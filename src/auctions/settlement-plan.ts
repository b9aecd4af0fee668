import type { Auction } from '../domain/auction/auction.ts'
import type { Execution, Solution } from '../domain/auction/solution.ts'
import { type Address, nativeMarker } from '../domain/evm/address.ts'
import { duePreInteractions, type Interaction, type Order } from '../domain/order/order.ts'
import { unwrapCall } from '../domain/settlement/calldata.ts'
import { uniformPrices } from './check-proposal.ts'

/** The arguments of `settle`, not yet encoded. */
export interface SettlementPlan {
  /** Uniform prices first, each traded token once; then two places for each trade. */
  tokens: Address[]
  clearingPrices: bigint[]
  trades: PlannedTrade[]
  /** Before the sell tokens come in, before the buy tokens go out, and after. */
  interactions: [Interaction[], Interaction[], Interaction[]]
}

export interface PlannedTrade {
  order: Order
  sellTokenIndex: number
  buyTokenIndex: number
  /** The fixed side's amount, a sell order's fees included. */
  executedAmount: bigint
}

interface Fulfilment {
  order: Order
  execution: Execution
}

/**
 * A checked solution as the contract takes it. Each trade has a price pair of its own, what it gets against what it pays:
 * with it the contract's rounding gives exactly the execution's amounts, fees included.
 */
export function toSettlementPlan(
  auction: Auction,
  solution: Solution,
  wrappedNative: Address,
): SettlementPlan {
  const fulfilments = toFulfilments(auction, solution)
  const uniform = uniformPriceMap(fulfilments, solution, wrappedNative)
  return {
    tokens: [...uniform.keys(), ...fulfilments.flatMap(({ order }) => [order.sellToken, order.buyToken])],
    clearingPrices: [
      ...uniform.values(),
      ...fulfilments.flatMap(({ execution }) => [execution.buy, execution.sell]),
    ],
    trades: fulfilments.map(({ order, execution }, index) => ({
      order,
      sellTokenIndex: uniform.size + 2 * index,
      buyTokenIndex: uniform.size + 2 * index + 1,
      executedAmount: order.kind === 'sell' ? execution.sell : execution.buy,
    })),
    interactions: [
      fulfilments.flatMap(({ order }) => duePreInteractions(order)),
      [...solution.proposal.interactions, ...unwrapping(fulfilments, wrappedNative)],
      fulfilments.flatMap(({ order }) => order.interactions.post),
    ],
  }
}

function toFulfilments(auction: Auction, { executions }: Solution): Fulfilment[] {
  const orders = new Map(auction.orders.map(({ order }) => [order.uid, order]))
  return executions.map((execution) => {
    const order = orders.get(execution.orderUid)
    if (!order) throw new TypeError(`order ${execution.orderUid} is not in auction ${auction.id}`)
    return { order, execution }
  })
}

function uniformPriceMap(
  fulfilments: readonly Fulfilment[],
  { proposal }: Solution,
  wrappedNative: Address,
): Map<Address, bigint> {
  const prices = new Map<Address, bigint>()
  for (const { order } of fulfilments) {
    const pair = uniformPrices(proposal, order, wrappedNative)
    if (!pair) throw new TypeError(`order ${order.uid} has no clearing price`)
    prices.set(order.sellToken, pair.sell).set(order.buyToken, pair.buy)
  }
  return prices
}

/** Engines deliver the wrapped form; the contract pays the native coin. */
function unwrapping(fulfilments: readonly Fulfilment[], wrappedNative: Address): Interaction[] {
  const native = fulfilments
    .filter(({ order }) => order.buyToken === nativeMarker)
    .reduce((sum, { execution }) => sum + execution.buy, 0n)
  return native > 0n ? [unwrapCall(wrappedNative, native)] : []
}

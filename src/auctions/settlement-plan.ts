import type { Auction } from '../domain/auction/auction.ts'
import { tradable } from '../domain/auction/jit.ts'
import type { Execution, Solution } from '../domain/auction/solution.ts'
import { type Address, nativeMarker } from '../domain/evm/address.ts'
import { duePreInteractions, type Interaction, type Order } from '../domain/order/order.ts'
import { unwrapCall } from '../domain/settlement/calldata.ts'
import { uniformPrices } from './check-proposal.ts'

/** The arguments of `settle`, not yet encoded. */
export interface SettlementPlan {
  /** First each traded token once, at its uniform price; then two tokens for each trade. */
  tokens: Address[]
  clearingPrices: bigint[]
  trades: PlannedTrade[]
  /** Before the sell tokens are transferred in, before the buy tokens are paid out, and after. */
  interactions: [Interaction[], Interaction[], Interaction[]]
}

export interface PlannedTrade {
  order: Order
  sellTokenIndex: number
  buyTokenIndex: number
  /** The fixed side's amount; includes the fees of a sell order. */
  executedAmount: bigint
}

interface Fulfilment {
  order: Order
  execution: Execution
}

/**
 * Arranges a checked solution for the settlement contract. Each trade has its own price pair, its buy amount and its sell amount:
 * with it the contract's rounding gives exactly the execution's amounts, fees included.
 */
export function toSettlementPlan(
  auction: Auction,
  solution: Solution,
  wrappedNative: Address,
): SettlementPlan {
  const fulfilments = toFulfilments(auction, solution)
  const prices = uniformPriceMap(fulfilments, solution, wrappedNative)
  return {
    tokens: [...prices.keys(), ...fulfilments.flatMap(({ order }) => [order.sellToken, order.buyToken])],
    clearingPrices: [
      ...prices.values(),
      ...fulfilments.flatMap(({ execution }) => [execution.buy, execution.sell]),
    ],
    trades: fulfilments.map(({ order, execution }, index) => ({
      order,
      sellTokenIndex: prices.size + 2 * index,
      buyTokenIndex: prices.size + 2 * index + 1,
      executedAmount: order.kind === 'sell' ? execution.sell : execution.buy,
    })),
    interactions: [
      [
        ...(solution.proposal.first ?? []),
        ...fulfilments.flatMap(({ order }) => duePreInteractions(order)),
        ...(solution.proposal.before ?? []),
      ],
      [...solution.proposal.interactions, ...unwrapCalls(fulfilments, wrappedNative)],
      [...fulfilments.flatMap(({ order }) => order.interactions.post), ...(solution.proposal.after ?? [])],
    ],
  }
}

function toFulfilments(auction: Auction, { executions, proposal }: Solution): Fulfilment[] {
  const orders = new Map(tradable(auction, proposal).map(({ order }) => [order.uid, order]))
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
    const uniform = uniformPrices(proposal, order, wrappedNative)
    if (!uniform) throw new TypeError(`order ${order.uid} has no clearing price`)
    prices.set(order.sellToken, uniform.sell).set(order.buyToken, uniform.buy)
  }
  return prices
}

/** Engines deliver the wrapped form; the contract pays the native coin. */
function unwrapCalls(fulfilments: readonly Fulfilment[], wrappedNative: Address): Interaction[] {
  const native = fulfilments
    .filter(({ order }) => order.buyToken === nativeMarker)
    .reduce((sum, { execution }) => sum + execution.buy, 0n)
  return native > 0n ? [unwrapCall(wrappedNative, native)] : []
}

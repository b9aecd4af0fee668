import { encodeSettle, encodeTrade } from '../chain/settlement/call.ts'
import type { SettlementCall } from '../chain/settlement/sequence.ts'
import { minOf } from '../domain/amount.ts'
import type { Auction } from '../domain/auction/auction.ts'
import { type Execution, type Solution, tradable } from '../domain/auction/solution.ts'
import { type Address, nativeMarker } from '../domain/evm/address.ts'
import type { Hex } from '../domain/evm/hex.ts'
import type { Network } from '../domain/network/network.ts'
import { duePreInteractions, type Interaction, type Order } from '../domain/order/order.ts'
import { unwrapCall } from '../domain/settlement/calldata.ts'
import { maxTransactionGas } from '../domain/settlement/gas.ts'
import { uniformPrices } from './check-proposal.ts'

/** The arguments of `settle`, not yet encoded. */
export interface SettlementPlan {
  /** First each traded token once, at its uniform price; then two tokens for each trade. */
  tokens: Address[]
  clearingPrices: bigint[]
  trades: PlannedTrade[]
  /** The calls before the sell tokens are transferred in, before the buy tokens are paid out, and after. */
  interactions: [Interaction[], Interaction[], Interaction[]]
}

interface PlannedTrade {
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
 * Arranges a checked solution for the settlement contract. Each trade has its own price pair, its buy amount
 * and its sell amount: with it the contract's rounding gives exactly the execution's amounts, fees included.
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

/** The price of each token that a solution trades, as its settlement has them first. */
export function settledPrices(
  auction: Auction,
  solution: Solution,
  { wrappedNative }: Pick<Network, 'wrappedNative'>,
): ReadonlyMap<Address, bigint> {
  return uniformPriceMap(toFulfilments(auction, solution), solution, wrappedNative)
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

/** The settlement of a solution, as its solver calls it. */
export function encodeSolution(
  auction: Auction,
  solution: Solution,
  { wrappedNative }: Pick<Network, 'wrappedNative'>,
): SettlementCall {
  const { solver: sender, proposal } = solution
  const { submission } = proposal
  if (submission) return { sender, calldata: submission.calldata, gas: allowedGas(proposal.gas) }
  const calldata = encodePlan(toSettlementPlan(auction, solution, wrappedNative), auction.id)
  return { sender, calldata, gas: allowedGas(proposal.gas) }
}

/** More than the solver's estimate, but limited: third-party code could use any amount. */
export function allowedGas(expected: bigint): bigint {
  return minOf(3n * expected + 500_000n, maxTransactionGas)
}

function encodePlan(plan: SettlementPlan, auctionId: bigint): Hex {
  return encodeSettle({ ...plan, trades: plan.trades.map(encodePlannedTrade), auctionId })
}

/**
 * The settlement contract reverts so at an interaction with the vault relayer: a trial that reaches it has
 * passed.
 */
export const trialPassed = 'GPv2: forbidden interaction'

/** More native coin than any order is paid. */
const ampleBalance = 2n ** 128n

/** A trial as calldata, and the native balance that the settlement contract needs for it. */
interface Trial {
  calldata: Hex
  balance: bigint | undefined
}

/** An empty settlement that ends like a trial. If it does not pass, no order is the cause. */
export function encodeEmptyTrial(auctionId: bigint, network: Pick<Network, 'vaultRelayer'>): Hex {
  const interactions = [[], [trialEnd(network)], []] as const
  return encodeSettle({ tokens: [], clearingPrices: [], trades: [], interactions, auctionId })
}

/**
 * The settlement with one trade only. It runs the pre hooks, checks the signature and transfers the sell
 * tokens, and ends before other orders and pools matter. Native coin is paid out too, because its receiver
 * may refuse it.
 */
export function encodeTrial(
  plan: SettlementPlan,
  trade: PlannedTrade,
  auctionId: bigint,
  network: Pick<Network, 'vaultRelayer'>,
): Trial {
  const { order } = trade
  const end = [trialEnd(network)]
  const paysNative = order.buyToken === nativeMarker
  const calldata = encodeSettle({
    ...plan,
    trades: [encodePlannedTrade(trade)],
    interactions: [duePreInteractions(order), paysNative ? [] : end, end],
    auctionId,
  })
  return { calldata, balance: paysNative ? ampleBalance : undefined }
}

function trialEnd({ vaultRelayer }: Pick<Network, 'vaultRelayer'>): Interaction {
  return { target: vaultRelayer, value: 0n, callData: '0x' }
}

function encodePlannedTrade({ order, sellTokenIndex, buyTokenIndex, executedAmount }: PlannedTrade) {
  return encodeTrade(order, { sell: sellTokenIndex, buy: buyTokenIndex }, executedAmount)
}

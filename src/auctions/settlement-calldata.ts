import { encodeSettle, encodeTrade } from '../chain/settlement/call.ts'
import type { SettlementCall } from '../chain/settlement/sequence.ts'
import { minOf } from '../domain/amount.ts'
import type { Auction } from '../domain/auction/auction.ts'
import type { Solution } from '../domain/auction/solution.ts'
import { nativeMarker } from '../domain/evm/address.ts'
import type { Hex } from '../domain/evm/hex.ts'
import type { Network } from '../domain/network/network.ts'
import { duePreInteractions, type Interaction } from '../domain/order/order.ts'
import { maxTransactionGas } from '../domain/settlement/gas.ts'
import { type PlannedTrade, type SettlementPlan, toSettlementPlan } from './settlement-plan.ts'

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

export function encodePlan(plan: SettlementPlan, auctionId: bigint): Hex {
  return encodeSettle({ ...plan, trades: plan.trades.map(encodePlannedTrade), auctionId })
}

/** The settlement contract reverts so at an interaction with the vault relayer: a trial that reaches it has passed. */
export const trialPassed = 'GPv2: forbidden interaction'

/** More native coin than any order is paid. */
const ampleBalance = 2n ** 128n

/** A trial as calldata, and the native balance that the settlement contract needs for it. */
export interface Trial {
  calldata: Hex
  balance: bigint | undefined
}

/** An empty settlement that ends like a trial. If it does not pass, no order is the cause. */
export function encodeEmptyTrial(auctionId: bigint, network: Pick<Network, 'vaultRelayer'>): Hex {
  const interactions = [[], [trialEnd(network)], []] as const
  return encodeSettle({ tokens: [], clearingPrices: [], trades: [], interactions, auctionId })
}

/**
 * The settlement with one trade only. It runs the pre hooks, checks the signature and transfers the sell tokens, and ends before
 * other orders and pools matter. Native coin is paid out too, because its receiver may refuse it.
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

import { encodeSettle, encodeTrade } from '../chain/settlement/call.ts'
import { nativeMarker } from '../domain/evm/address.ts'
import type { Hex } from '../domain/evm/hex.ts'
import type { Network } from '../domain/network/network.ts'
import { duePreInteractions, type Interaction } from '../domain/order/order.ts'
import type { PlannedTrade, SettlementPlan } from './settlement-plan.ts'

export function encodePlan(plan: SettlementPlan, auctionId: bigint): Hex {
  return encodeSettle({ ...plan, trades: plan.trades.map(encodePlannedTrade), auctionId })
}

/** What the settlement contract says to an interaction with the vault relayer: a trial that comes so far has passed. */
export const trialPassed = 'GPv2: forbidden interaction'

/** More than any order is paid. */
const plentyOfCoin = 2n ** 128n

/** A trial as calldata, and the native coin that the settlement contract needs for it. */
export interface Trial {
  calldata: Hex
  purse: bigint | undefined
}

/** A settlement of nothing, which ends where a trial does: when it does not come so far, no order is to blame. */
export function encodeEmptyTrial(auctionId: bigint, network: Pick<Network, 'vaultRelayer'>): Hex {
  const interactions = [[], [trialEnd(network)], []] as const
  return encodeSettle({ tokens: [], clearingPrices: [], trades: [], interactions, auctionId })
}

/**
 * The same settlement with one trade alone: its pre hooks, its signature and its sell tokens come in as they would, and then it
 * ends, before what other orders and pools have a say in. Native coin is paid out as well: whoever gets it may refuse it.
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
  return { calldata, purse: paysNative ? plentyOfCoin : undefined }
}

function trialEnd({ vaultRelayer }: Pick<Network, 'vaultRelayer'>): Interaction {
  return { target: vaultRelayer, value: 0n, callData: '0x' }
}

function encodePlannedTrade({ order, sellTokenIndex, buyTokenIndex, executedAmount }: PlannedTrade) {
  return encodeTrade(order, { sell: sellTokenIndex, buy: buyTokenIndex }, executedAmount)
}

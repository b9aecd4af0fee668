import { formatUnits } from '../../domain/amount.ts'
import type {
  GetAffiliateAffiliateStatsAddressResult,
  GetAffiliateTraderActivityAddressResult,
  GetAffiliateTraderStatsAddressResult,
} from '../documents.generated.ts'

/** Only these bodies are in snake_case. Dollars are JSON numbers: the nearest doubles. */

export const affiliateStatisticsFields = `wallet code totalVolume triggerVolume totalEarned paidOut nextPayout leftToNextReward
  activeTraders totalTraders computedAt`

export function writeAffiliateStatistics(
  statistics: NonNullable<GetAffiliateAffiliateStatsAddressResult['affiliateStatistics']>,
) {
  return {
    affiliate_address: statistics.wallet,
    referrer_code: statistics.code,
    total_volume: Number(statistics.totalVolume),
    trigger_volume: Number(statistics.triggerVolume),
    total_earned: Number(statistics.totalEarned),
    paid_out: Number(statistics.paidOut),
    next_payout: Number(statistics.nextPayout),
    left_to_next_reward: Number(statistics.leftToNextReward),
    active_traders: statistics.activeTraders,
    total_traders: statistics.totalTraders,
    lastUpdatedAt: statistics.computedAt,
  }
}

export const traderStatisticsFields = `account boundCode linkedSince rewardsEnd eligibleVolume leftToNextReward triggerVolume
  totalEarned paidOut nextPayout computedAt`

export function writeTraderStatistics(
  statistics: NonNullable<GetAffiliateTraderStatsAddressResult['traderStatistics']>,
) {
  return {
    trader_address: statistics.account,
    bound_referrer_code: statistics.boundCode,
    linked_since: statistics.linkedSince,
    rewards_end: statistics.rewardsEnd,
    eligible_volume: Number(statistics.eligibleVolume),
    left_to_next_rewards: Number(statistics.leftToNextReward),
    trigger_volume: Number(statistics.triggerVolume),
    total_earned: Number(statistics.totalEarned),
    paid_out: Number(statistics.paidOut),
    next_payout: Number(statistics.nextPayout),
    lastUpdatedAt: statistics.computedAt,
  }
}

type TraderActivity = GetAffiliateTraderActivityAddressResult['traderActivity']

export const traderActivityFields = `computedAt nodes {
  chainId time code boundCode usdValue eligibleVolume eligibility isBoundToCode isEligible
  trade { txHash orderUid owner sellToken { address symbol decimals } buyToken { address symbol decimals } sellAmount buyAmount }
}`

/** An unknown value is null, never 0. */
export function writeTraderActivity({ computedAt, nodes }: TraderActivity) {
  return {
    rows: nodes.map(({ trade, ...row }) => ({
      chain_id: row.chainId,
      creation_date: row.time,
      tx_hash: trade.txHash,
      order_uid: trade.orderUid,
      trader_address: trade.owner,
      sell_token: trade.sellToken.address,
      buy_token: trade.buyToken.address,
      ...(trade.sellToken.symbol !== null && { sell_token_symbol: trade.sellToken.symbol }),
      ...(trade.buyToken.symbol !== null && { buy_token_symbol: trade.buyToken.symbol }),
      executed_sell_amount: toWholeTokens(trade.sellAmount, trade.sellToken),
      executed_buy_amount: toWholeTokens(trade.buyAmount, trade.buyToken),
      usd_value: row.usdValue === null ? null : Number(row.usdValue),
      eligible_volume_usd: Number(row.eligibleVolume),
      referrer_code: row.code,
      bound_referrer_code: row.boundCode,
      eligibility_reason: row.eligibility,
      is_bound_to_code: row.isBoundToCode,
      is_eligible: row.isEligible,
    })),
    lastUpdatedAt: computedAt,
  }
}

/** In whole tokens; in atoms where the contract has no decimals. */
function toWholeTokens(
  atoms: string,
  { decimals }: TraderActivity['nodes'][number]['trade']['sellToken'],
): string {
  return formatUnits(BigInt(atoms), decimals ?? 0)
}

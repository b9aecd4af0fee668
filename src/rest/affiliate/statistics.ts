import { z } from 'zod'
import { eligibilities } from '../../domain/affiliate/affiliate.ts'
import { formatUnits } from '../../domain/amount.ts'
import { orderTexts } from '../../domain/order/order.ts'
import { addressField } from '../../graphql/input/fields.ts'
import { parseInput } from '../../graphql/input/parse.ts'
import type {
  GetAffiliateAffiliateStatsAddressResult,
  GetAffiliateTraderActivityAddressResult,
  GetAffiliateTraderStatsAddressResult,
} from '../documents.generated.ts'
import type { Operations, WrittenExample } from '../openapi/operation.ts'
import { address, bytes32, count, decimal, orderUid, timestamp } from '../openapi/primitives.ts'
import { sample } from '../openapi/sample.ts'
import { type RestRequest, type Route, route } from '../routing/route.ts'
import { code, dollars } from './affiliates.ts'

/** The only bodies in snake_case. Dollars are JSON numbers: the nearest doubles. */

const affiliateStatisticsFields = `wallet code totalVolume triggerVolume totalEarned paidOut nextPayout leftToNextReward
  activeTraders totalTraders computedAt`

function writeAffiliateStatistics(
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

const traderStatisticsFields = `account boundCode linkedSince rewardsEnd eligibleVolume leftToNextReward triggerVolume
  totalEarned paidOut nextPayout computedAt`

function writeTraderStatistics(
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

const traderActivityFields = `computedAt nodes {
  chainId time code boundCode usdValue eligibleVolume eligibility isBoundToCode isEligible
  trade { txHash orderUid owner sellToken { address symbol decimals } buyToken { address symbol decimals } sellAmount buyAmount }
}`

/** Writes an unknown value as null, never as 0. */
function writeTraderActivity({ computedAt, nodes }: TraderActivity) {
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

/** Converts to whole tokens; keeps atoms if the contract has no decimals. */
function toWholeTokens(
  atoms: string,
  { decimals }: TraderActivity['nodes'][number]['trade']['sellToken'],
): string {
  return formatUnits(BigInt(atoms), decimals ?? 0)
}

const addressPath = z.object({ address: addressField })
const variables = ({ path }: RestRequest) => parseInput(addressPath, path)

/** Routes of statistics about affiliates and their traders. */
export const statisticsRoutes: Route[] = [
  route({
    on: 'GET /affiliate/affiliate-stats/:address',
    needs: 'statistics',
    run: `query ($address: Address!) { affiliateStatistics(wallet: $address) { ${affiliateStatisticsFields} } }`,
    variables,
    answer: ({ affiliateStatistics }) => affiliateStatistics && writeAffiliateStatistics(affiliateStatistics),
    missing: 'Affiliate stats not found',
  }),
  route({
    on: 'GET /affiliate/trader-stats/:address',
    needs: 'statistics',
    run: `query ($address: Address!) { traderStatistics(account: $address) { ${traderStatisticsFields} } }`,
    variables,
    answer: ({ traderStatistics }) => traderStatistics && writeTraderStatistics(traderStatistics),
    missing: 'Trader stats not found',
  }),
  route({
    on: 'GET /affiliate/trader-activity/:address',
    needs: 'statistics',
    run: `query ($address: Address!) { traderActivity(account: $address, first: 50) { ${traderActivityFields} } }`,
    variables,
    answer: ({ traderActivity }) => writeTraderActivity(traderActivity),
  }),
]

const lastUpdatedAt = timestamp.meta({ description: 'The time when these figures were computed.' })

const rewards = {
  trigger_volume: dollars,
  total_earned: dollars,
  paid_out: dollars,
  next_payout: dollars.meta({ description: 'total_earned without paid_out.' }),
  lastUpdatedAt,
}

export const affiliateStatistics = z.object({
  affiliate_address: address.meta({ description: 'The wallet of the code.' }),
  referrer_code: code.meta({ description: 'The code.' }),
  total_volume: dollars,
  left_to_next_reward: dollars,
  active_traders: count,
  total_traders: count,
  ...rewards,
})

export const traderStatistics = z.object({
  trader_address: address.meta({ description: 'The trader.' }),
  bound_referrer_code: code.meta({ description: 'The code to which the trader is permanently bound.' }),
  linked_since: timestamp,
  rewards_end: timestamp,
  eligible_volume: dollars,
  left_to_next_rewards: dollars.meta({
    description:
      'The volume that the trader still has to trade for the next reward; 0 if time or eligible volume runs out before.',
  }),
  ...rewards,
})

const units = decimal.meta({
  description: 'Whole tokens; atoms if the contract has no decimals.',
})

export const referredTrade = z.object({
  chain_id: count.meta({ description: 'The chain of the trade.' }),
  creation_date: timestamp.meta({ description: 'The time of the settled auction, else of the order.' }),
  tx_hash: bytes32.meta({ description: 'The settlement’s transaction.' }),
  order_uid: orderUid.meta({ description: 'The traded order.' }),
  trader_address: address.meta({ description: 'The trader.' }),
  sell_token: address.meta({ description: orderTexts.sellToken }),
  buy_token: address.meta({ description: orderTexts.buyToken }),
  sell_token_symbol: z.string().optional().meta({ description: 'The symbol, if the contract has one.' }),
  buy_token_symbol: z.string().optional().meta({ description: 'The symbol, if the contract has one.' }),
  executed_sell_amount: units,
  executed_buy_amount: units,
  usd_value: dollars.nullable(),
  eligible_volume_usd: dollars.meta({ description: 'The part of usd_value that counts.' }),
  referrer_code: code.meta({ description: 'The code that the order names.' }),
  bound_referrer_code: code.nullable().meta({ description: 'The code to which the trader is bound.' }),
  eligibility_reason: z
    .enum(eligibilities)
    .meta({ description: 'The reason why it does not count, or ELIGIBLE.' }),
  is_bound_to_code: z.boolean(),
  is_eligible: z.boolean(),
})

export const traderActivity = z.object({
  rows: z.array(referredTrade).meta({ description: 'Newest first.' }),
  lastUpdatedAt,
})

const affiliate = { address: { description: 'The affiliate’s wallet.', schema: addressField } }
const trader = { address: { description: 'The trader.', schema: addressField } }

const malformed: WrittenExample = {
  summary: 'A malformed address',
  path: { address: '0x12' },
  refused: ['InvalidParameter', 'address must be an address: 20 bytes of hex with 0x in front'],
}

export const statisticsOperations: Operations = {
  'GET /affiliate/affiliate-stats/:address': {
    id: 'affiliateStatistics',
    summary: 'The earnings of a wallet’s code',
    path: affiliate,
    answers: { 200: { description: 'US dollars.', schema: affiliateStatistics } },
    examples: {
      affiliate: {
        summary: 'One trader, one reward',
        path: { address: sample.guide },
        answer: {
          affiliate_address: '0x90f79bf6eb2c4f870365e785982e1f101e93b906',
          referrer_code: 'LOCAL-GUIDE',
          total_volume: 300000,
          trigger_volume: 250000,
          total_earned: 10,
          paid_out: 0,
          next_payout: 10,
          left_to_next_reward: 200000,
          active_traders: 1,
          total_traders: 1,
          lastUpdatedAt: '2027-01-15T08:00:00Z',
        },
      },
      unknown: { summary: 'A wallet without a code', path: { address: sample.newcomer }, refused: 'missing' },
      malformed,
    },
  },
  'GET /affiliate/trader-stats/:address': {
    id: 'traderStatistics',
    summary: 'The earnings of a trader’s own trades',
    path: trader,
    answers: { 200: { description: 'US dollars.', schema: traderStatistics } },
    examples: {
      trader: {
        summary: 'Bound to a code',
        path: { address: sample.guided },
        answer: {
          trader_address: '0x15d34aaf54267db7d7c367839aaf71a00a2c6a65',
          bound_referrer_code: 'LOCAL-GUIDE',
          linked_since: '2027-01-15T07:30:00Z',
          rewards_end: '2027-04-15T07:30:00Z',
          eligible_volume: 300000,
          left_to_next_rewards: 200000,
          trigger_volume: 250000,
          total_earned: 10,
          paid_out: 0,
          next_payout: 10,
          lastUpdatedAt: '2027-01-15T08:00:00Z',
        },
      },
      unknown: { summary: 'Bound to none', path: { address: sample.newcomer }, refused: 'missing' },
      malformed,
    },
  },
  'GET /affiliate/trader-activity/:address': {
    id: 'traderActivity',
    summary: 'A trader’s trades that name a code',
    description: 'Returns the newest 50.',
    path: trader,
    answers: { 200: { description: 'An empty list when there are none.', schema: traderActivity } },
    examples: {
      trader: {
        summary: 'A trade that counts',
        path: { address: sample.guided },
        answer: {
          rows: [
            {
              chain_id: 11155111,
              creation_date: '2027-01-15T07:30:00Z',
              tx_hash: '0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd',
              order_uid:
                '0xa4f1a0593506d109d2944916a107e529c90f99ee528bbea650484d2e960f756f15d34aaf54267db7d7c367839aaf71a00a2c6a6577359400',
              trader_address: '0x15d34aaf54267db7d7c367839aaf71a00a2c6a65',
              sell_token: '0xfff9976782d46cc05630d1f6ebab18b2324d6b14',
              sell_token_symbol: 'WETH',
              buy_token: '0x95bd8d42f30351685e96c62eddc0d0613bf9a87a',
              buy_token_symbol: 'USDC',
              executed_sell_amount: '100',
              executed_buy_amount: '299000',
              usd_value: 300000,
              eligible_volume_usd: 300000,
              referrer_code: 'LOCAL-GUIDE',
              bound_referrer_code: 'LOCAL-GUIDE',
              eligibility_reason: 'eligible',
              is_bound_to_code: true,
              is_eligible: true,
            },
          ],
          lastUpdatedAt: '2027-01-15T08:00:00Z',
        },
      },
      malformed,
    },
  },
}

import { z } from 'zod'
import { formatUnits } from '../../domain/amount.ts'
import { addressField } from '../../graphql/input/fields.ts'
import { parseInput } from '../../graphql/input/parse.ts'
import type {
  GetAffiliateAffiliateStatsAddressResult,
  GetAffiliateTraderActivityAddressResult,
  GetAffiliateTraderStatsAddressResult,
} from '../documents.generated.ts'
import type { Operations, WrittenExample } from '../openapi/operation.ts'
import { decimal } from '../openapi/primitives.ts'
import { sample } from '../openapi/sample.ts'
import { fieldSchema, fieldText } from '../openapi/selected.ts'
import { type RestRequest, type Route, route } from '../routing/route.ts'
import { bodyOf } from './affiliates.ts'

/** The only bodies in snake_case. */

const affiliateBody = bodyOf<NonNullable<GetAffiliateAffiliateStatsAddressResult['affiliateStatistics']>>(
  'AffiliateStatistics',
  {
    affiliate_address: 'wallet',
    referrer_code: 'code',
    total_volume: 'totalVolume',
    trigger_volume: 'triggerVolume',
    total_earned: 'totalEarned',
    paid_out: 'paidOut',
    next_payout: 'nextPayout',
    left_to_next_reward: 'leftToNextReward',
    active_traders: 'activeTraders',
    total_traders: 'totalTraders',
    lastUpdatedAt: 'computedAt',
  },
)

const traderBody = bodyOf<NonNullable<GetAffiliateTraderStatsAddressResult['traderStatistics']>>(
  'TraderStatistics',
  {
    trader_address: 'account',
    bound_referrer_code: 'boundCode',
    linked_since: 'linkedSince',
    rewards_end: 'rewardsEnd',
    eligible_volume: 'eligibleVolume',
    left_to_next_rewards: 'leftToNextReward',
    trigger_volume: 'triggerVolume',
    total_earned: 'totalEarned',
    paid_out: 'paidOut',
    next_payout: 'nextPayout',
    lastUpdatedAt: 'computedAt',
  },
)

type TraderActivity = GetAffiliateTraderActivityAddressResult['traderActivity']
type ReferredTrade = TraderActivity['nodes'][number]

const placeBody = bodyOf<ReferredTrade>('ReferredTrade', { chain_id: 'chainId', creation_date: 'time' })
const tradeBody = bodyOf<ReferredTrade['trade']>('Trade', {
  tx_hash: 'txHash',
  order_uid: 'orderUid',
  trader_address: 'owner',
})
const countedBody = bodyOf<ReferredTrade>('ReferredTrade', {
  usd_value: 'usdValue',
  eligible_volume_usd: 'eligibleVolume',
  referrer_code: 'code',
  bound_referrer_code: 'boundCode',
  eligibility_reason: 'eligibility',
  is_bound_to_code: 'isBoundToCode',
  is_eligible: 'isEligible',
})

const tokenFields = 'address symbol decimals'

/** Writes an unknown value as null, never as 0. */
function writeTraderActivity({ computedAt, nodes }: TraderActivity) {
  return {
    rows: nodes.map((row) => ({
      ...placeBody.write(row),
      ...tradeBody.write(row.trade),
      ...writeTokens(row.trade),
      ...countedBody.write(row),
    })),
    lastUpdatedAt: computedAt,
  }
}

function writeTokens({ sellToken, buyToken, sellAmount, buyAmount }: ReferredTrade['trade']) {
  return {
    sell_token: sellToken.address,
    buy_token: buyToken.address,
    ...(sellToken.symbol !== null && { sell_token_symbol: sellToken.symbol }),
    ...(buyToken.symbol !== null && { buy_token_symbol: buyToken.symbol }),
    executed_sell_amount: toWholeTokens(sellAmount, sellToken),
    executed_buy_amount: toWholeTokens(buyAmount, buyToken),
  }
}

/** Converts to whole tokens; keeps atoms if the contract has no decimals. */
function toWholeTokens(atoms: string, { decimals }: ReferredTrade['trade']['sellToken']): string {
  return formatUnits(BigInt(atoms), decimals ?? 0)
}

const addressPath = z.object({ address: addressField })
const variables = ({ path }: RestRequest) => parseInput(addressPath, path)

/** Routes of statistics about affiliates and their traders. */
export const statisticsRoutes: Route[] = [
  route({
    on: 'GET /affiliate/affiliate-stats/:address',
    needs: 'statistics',
    run: `query ($address: Address!) {
      affiliateStatistics(wallet: $address) {
        wallet code totalVolume triggerVolume totalEarned paidOut nextPayout leftToNextReward
        activeTraders totalTraders computedAt
      }
    }`,
    variables,
    answer: ({ affiliateStatistics }) => affiliateStatistics && affiliateBody.write(affiliateStatistics),
    missing: 'Affiliate stats not found',
  }),
  route({
    on: 'GET /affiliate/trader-stats/:address',
    needs: 'statistics',
    run: `query ($address: Address!) {
      traderStatistics(account: $address) {
        account boundCode linkedSince rewardsEnd eligibleVolume leftToNextReward triggerVolume
        totalEarned paidOut nextPayout computedAt
      }
    }`,
    variables,
    answer: ({ traderStatistics }) => traderStatistics && traderBody.write(traderStatistics),
    missing: 'Trader stats not found',
  }),
  route({
    on: 'GET /affiliate/trader-activity/:address',
    needs: 'statistics',
    run: `query ($address: Address!) {
      traderActivity(account: $address, first: 50) {
        computedAt
        nodes {
          chainId time code boundCode usdValue eligibleVolume eligibility isBoundToCode isEligible
          trade { txHash orderUid owner sellToken { ${tokenFields} } buyToken { ${tokenFields} } sellAmount buyAmount }
        }
      }
    }`,
    variables,
    answer: ({ traderActivity }) => writeTraderActivity(traderActivity),
  }),
]

export const affiliateStatistics = affiliateBody.schema
export const traderStatistics = traderBody.schema

const units = decimal.meta({ description: 'Whole tokens; atoms if the contract has no decimals.' })
const symbol = z.string().optional().meta({ description: 'The symbol, if the contract has one.' })

export const referredTrade = z.object({
  ...placeBody.schema.shape,
  ...tradeBody.schema.shape,
  sell_token: fieldSchema('Trade.sellToken'),
  buy_token: fieldSchema('Trade.buyToken'),
  sell_token_symbol: symbol,
  buy_token_symbol: symbol,
  executed_sell_amount: units,
  executed_buy_amount: units,
  ...countedBody.schema.shape,
})

export const traderActivity = z.object({
  rows: z.array(referredTrade).meta({ description: 'At most 50, newest first.' }),
  lastUpdatedAt: fieldSchema('TraderActivityConnection.computedAt'),
})

const affiliate = { address: { description: 'The affiliate’s wallet.', schema: addressField } }
const trader = { address: { description: fieldText('TraderStatistics.account'), schema: addressField } }

const malformed: WrittenExample = {
  summary: 'A malformed address',
  path: { address: '0x12' },
  refused: ['InvalidParameter', 'address must be an address: 20 bytes of hex with 0x in front'],
}

const inDollars = (schema: z.ZodType) => ({ 200: { description: 'US dollars.', schema } })

export const statisticsOperations: Operations = {
  'GET /affiliate/affiliate-stats/:address': {
    id: 'affiliateStatistics',
    summary: 'The earnings of a wallet’s code',
    path: affiliate,
    answers: inDollars(affiliateStatistics),
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
    answers: inDollars(traderStatistics),
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
    answers: {
      200: { description: 'The trades; an empty list when there are none.', schema: traderActivity },
    },
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

import { addressField } from '../../graphql/input/fields.ts'
import type { Operations, WrittenExample } from '../openapi/operation.ts'
import { sample } from '../openapi/sample.ts'
import { affiliateStatistics, traderActivity, traderStatistics } from './statistics-schema.ts'

const affiliate = { address: { description: 'The affiliate’s wallet.', schema: addressField } }
const trader = { address: { description: 'The trader.', schema: addressField } }

const malformed: WrittenExample = {
  summary: 'No address',
  path: { address: '0x12' },
  refused: ['InvalidParameter', 'address must be an address: 20 bytes of hex with 0x in front'],
}

export const statisticsOperations: Operations = {
  'GET /affiliate/affiliate-stats/:address': {
    id: 'affiliateStatistics',
    summary: 'What a wallet’s code brought',
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
    summary: 'What a trader’s own trades earned him',
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
    description: 'The newest 50.',
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

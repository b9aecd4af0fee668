import { z } from 'zod'
import { eligibilities } from '../../domain/affiliate/rewards.ts'
import { address, bytes32, count, decimal, orderUid, timestamp } from '../openapi/schemas/primitives.ts'
import { code, dollars } from './schema.ts'

const lastUpdatedAt = timestamp.meta({ description: 'When these figures were computed.' })

const rewards = {
  trigger_volume: dollars.meta({ description: 'What a trader has to trade for a reward.' }),
  total_earned: dollars.meta({ description: 'The part of all rewards, rounded down.' }),
  paid_out: dollars.meta({ description: 'Always 0: the service pays nothing out.' }),
  next_payout: dollars.meta({ description: 'total_earned without paid_out.' }),
  lastUpdatedAt,
}

export const affiliateStatistics = z.object({
  affiliate_address: address.meta({ description: 'Whose code it is.' }),
  referrer_code: code.meta({ description: 'The code.' }),
  total_volume: dollars.meta({ description: 'Eligible volume of all its traders.' }),
  left_to_next_reward: dollars.meta({
    description:
      'What the active trader who is nearest to his next reward, or a new one, still has to trade; 0 where the volume that counts at most is less.',
  }),
  active_traders: count.meta({ description: 'Traders whose next trade can still count.' }),
  total_traders: count.meta({ description: 'Traders bound to the code.' }),
  ...rewards,
})

export const traderStatistics = z.object({
  trader_address: address.meta({ description: 'The trader.' }),
  bound_referrer_code: code.meta({ description: 'The code that he is bound to, for good.' }),
  linked_since: timestamp.meta({ description: 'The time of the trade that bound him.' }),
  rewards_end: timestamp.meta({ description: 'From here on no trade counts.' }),
  eligible_volume: dollars.meta({ description: 'What counts of his trades.' }),
  left_to_next_rewards: dollars.meta({
    description:
      'What he still has to trade for the next reward; 0 when time or the volume that counts at most is up before.',
  }),
  ...rewards,
})

const units = decimal.meta({
  description: 'Whole tokens; atoms where the contract does not say how many make one.',
})

export const referredTrade = z.object({
  chain_id: count.meta({ description: 'The chain it is on.' }),
  creation_date: timestamp.meta({ description: 'That of the auction it settles, else of its order.' }),
  tx_hash: bytes32.meta({ description: 'The settlement’s transaction.' }),
  order_uid: orderUid.meta({ description: 'The order traded.' }),
  trader_address: address.meta({ description: 'The trader.' }),
  sell_token: address.meta({ description: 'What was sold.' }),
  buy_token: address.meta({ description: 'What was bought.' }),
  sell_token_symbol: z.string().optional().meta({ description: 'Where the contract says.' }),
  buy_token_symbol: z.string().optional().meta({ description: 'Where the contract says.' }),
  executed_sell_amount: units,
  executed_buy_amount: units,
  usd_value: dollars
    .nullable()
    .meta({ description: 'What was sold, at the prices of its auction; null where that had none.' }),
  eligible_volume_usd: dollars.meta({ description: 'The part of usd_value that counts.' }),
  referrer_code: code.meta({ description: 'What its order names.' }),
  bound_referrer_code: code.nullable().meta({ description: 'What the trader is bound to.' }),
  eligibility_reason: z.enum(eligibilities).meta({ description: 'Whether it counts, or why not.' }),
  is_bound_to_code: z
    .boolean()
    .meta({ description: 'Whether it names the code that the trader is bound to.' }),
  is_eligible: z.boolean().meta({ description: 'Whether it counts.' }),
})

export const traderActivity = z.object({
  rows: z.array(referredTrade).meta({ description: 'Newest first.' }),
  lastUpdatedAt,
})

import type { Affiliate } from '../../domain/affiliate/affiliate.ts'
import type { Address } from '../../domain/evm/address.ts'
import { bytea } from '../database/columns.ts'
import { Prisma } from '../generated/client.ts'
import { address, boolean, decimal, hexText, string, time, uint32 } from '../query/codec.ts'
import type { RowFields } from '../query/json.ts'
import { aliasField, column, derived, type Model, type OneRow } from '../query/model.ts'
import { nodeId } from '../query/node-id.ts'

/** A plain decimal in a numeric column. */
const plainDecimal = (column: string, description: string) =>
  derived({ ...decimal, column: 'numeric' }, `trim_scale(af.${column})::text`, description, { column })

const fields = {
  wallet: column(address, 'af.wallet', 'The account that is paid.'),
  code: column(string, 'af.code', 'The code that traders name in their appData.'),
  enabled: column(boolean, 'af.enabled', 'True if traders may use the code.'),
  createdAt: column(time, 'af.created_at', 'The time of its registration.'),
  rewardAmount: plainDecimal(
    'reward_amount',
    'US dollars for each time that triggerVolume is reached, shared by the splits.',
  ),
  triggerVolume: plainDecimal('trigger_volume', 'US dollars that a trader has to trade for a reward.'),
  timeCapDays: column(uint32, 'af.time_cap_days', 'Days that a trader counts.'),
  volumeCap: plainDecimal('volume_cap', 'Maximum counted volume of a trader, in US dollars; 0: all.'),
  revenueSplitAffiliatePct: plainDecimal('revenue_split_affiliate_pct', 'The wallet’s part, in percent.'),
  revenueSplitTraderPct: plainDecimal('revenue_split_trader_pct', 'The trader’s part, in percent.'),
  revenueSplitDaoPct: plainDecimal('revenue_split_dao_pct', 'The share of the service, in percent.'),
}

/** `traderRewardAmount` of the domain. */
const traderRewardAmount = derived(
  decimal,
  'trim_scale(af.reward_amount * af.revenue_split_trader_pct * 0.01)::text',
  'The trader’s part of rewardAmount, in US dollars.',
)

/** Affiliate `af`. */
export const affiliate: Model = {
  name: 'Affiliate',
  description: 'A wallet that brings traders, and the programme as it was when it registered.',
  fields: { id: nodeId('Affiliate', hexText('af.wallet')), ...fields, traderRewardAmount },
}

const referralCode: Model = {
  name: 'ReferralCode',
  description: 'An affiliate’s code as a trader sees it.',
  fields: {
    code: aliasField(fields.code, 'The code that the trader names in appData.'),
    traderRewardAmount: aliasField(
      traderRewardAmount,
      'US dollars for the trader each time that triggerVolume is reached.',
    ),
    triggerVolume: aliasField(fields.triggerVolume, 'US dollars to trade for a reward.'),
    timeCapDays: aliasField(fields.timeCapDays, 'Days that trades count, from the first one with the code.'),
    volumeCap: aliasField(fields.volumeCap, 'Maximum volume that counts, in US dollars; 0 means all.'),
  },
}

export const affiliateRow: RowFields<Affiliate> = fields

export const affiliateOf: OneRow = {
  kind: 'one',
  model: () => affiliate,
  nullable: true,
  rows: ({ wallet }: { wallet: Address }) => Prisma.sql`affiliates af WHERE af.wallet = ${bytea(wallet)}`,
  description: 'The affiliate that a wallet is, also while its code is disabled; null when it is none.',
}

export const enabledCode: OneRow = {
  kind: 'one',
  model: () => referralCode,
  nullable: true,
  rows: ({ code }: { code: string }) => Prisma.sql`affiliates af WHERE af.code = ${code}`,
  fault: { when: 'NOT af.enabled', is: 'd' },
  description: 'A code that traders may use; null when no affiliate has it.',
}

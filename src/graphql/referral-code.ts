import { traderRewardAmount } from '../domain/affiliate.ts'
import { Refusal } from '../domain/error.ts'
import { findAffiliateByCode } from '../storage/affiliates.ts'
import { builder } from './builder.ts'
import { requireFeature } from './features.ts'
import { parseAffiliateCode } from './inputs/affiliate.ts'
import { ReferralCodeRef } from './refs.ts'

ReferralCodeRef.implement({
  description: 'An affiliate’s code as a trader sees it.',
  fields: (t) => ({
    code: t.exposeString('code', { description: 'What the trader names in appData.' }),
    traderRewardAmount: t.field({
      type: 'Decimal',
      description: 'US dollars for the trader each time that triggerVolume is reached.',
      resolve: traderRewardAmount,
    }),
    triggerVolume: t.expose('triggerVolume', {
      type: 'Decimal',
      description: 'US dollars to trade for a reward.',
    }),
    timeCapDays: t.expose('timeCapDays', {
      type: 'Uint32',
      description: 'Days that trades count, from the first one with the code.',
    }),
    volumeCap: t.expose('volumeCap', {
      type: 'Decimal',
      description: 'US dollars of volume that count at most; 0 means all.',
    }),
  }),
})

builder.queryField('referralCode', (t) =>
  t.field({
    type: ReferralCodeRef,
    nullable: true,
    description: 'A code that traders may use; null when nobody has it.',
    args: { code: t.arg.string({ required: true, description: 'Upper case.' }) },
    resolve: async (_root, { code }, context) => {
      requireFeature(context, 'cms')
      const affiliate = await findAffiliateByCode(context.db, parseAffiliateCode(code))
      if (affiliate?.enabled === false)
        throw new Refusal('AffiliateCodeDisabled', 'Affiliate code disabled', { field: 'code' })
      return affiliate
    },
  }),
)

import { affiliateTypedData, traderRewardAmount } from '../domain/affiliate.ts'
import { findAffiliateByWallet } from '../storage/affiliates.ts'
import { builder } from './builder.ts'
import { requireFeature } from './features.ts'
import { parseAffiliateCode } from './inputs/affiliate.ts'
import { AccountRef, AffiliateRef } from './refs.ts'

AffiliateRef.implement({
  description: 'A wallet that brings traders, and the programme as it was when it registered.',
  fields: (t) => ({
    wallet: t.expose('wallet', { type: 'Address', description: 'Who is paid.' }),
    code: t.exposeString('code', { description: 'What traders name in their appData.' }),
    enabled: t.exposeBoolean('enabled', { description: 'Whether traders may use the code.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it registered.' }),
    rewardAmount: t.expose('rewardAmount', {
      type: 'Decimal',
      description: 'US dollars for each time that triggerVolume is reached, shared by the splits.',
    }),
    triggerVolume: t.expose('triggerVolume', {
      type: 'Decimal',
      description: 'US dollars that a trader has to trade for a reward.',
    }),
    timeCapDays: t.expose('timeCapDays', { type: 'Uint32', description: 'Days that a trader counts.' }),
    volumeCap: t.expose('volumeCap', {
      type: 'Decimal',
      description: 'US dollars of a trader’s volume that count at most; 0 means all.',
    }),
    revenueSplitAffiliatePct: t.expose('revenueSplitAffiliatePct', {
      type: 'Decimal',
      description: 'The wallet’s part, in percent.',
    }),
    revenueSplitTraderPct: t.expose('revenueSplitTraderPct', {
      type: 'Decimal',
      description: 'The trader’s part, in percent.',
    }),
    revenueSplitDaoPct: t.expose('revenueSplitDaoPct', {
      type: 'Decimal',
      description: 'What the service keeps, in percent.',
    }),
    traderRewardAmount: t.field({
      type: 'Decimal',
      description: 'The trader’s part of rewardAmount, in US dollars.',
      resolve: traderRewardAmount,
    }),
  }),
})

builder.queryField('affiliate', (t) =>
  t.field({
    type: AffiliateRef,
    nullable: true,
    description: 'The affiliate that a wallet is, also while its code is disabled; null when it is none.',
    args: { wallet: t.arg({ type: 'Address', required: true, description: 'Any letter case.' }) },
    resolve: (_root, { wallet }, context) => {
      requireFeature(context, 'cms')
      return findAffiliateByWallet(context.db, wallet)
    },
  }),
)

builder.objectField(AccountRef, 'affiliate', (t) =>
  t.field({
    type: AffiliateRef,
    nullable: true,
    description: 'The affiliate that the account is; null when it is none.',
    resolve: ({ address }, _args, context) => {
      requireFeature(context, 'cms')
      return findAffiliateByWallet(context.db, address)
    },
  }),
)

builder.queryField('affiliateTypedData', (t) =>
  t.field({
    type: 'JSON',
    description:
      'What a wallet signs to register a code: the whole EIP-712 payload, as eth_signTypedData_v4 takes it. Nothing is reserved by asking.',
    args: {
      wallet: t.arg({ type: 'Address', required: true, description: 'Who will sign.' }),
      code: t.arg.string({ required: true, description: 'As it is to be registered.' }),
    },
    resolve: (_root, { wallet, code }, context) => {
      requireFeature(context, 'cms')
      return affiliateTypedData(context.affiliates.brand, { wallet, code: parseAffiliateCode(code) })
    },
  }),
)

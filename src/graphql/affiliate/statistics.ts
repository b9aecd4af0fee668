import { builder } from '../builder.ts'
import { requireFeature } from '../context/features.ts'
import { AffiliateStatisticsRef } from '../refs.ts'
import { computedAt, dollars, nextPayout, paidOut } from './dollars.ts'

AffiliateStatisticsRef.implement({
  description:
    'What a wallet’s code brought, in US dollars: for each triggerVolume that one of its traders trades, its part of one reward.',
  fields: (t) => ({
    wallet: t.expose('wallet', { type: 'Address', description: 'Whose code it is.' }),
    code: t.exposeString('code', { description: 'The code.' }),
    totalVolume: t.field(dollars('totalVolume', 'Eligible volume of all its traders.')),
    triggerVolume: t.field(dollars('triggerVolume', 'What a trader has to trade for a reward.')),
    totalEarned: t.field(dollars('totalEarned', 'The wallet’s part of all rewards, rounded down.')),
    paidOut: t.field(paidOut),
    nextPayout: t.field(nextPayout),
    leftToNextReward: t.field(
      dollars(
        'leftToNextReward',
        'What the active trader who is nearest to his next reward, or a new one, still has to trade; 0 where the volume that counts at most is less.',
      ),
    ),
    activeTraders: t.expose('activeTraders', {
      type: 'SafeInt',
      description: 'Traders whose next trade can still count: neither time nor volume is used up.',
    }),
    totalTraders: t.expose('totalTraders', { type: 'SafeInt', description: 'Traders bound to the code.' }),
    computedAt: t.expose('computedAt', computedAt),
  }),
})

builder.queryField('affiliateStatistics', (t) =>
  t.field({
    type: AffiliateStatisticsRef,
    nullable: true,
    description: 'What a wallet’s code brought; null for a wallet without one. Up to 10 seconds old.',
    args: { wallet: t.arg({ type: 'Address', required: true, description: 'The affiliate’s.' }) },
    resolve: (_root, { wallet }, context) => {
      requireFeature(context, 'statistics')
      return context.statistics.ofAffiliate(wallet, context.client)
    },
  }),
)

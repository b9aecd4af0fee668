import { builder } from '../builder.ts'
import { requireFeature } from '../context/features.ts'
import { TraderStatisticsRef } from '../refs.ts'
import { computedAt, dollars, nextPayout, paidOut } from './dollars.ts'

TraderStatisticsRef.implement({
  description: 'What a trader’s own trades earned him under the code that he is bound to, in US dollars.',
  fields: (t) => ({
    account: t.expose('account', { type: 'Address', description: 'The trader.' }),
    boundCode: t.exposeString('code', {
      description:
        'That of his first trade with a code that was known and enabled then, and not his own. It never changes.',
    }),
    linkedSince: t.expose('linkedSince', { type: 'DateTime', description: 'The time of that trade.' }),
    rewardsEnd: t.expose('rewardsEnd', { type: 'DateTime', description: 'From here on no trade counts.' }),
    eligibleVolume: t.field(dollars('eligibleVolume', 'What counts of his trades.')),
    triggerVolume: t.field(dollars('triggerVolume', 'What he has to trade for a reward.')),
    totalEarned: t.field(dollars('totalEarned', 'His part of all rewards, rounded down.')),
    paidOut: t.field(paidOut),
    nextPayout: t.field(nextPayout),
    leftToNextReward: t.field(
      dollars(
        'leftToNextReward',
        'What he still has to trade for the next reward; 0 when time or the volume that counts at most is up before.',
      ),
    ),
    computedAt: t.expose('computedAt', computedAt),
  }),
})

builder.queryField('traderStatistics', (t) =>
  t.field({
    type: TraderStatisticsRef,
    nullable: true,
    description:
      'What a trader’s own trades earned him; null for an account that is bound to no code. Up to 10 seconds old.',
    args: { account: t.arg({ type: 'Address', required: true, description: 'The trader.' }) },
    resolve: (_root, { account }, context) => {
      requireFeature(context, 'statistics')
      return context.statistics.ofTrader(account, context.client)
    },
  }),
)

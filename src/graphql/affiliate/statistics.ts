import { formatDollars } from '../../domain/affiliate/affiliate.ts'
import type { ReferredTradeRow } from '../../storage/affiliate/statistics.ts'
import { tradeByLogPosition } from '../../storage/models/keyed.ts'
import { builder } from '../builder.ts'
import { requireFeature } from '../context/access.ts'
import { Eligibility } from '../enums.ts'
import { checkFirst, connectionRef, cursorArguments, pageOf, placeIn } from '../paging.ts'
import { AffiliateStatisticsRef, ReferredTradeRef, TradeRef, TraderStatisticsRef } from '../refs.ts'
import { resolveKeyed, type StoredValue } from '../stored/resolve.ts'

/** A GraphQL field for a member that holds US dollars. */
function dollars<Name extends string>(name: Name, description: string) {
  return {
    type: 'Decimal' as const,
    description,
    resolve: (row: Record<Name, bigint>) => formatDollars(row[name]),
  }
}

/** Fields that statistics of affiliates and of traders share. */
const paidOut = {
  type: 'Decimal' as const,
  description: 'Always 0: the service pays nothing out.',
  resolve: () => '0',
}
const nextPayout = dollars('totalEarned', 'totalEarned without paidOut.')
const computedAt = { type: 'DateTime' as const, description: 'The time of these figures.' }

AffiliateStatisticsRef.implement({
  description:
    'The earnings of a wallet’s code, in US dollars: for each triggerVolume that one of its traders trades, its part of one reward.',
  fields: (t) => ({
    wallet: t.expose('wallet', { type: 'Address', description: 'The wallet of the code.' }),
    code: t.exposeString('code', { description: 'The code.' }),
    totalVolume: t.field(dollars('totalVolume', 'Eligible volume of all its traders.')),
    triggerVolume: t.field(dollars('triggerVolume', 'The volume that a trader has to trade for a reward.')),
    totalEarned: t.field(dollars('totalEarned', 'The earned part of all rewards, rounded down.')),
    paidOut: t.field(paidOut),
    nextPayout: t.field(nextPayout),
    leftToNextReward: t.field(
      dollars(
        'leftToNextReward',
        'The volume that the active trader nearest to the next reward, or a new one, still has to trade; 0 if the maximum eligible volume is less.',
      ),
    ),
    activeTraders: t.expose('activeTraders', {
      type: 'SafeInt',
      description: 'Traders whose next trade can still count.',
    }),
    totalTraders: t.expose('totalTraders', { type: 'SafeInt', description: 'Traders bound to the code.' }),
    computedAt: t.expose('computedAt', computedAt),
  }),
})

builder.queryField('affiliateStatistics', (t) =>
  t.field({
    type: AffiliateStatisticsRef,
    nullable: true,
    description: 'The earnings of a wallet’s code; null for a wallet without one. Up to 10 seconds old.',
    args: { wallet: t.arg({ type: 'Address', required: true, description: 'The affiliate’s.' }) },
    resolve: (_root, { wallet }, context) => {
      requireFeature(context, 'statistics')
      return context.statistics.ofAffiliate(wallet, context.client)
    },
  }),
)

TraderStatisticsRef.implement({
  description: 'The earnings of a trader’s own trades under the code that he is bound to, in US dollars.',
  fields: (t) => ({
    account: t.expose('account', { type: 'Address', description: 'The trader.' }),
    boundCode: t.exposeString('code', {
      description:
        'The code to which the trader is permanently bound: that of the first trade with a known and enabled code of another wallet.',
    }),
    linkedSince: t.expose('linkedSince', { type: 'DateTime', description: 'The time of the binding trade.' }),
    rewardsEnd: t.expose('rewardsEnd', {
      type: 'DateTime',
      description: 'The time from which trades do not count.',
    }),
    eligibleVolume: t.field(dollars('eligibleVolume', 'The eligible volume of the trader’s trades.')),
    triggerVolume: t.field(dollars('triggerVolume', 'The volume that a trader has to trade for a reward.')),
    totalEarned: t.field(dollars('totalEarned', 'The earned part of all rewards, rounded down.')),
    paidOut: t.field(paidOut),
    nextPayout: t.field(nextPayout),
    leftToNextReward: t.field(
      dollars(
        'leftToNextReward',
        'The volume that the trader still has to trade for the next reward; 0 if time or eligible volume runs out before.',
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
      'The earnings of a trader’s own trades; null for an account that is bound to no code. Up to 10 seconds old.',
    args: { account: t.arg({ type: 'Address', required: true, description: 'The trader.' }) },
    resolve: (_root, { account }, context) => {
      requireFeature(context, 'statistics')
      return context.statistics.ofTrader(account, context.client)
    },
  }),
)

ReferredTradeRef.implement({
  description:
    'A trade whose order names a code in its appData, and what it counts for that. Dollars are US dollars.',
  fields: (t) => ({
    trade: t.field({
      type: TradeRef,
      description: 'The trade.',
      resolve: async ({ trade }, _args, context, info) =>
        (await resolveKeyed(tradeByLogPosition, trade, context, info)) as StoredValue,
    }),
    chainId: t.field({
      type: 'SafeInt',
      description: 'The chain it is on.',
      resolve: ({ trade }) => trade.chainId,
    }),
    time: t.expose('time', {
      type: 'DateTime',
      description:
        'The time of the auction that it settles, or of its order if it settles no auction of this service.',
    }),
    code: t.exposeString('code', { description: 'The code that its order names, in capitals.' }),
    boundCode: t.exposeString('boundCode', {
      nullable: true,
      description: 'The code that the trader is bound to; null without one.',
    }),
    usdValue: t.field({
      type: 'Decimal',
      nullable: true,
      description:
        'The value of the sold amount at the prices of its auction, rounded down; null without prices.',
      resolve: ({ value }) => (value === null ? null : formatDollars(value)),
    }),
    eligibleVolume: t.field(dollars('eligibleVolume', 'The part of usdValue that counts.')),
    eligibility: t.expose('eligibility', {
      type: Eligibility,
      description: 'The reason why it does not count, or ELIGIBLE.',
    }),
    isBoundToCode: t.boolean({
      description: 'True if it names the code that the trader is bound to.',
      resolve: ({ code, boundCode }) => code === boundCode,
    }),
    isEligible: t.boolean({
      description: 'True if it counts.',
      resolve: ({ eligibility }) => eligibility === 'eligible',
    }),
  }),
})

const TraderActivityConnectionRef = connectionRef<ReferredTradeRow, { computedAt: Date }>({
  item: ReferredTradeRef,
  name: 'TraderActivityConnection',
  description: 'A page of a trader’s trades that name a code, newest first. Stable while trades are added.',
  placeOf: ({ place }) => `a${place}`,
})
builder.objectField(TraderActivityConnectionRef, 'computedAt', (t) => t.expose('computedAt', computedAt))

builder.queryField('traderActivity', (t) =>
  t.field({
    type: TraderActivityConnectionRef,
    description:
      'A trader’s trades that name a code, on all networks, and which of them count. Up to 10 seconds old.',
    args: {
      account: t.arg({ type: 'Address', required: true, description: 'The trader.' }),
      ...cursorArguments(t.arg),
    },
    resolve: async (_root, { account, first, after }, context) => {
      requireFeature(context, 'statistics')
      checkFirst(first)
      const [place = null] = after == null ? [] : placeIn(after, /^a([0-9]{1,18}(?:\.[0-9]{1,18}){3})$/)
      const page = { first: first + 1, after: place }
      const { trades, computedAt } = await context.statistics.activityOf(account, page, context.client)
      return { ...pageOf(trades, first, context), computedAt }
    },
  }),
)

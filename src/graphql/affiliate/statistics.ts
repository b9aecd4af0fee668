import { affiliateStatistics, figuresAt, traderStatistics } from '../../affiliates/statistics.ts'
import { type ReferredTradeRow, referredTrade } from '../../storage/affiliate/statistics.ts'
import { tradeByLogPosition } from '../../storage/models/keyed.ts'
import { builder } from '../builder.ts'
import { requireFeature } from '../context/access.ts'
import { describedRef } from '../described.ts'
import { checkFirst, connectionRef, cursorArguments, pageOf, placeIn } from '../paging.ts'
import { TradeRef } from '../refs.ts'
import { keyedResolver } from '../stored/resolve.ts'

const traderArgument = {
  type: 'Address',
  required: true,
  description: traderStatistics.fields.account.description,
} as const

builder.queryField('affiliateStatistics', (t) =>
  t.field({
    type: describedRef(affiliateStatistics),
    nullable: true,
    description: 'The earnings of a wallet’s code; null for a wallet without one. Up to 10 seconds old.',
    args: { wallet: t.arg({ type: 'Address', required: true, description: 'The affiliate’s.' }) },
    resolve: (_root, { wallet }, context) => {
      requireFeature(context, 'statistics')
      return context.statistics.ofAffiliate(wallet, context.client)
    },
  }),
)

builder.queryField('traderStatistics', (t) =>
  t.field({
    type: describedRef(traderStatistics),
    nullable: true,
    description:
      'The earnings of a trader’s own trades; null for an account that is bound to no code. Up to 10 seconds old.',
    args: { account: t.arg(traderArgument) },
    resolve: (_root, { account }, context) => {
      requireFeature(context, 'statistics')
      return context.statistics.ofTrader(account, context.client)
    },
  }),
)

const ReferredTradeRef = describedRef<typeof referredTrade, ReferredTradeRow>(referredTrade)

builder.objectField(ReferredTradeRef, 'trade', (t) =>
  t.field({
    type: TradeRef,
    description: 'The trade.',
    resolve: keyedResolver(tradeByLogPosition, ({ trade }) => trade),
  }),
)

const TraderActivityConnectionRef = connectionRef<ReferredTradeRow, { computedAt: Date }>({
  item: ReferredTradeRef,
  name: 'TraderActivityConnection',
  description: 'A page of a trader’s trades that name a code, newest first. Stable while trades are added.',
  placeOf: ({ place }) => `a${place}`,
})
builder.objectField(TraderActivityConnectionRef, 'computedAt', (t) =>
  t.expose('computedAt', { type: 'DateTime', description: figuresAt.description }),
)

builder.queryField('traderActivity', (t) =>
  t.field({
    type: TraderActivityConnectionRef,
    description:
      'A trader’s trades that name a code, on all networks, and which of them count. Up to 10 seconds old.',
    args: {
      account: t.arg(traderArgument),
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

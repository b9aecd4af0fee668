import { formatDollars } from '../../domain/affiliate/rewards.ts'
import { Refusal } from '../../domain/errors/error.ts'
import type { ReferredTradeRow } from '../../storage/affiliate/statistics.ts'
import { tradeByPlace } from '../../storage/models/keyed.ts'
import { builder } from '../builder.ts'
import { requireFeature } from '../context/features.ts'
import { Eligibility } from '../enums.ts'
import {
  PageInfoRef,
  ReferredTradeEdgeRef,
  ReferredTradeRef,
  TradeRef,
  TraderActivityConnectionRef,
} from '../refs.ts'
import { checkFirst, cursorArguments } from '../relay/paging.ts'
import { resolveKeyed, type StoredValue } from '../stored/resolve.ts'
import { computedAt, dollars } from './dollars.ts'

ReferredTradeRef.implement({
  description:
    'A trade whose order names a code in its appData, and what it counts for that. Dollars are US dollars.',
  fields: (t) => ({
    trade: t.field({
      type: TradeRef,
      description: 'The trade.',
      resolve: async ({ trade }, _args, context, info) =>
        (await resolveKeyed(tradeByPlace, trade, context, info)) as StoredValue,
    }),
    chainId: t.field({
      type: 'SafeInt',
      description: 'The chain it is on.',
      resolve: ({ trade }) => trade.chainId,
    }),
    time: t.expose('time', {
      type: 'DateTime',
      description: 'That of the auction it settles; of its order where it settles none of this service.',
    }),
    code: t.exposeString('code', { description: 'What its order names, in capitals.' }),
    boundCode: t.exposeString('boundCode', {
      nullable: true,
      description: 'What the trader is bound to; null when he is bound to none.',
    }),
    usdValue: t.field({
      type: 'Decimal',
      nullable: true,
      description: 'What was sold, at the prices of its auction, rounded down; null where that had none.',
      resolve: ({ value }) => (value === null ? null : formatDollars(value)),
    }),
    eligibleVolume: t.field(dollars('eligibleVolume', 'The part of usdValue that counts.')),
    eligibility: t.expose('eligibility', {
      type: Eligibility,
      description: 'Whether it counts, or why not.',
    }),
    isBoundToCode: t.boolean({
      description: 'Whether it names the code that the trader is bound to.',
      resolve: ({ code, boundCode }) => code === boundCode,
    }),
    isEligible: t.boolean({
      description: 'Whether eligibility is ELIGIBLE.',
      resolve: ({ eligibility }) => eligibility === 'eligible',
    }),
  }),
})

ReferredTradeEdgeRef.implement({
  description: 'A referred trade in a page.',
  fields: (t) => ({
    cursor: t.string({ description: 'Continues behind this trade.', resolve: cursorOf }),
    node: t.field({ type: ReferredTradeRef, description: 'The trade.', resolve: (row) => row }),
  }),
})

TraderActivityConnectionRef.implement({
  description: 'A page of a trader’s trades that name a code, newest first. Stable while trades are added.',
  fields: (t) => ({
    edges: t.field({
      type: [ReferredTradeEdgeRef],
      description: 'Trades with their cursors.',
      resolve: ({ trades }) => trades,
    }),
    nodes: t.field({
      type: [ReferredTradeRef],
      description: 'The trades alone.',
      resolve: ({ trades }) => trades,
    }),
    pageInfo: t.field({
      type: PageInfoRef,
      description: 'Where the page stands.',
      resolve: ({ trades, hasNextPage }) => ({
        page: {
          hasNextPage,
          hasPreviousPage: false,
          startCursor: trades.slice(0, 1).map(cursorOf)[0] ?? null,
          endCursor: trades.slice(-1).map(cursorOf)[0] ?? null,
        },
      }),
    }),
    computedAt: t.expose('computedAt', computedAt),
  }),
})

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
      const page = { first: first + 1, after: after == null ? null : parsePlace(after) }
      const { trades, ...activity } = await context.statistics.activityOf(account, page, context.client)
      return {
        ...activity,
        trades: context.countItems(trades.slice(0, first)),
        hasNextPage: trades.length > first,
      }
    },
  }),
)

function cursorOf({ place }: ReferredTradeRow): string {
  return Buffer.from(`a${place}`).toString('base64url')
}

/** @throws Refusal InvalidParameter */
function parsePlace(cursor: string): string {
  const [, place] =
    /^a([0-9]{1,18}(?:\.[0-9]{1,18}){3})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (place !== undefined) return place
  throw new Refusal('InvalidParameter', 'after must be a cursor of this list', { field: 'after' })
}

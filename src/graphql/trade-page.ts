import type { Trade } from '../domain/trade.ts'
import { pageTrades } from '../storage/trades.ts'
import { builder } from './builder.ts'
import { deskOf } from './context.ts'
import { formatCursor, parseCursor } from './cursor.ts'
import { checkFirst, cursorArguments, networkArgument } from './paging.ts'
import { AccountRef, PageInfoRef, TradeConnectionRef, TradeEdgeRef, TradeRef } from './refs.ts'

TradeConnectionRef.implement({
  description: 'A page of trades, newest first. Stable while trades are added.',
  fields: (t) => ({
    edges: t.field({
      type: [TradeEdgeRef],
      description: 'Trades with their cursors.',
      resolve: ({ trades }) => trades,
    }),
    nodes: t.field({ type: [TradeRef], description: 'The trades alone.', resolve: ({ trades }) => trades }),
    pageInfo: t.field({
      type: PageInfoRef,
      description: 'Where the page stands.',
      resolve: ({ trades, hasNextPage }) => ({
        hasNextPage,
        startCursor: cursorOf(trades[0]),
        endCursor: cursorOf(trades.at(-1)),
      }),
    }),
  }),
})

TradeEdgeRef.implement({
  description: 'A trade in a page.',
  fields: (t) => ({
    cursor: t.string({
      description: 'Continues behind this trade.',
      resolve: ({ blockNumber, logIndex }) => formatCursor('t', blockNumber, logIndex),
    }),
    node: t.field({ type: TradeRef, description: 'The trade.', resolve: (trade) => trade }),
  }),
})

builder.objectField(AccountRef, 'tradeConnection', (t) =>
  t.field({
    type: TradeConnectionRef,
    description: 'Trades of the account’s orders on one network, newest first, by keyset.',
    args: {
      network: networkArgument(t.arg, 'May be left out where there is only one.'),
      ...cursorArguments(t.arg),
    },
    resolve: async ({ address }, { network, first, after }, context) => {
      checkFirst(first)
      const { chainId } = deskOf(context, network).network
      const [blockNumber, logIndex] = after == null ? [] : parseCursor('t', after)
      const position = blockNumber === undefined || logIndex === undefined ? null : { blockNumber, logIndex }
      const trades = await pageTrades(
        context.db,
        { chainId, owner: address },
        { first: first + 1, after: position },
      )
      return { trades: context.spend(trades.slice(0, first)), hasNextPage: trades.length > first }
    },
  }),
)

function cursorOf(trade: Trade | undefined): string | null {
  return trade ? formatCursor('t', trade.blockNumber, trade.logIndex) : null
}

import { z } from 'zod'
import { orderEventLabels } from '../../domain/order/event.ts'
import { orderClasses, orderKinds } from '../../domain/order/order.ts'
import { type FeedFilter, feedScan, filterKey } from '../../storage/feeds/book.ts'
import { bookEvent, listedBookEvents } from '../../storage/models/order/event.ts'
import { tradeEvent } from '../../storage/models/trade.ts'
import { builder } from '../builder.ts'
import { requireAccess } from '../context/access.ts'
import { OrderClass, OrderEventLabel, OrderKind } from '../enums.ts'
import { addressField, enumField } from '../input/fields.ts'
import { inputType } from '../input/input-type.ts'
import { parseInput } from '../input/parse.ts'
import { type Arguments, allNetworks, feedCursorArgument, networkArgument } from '../paging.ts'
import type { Environment } from '../stored/collect.ts'
import { exposeModel, storedRoot } from '../stored/expose.ts'
import { feedField } from '../stored/feed-field.ts'
import { modelRef } from '../stored/resolve.ts'
import { appCodeField, tokenPair } from './filter.ts'
import { chainIdsOf } from './order.ts'

/** Values of one condition. */
const maxValues = 100

const listOf = <Field extends z.ZodType>(field: Field, description: string) =>
  z
    .array(field)
    .min(1, 'must name at least one')
    .max(maxValues, `must name at most ${maxValues}`)
    .nullish()
    .meta({ description: `${description} 1 to ${maxValues}.` })

export const bookFilter = inputType('BookFilter', {
  description:
    'Entries of the feed of the book that meet every condition given; each list is of alternatives.',
  schema: z.object({
    labels: listOf(enumField(OrderEventLabel, orderEventLabels), 'Events of these types.'),
    owners: listOf(addressField, 'Orders that one of these accounts owns, or placed for a contract to own.'),
    tokens: listOf(addressField, 'Orders that sell or buy one of these tokens.'),
    pair: tokenPair.schema
      .nullish()
      .meta({ description: 'Orders that sell one token of the pair for the other.' }),
    classes: listOf(enumField(OrderClass, orderClasses), 'Orders of these classes.'),
    kinds: listOf(enumField(OrderKind, orderKinds), 'Orders with one of these sides fixed.'),
    appCodes: listOf(appCodeField, 'Orders whose appData documents name one of these applications.'),
    referrers: listOf(appCodeField, 'Orders whose appData documents name one of these affiliate codes.'),
  }),
})

type BookFilter = z.output<typeof bookFilter.schema> | null

/** @throws Refusal InvalidParameter, UnsupportedNetwork */
function toFeedFilter(
  given: BookFilter | undefined,
  network: string | null | undefined,
  environment: Environment,
): FeedFilter {
  const { labels, owners, tokens, pair, classes, kinds, appCodes, referrers } = parseInput(
    bookFilter.schema,
    given ?? {},
  )
  const conditions: Record<keyof FeedFilter, readonly string[] | null | undefined> = {
    network: network == null ? null : chainIdsOf(environment, network).map(String),
    label: labels,
    owner: owners,
    token: tokens,
    sellToken: pair && [pair.sellToken],
    buyToken: pair && [pair.buyToken],
    class: classes,
    kind: kinds,
    appCode: appCodes,
    referrer: referrers?.map((code) => code.toUpperCase()),
  }
  return Object.fromEntries(Object.entries(conditions).filter(([, values]) => values != null))
}

interface BookArguments {
  network?: string | null
  filter?: BookFilter
  after?: string | null
}

const bookArguments = (arg: Arguments) => ({
  network: networkArgument(arg, allNetworks),
  filter: arg({ type: bookFilter.type, required: false, description: 'Only entries that meet it.' }),
})

/** A subscription to a feed of the book. */
const bookField = (name: 'book' | 'trade') =>
  feedField<BookArguments>({
    find({ network, filter, after }, environment) {
      requireAccess('bookFeed', environment)
      const key = filterKey(toFeedFilter(filter, network, environment))
      return { feed: environment.feeds[name], key, after: after ?? null }
    },
  })

exposeModel(bookEvent)
exposeModel(tradeEvent)

/** Cost units of a page under a filter, which may look at many more entries than it has. */
const scanUnits = 10

const access = 'For clients that the deployment lets read the book.'
const resumable =
  'Without after it starts now; with a cursor it first gives what was missed, once and in order. Behind entries that were removed it ends with FeedGap.'

builder.subscriptionFields((t) => ({
  bookEvents: t.field({
    type: modelRef(bookEvent.name),
    description: `Events of all orders as they are committed: placements, trades, cancellations and every other. An event that a reorg undid comes again with isRemoved. ${resumable} ${access}`,
    args: { ...bookArguments(t.arg), after: feedCursorArgument(t.arg) },
    ...bookField('book'),
  }),
  trades: t.field({
    type: modelRef(tradeEvent.name),
    description: `Trades of all orders as they are committed, also of orders that the service does not store. A trade comes again when its fees are known, and with isRemoved when a reorg undid it. The filter’s labels do not matter. ${resumable} ${access}`,
    args: { ...bookArguments(t.arg), after: feedCursorArgument(t.arg) },
    ...bookField('trade'),
  }),
}))

builder.queryField('bookEvents', (t) =>
  storedRoot(
    t,
    {
      ...listedBookEvents,
      description: `The feed of the book as pages, oldest first; cursors are those of the subscription. Without after it starts at the first stored entry. Under a filter a page looks at ${feedScan} entries: it may hold fewer than first, also none, while hasNextPage says to go on, and it costs ${scanUnits} units more. ${access}`,
    },
    {
      args: bookArguments(t.arg),
      rowArguments: ({ network, filter: given, ...page }: BookArguments, environment) => {
        requireAccess('bookFeed', environment)
        const filter = toFeedFilter(given, network, environment)
        if (Object.keys(filter).length > 0) environment.addUnits?.(scanUnits)
        return { ...page, filter }
      },
    },
  ),
)

import type { Address } from '../domain/address.ts'
import { unixSeconds } from '../domain/log.ts'
import type { Order } from '../domain/order.ts'
import type { OrderStatus as Status } from '../domain/order-status.ts'
import { type OrderPage, pageOrders } from '../storage/order-pages.ts'
import { builder } from './builder.ts'
import { type Context, deskOf } from './context.ts'
import { OrderStatus } from './enums.ts'
import { formatOrderCursor, parseOrderCursor } from './order-cursor.ts'
import { OrderFilterInput, toOrderFilter } from './order-filter.ts'
import { checkFirst, cursorArguments, networkArgument } from './paging.ts'
import { AccountRef, OrderConnectionRef, OrderEdgeRef, OrderRef, PageInfoRef } from './refs.ts'

OrderConnectionRef.implement({
  description:
    'A page of orders, newest first. Stable while orders are added. There is no count of all: it would read every order that it counts.',
  fields: (t) => ({
    edges: t.field({
      type: [OrderEdgeRef],
      description: 'Orders with their cursors.',
      resolve: ({ orders }) => orders,
    }),
    nodes: t.field({ type: [OrderRef], description: 'The orders alone.', resolve: ({ orders }) => orders }),
    pageInfo: t.field({
      type: PageInfoRef,
      description: 'Where the page stands.',
      resolve: ({ orders: [first], hasMore, end }) => ({
        hasNextPage: hasMore,
        startCursor: first ? cursorOf(first) : null,
        endCursor: end && formatOrderCursor(end),
      }),
    }),
  }),
})

OrderEdgeRef.implement({
  description: 'An order in a page.',
  fields: (t) => ({
    cursor: t.string({ description: 'Continues behind this order.', resolve: cursorOf }),
    node: t.field({ type: OrderRef, description: 'The order.', resolve: (order) => order }),
  }),
})

const pageArguments = (t: { arg: Parameters<typeof cursorArguments>[0] }) => ({
  network: networkArgument(t.arg, 'All networks without it.'),
  status: t.arg({ type: OrderStatus, required: false, description: 'Short for one of filter.statuses.' }),
  filter: t.arg({ type: OrderFilterInput, required: false, description: 'Only orders that meet it.' }),
  ...cursorArguments(t.arg),
})

builder.queryField('orders', (t) =>
  t.field({
    type: OrderConnectionRef,
    description: 'Orders, newest first.',
    args: {
      owner: t.arg({ type: 'Address', required: false, description: 'Only orders of this owner.' }),
      ...pageArguments(t),
    },
    resolve: (_root, args, context) => readPage(args, context),
  }),
)

builder.objectField(AccountRef, 'orders', (t) =>
  t.field({
    type: OrderConnectionRef,
    description: 'Orders of the account, newest first.',
    args: pageArguments(t),
    resolve: ({ address }, args, context) => readPage({ ...args, owner: address }, context),
  }),
)

interface PageArguments {
  network?: string | null | undefined
  owner?: Address | null | undefined
  status?: Status | null | undefined
  filter?: Parameters<typeof toOrderFilter>[0]
  first: number
  after?: string | null | undefined
}

async function readPage(args: PageArguments, context: Context): Promise<OrderPage> {
  const { network, first, owner, status, after } = args
  checkFirst(first)
  const desks = network == null ? context.desks.all : [deskOf(context, network)]
  const filter = {
    ...toOrderFilter(args.filter, status),
    chainIds: desks.map((desk) => desk.network.chainId),
    ...(owner != null && { owner }),
  }
  const position = after == null ? null : parseOrderCursor(after)
  const now = unixSeconds(context.now())
  const page = await pageOrders(context.db, filter, { first, after: position, now })
  return { ...page, orders: context.spend(page.orders) }
}

function cursorOf({ creationDate, id }: Order): string {
  return formatOrderCursor({ createdAt: creationDate, id })
}

import type { Address } from '../domain/address.ts'
import { unixSeconds } from '../domain/log.ts'
import type { Order } from '../domain/order.ts'
import type { OrderStatus as Status } from '../domain/order-status.ts'
import { pageOrders } from '../storage/orders.ts'
import { builder } from './builder.ts'
import { type Context, chainIdOf } from './context.ts'
import { OrderStatus } from './enums.ts'
import { formatOrderCursor, parseOrderCursor } from './order-cursor.ts'
import { checkFirst, cursorArguments, networkArgument } from './paging.ts'
import {
  AccountRef,
  OrderConnectionRef,
  OrderEdgeRef,
  type OrderPage,
  OrderRef,
  PageInfoRef,
} from './refs.ts'

OrderConnectionRef.implement({
  description: 'A page of orders, newest first. Stable while orders are added.',
  fields: (t) => ({
    edges: t.field({
      type: [OrderEdgeRef],
      description: 'Orders with their cursors.',
      resolve: ({ orders }) => orders,
    }),
    nodes: t.field({ type: [OrderRef], description: 'The orders alone.', resolve: ({ orders }) => orders }),
    pageInfo: t.field({ type: PageInfoRef, description: 'Where the page stands.', resolve: (page) => page }),
  }),
})

OrderEdgeRef.implement({
  description: 'An order in a page.',
  fields: (t) => ({
    cursor: t.string({ description: 'Continues behind this order.', resolve: cursorOf }),
    node: t.field({ type: OrderRef, description: 'The order.', resolve: (order) => order }),
  }),
})

PageInfoRef.implement({
  description: 'Where a page stands in its list.',
  fields: (t) => ({
    hasNextPage: t.exposeBoolean('hasNextPage', { description: 'Whether there is more behind endCursor.' }),
    hasPreviousPage: t.boolean({
      description: 'Always false: pages are read forwards only.',
      resolve: () => false,
    }),
    startCursor: t.string({
      nullable: true,
      description: 'The first order’s cursor.',
      resolve: ({ orders: [first] }) => first && cursorOf(first),
    }),
    endCursor: t.string({
      nullable: true,
      description: 'The last order’s cursor.',
      resolve: ({ orders }) => {
        const last = orders.at(-1)
        return last && cursorOf(last)
      },
    }),
  }),
})

builder.queryField('orders', (t) =>
  t.field({
    type: OrderConnectionRef,
    description: 'Orders, newest first.',
    args: {
      network: networkArgument(t.arg, 'All networks without it.'),
      owner: t.arg({ type: 'Address', required: false, description: 'Only orders of this owner.' }),
      status: t.arg({ type: OrderStatus, required: false, description: 'Only orders that stand there now.' }),
      ...cursorArguments(t.arg),
    },
    resolve: (_root, args, context) => readPage(args, context),
  }),
)

builder.objectField(AccountRef, 'orders', (t) =>
  t.field({
    type: OrderConnectionRef,
    description: 'Orders of the account, newest first.',
    args: {
      network: networkArgument(t.arg, 'All networks without it.'),
      status: t.arg({ type: OrderStatus, required: false, description: 'Only orders that stand there now.' }),
      ...cursorArguments(t.arg),
    },
    resolve: ({ address }, args, context) => readPage({ ...args, owner: address }, context),
  }),
)

interface PageArguments {
  network?: string | null | undefined
  owner?: Address | null | undefined
  status?: Status | null | undefined
  first: number
  after?: string | null | undefined
}

async function readPage(args: PageArguments, context: Context): Promise<OrderPage> {
  const { first, owner, status, after } = args
  checkFirst(first)
  const chainId = chainIdOf(context, args.network)
  const filter = {
    ...(chainId !== undefined && { chainId }),
    ...(owner != null && { owner }),
    ...(status != null && { status }),
  }
  const position = after == null ? null : parseOrderCursor(after)
  const now = unixSeconds(context.now())
  const orders = await pageOrders(context.db, filter, { first: first + 1, after: position, now })
  return { orders: context.spend(orders.slice(0, first)), hasNextPage: orders.length > first }
}

function cursorOf({ creationDate, id }: Order): string {
  return formatOrderCursor({ createdAt: creationDate, id })
}

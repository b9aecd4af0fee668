import { z } from 'zod'
import {
  addressArgument,
  amountText,
  networkArgument,
  page,
  pageArguments,
  reason,
  reasonFields,
  reasonOf,
  reasonText,
  termTexts,
  token,
  uidsArgument,
} from '../fields.ts'
import { tool } from '../tool.ts'
import { cancellationOf } from './trade.ts'

/** Tools that read orders and accounts. */

const orderFields =
  'orderUid: uid status kind owner receiver sellAmount buyAmount executedSellAmount executedBuyAmount validTo partiallyFillable creationDate sellToken { address decimals symbol name } buyToken { address decimals symbol name } network { id: name chainId settlementContract }'

const orderSummary = z.object({
  orderUid: z.string(),
  status: z.string(),
  kind: z.string(),
  network: z.string(),
  owner: z.string(),
  receiver: z.string(),
  sellToken: token,
  buyToken: token,
  sellAmount: z.string(),
  buyAmount: z.string(),
  executedSellAmount: z.string(),
  executedBuyAmount: z.string(),
  validTo: z.number(),
  partiallyFillable: z.boolean(),
  creationDate: z.string(),
})

interface OrderFields extends Omit<z.infer<typeof orderSummary>, 'receiver' | 'network'> {
  receiver: string | null
  network: { id: string }
}

function summaryOf({ receiver, network, ...order }: OrderFields): z.infer<typeof orderSummary> {
  return { ...order, receiver: receiver ?? order.owner, network: network.id }
}

const soldText = ({
  executedSellAmount,
  executedBuyAmount,
  sellToken,
  buyToken,
}: Pick<
  z.infer<typeof orderSummary>,
  'executedSellAmount' | 'executedBuyAmount' | 'sellToken' | 'buyToken'
>) =>
  executedSellAmount === '0'
    ? 'Nothing is traded yet.'
    : `Sold ${amountText(executedSellAmount, sellToken)} for ${amountText(executedBuyAmount, buyToken)}.`

export const orderTool = tool({
  name: 'order',
  title: 'Read an order',
  description:
    'Orders with status, terms, trades and events. While one is open, `cancellationTypedData` is what its owner signs to cancel it. Call it again to follow an order to its fill.',
  input: z.strictObject({ orderUids: uidsArgument }),
  output: z.object({
    orders: z.array(
      orderSummary.extend({
        terms: z.array(z.string()),
        appDataHash: z.string(),
        trades: z.array(
          z.object({
            txHash: z.string(),
            blockNumber: z.number(),
            sellAmount: z.string(),
            buyAmount: z.string(),
          }),
        ),
        events: z.array(
          z.object({
            label: z.string(),
            reason: z.string().nullable(),
            timestamp: z.string(),
            txHash: z.string().nullable(),
          }),
        ),
        pendingSettlements: z.array(z.object({ auctionId: z.number(), txHash: z.string().nullable() })),
        cancellationTypedData: z.looseObject({}).optional(),
      }),
    ),
  }),
  run: `query ($orderUids: [OrderUid!]!) {
    orders: ordersByUids(uids: $orderUids) {
      ${orderFields} appDataHash fullAppData
      trades(first: 20) { nodes { txHash blockNumber sellAmount buyAmount } }
      events(last: 20) { nodes { label reason detail timestamp txHash } }
      pendingSettlements { auctionId txHash }
    }
  }`,
  variables: (args) => args,
  answer: ({ orders }) => {
    if (orders.length === 0) return undefined
    return {
      orders: orders.map(({ trades, events, fullAppData, ...order }) => {
        const summary = summaryOf(order)
        const isOpen = order.status === 'OPEN' || order.status === 'PRESIGNATURE_PENDING'
        return {
          ...order,
          ...summary,
          terms: termTexts(summary),
          trades: trades.nodes,
          events: events.nodes,
          ...(fullAppData !== '{}' && { fullAppData }),
          ...(isOpen && { cancellationTypedData: cancellationOf(order.network, order.orderUid) }),
        }
      }),
    }
  },
  words: ({ orders }) =>
    orders.flatMap((order) => [
      `Order ${order.orderUid}: ${order.status} on ${order.network}.`,
      ...order.terms,
      soldText(order),
    ]),
})

export const whyNotFilled = tool({
  name: 'why_not_filled',
  title: 'Explain why an order is not filled',
  description:
    'The reason why an order is not filled, or how it ended, with advice, further reasons and the figures behind them.',
  input: z.strictObject({ orderUids: uidsArgument }),
  output: z.object({
    orders: z.array(
      z.object({
        orderUid: z.string(),
        status: z.string(),
        diagnosis: reason.extend({ further: z.array(reason) }),
      }),
    ),
  }),
  run: `query ($orderUids: [OrderUid!]!) {
    orders: ordersByUids(uids: $orderUids) { orderUid: uid status diagnosis { ${reasonFields} further { ${reasonFields} } } }
  }`,
  variables: (args) => args,
  answer: ({ orders }) => {
    if (orders.length === 0) return undefined
    return {
      orders: orders.map(({ orderUid, status, diagnosis: { further, ...first } }) => ({
        orderUid,
        status,
        diagnosis: { ...reasonOf(first), further: further.map(reasonOf) },
      })),
    }
  },
  words: ({ orders }) =>
    orders.flatMap(({ orderUid, status, diagnosis }) => [
      `Order ${orderUid}: ${status}.`,
      ...[diagnosis, ...diagnosis.further].map(reasonText),
    ]),
})

const statuses = ['OPEN', 'PRESIGNATURE_PENDING', 'FULFILLED', 'CANCELLED', 'EXPIRED'] as const

export const accountOrders = tool({
  name: 'account_orders',
  title: 'List the orders of an account',
  description: 'Orders of an account, newest first.',
  input: z.strictObject({
    account: addressArgument,
    network: networkArgument,
    status: z.enum(statuses).optional(),
    ...pageArguments,
  }),
  output: z.object({ orders: z.array(orderSummary), page: z.object(page) }),
  run: `query ($account: Address!, $network: NetworkName, $status: OrderStatus, $first: Int, $after: String) {
    account(address: $account) {
      orders(network: $network, status: $status, first: $first, after: $after) {
        nodes { ${orderFields} } pageInfo { endCursor hasNextPage }
      }
    }
  }`,
  variables: (args) => args,
  answer: ({ account }) => ({ orders: account.orders.nodes.map(summaryOf), page: account.orders.pageInfo }),
  words: ({ orders, page }) => [
    `${orders.length} orders${page.hasNextPage ? ', and more behind endCursor' : ''}.`,
    ...orders.map(
      (order) =>
        `${order.orderUid}: ${order.status}, ${order.kind} ${amountText(order.sellAmount, order.sellToken)} for ${amountText(order.buyAmount, order.buyToken)}.`,
    ),
  ],
})

export const accountNotifications = tool({
  name: 'account_notifications',
  title: 'List the notifications of an account',
  description:
    'Notifications of an account, such as fills, cancellations and missing balances: the latest, or with `after` those behind a cursor, oldest first, without a gap. Pass the returned `cursor` as `after` to continue.',
  input: z.strictObject({ account: addressArgument, ...pageArguments }),
  output: z.object({
    notifications: z.array(
      z.object({
        notificationId: z.string(),
        type: z.string(),
        orderUid: z.string(),
        timestamp: z.string(),
        isReverted: z.boolean(),
      }),
    ),
    cursor: z.string(),
  }),
  run: `query ($account: Address!, $first: Int, $last: Int, $after: String) {
    notifications(account: $account, first: $first, last: $last, after: $after) {
      cursor nodes { notificationId type orderUid timestamp isReverted message }
    }
  }`,
  variables: ({ account, first, after }) => ({
    account,
    ...(after === undefined ? { last: first } : { first, after }),
  }),
  answer: ({ notifications: { cursor, nodes } }) => ({ cursor, notifications: nodes }),
  words: ({ notifications }) => [
    `${notifications.length} notifications.`,
    ...notifications.map(
      ({ type, orderUid, timestamp, isReverted }) =>
        `${timestamp} ${type} of order ${orderUid}${isReverted ? ', taken back by a reorganisation' : ''}.`,
    ),
  ],
})

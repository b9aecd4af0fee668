import { z } from 'zod'
import { cancellationInput, singleCancellationInput } from '../graphql/inputs/cancellation.ts'
import { objectExpected, textField } from '../graphql/inputs/fields.ts'
import { orderCreationInput } from '../graphql/inputs/order-creation.ts'
import { orderUidsInput } from '../graphql/inputs/order-uids.ts'
import { quoteRequestInput } from '../graphql/inputs/quote-request.ts'
import { parseInput } from '../graphql/refusal.ts'
import { affiliateRoutes } from './affiliate-routes.ts'
import { competitionRoutes } from './competition-routes.ts'
import { page } from './page.ts'
import { type RestRequest, type Route, route } from './route.ts'
import { type DebugReportResult, debugReportFields, writeDebugReport } from './shapes/debug-report.ts'
import { type OrderResult, orderFields, wholeOrderFields, writeOrder } from './shapes/order.ts'
import { type OrderProgressResult, orderProgressFields, writeOrderProgress } from './shapes/order-progress.ts'
import { type QuoteResult, quoteFields, writeQuote } from './shapes/quote.ts'
import { type TradeResult, tradeFields, writeTrade } from './shapes/trade.ts'
import { statisticsRoutes } from './statistics-routes.ts'
import { readAccountOrdersText, readOrderText, readTradesText } from './texts.ts'
import { tokenDataRoutes } from './token-data-routes.ts'
import { tokenRoutes } from './token-routes.ts'

export const appDataBody = z.object(
  { fullAppData: textField.meta({ description: 'The document, as its hash is to be taken.' }) },
  objectExpected,
)

/** Order book routes, below the network's segment. */
export const orderBookRoutes: Route[] = [
  route<{ quote: QuoteResult }>({
    on: 'POST /api/v1/quote',
    run: `mutation ($network: String!, $input: QuoteInput!) { quote(network: $network, input: $input) { ${quoteFields} } }`,
    given: ({ network, body }) => ({ network, input: checked(quoteRequestInput, body) }),
    answer: ({ quote }) => writeQuote(quote),
    statuses: { NoLiquidity: 400 },
  }),
  route<{ quotes: QuoteResult }>({
    on: 'POST /api/v1/quote/stream',
    run: `subscription ($network: String!, $input: QuoteInput!) { quotes(network: $network, input: $input) { ${quoteFields} } }`,
    given: ({ network, body }) => ({ network, input: checked(quoteRequestInput, body) }),
    answer: ({ quotes }) => writeQuote(quotes),
    statuses: { NoLiquidity: 400 },
  }),
  route<{ placeOrder: { uid: string } }>({
    on: 'POST /api/v1/orders',
    run: 'mutation ($network: String!, $order: OrderInput!) { placeOrder(network: $network, order: $order) { uid } }',
    given: ({ network, body }) => ({ network, order: checked(orderCreationInput, body) }),
    answer: ({ placeOrder }) => placeOrder.uid,
    status: () => 201,
    statuses: { 'WrongOwner of signature': 400 },
  }),
  route<object>({
    on: 'DELETE /api/v1/orders',
    run: `mutation ($network: String!, $orderUids: [OrderUid!]!, $signature: Hex!, $signingScheme: SigningScheme!) {
      cancelOrders(network: $network, orderUids: $orderUids, signature: $signature, signingScheme: $signingScheme) { uid }
    }`,
    given: ({ network, body }) => ({ ...checked(cancellationInput, body), network }),
    answer: () => 'Cancelled',
    anyContentType: true,
  }),
  route<object>({
    on: 'DELETE /api/v1/orders/:uid',
    run: `mutation ($network: String!, $uid: OrderUid!, $signature: Hex!, $signingScheme: SigningScheme!) {
      cancelOrder(network: $network, orderUid: $uid, signature: $signature, signingScheme: $signingScheme) { uid }
    }`,
    given: ({ network, path, body }) => ({
      ...checked(singleCancellationInput, body),
      network,
      uid: path.uid,
    }),
    answer: () => 'Cancelled',
  }),
  route<{ order: OrderResult | null }>({
    on: 'GET /api/v1/orders/:uid',
    run: `query ($network: String!, $uid: OrderUid!) { order(network: $network, uid: $uid) { ${wholeOrderFields} } }`,
    given: ({ network, path }) => ({ network, uid: path.uid }),
    answer: ({ order }) => order && writeOrder(order),
    text: readOrderText('order'),
    missing: 'Order was not found',
  }),
  route<{ ordersByUids: OrderResult[] }>({
    on: 'POST /api/v1/orders/by_uids',
    run: `query ($network: String!, $uids: [OrderUid!]!) {
      ordersByUids(network: $network, uids: $uids) { ${wholeOrderFields} }
    }`,
    given: ({ network, body }) => ({ network, uids: parseInput(orderUidsInput, body) }),
    answer: ({ ordersByUids }) => ordersByUids.map((order) => ({ order: writeOrder(order) })),
  }),
  route<{ order: { progress: OrderProgressResult | null } | null }>({
    on: 'GET /api/v1/orders/:uid/status',
    run: `query ($network: String!, $uid: OrderUid!) {
      order(network: $network, uid: $uid) { progress { ${orderProgressFields} } }
    }`,
    given: ({ network, path }) => ({ network, uid: path.uid }),
    answer: ({ order }) => (order?.progress ? writeOrderProgress(order.progress) : null),
    missing: 'no order has this UID, or no competition is stored for where it stands',
  }),
  route<{ transactionOrders: OrderResult[] }>({
    on: 'GET /api/v1/transactions/:hash/orders',
    run: `query ($network: String!, $hash: Bytes32!) {
      transactionOrders(network: $network, hash: $hash) { ${orderFields} }
    }`,
    given: ({ network, path }) => ({ network, hash: path.hash }),
    answer: ({ transactionOrders }) => transactionOrders.map(writeOrder),
  }),
  route<{ accountOrders: OrderResult[] }>({
    on: 'GET /api/v1/account/:owner/orders',
    run: `query ($network: String!, $owner: Address!, $offset: SafeInt!, $limit: Int!) {
      accountOrders(network: $network, owner: $owner, offset: $offset, limit: $limit) { ${orderFields} }
    }`,
    given: ({ network, path, query }) => ({ network, owner: path.owner, ...page(query) }),
    answer: ({ accountOrders }) => accountOrders.map(writeOrder),
    text: readAccountOrdersText,
  }),
  ...['v1', 'v2'].map((version) =>
    route<{ trades: TradeResult[] }>({
      on: `GET /api/${version}/trades`,
      run: `query ($network: String!, $owner: Address, $orderUid: OrderUid, $offset: SafeInt!, $limit: Int!) {
        trades(network: $network, owner: $owner, orderUid: $orderUid, offset: $offset, limit: $limit) { ${tradeFields} }
      }`,
      given: ({ network, query }) => ({
        network,
        owner: query.get('owner'),
        orderUid: query.get('orderUid'),
        ...tradesPage(version, query),
      }),
      answer: ({ trades }) => trades.map(writeTrade),
      text: (request, services, chainId) =>
        readTradesText(tradesPage(version, request.query), request, services, chainId),
    }),
  ),
  route<{ appData: { fullAppData: string } | null }>({
    on: 'GET /api/v1/app_data/:hash',
    run: 'query ($hash: Bytes32!) { appData(hash: $hash) { fullAppData: document } }',
    given: ({ path }) => ({ hash: path.hash }),
    answer: ({ appData }) => appData,
    missing: 'no document is known under this hash',
  }),
  ...['/api/v1/app_data/:hash', '/api/v1/app_data'].map((path) =>
    route<{ uploadAppData: { hash: string; created: boolean } }>({
      on: `PUT ${path}`,
      run: `mutation ($hash: Bytes32, $document: String!) {
        uploadAppData(hash: $hash, document: $document) { hash created }
      }`,
      given: ({ path, body }) => ({ hash: path.hash, document: parseInput(appDataBody, body).fullAppData }),
      answer: ({ uploadAppData }) => uploadAppData.hash,
      status: ({ uploadAppData }) => (uploadAppData.created ? 201 : 200),
      maxBytes: 8_192,
    }),
  ),
  ...competitionRoutes,
  ...tokenRoutes,
  route<{ account: { totalSurplus: string } }>({
    on: 'GET /api/v1/users/:user/total_surplus',
    run: `query ($network: String!, $user: Address!) {
      account(address: $user) { totalSurplus(network: $network) }
    }`,
    given: ({ network, path }) => ({ network, user: path.user }),
    answer: ({ account }) => account,
  }),
  route<{ network: { ready: boolean } }>({
    on: 'GET /api/v1/ready',
    run: 'query ($network: String!) { network(name: $network) { ready } }',
    given: ({ network }) => ({ network }),
    answer: () => '',
    status: ({ network }) => (network.ready ? 200 : 503),
    contentType: 'text/plain; charset=utf-8',
  }),
  route<{ version: string }>({
    on: 'GET /api/v1/version',
    run: '{ version }',
    answer: ({ version }) => version,
    contentType: 'text/plain; charset=utf-8',
  }),
  ...['', '/restricted'].map((prefix) =>
    route<{ order: { debugReport: DebugReportResult } | null }>({
      on: `GET ${prefix}/api/v1/debug/order/:uid`,
      run: `query ($network: String!, $uid: OrderUid!) {
        order(network: $network, uid: $uid) { debugReport { ${debugReportFields} } }
      }`,
      given: ({ network, path }) => ({ network, uid: path.uid }),
      answer: ({ order }) => order && writeDebugReport(order.debugReport),
      text: readOrderText('debugReport'),
      missing: 'Order was not found',
    }),
  ),
]

/** Routes outside the order book. */
export const accountRoutes: Route[] = [
  route<{ account: { latestNotifications: unknown[] } }>({
    on: 'GET /accounts/:account/notifications',
    needs: 'cms',
    run: `query ($account: Address!) {
      account(address: $account) { latestNotifications(first: 1000) { id: notificationId account type message timestamp metadata } }
    }`,
    given: ({ path }) => ({ account: path.account }),
    answer: ({ account }) => account.latestNotifications,
    headers: { 'Cache-Control': 'public, max-age=300' },
  }),
  ...tokenDataRoutes,
  ...affiliateRoutes,
  ...statisticsRoutes,
]

/** Raw input that its schema has accepted: the graph reads it again, but never refuses it in its own words. */
function checked(schema: z.ZodType, body: unknown): Record<string, unknown> {
  parseInput(schema, body)
  return body as Record<string, unknown>
}

/** The first version has no pages: it answers the most there can be. */
function tradesPage(version: string, query: RestRequest['query']) {
  return version === 'v1' ? { offset: 0, limit: 1_000 } : page(query)
}

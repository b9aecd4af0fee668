import { appDataBody, uploadAppDataInput } from '../graphql/app-data.ts'
import { parseInput } from '../graphql/input/parse.ts'
import { cancellationBody, cancelOrderInput, singleCancellationBody } from '../graphql/order/cancellation.ts'
import { orderInput } from '../graphql/order/placement.ts'
import { quoteBody, toQuoteInput } from '../graphql/quote/input.ts'
import { channelRoutes } from './account/channels.ts'
import { notificationRoutes } from './account/notifications.ts'
import { sessionRoutes } from './account/sessions.ts'
import { affiliateRoutes } from './affiliate/affiliates.ts'
import { statisticsRoutes } from './affiliate/statistics.ts'
import { balanceRoutes } from './balances/balances.ts'
import { balanceSessionRoutes } from './balances/sessions.ts'
import { competitionRoutes } from './competition/competition.ts'
import { currentAuctionRoutes } from './competition/current-auction.ts'
import { noticeRoutes } from './competition/solver-notices.ts'
import { marketRoutes } from './market.ts'
import { bundleRoute } from './order/bundle.ts'
import { diagnosisRoutes } from './order/diagnosis.ts'
import { feedRoutes } from './order/feed.ts'
import { orderRoutes } from './order/orders.ts'
import { simulationRoutes } from './order/simulation.ts'
import { quoteFields, writeQuote } from './quote.ts'
import type { AnyRoute } from './routing/endpoint.ts'
import { checkedInput, inputWithin } from './routing/request.ts'
import { type RestRequest, route, unchanging } from './routing/route.ts'
import { contractFields } from './service.ts'
import { tokenRoutes } from './token/native-price.ts'
import { poolRoutes } from './token/pools.ts'
import { tokenDataRoutes } from './token/tokens.ts'
import { tradeRoutes } from './trades.ts'

const orderPath = cancelOrderInput.schema.pick({ orderUid: true })
const documentPath = uploadAppDataInput.schema.pick({ hash: true })

/** Order book routes, below the segment of the network. */
export const orderBookRoutes: AnyRoute[] = [
  ...orderRoutes,
  ...diagnosisRoutes,
  ...simulationRoutes,
  ...feedRoutes,
  ...tradeRoutes,
  ...competitionRoutes,
  ...currentAuctionRoutes,
  ...noticeRoutes,
  route({
    on: 'POST /api/v1/quote',
    passedAs: 'quote',
    run: `mutation ($input: QuoteInput!) { quote(input: $input) { ${quoteFields} } }`,
    variables: quoteVariables,
    answer: ({ quote }) => writeQuote(quote),
    statuses: { NoLiquidity: 400 },
  }),
  route({
    on: 'POST /api/v1/quote/stream',
    run: `subscription ($input: QuoteInput!) { quotes(input: $input) { ${quoteFields} } }`,
    variables: quoteVariables,
    answer: ({ quotes }) => writeQuote(quotes),
    statuses: { NoLiquidity: 400 },
  }),
  route({
    on: 'POST /api/v1/orders',
    passedAs: 'order',
    run: 'mutation ($input: PlaceOrderInput!) { placeOrder(input: $input) { order { uid } } }',
    variables: ({ network, body }) => ({ input: { ...checkedInput(orderInput.schema, body), network } }),
    answer: ({ placeOrder }) => placeOrder.order.uid,
    status: () => 201,
    statuses: { 'WrongOwner of signature': 400 },
  }),
  route({
    on: 'DELETE /api/v1/orders',
    passedAs: 'cancellation',
    run: 'mutation ($input: CancelOrdersInput!) { cancelOrders(input: $input) { orders { uid pendingSettlements { auctionId txHash } } } }',
    variables: ({ network, body }) => ({ input: { ...checkedInput(cancellationBody, body), network } }),
    answer: () => 'Cancelled',
    headersOf: ({ cancelOrders }) => pendingHeader(cancelOrders.orders),
    anyContentType: true,
  }),
  route({
    on: 'DELETE /api/v1/orders/:uid',
    passedAs: 'cancellation',
    run: 'mutation ($input: CancelOrderInput!) { cancelOrder(input: $input) { order { uid pendingSettlements { auctionId txHash } } } }',
    variables: ({ network, path, body }) => ({
      input: inputWithin(
        { network, ...parseInput(orderPath, { orderUid: path.uid }) },
        singleCancellationBody,
        body,
      ),
    }),
    answer: () => 'Cancelled',
    headersOf: ({ cancelOrder }) => pendingHeader([cancelOrder.order]),
  }),
  route({
    on: 'GET /api/v1/app_data/:hash',
    run: 'query ($hash: Bytes32!) { appData(hash: $hash) { fullAppData: document } }',
    variables: ({ path }) => ({ hash: path.hash }),
    answer: ({ appData }) => appData,
    missing: 'no document is known under this hash',
    headers: { 'Cache-Control': unchanging },
  }),
  ...['/api/v1/app_data/:hash', '/api/v1/app_data'].map((path) =>
    route({
      on: `PUT ${path}`,
      passedAs: 'document',
      run: 'mutation ($input: UploadAppDataInput!) { uploadAppData(input: $input) { hash created } }',
      variables: ({ network, path, body }) => ({
        input: {
          network,
          ...parseInput(documentPath, path),
          document: parseInput(appDataBody, body).fullAppData,
        },
      }),
      answer: ({ uploadAppData }) => uploadAppData.hash,
      status: ({ uploadAppData }) => (uploadAppData.created ? 201 : 200),
      maxBytes: 8_192,
    }),
  ),
  ...tokenRoutes,
  route({
    on: 'GET /api/v1/users/:user/total_surplus',
    isPassedOn: true,
    run: `query ($network: NetworkName!, $user: Address!) {
      account(address: $user) { totalSurplus(network: $network) }
    }`,
    variables: ({ network, path }) => ({ network, user: path.user }),
    answer: ({ account }) => account,
  }),
  route({
    on: 'GET /api/v1/ready',
    run: 'query ($network: NetworkName!) { network(name: $network) { ready } }',
    variables: ({ network }) => ({ network }),
    answer: () => '',
    status: ({ network }) => (network.ready ? 200 : 503),
    contentType: 'text/plain; charset=utf-8',
  }),
  route({
    on: 'GET /api/v1/version',
    run: '{ version }',
    answer: ({ version }) => version,
    contentType: 'text/plain; charset=utf-8',
  }),
]

/** Routes outside the order book. */
export const accountRoutes: AnyRoute[] = [
  route({
    on: 'GET /about',
    run: '{ version commit }',
    answer: ({ version, commit }) => ({
      name: 'Tradegraph',
      version,
      ...(commit !== null && { gitCommitHash: commit }),
    }),
    headers: { 'Cache-Control': 'public, max-age=600' },
  }),
  route({
    on: 'GET /:network/info/contracts',
    run: `query ($network: NetworkName!) {
      network(name: $network) {
        name chainId
        contracts {
          ${contractFields}
          signing { name version chainId verifyingContract separator types }
        }
      }
    }`,
    variables: ({ network }) => ({ network }),
    answer: ({
      network: {
        name,
        chainId,
        contracts: { signing, ...contracts },
      },
    }) => {
      const { separator, types, ...domain } = signing
      return { network: name, chainId, contracts, domain, domainSeparator: separator, types }
    },
    statuses: { 'NotFound of network': 400 },
    headers: { 'Cache-Control': 'public, max-age=600' },
  }),
  ...notificationRoutes,
  ...[...channelRoutes, ...sessionRoutes].map((row) => ({ ...row, isPersonal: true })),
  ...tokenDataRoutes,
  ...marketRoutes,
  ...balanceRoutes,
  ...balanceSessionRoutes,
  ...poolRoutes,
  bundleRoute,
  ...affiliateRoutes,
  ...statisticsRoutes,
]

interface PendingSettlement {
  auctionId: number
  txHash: string | null
}

/**
 * Names what can still fill cancelled orders, each once: a transaction, or an auction whose winner sends its
 * settlement itself.
 */
function pendingHeader(orders: readonly { pendingSettlements: readonly PendingSettlement[] }[]) {
  const names = new Set(
    orders.flatMap(({ pendingSettlements }) =>
      pendingSettlements.map(({ auctionId, txHash }) => txHash ?? `auction-${auctionId}`),
    ),
  )
  return names.size > 0 ? { 'X-Pending-Settlements': [...names].join(', ') } : {}
}

/** Reads the flat REST members for amount and expiry into the GraphQL input objects. */
function quoteVariables({ network, body }: RestRequest) {
  return { input: { ...toQuoteInput(checkedInput(quoteBody, body)), network } }
}

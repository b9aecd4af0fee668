import './account/account.ts'
import './affiliate/affiliate.ts'
import './affiliate/registration.ts'
import './affiliate/statistics.ts'
import './app-data/app-data.ts'
import './auction.ts'
import './order/cancellation.ts'
import './service/meta.ts'
import './service/network.ts'
import './relay/node.ts'
import './account/notification.ts'
import './order/order.ts'
import './order/events.ts'
import './relay/page-info.ts'
import './order/place-order.ts'
import './order/place-orders.ts'
import './quote/quote.ts'
import './quote/response.ts'
import './quote/order-to-sign.ts'
import './quote/route.ts'
import './quote/quoted-order.ts'
import './quote/subscription.ts'
import './affiliate/referral-code.ts'
import './scalars.ts'
import './order/signature.ts'
import './token/token.ts'
import './token/holders.ts'
import './token/balances.ts'
import './token/prices.ts'
import './order/trade.ts'
import './affiliate/trader-activity.ts'
import './affiliate/trader-statistics.ts'
import './token/usd-price.ts'
import { type GraphQLSchema, lexicographicSortSchema, printSchema } from 'graphql'
import { builder } from './builder.ts'
import { withGuards } from './context/guard.ts'

/** Built after the imports above, which register their types with the builder. */
export const schema: GraphQLSchema = withGuards(builder.toSchema())

/** The SDL, sorted, so that versions can be compared. */
export function schemaText(): string {
  return `${printSchema(lexicographicSortSchema(schema))}\n`
}

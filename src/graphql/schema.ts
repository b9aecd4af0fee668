import './account.ts'
import './affiliate.ts'
import './affiliate-registration.ts'
import './affiliate-statistics.ts'
import './app-data.ts'
import './auction.ts'
import './cancellation.ts'
import './meta.ts'
import './network.ts'
import './node.ts'
import './notification.ts'
import './order.ts'
import './page-info.ts'
import './place-order.ts'
import './place-orders.ts'
import './quote.ts'
import './quote-response.ts'
import './quote-order.ts'
import './quote-route.ts'
import './quoted-order.ts'
import './quote-subscription.ts'
import './referral-code.ts'
import './scalars.ts'
import './signature.ts'
import './token.ts'
import './token-holders.ts'
import './trade.ts'
import './trader-activity.ts'
import './trader-statistics.ts'
import './usd-price.ts'
import { type GraphQLSchema, lexicographicSortSchema, printSchema } from 'graphql'
import { builder } from './builder.ts'
import { withGuards } from './guard.ts'

/** Every type's file has told the builder its part. */
export const schema: GraphQLSchema = withGuards(builder.toSchema())

/** The SDL, sorted, so that two of them can be compared. */
export function schemaText(): string {
  return `${printSchema(lexicographicSortSchema(schema))}\n`
}

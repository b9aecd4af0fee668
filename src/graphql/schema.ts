import './account.ts'
import './app-data.ts'
import './auction.ts'
import './cancellation.ts'
import './debug-report.ts'
import './network.ts'
import './node.ts'
import './notification.ts'
import './order.ts'
import './order-input.ts'
import './order-page.ts'
import './order-look-up.ts'
import './order-parts.ts'
import './order-progress.ts'
import './order-value.ts'
import './page-info.ts'
import './quote.ts'
import './quote-order.ts'
import './quote-route.ts'
import './quoted-order.ts'
import './quote-subscription.ts'
import './scalars.ts'
import './signature.ts'
import './solution.ts'
import './surplus.ts'
import './token.ts'
import './trade.ts'
import './trade-page.ts'
import { type GraphQLSchema, lexicographicSortSchema, printSchema } from 'graphql'
import { builder } from './builder.ts'

/** Every type's file has told the builder its part. */
export const schema: GraphQLSchema = builder.toSchema()

/** The SDL, sorted, so that two of them can be compared. */
export function schemaText(): string {
  return `${printSchema(lexicographicSortSchema(schema))}\n`
}

import './account.ts'
import './app-data.ts'
import './auction.ts'
import './debug-report.ts'
import './network.ts'
import './notification.ts'
import './order.ts'
import './order-input.ts'
import './order-page.ts'
import './order-parts.ts'
import './quote.ts'
import './scalars.ts'
import './token.ts'
import './trade.ts'
import { type GraphQLSchema, lexicographicSortSchema, printSchema } from 'graphql'
import { builder } from './builder.ts'

/** Every type's file has told the builder its part. */
export const schema: GraphQLSchema = builder.toSchema()

/** The SDL, sorted, so that two of them can be compared. */
export function schemaText(): string {
  return `${printSchema(lexicographicSortSchema(schema))}\n`
}

import { defaultFieldResolver, type GraphQLSchema, isScalarType, isSpecifiedScalarType } from 'graphql'
import type { Context } from './context/context.ts'
import './account/account.ts'
import './account/balances.ts'
import './app-data.ts'
import './auction.ts'
import './account/channel.ts'
import './account/channel-mutations.ts'
import './account/sign-in.ts'
import './order/cancellation.ts'
import './federation.ts'
import './network.ts'
import './bundle-simulation.ts'
import './node.ts'
import './account/notifications.ts'
import './order/book.ts'
import './order/book-webhooks.ts'
import './order/diagnosis.ts'
import './order/order.ts'
import './paging.ts'
import './partner-keys.ts'
import './order/placement.ts'
import './order/programmatic.ts'
import './quote/response.ts'
import './quote/quote.ts'
import './affiliate/affiliate.ts'
import './scalars.ts'
import './order/signature.ts'
import './order/simulation.ts'
import './token/token.ts'
import './token/holders.ts'
import './token/balances.ts'
import './token/pool.ts'
import './token/market.ts'
import './order/trade.ts'
import './affiliate/statistics.ts'
import './token/prices.ts'
import { builder } from './builder.ts'
import { clientSdl, isForGateways } from './sdl.ts'

/** Checks that a field is enabled and that a request may use it. @throws Refusal */
type Guard = (context: Context) => void

/** Runs `extensions.guard` of mutations before their input is validated, so that access errors come first. */
function withGuards(schema: GraphQLSchema): GraphQLSchema {
  for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) {
    const guard = field.extensions.guard as Guard | undefined
    if (!guard) continue
    const { resolve = defaultFieldResolver } = field
    field.resolve = async (root, args, context, info) => {
      guard(context)
      return resolve(root, args, context, info)
    }
  }
  return schema
}

/** Built after the imports above, which register their types with the builder. */
export const schema: GraphQLSchema = withGuards(builder.toSchema())

/** The SDL for clients. */
export function schemaText(): string {
  return `${clientSdl(schema)}\n`
}

/** The JSON type of each custom scalar: `config.scalars` of codegen, for clients with only the SDL. */
export function scalarMap(): Record<string, string> {
  const scalars = Object.values(schema.getTypeMap())
    .filter(isScalarType)
    .filter((type) => !isSpecifiedScalarType(type) && !isForGateways(type.name))
  return Object.fromEntries(
    scalars
      .map(({ name, extensions }) => [name, String(extensions.codegenScalarType)] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  )
}

import { defaultFieldResolver, type GraphQLSchema } from 'graphql'
import type { Context } from './context.ts'

/** Who may ask, and whether there is anything to ask. @throws Refusal */
export type Guard = (context: Context) => void

/**
 * Fields with `extensions.guard` say who may ask before they say what is wrong with the input: the guard is asked
 * before the input is validated.
 */
export function withGuards(schema: GraphQLSchema): GraphQLSchema {
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

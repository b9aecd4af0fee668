import { defaultFieldResolver, type GraphQLSchema } from 'graphql'
import type { Context } from './context.ts'

/** Whether a request may use a field, and whether the field is enabled. @throws Refusal */
export type Guard = (context: Context) => void

/** Runs `extensions.guard` of mutations before their input is validated, so that access errors come first. */
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

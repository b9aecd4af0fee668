import type { z } from 'zod'
import { parseInput } from '../../graphql/errors/input.ts'

/** The raw body within what the path gives, once both are accepted: the path comes first, as in a GraphQL input. */
export function inputWithin<Path extends object, Schema extends z.ZodType<unknown, object>>(
  path: Path,
  schema: Schema,
  body: unknown,
) {
  return { ...checkedInput(schema, body), ...path }
}

/** The raw body, once its schema accepts it. Refusals so use the names of REST; GraphQL then parses the body again. */
export function checkedInput<Schema extends z.ZodType>(schema: Schema, body: unknown): z.input<Schema> {
  parseInput(schema, body)
  return body as z.input<Schema>
}

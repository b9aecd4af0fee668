import type { z } from 'zod'
import { parseInput } from '../../graphql/errors/input.ts'

/** The raw body, once its schema accepts it. Refusals so use the names of REST; GraphQL then parses the body again. */
export function checkedInput<Schema extends z.ZodType>(schema: Schema, body: unknown): z.input<Schema> {
  parseInput(schema, body)
  return body as z.input<Schema>
}

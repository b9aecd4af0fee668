import type { GraphQLField } from 'graphql'
import type { Field, Relation, ValueList } from '../../storage/query/model.ts'
import type { Services } from '../context/context.ts'

/** What a request brings to a stored field beside its arguments. */
export type Environment = Services & { restricted?: boolean }

/** How a field of the schema is stored: `extensions.stored` of it. */
export interface StoredField {
  is: Field | Relation | ValueList
  /** What the relation's rows are found by. @throws Refusal */
  given?: (args: never, environment: Environment) => unknown
}

/** Parts of a page follow from the relation that it is a page of: `extensions.isPagePart`. */
export function storedFieldOf({
  extensions,
}: GraphQLField<unknown, unknown>): StoredField | 'page part' | undefined {
  if (extensions.isPagePart === true) return 'page part'
  return extensions.stored as StoredField | undefined
}

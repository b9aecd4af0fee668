import type { GraphQLField } from 'graphql'
import type { Field, Relation, ValueList } from '../../storage/query/model.ts'
import type { Selected } from '../../storage/query/selected.ts'
import type { Services } from '../context/context.ts'

/** What stored fields may use beside their arguments. */
export type Environment = Services & { restricted?: boolean }

/** `extensions.stored` of a schema field: the model's part that it reads. */
export interface StoredField {
  is: Field | Relation | ValueList
  /** Converts GraphQL arguments to those of the relation's `rows`. @throws Refusal */
  rowArguments?: (args: never, environment: Environment) => unknown
}

/** What the resolver of a field that is not stored needs of its object (`extensions.needs`): the object's own statement reads it. */
export function neededFields({ extensions }: GraphQLField<unknown, unknown>): Selected['needs'] {
  return extensions.needs as Selected['needs']
}

/** Fields of connections and edges (`extensions.isPagePart`) are stored as parts of their relation. */
export function storedFieldOf({
  extensions,
}: GraphQLField<unknown, unknown>): StoredField | 'page part' | undefined {
  if (extensions.isPagePart === true) return 'page part'
  return extensions.stored as StoredField | undefined
}

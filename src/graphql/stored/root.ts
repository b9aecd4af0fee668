import type { GraphQLResolveInfo } from 'graphql'
import type { Keyed } from '../../storage/query/keyed.ts'
import type { Relation } from '../../storage/query/model.ts'
import type { Context } from '../context/context.ts'
import { type RelationArguments, relationOptions } from './expose.ts'
import { resolveRoot } from './resolve.ts'
import type { Environment, StoredField } from './stored-field.ts'

interface RootArguments<Args> {
  args?: object
  given: (args: Args, environment: Environment) => unknown
}

/** A field of the query whose rows are found by its arguments. */
export function storedRoot<Args>(
  t: unknown,
  relation: Relation,
  { args, given }: RootArguments<Args>,
): never {
  const resolve = (_root: unknown, _args: unknown, context: Context, info: GraphQLResolveInfo) =>
    resolveRoot(context, info)
  const options: RelationArguments = {
    ...(args && { args }),
    given: given as NonNullable<StoredField['given']>,
  }
  return (t as { field(options: object): never }).field(relationOptions(relation, options, resolve))
}

/** Objects that a field of the query names by their keys. */
export interface Found {
  keyed: Keyed<never>
  keys: readonly unknown[]
  /** Of the object, where the field's is an interface. */
  typeName: string
}

/** `extensions.finds` of a field of the query; null where there is nothing to look for, `elsewhere` for what is not stored. */
export type Finds = (args: never, environment: Environment) => Found | null | 'elsewhere'

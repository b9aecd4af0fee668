import type { GraphQLResolveInfo } from 'graphql'
import type { Keyed } from '../../storage/query/keyed.ts'
import type { Relation } from '../../storage/query/model.ts'
import type { Context } from '../context/context.ts'
import { type RelationArguments, relationOptions } from './expose.ts'
import { resolveRoot } from './resolve.ts'
import type { Environment, StoredField } from './stored-field.ts'

interface RootArguments<Args> {
  args?: object
  rowArguments: (args: Args, environment: Environment) => unknown
}

/** Options of a root field whose rows its arguments select. */
export function storedRoot<Args>(
  t: unknown,
  relation: Relation,
  { args, rowArguments }: RootArguments<Args>,
): never {
  const resolve = (_root: unknown, _args: unknown, context: Context, info: GraphQLResolveInfo) =>
    resolveRoot(context, info)
  const options: RelationArguments = {
    ...(args && { args }),
    rowArguments: rowArguments as NonNullable<StoredField['rowArguments']>,
  }
  return (t as { field(options: object): never }).field(relationOptions(relation, options, resolve))
}

/** Stored objects that a root field names by their keys. */
export interface KeyLookup {
  keyed: Keyed<never>
  keys: readonly unknown[]
  /** Of the objects; the field's type may be an interface. */
  typeName: string
}

/** `extensions.findKeys` of a root field; null when the result is null without a read. @throws Refusal */
export type FindKeys = (args: never, environment: Environment) => KeyLookup | null | 'not stored'

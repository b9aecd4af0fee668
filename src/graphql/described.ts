import type { GraphQLResolveInfo } from 'graphql'
import type { Described, DescribedField, ValueOf } from '../domain/described.ts'
import type { Address } from '../domain/evm/address.ts'
import { builder } from './builder.ts'
import type { Context } from './context/context.ts'
import { enumByName } from './enums.ts'
import { TokenRef } from './refs.ts'
import { tokenOfAddress } from './token/token.ts'

/** A value of a described type: with the chain of its tokens, if it has any. */
type Row = Readonly<Record<string, unknown>> & { chainId?: number }

const refOf = <Value extends object>(name: string) => builder.objectRef<Value>(name)
const refs = new Map<string, ReturnType<typeof refOf>>()

/** Returns the GraphQL type of a described type, with all its fields, and adds it to the schema. */
export function describedRef<Type extends Described, More = unknown>({ name, description, fields }: Type) {
  type Value = ValueOf<Type> & More & object
  const known = refs.get(name)
  if (known) return known as ReturnType<typeof refOf<Value>>
  const ref = refOf<Value>(name)
  refs.set(name, ref)
  ref.implement({ description })
  builder.objectFields(ref, (t) =>
    Object.fromEntries(
      Object.entries(fields).map(([field, described]) => [
        field,
        t.field({
          type: typeOf(described) as 'String',
          nullable: (described.nullable ?? false) as false,
          description: described.description,
          resolve: resolverOf(field, described) as () => string,
        }),
      ]),
    ),
  )
  return ref
}

function typeOf({ type, isList }: DescribedField): unknown {
  const item =
    typeof type === 'object' ? describedRef(type) : type === 'Token' ? TokenRef : (enumByName(type) ?? type)
  return isList ? [item] : item
}

function resolverOf(field: string, { type, isList, key = field, write, derive }: DescribedField) {
  if (derive) return derive as (row: Row) => unknown
  if (type === 'Token') {
    return (row: Row, _args: object, context: Context, info: GraphQLResolveInfo) => {
      const address = row[key] as Address | null
      return address === null ? null : tokenOfAddress(chainOf(row), address, context, info)
    }
  }
  const convert = write as ((value: unknown) => unknown) | undefined
  if (convert) return (row: Row) => (row[key] === null ? null : convert(row[key]))
  if (typeof type !== 'object') return (row: Row) => row[key]
  return ({ chainId, [key]: value }: Row) => {
    if (chainId === undefined || value === null) return value
    return isList
      ? (value as object[]).map((each) => ({ ...each, chainId }))
      : { ...(value as object), chainId }
  }
}

function chainOf({ chainId }: Row): number {
  if (chainId === undefined) throw new TypeError('the value of a token names no chain')
  return chainId
}

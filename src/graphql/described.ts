import type { GraphQLResolveInfo } from 'graphql'
import type { Described, DescribedField, DescribedFields, ValueOf } from '../domain/described.ts'
import type { Address } from '../domain/evm/address.ts'
import type { Clock } from '../domain/log.ts'
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
  addFields(ref, fields)
  return ref
}

/** Adds described fields to a GraphQL type. */
export function addFields<Value extends object>(
  ref: ReturnType<typeof refOf<Value>>,
  fields: DescribedFields,
): void {
  builder.objectFields(ref, (t) =>
    Object.fromEntries(
      Object.entries(fields).map(([field, described]) => [
        field,
        t.field({
          type: typeOf(described) as 'String',
          nullable: (described.nullable ?? false) as false,
          description: described.description,
          ...(described.items !== undefined && { extensions: { items: described.items } }),
          resolve: resolverOf(field, described) as () => string,
        }),
      ]),
    ),
  )
}

function typeOf({ type, isList }: DescribedField): unknown {
  const item =
    typeof type === 'object' ? describedRef(type) : type === 'Token' ? TokenRef : (enumByName(type) ?? type)
  return isList ? [item] : item
}

function resolverOf(field: string, { type, isList, key = field, ...described }: DescribedField) {
  const derive = described.derive as ((row: Row, now: Clock) => unknown) | undefined
  const write = described.write as ((value: unknown) => unknown) | undefined
  const read = derive
    ? (row: Row, _args: object, { now }: Context) => derive(row, now)
    : (row: Row) => row[key]
  if (type === 'Token') {
    return (row: Row, args: object, context: Context, info: GraphQLResolveInfo) => {
      const address = read(row, args, context) as Address | null | undefined
      return address == null ? null : tokenOfAddress(chainOf(row), address, context, info)
    }
  }
  if (write) {
    return (row: Row, args: object, context: Context) => {
      const value = read(row, args, context)
      return value == null ? null : write(value)
    }
  }
  if (typeof type !== 'object') return read
  return (row: Row, args: object, context: Context) => {
    const { chainId } = row
    const value = read(row, args, context) as object | null
    const onChain = (each: object) => (chainId === undefined ? each : { ...each, chainId })
    if (value == null) return null
    return isList ? context.countItems((value as object[]).map(onChain)) : onChain(value)
  }
}

function chainOf({ chainId }: Row): number {
  if (chainId === undefined) throw new TypeError('the value of a token names no chain')
  return chainId
}

import {
  type GraphQLInputType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isScalarType,
} from 'graphql'
import type { Refusal } from '../../domain/errors/error.ts'
import { toRefusal } from '../errors/input.ts'
import { inputSchemas } from './graph-types.ts'

/**
 * The fault of an input that REST names too: the first in the order in which its schema declares the members. graphql-js
 * finds values that do not fit their types, by the names of the members, before any schema is asked.
 * @param path of the input, which begins with the name of its variable or argument
 * @param root names that fields leave out at their beginning
 * @returns undefined where no schema refuses the input
 */
export function firstFault(
  type: GraphQLInputType,
  value: unknown,
  path: readonly (string | number)[],
  root: readonly string[],
): Refusal | undefined {
  const nullable = getNullableType(type)
  if (typeof value !== 'object' || value === null) return undefined
  if (isListType(nullable)) {
    return firstOf(Array.isArray(value) ? value : [value], (item, index) =>
      firstFault(nullable.ofType, item, [...path, index], root),
    )
  }
  if (!isInputObjectType(nullable)) return undefined
  const error = inputSchemas.get(nullable.name)?.safeParse(parsedWhereItFits(value, nullable)).error
  if (error) return toRefusal(error, root, path) as Refusal
  // A schema may leave faults of items to the item.
  return firstOf(Object.values(nullable.getFields()), ({ name, type }) =>
    firstFault(type, (value as Record<string, unknown>)[name], [...path, name], root),
  )
}

function firstOf<Item>(
  items: readonly Item[],
  faultOf: (item: Item, index: number) => Refusal | undefined,
): Refusal | undefined {
  for (const [index, item] of items.entries()) {
    const fault = faultOf(item, index)
    if (fault) return fault
  }
  return undefined
}

/** The value as resolvers would get it; what does not fit its type stays as it is, so that the schema refuses it. */
function parsedWhereItFits(value: unknown, type: GraphQLInputType): unknown {
  const nullable = getNullableType(type)
  if (value == null) return value
  if (isListType(nullable))
    return (Array.isArray(value) ? value : [value]).map((item) => parsedWhereItFits(item, nullable.ofType))
  if (isEnumType(nullable)) return nullable.getValue(String(value))?.value ?? value
  if (isScalarType(nullable)) {
    try {
      return nullable.parseValue(value)
    } catch {
      return value
    }
  }
  if (typeof value !== 'object' || !isInputObjectType(nullable)) return value
  const fields = nullable.getFields()
  const known = Object.entries(value).flatMap(([key, inner]) => {
    const field = fields[key]
    return field ? [[key, parsedWhereItFits(inner, field.type)]] : []
  })
  return Object.fromEntries(known)
}

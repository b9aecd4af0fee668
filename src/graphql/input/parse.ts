import {
  type GraphQLInputType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isScalarType,
} from 'graphql'
import type { ZodError, ZodType, z } from 'zod'
import { Refusal } from '../../domain/errors/error.ts'
import { type RefusalCode, refusalCodes } from '../../domain/errors/refusal-codes.ts'
import { inputSchemas } from './fields.ts'

/**
 * Turns a zod error into a Refusal: code of `params.code`, else InvalidParameter. Returns other errors
 * unchanged.
 * @param within path of the input that was parsed
 */
export function toRefusal(
  error: unknown,
  root: readonly string[] = [],
  within: readonly PropertyKey[] = [],
): unknown {
  if (!isZodError(error)) return error
  const [issue] = error.issues
  if (!issue) return error
  const [unknown] = issue.code === 'unrecognized_keys' ? issue.keys : []
  const field = fieldOf([...within, ...issue.path, ...(unknown === undefined ? [] : [unknown])], root)
  const issueCode = issue.code === 'custom' ? issue.params?.code : undefined
  const code = isRefusalCode(issueCode) ? issueCode : 'InvalidParameter'
  const message = unknown === undefined ? messageOf(issue) : 'cannot be set here'
  return new Refusal(code, field ? `${field} ${message}` : message, field ? { field } : {})
}

const typeNames: Readonly<Record<string, string>> = {
  array: 'a list',
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'a JSON object',
  record: 'a JSON object',
  date: 'a time',
}

/**
 * Words a fault of a member, after its name. Messages of the schemas stay; those of zod speak of its types.
 */
export function messageOf({ code, message, ...issue }: ZodError['issues'][number]): string {
  if (!message.startsWith('Invalid input')) return message
  if (message.endsWith('received undefined')) return 'is required'
  const expected =
    code === 'invalid_type' && 'expected' in issue ? typeNames[String(issue.expected)] : undefined
  return expected === undefined ? 'is not valid' : `must be ${expected}`
}

/** Parses raw input. @throws Refusal, also for zod issues */
export function parseInput<Schema extends ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const result = schema.safeParse(input)
  if (result.success) return result.data
  throw toRefusal(result.error)
}

/**
 * `['a', 'b', 0]` is `a.b[0]`. Leaves out input objects in `root`, so that GraphQL and REST name a field
 * alike.
 */
export function fieldOf(path: readonly PropertyKey[], root: readonly string[] = []): string {
  const inner = typeof path[1] === 'string' && root.includes(String(path[0])) ? path.slice(1) : path
  return inner
    .map((key, index) => (typeof key === 'number' ? `[${key}]` : `${index > 0 ? '.' : ''}${String(key)}`))
    .join('')
}

function isZodError(error: unknown): error is ZodError {
  return error instanceof Error && 'issues' in error && Array.isArray(error.issues)
}

function isRefusalCode(code: unknown): code is RefusalCode {
  return typeof code === 'string' && code in refusalCodes
}

/**
 * The fault of an input that REST names too: the first in the order in which its schema declares the members.
 * graphql-js finds values that do not fit their types, by the names of the members, before any schema is
 * asked.
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

/**
 * The value as resolvers would get it; what does not fit its type stays as it is, so that the schema refuses
 * it.
 */
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

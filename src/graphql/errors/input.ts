import type { ZodError, ZodType, z } from 'zod'
import { Refusal } from '../../domain/errors/error.ts'
import { type RefusalCode, refusalCodes } from '../../domain/errors/refusal-codes.ts'

/**
 * Turns a zod error into a Refusal: code of `params.code`, else InvalidParameter. Returns other errors unchanged.
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

/** Messages of the schemas stay. Those of zod, which speak of its types, are for who writes them. */
function messageOf({ code, message, ...issue }: ZodError['issues'][number]): string {
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

/** `['a', 'b', 0]` is `a.b[0]`. Leaves out input objects in `root`, so that GraphQL and REST name a field alike. */
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

import type { GraphQLError } from 'graphql'
import { refusalHeaders } from '../../execution/http/refused.ts'
import type { Produced } from '../../execution/idempotency.ts'
import { refusalCaching } from '../row/caching.ts'
import type { RowTraits } from '../row/route.ts'
import { type Family, type Fault, statusOf, toErrorBody } from './body.ts'

/**
 * The response to a masked error.
 * @param row undefined for a path or method without a route
 * @param allow the methods of the path, for a refused method
 */
export function refused(
  error: GraphQLError,
  family: Family,
  row: RowTraits | undefined,
  allow: string | undefined,
): Produced {
  const status = statusFor(error, row)
  const headers: Record<string, string> = {
    'Content-Type': 'application/json',
    ...refusalHeaders(status, error.extensions),
  }
  if (allow) headers.Allow = allow
  if (row?.freshness) headers['Cache-Control'] = refusalCaching(status)
  return { status, headers, body: JSON.stringify(errorBodyOf(error, family)) }
}

/** In the form of the family. */
export function errorBodyOf(error: GraphQLError, family: Family): Record<string, unknown> {
  return toErrorBody(family, faultOf(error))
}

/** A route may override the status of a code, or of a code at one field. */
function statusFor(error: GraphQLError, row: RowTraits | undefined): number {
  const { code } = faultOf(error)
  return row?.statuses?.[`${code} of ${error.extensions.field}`] ?? row?.statuses?.[code] ?? statusOf[code]
}

function faultOf({ extensions, message }: GraphQLError): Fault {
  return { code: extensions.code, message, data: withoutItems(extensions.data) } as Fault
}

/** Drops `items`, the refusals of list items: only GraphQL has them, and REST bodies stay as published. */
function withoutItems(data: unknown): unknown {
  if (typeof data !== 'object' || data === null || !('items' in data)) return data
  const { items: _, ...rest } = data
  return Object.keys(rest).length > 0 ? rest : undefined
}

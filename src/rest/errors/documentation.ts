import { type RefusalCode, refusalCodes } from '../../domain/errors/refusal-codes.ts'
import { schemaOf } from '../openapi/components.ts'
import { type HeaderName, headerRefs } from '../openapi/headers.ts'
import type { Operation } from '../openapi/operation.ts'
import { accountError, orderBookError } from '../openapi/schemas/errors.ts'
import { isRepeatable, type RowTraits } from '../row/route.ts'
import { type Family, statusOf } from './body.ts'

const bodies = { orderBook: orderBookError, account: accountError }

const statusNames: Record<number, string> = {
  400: 'Malformed, or refused as it is.',
  401: 'A signature or key is missing or wrong.',
  403: 'Not allowed to this account.',
  404: 'Not there.',
  409: 'In conflict with what is there.',
  413: 'The body is too large.',
  415: 'The body is not declared as JSON.',
  422: 'Another request came with this key.',
  429: 'Too many requests.',
  500: 'A fault of the service.',
  503: 'Not available at the moment.',
}

/** Codes whose response is the same on every route: one component for each family. */
const sharedCodes: readonly RefusalCode[] = [
  'PayloadTooLarge',
  'UnsupportedMediaType',
  'IdempotencyKeyReused',
  'RateLimited',
  'InternalServerError',
  'Unavailable',
]

/** Codes that a route can answer, by status. */
export function codesByStatus(
  row: RowTraits,
  family: Family,
  operation: Operation,
): Map<number, RefusalCode[]> {
  const [method, path = ''] = row.on.split(' ')
  const hasBody = method !== 'GET' && !row.hasNoBody
  const readsInput = hasBody || path.includes(':') || operation.query !== undefined
  const codes: RefusalCode[] = [
    ...(readsInput ? (['InvalidParameter'] as const) : []),
    ...(family === 'orderBook' || row.missing !== undefined ? (['NotFound'] as const) : []),
    ...(hasBody ? (['PayloadTooLarge', 'UnsupportedMediaType'] as const) : []),
    ...(isRepeatable(row) ? (['IdempotencyKeyInUse', 'IdempotencyKeyReused'] as const) : []),
    ...(row.isEditors || operation.needsSession ? (['Unauthorized'] as const) : []),
    ...(row.needs ? (['FeatureDisabled'] as const) : []),
    ...(operation.codes ?? []),
    'RateLimited',
    'InternalServerError',
    'Unavailable',
  ]
  const statuses = new Map<number, RefusalCode[]>()
  for (const code of new Set(codes)) {
    for (const status of statusesOf(code, row)) statuses.set(status, [...(statuses.get(status) ?? []), code])
  }
  return statuses
}

/** The status of a code, and those that it has for single fields. */
function statusesOf(code: RefusalCode, { statuses = {} }: RowTraits): number[] {
  const standard = statuses[code] ?? statusOf[code]
  const special = Object.entries(statuses).flatMap(([key, status]) =>
    key.startsWith(`${code} of `) && status !== undefined ? [status] : [],
  )
  return [...new Set([standard, ...special])]
}

/** @param examples examples of this status */
export function errorResponse(
  family: Family,
  status: number,
  codes: readonly RefusalCode[],
  examples: Record<string, { summary: string; value: unknown }>,
) {
  const isShared = codes.every((code) => sharedCodes.includes(code)) && Object.keys(examples).length === 0
  if (isShared) return { $ref: `#/components/responses/${sharedName(family, status)}` }
  return response(family, status, codes, examples)
}

export function errorComponents() {
  const families: Family[] = ['orderBook', 'account']
  return Object.fromEntries(
    families.flatMap((family) =>
      sharedCodes.map((code) => {
        const status = statusOf[code]
        return [sharedName(family, status), response(family, status, [code], {})]
      }),
    ),
  )
}

function sharedName(family: Family, status: number): string {
  return `${family === 'account' ? 'Account' : 'OrderBook'}${status}`
}

function response(family: Family, status: number, codes: readonly RefusalCode[], examples: object) {
  // Bodies of the account family have no code.
  const lines = codes.map((code) => {
    const { description } = refusalCodes[code]
    return family === 'account' ? `- ${description}` : `- \`${code}\`: ${description}`
  })
  const isRetryable = status === 409 || status === 429 || status === 503
  const names: HeaderName[] = [
    ...(['X-Request-Id', 'Cache-Control'] as const),
    ...(isRetryable ? (['Retry-After'] as const) : []),
    ...(status === 401 ? (['WWW-Authenticate'] as const) : []),
  ]
  const schema = schemaOf(bodies[family])
  return {
    description: [statusNames[status] ?? '', '', ...lines].join('\n'),
    headers: headerRefs(names),
    content: {
      'application/json': { schema, ...(Object.keys(examples).length > 0 && { examples }) },
    },
  }
}

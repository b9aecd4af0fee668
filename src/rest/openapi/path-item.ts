import { type RefusalCode, refusalCodes } from '../../domain/errors/refusal-codes.ts'
import { type Family, problemType, statusOf } from '../errors.ts'
import { isRepeatable, type RowTraits } from '../routing/route.ts'
import { schemaOf } from './components.ts'
import {
  type Example,
  type HeaderName,
  headerRefs,
  type Operation,
  type Parameter,
  type Success,
} from './operation.ts'
import { pathParameters } from './parameters.ts'
import { accountError, orderBookError, plainText, problem } from './primitives.ts'

const bodies = { orderBook: orderBookError, account: accountError }

const statusNames: Record<number, string> = {
  400: 'Malformed, or refused as it is.',
  401: 'A signature or key is missing or wrong.',
  403: 'Not allowed to this account.',
  404: 'Not there.',
  409: 'In conflict with what is there.',
  410: 'No longer there.',
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

/** Returns the codes that a route can return, by status. */
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

/** Returns the status of a code, and those for single fields. */
function statusesOf(code: RefusalCode, { statuses = {} }: RowTraits): number[] {
  const standard = statuses[code] ?? statusOf[code]
  const special = Object.entries(statuses).flatMap(([key, status]) =>
    key.startsWith(`${code} of `) && status !== undefined ? [status] : [],
  )
  return [...new Set([standard, ...special])]
}

/** @param examples examples of this status */
function errorResponse(
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
      [problemType]: { schema: schemaOf(problem) },
    },
  }
}

export interface Described {
  family: Family
  row: RowTraits
  operation: Operation
  segments: string[]
}

/** Returns the Operation Object of a route. */
export function pathItemOperation(described: Described) {
  const { operation } = described
  const parameters = [
    ...pathOf(described),
    ...queryOf(operation),
    ...headersOf(operation),
    ...conditionOf(described.row),
    ...idempotencyOf(described.row),
  ]
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    ...(operation.description && { description: operation.description }),
    ...securityOf(described),
    ...(parameters.length > 0 && { parameters }),
    ...bodyOf(operation),
    responses: responsesOf(described),
  }
}

function securityOf({ row, operation }: Described) {
  const keys = [{ editorBearer: [] }, { editorKey: [] }]
  if (operation.needsSession) return { security: [{ session: [] }, ...keys] }
  return row.isEditors ? { security: keys } : {}
}

/** Returns the example for the viewer's form: the first that succeeds. */
function formExample({ examples }: Operation): Example | undefined {
  return Object.values(examples).find(({ status }) => status < 300)
}

function pathOf({ segments, operation }: Described) {
  return segments
    .filter((segment) => segment.startsWith(':'))
    .map((segment) => {
      const name = segment.slice(1)
      const parameter = operation.path?.[name] ?? pathParameters[name]
      if (!parameter) throw new Error(`no description of :${name} in ${operation.id}`)
      const example = formExample(operation)?.path?.[name] ?? (name === 'network' ? 'sepolia' : undefined)
      return parameterObject(name, 'path', parameter, example)
    })
}

function queryOf(operation: Operation) {
  return Object.entries(operation.query ?? {}).map(([name, parameter]) =>
    parameterObject(name, 'query', parameter, formExample(operation)?.query?.[name]),
  )
}

function headersOf(operation: Operation) {
  return Object.entries(operation.headers ?? {}).map(([name, parameter]) =>
    parameterObject(name, 'header', parameter, formExample(operation)?.headers?.[name]),
  )
}

/** Values of examples, by the type of their parameter. */
const valueForms: Readonly<Record<string, (text: string) => unknown>> = {
  integer: Number,
  array: (text) => [text],
}

function parameterObject(
  name: string,
  location: 'path' | 'query' | 'header',
  parameter: Parameter,
  example?: string,
) {
  const { description, schema } = parameter
  const json = schemaOf(schema)
  const value = example === undefined ? undefined : (valueForms[String(json.type)]?.(example) ?? example)
  return {
    name,
    in: location,
    ...(location !== 'query' && { required: true }),
    description,
    schema: json,
    ...(value !== undefined && { example: value }),
  }
}

function idempotencyOf(row: RowTraits) {
  if (!isRepeatable(row)) return []
  return [
    {
      name: 'Idempotency-Key',
      in: 'header',
      description: 'Names this request: a repetition with the same key and body gets the same answer.',
      schema: { type: 'string', minLength: 1, maxLength: 255 },
    },
  ]
}

/** Reports whether a response has an ETag, like the adapter; clients that send it get 304. */
function isConditional({ on, freshness, isCached, headers }: RowTraits): boolean {
  if (!on.startsWith('GET ')) return false
  return freshness !== undefined || isCached || headers?.['Cache-Control'] !== undefined
}

function conditionOf(row: RowTraits) {
  if (!isConditional(row)) return []
  return [
    {
      name: 'If-None-Match',
      in: 'header',
      description: 'The `ETag` of the client’s copy: the answer is sent only if it has changed.',
      schema: { type: 'string' },
    },
  ]
}

function unchangedOf(row: RowTraits) {
  if (!isConditional(row)) return {}
  const names: HeaderName[] = ['X-Request-Id', 'RateLimit', 'RateLimit-Policy', 'ETag', 'Cache-Control']
  if (row.freshness) names.push('Age', 'Warning')
  return {
    304: {
      description: 'The answer is still the one that `If-None-Match` names.',
      headers: headerRefs(names),
    },
  }
}

function bodyOf({ body, examples }: Operation) {
  if (!body) return {}
  const succeeding = Object.entries(examples).filter(([, example]) => example.status < 300)
  return {
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: schemaOf(body),
          examples: named(succeeding, ({ body: value }) => value),
        },
      },
    },
  }
}

function responsesOf({ row, family, operation }: Described) {
  const examplesOf = (status: number) =>
    named(
      Object.entries(operation.examples).filter(([, example]) => example.status === status),
      ({ answer }) => answer,
    )
  const successes = Object.entries(operation.answers).map(([status, success]) => [
    status,
    successResponse(success, row, examplesOf(Number(status))),
  ])
  const errors = [...codesByStatus(row, family, operation)].map(([status, codes]) => [
    status,
    errorResponse(family, status, codes, examplesOf(status)),
  ])
  return { ...Object.fromEntries([...successes, ...errors]), ...unchangedOf(row) }
}

function successResponse(success: Success, row: RowTraits, examples: object) {
  const { description, schema, contentType = row.contentType ?? 'application/json' } = success
  const own = (Object.keys(row.headers ?? {}) as HeaderName[]).concat(success.headers ?? [])
  const names: HeaderName[] = ['X-Request-Id', 'RateLimit', 'RateLimit-Policy', ...own]
  if (row.isPersonal) names.push('Cache-Control')
  if (isRepeatable(row)) names.push('Idempotent-Replayed')
  return {
    description,
    headers: headerRefs(names),
    content: {
      [contentType.split(';', 1)[0] ?? '']: { schema: schemaOf(schema), examples },
      ...(row.stream && { 'text/event-stream': { schema: schemaOf(plainText) } }),
    },
  }
}

function named(examples: [string, Example][], value: (example: Example) => unknown) {
  return Object.fromEntries(
    examples.map(([name, example]) => [name, { summary: example.summary, value: value(example) }]),
  )
}

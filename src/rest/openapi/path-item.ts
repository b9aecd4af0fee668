import type { Family } from '../errors/body.ts'
import { codesByStatus, errorResponse } from '../errors/documentation.ts'
import { isRepeatable, type RowTraits } from '../row/route.ts'
import { schemaOf } from './components.ts'
import { type HeaderName, headerRefs } from './headers.ts'
import type { Example, Operation, Parameter, Success } from './operation.ts'
import { pathParameters } from './path-parameters.ts'

export interface Described {
  family: Family
  row: RowTraits
  operation: Operation
  segments: string[]
}

/** The Operation Object of a route. */
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

/** The example for the viewer's form: the first that succeeds. */
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

function parameterObject(
  name: string,
  place: 'path' | 'query' | 'header',
  parameter: Parameter,
  example?: string,
) {
  const { description, schema } = parameter
  const json = schemaOf(schema)
  const value = example !== undefined && json.type === 'integer' ? Number(example) : example
  return {
    name,
    in: place,
    ...(place !== 'query' && { required: true }),
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
      description: 'Names this request: sent again with the same key and body it gets the same answer.',
      schema: { type: 'string', minLength: 1, maxLength: 255 },
    },
  ]
}

/** Like the adapter: cacheable responses have an ETag, and clients that send it get 304. */
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
      description:
        'The `ETag` of an answer that the client has: it is sent again only if it is another by now.',
      schema: { type: 'string' },
    },
  ]
}

function unchangedOf(row: RowTraits) {
  if (!isConditional(row)) return {}
  const names: HeaderName[] = ['X-Request-Id', 'RateLimit', 'RateLimit-Policy', 'ETag', 'Cache-Control']
  if (row.freshness) names.push('Age', 'Warning')
  return {
    304: { description: 'The answer is the one that `If-None-Match` names.', headers: headerRefs(names) },
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
    content: { [contentType.split(';', 1)[0] ?? '']: { schema: schemaOf(schema), examples } },
  }
}

function named(examples: [string, Example][], value: (example: Example) => unknown) {
  return Object.fromEntries(
    examples.map(([name, example]) => [name, { summary: example.summary, value: value(example) }]),
  )
}

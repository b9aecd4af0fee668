import type { IncomingMessage } from 'node:http'
import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  type FieldNode,
  GraphQLError,
  type GraphQLObjectType,
  getNamedType,
  getOperationAST,
  getVariableValues,
  isCompositeType,
  NoFragmentCyclesRule,
  type OperationDefinitionNode,
  parse,
  type SelectionSetNode,
  specifiedRules,
  validate,
} from 'graphql'
import { LRUCache } from 'lru-cache'
import { Refusal } from '../domain/errors/error.ts'
import { composableSchema, defaultLimit, maxLimit } from '../graphql/composable/schema.ts'
import type { Context } from '../graphql/context/context.ts'
import { queryError, refusalError } from '../graphql/errors.ts'
import { fieldsOf } from '../graphql/stored/collect.ts'
import { checkBodyType } from '../http/body.ts'
import type { HttpResponse } from '../http/response.ts'
import { type Admission, estimatedUnits, executedUnits, readUnits } from './admission/admission.ts'
import { costRefusal } from './admission/cost.ts'
import { noCharge } from './admission/rate-limits.ts'
import { documentLimits, excessOf, excessOfText, fragmentsOf } from './documents/document-size.ts'
import type { Executor } from './execute.ts'
import { graphqlErrorResponse } from './http/error-response.ts'
import { type GraphqlHandler, graphqlMethods, maxGraphqlBytes } from './http/handler.ts'
import { receive } from './http/request.ts'
import { type GraphqlParams, mentionsSchema } from './operation.ts'

/** Characters of all cached texts: clients send the same few. */
const maxCachedCharacters = 100_000

/** Objects in a result; some fields count as more than one. */
const maxObjects = 10_000

/** Fields that count like objects, because each takes a search or a hash. */
const weights: Readonly<Record<string, number>> = {
  totalCount: 1,
  status: 1,
  updatedAtBlock: 1,
  additionalData: 1,
  partOrdersCount: 1,
  decodedParams: 2,
}

type Read = { document: DocumentNode } | { errors: readonly GraphQLError[] }

function tooComplex(excess: string): GraphQLError {
  return refusalError(new Refusal('QueryTooComplex', `the document is over a limit: ${excess}`))
}

/** Parses and validates a document, within the limits of all documents. */
function readDocument(text: string, suggests: boolean): Read {
  const excess = excessOfText(text)
  if (excess) return { errors: [tooComplex(excess)] }
  let document: DocumentNode
  try {
    document = parse(text)
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error
    return { errors: [queryError(error)] }
  }
  const size = excessOf(document)
  if (size && size !== 'circular') return { errors: [tooComplex(size)] }
  const options = { maxErrors: documentLimits.errors, hideSuggestions: !suggests }
  const rules = size ? [NoFragmentCyclesRule] : specifiedRules
  const errors = validate(composableSchema, document, rules, options)
  return errors.length > 0 ? { errors: errors.map((error) => queryError(error)) } : { document }
}

interface Executable {
  document: DocumentNode
  definition: OperationDefinitionNode
  variables: Readonly<Record<string, unknown>>
}

/** Estimates a result: sizes of pages multiply down the path. */
function objectsOf({ document, definition, variables }: Executable): { fields: number; objects: number } {
  const fragments = fragmentsOf(document)
  let objects = 0
  const walk = (type: GraphQLObjectType, sets: readonly SelectionSetNode[], times: number) => {
    const fields = [...fieldsOf(sets, variables, fragments).values()]
    for (const nodes of fields) {
      const [node] = nodes
      const field = type.getFields()[node.name.value]
      const inner = field && getNamedType(field.type)
      objects += times * (weights[node.name.value] ?? 0)
      if (!field || !inner || !isCompositeType(inner)) continue
      const size = field.args.some(({ name }) => name === 'limit') ? limitOf(node.arguments, variables) : 1
      objects += times * size
      const below = nodes.flatMap(({ selectionSet }) => selectionSet ?? [])
      walk(inner as GraphQLObjectType, below, times * size)
    }
    return fields.length
  }
  const root = composableSchema.getQueryType()
  return { fields: root ? walk(root, [definition.selectionSet], 1) : 0, objects }
}

function limitOf(given: FieldNode['arguments'], variables: Readonly<Record<string, unknown>>): number {
  const value = given?.find(({ name }) => name.value === 'limit')?.value
  const size = value?.kind === 'Variable' ? variables[value.name.value] : undefined
  const limit = value?.kind === 'IntValue' ? Number(value.value) : size
  return typeof limit === 'number' ? Math.min(Math.max(1, limit), maxLimit) : defaultLimit
}

/** Serves GraphQL for clients of indexers of programmatic orders: errors of documents have the status 200. */
export function createComposableHandler(
  executor: Pick<Executor, 'arrive' | 'context' | 'mask'>,
  { suggests = false }: { suggests?: boolean },
): GraphqlHandler {
  const documents = new LRUCache<string, Read>({
    maxSize: maxCachedCharacters,
    sizeCalculation: (_read, text) => Math.max(1, text.length),
    memoMethod: (text) => readDocument(text, suggests),
  })
  const texts = {
    textOf: ({ query }: GraphqlParams) => (typeof query === 'string' ? query : undefined),
    keep() {},
  }

  async function answer(
    params: GraphqlParams,
    { bytes, admission, context }: { bytes: number; admission: Admission; context: () => Context },
  ): Promise<ExecutionResult> {
    const { query, operationName, variables } = params
    const text = typeof query === 'string' ? query : ''
    const read = documents.memo(text)
    if ('errors' in read) return read
    const { document } = read
    const name = typeof operationName === 'string' ? operationName : undefined
    const definition = getOperationAST(document, name)
    if (!definition) return { errors: [queryError(new GraphQLError('there is no operation of this name'))] }
    if (variables != null && typeof variables !== 'object')
      return { errors: [queryError(new GraphQLError('variables must be an object'))] }
    const variableValues = (variables ?? {}) as Record<string, unknown>
    const { coerced = {} } = getVariableValues(
      composableSchema,
      definition.variableDefinitions ?? [],
      variableValues,
      { maxErrors: 1, hideSuggestions: true },
    )
    const { fields, objects } = objectsOf({ document, definition, variables: coerced })
    admission.reserve({
      charge: { ...noCharge, reads: Math.max(1, fields), introspections: mentionsSchema(text) ? 1 : 0 },
      estimate: () => estimatedUnits(objects),
      read: readUnits(bytes, text),
    })
    const refusal = costRefusal({ requested: objects, limit: maxObjects })
    if (refusal) return { errors: [refusalError(refusal)] }
    return run({ document, definition, variables: variableValues }, name, context())
  }

  async function run(
    { document, variables }: Executable,
    operationName: string | undefined,
    contextValue: Context,
  ): Promise<ExecutionResult> {
    const overLimit = contextValue.overLimit.catch((originalError: Error) => ({
      data: null,
      errors: [new GraphQLError(originalError.message, { originalError })],
    }))
    const args = {
      schema: composableSchema,
      document,
      operationName,
      variableValues: variables,
      contextValue,
    }
    const options = { hideSuggestions: !suggests, options: { maxCoercionErrors: documentLimits.errors } }
    const result = await Promise.race([execute({ ...args, ...options }), overLimit])
    if (!result.errors) return result
    const { requestId } = contextValue
    const mask = (error: GraphQLError) =>
      'data' in result ? executor.mask(error, requestId) : queryError(error)
    return { ...result, errors: result.errors.map(mask) }
  }

  return async (req, caller, gone) => {
    try {
      const admission = executor.arrive(caller)
      checkRequest(req)
      const { params, text } = await receive(req, texts, maxGraphqlBytes)
      const bytes = text.length
      const context = () => executor.context(caller, gone())
      const body = JSON.stringify(await answer(params, { bytes, admission, context }))
      admission.settle(() => executedUnits(body.length))
      return { status: 200, headers, body }
    } catch (error) {
      const masked = executor.mask(error, caller.requestId)
      const isMethod = masked.extensions.code === 'MethodNotAllowed'
      return graphqlErrorResponse(masked, isMethod ? { Allow: graphqlMethods } : {})
    }
  }
}

const headers: HttpResponse['headers'] = {
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store',
}

/** @throws Refusal MethodNotAllowed, UnsupportedMediaType */
function checkRequest({ method, headers }: IncomingMessage): void {
  if (method !== 'GET' && method !== 'HEAD' && method !== 'POST')
    throw new Refusal('MethodNotAllowed', 'use GET or POST')
  if (method === 'POST') checkBodyType(headers)
}

import { type ExecutionResult, getOperationAST, Kind, parse } from 'graphql'
import { createYoga, type GraphQLParams, type Plugin, processRegularResult } from 'graphql-yoga'
import { Outage, Refusal } from '../domain/errors/error.ts'
import type { Context, Services } from '../graphql/context/context.ts'
import { refusalError } from '../graphql/errors.ts'
import { schema } from '../graphql/schema.ts'
import type { Caller } from '../http/caller.ts'
import { observed } from '../outside/telemetry/work.ts'
import { type Reader, readFor } from '../storage/database/database.ts'
import { executedUnits, writtenUnits } from './admission/admission.ts'
import { compiledQuery } from './compiled/query.ts'
import type { PersistedDocuments } from './documents/persisted.ts'
import type { Executor } from './execute.ts'
import type { AnswerType } from './http/request.ts'
import type { Produced } from './idempotency.ts'
import type { GraphqlParams, Operation } from './operation.ts'

const parameters = new Set(['query', 'variables', 'operationName', 'extensions'])

/** Yoga reports malformed parameters. */
function isWellFormed(params: GraphqlParams): boolean {
  for (const name in params) if (!parameters.has(name)) return false
  const { query, operationName, variables, extensions } = params
  const isName = operationName == null || typeof operationName === 'string'
  return typeof query === 'string' && isName && isObject(variables) && isObject(extensions)
}

function isObject(value: unknown): boolean {
  return value == null || (typeof value === 'object' && !Array.isArray(value))
}

/** Runs a request. Resolves to the response and the cost units that it used; never rejects. */
type RunRequest = (type: AnswerType, requestContext: RequestContext) => Promise<Produced & { units: number }>

interface RequestContext {
  operation: Operation
  caller: Caller
  /** The signal aborts when the client disconnects. Mutations do not observe it and run to their end. */
  gone: () => AbortSignal
  /** The outage of the preceding compiled attempt: execution reports it for each field. */
  outage?: Outage | undefined
}

/** Satisfies Yoga's check of the method; `http/handler.ts` has checked the real one. */
const postRequest = new Request('http://localhost/graphql', { method: 'POST' })

/**
 * Runs requests through Yoga. Yoga does not read HTTP here: building a `Request` takes longer than the rest
 * (`docs/performance.md`), and rate limits apply before the body is read.
 */
export function createRunRequest(
  executor: Executor,
  services: Services,
  documents: PersistedDocuments,
  streamPath: string,
): RunRequest {
  /**
   * The fast path before Yoga (`docs/performance.md`): the response that the database wrote; undefined for
   * requests that need execution, or are refused by it. Also keeps valid documents that came with their hash.
   * @throws Outage of the database: execution then stops reading for the same request
   */
  async function answerCompiled(
    operation: Operation,
    reader: Reader,
    { apiKey, partner, addUnits }: Caller,
  ): Promise<string | undefined> {
    try {
      if (!isWellFormed(operation.params) || !operation.isValid) return undefined
      documents.keep(operation.params, reader.client)
      const db = readFor(services.db, reader)
      return await compiledQuery(operation.document)(operation, {
        ...services,
        apiKey,
        db,
        ...(partner && { partner }),
        ...(addUnits && { addUnits }),
      })
    } catch (error) {
      if (error instanceof Outage) throw error
      // Execution meets the same error and reports it.
      return undefined
    }
  }

  const yoga = createYoga<RequestContext>({
    schema,
    plugins: [useExecutor(executor, streamPath)],
    context: ({ caller, gone, outage }) => executor.context(caller, gone(), outage),
    maskedErrors: { maskError: (error) => executor.mask(error) },
    // The executor has a cache that streams and REST share.
    parserAndValidationCache: false,
    logging: false,
  })

  async function resultOf(requestContext: RequestContext): Promise<ExecutionResult> {
    try {
      const yogaParams = { params: requestContext.operation.params as GraphQLParams, request: postRequest }
      return (await yoga.getResultForParams(yogaParams, requestContext)) as ExecutionResult
    } catch (error) {
      return { errors: [executor.mask(error, requestContext.caller.requestId)] }
    }
  }

  const nameOf = operationNames(services.documents)

  async function run(type: AnswerType, { operation, caller, gone }: RequestContext): Promise<Ran> {
    const headers: Record<string, string> = { 'Content-Type': `${type}; charset=utf-8` }
    const compiled = await answerCompiled(operation, { client: caller.client, gone }, caller).catch(
      (outage: Outage) => outage,
    )
    if (typeof compiled === 'string') {
      return { status: 200, headers, body: compiled, units: writtenUnits(Buffer.byteLength(compiled)) }
    }
    // Yoga extends a literal faster than a copy.
    const result = await resultOf({ operation, caller, gone, outage: compiled })
    if (!result.errors) {
      const body = JSON.stringify(result)
      return { status: 200, headers, body, units: executedUnits(Buffer.byteLength(body)) }
    }
    // Takes the status from the errors, and leaves it out of the body.
    const response = processRegularResult(result, yoga.fetchAPI, type)
    const body = await response.text()
    if (result.errors.some(({ extensions }) => extensions.code === 'Unavailable'))
      headers['Retry-After'] = '1'
    return { status: response.status, headers, body, units: executedUnits(Buffer.byteLength(body)), result }
  }

  return async (type, requestContext) => {
    const work = { kind: 'operation', ...nameOf(requestContext.operation) } as const
    const { result: _, ...answer } = await observed(work, () => run(type, requestContext), faultIn)
    return answer
  }
}

/** The name of an operation in metrics and traces. Clients choose no part, so they cannot create series. */
interface OperationName {
  /** The name from a document of the deployment; `other` for the rest. */
  name: string
  /** Its type and its only root field, such as `query order`; `several` for more of them. */
  of: string
}

const maxNames = 100

/** @param listed documents of the deployment: text by its hash */
function operationNames(
  listed: Readonly<Record<string, string>> = {},
): (operation: Operation) => OperationName {
  const names = new Map(
    Object.entries(listed)
      .slice(0, maxNames)
      .map(([hash, text]) => [text, nameIn(text) ?? hash.slice(0, 12)]),
  )
  return (operation) => ({ name: names.get(operation.text) ?? 'other', of: rootField(operation) })
}

function nameIn(text: string): string | undefined {
  try {
    return getOperationAST(parse(text))?.name?.value
  } catch {
    return undefined
  }
}

function rootField({ definition }: Operation): string {
  if (!definition) return 'none'
  const { operation, selectionSet } = definition
  const [first, ...more] = selectionSet.selections
  if (first?.kind !== Kind.FIELD || more.length > 0) return `${operation} several`
  const { value: field } = first.name
  const isKnown = Object.hasOwn(schema.getRootType(operation)?.getFields() ?? {}, field)
  return `${operation} ${isKnown ? field : 'none'}`
}

/** `result` is set if it has errors. */
type Ran = Awaited<ReturnType<RunRequest>> & { result?: ExecutionResult }

function faultIn({ result }: Ran): unknown {
  return result?.errors?.[0]
}

export function streamsElsewhere(streamPath: string): Refusal {
  return new Refusal(
    'NotAcceptable',
    `subscriptions are event streams: send Accept: text/event-stream, here or to ${streamPath}`,
  )
}

/** Makes Yoga use the operation as it was parsed, and the executor's limits, cost and masking. */
function useExecutor(executor: Executor, streamPath: string): Plugin<RequestContext & Context> {
  return {
    onParse: ({ context: { operation }, setParseFn }) =>
      setParseFn(() => {
        const [fault] = operation.document.definitions.length === 0 ? operation.errors() : []
        if (fault) throw fault
        return operation.document
      }),
    onValidate: ({ context: { operation }, setResult }) => setResult(operation.errors()),
    onExecute: ({ context, setExecuteFn }) =>
      setExecuteFn(async () => withStatus(await executor.execute(context.operation, context))),
    onSubscribe: ({ setSubscribeFn }) =>
      setSubscribeFn(() => {
        const error = refusalError(streamsElsewhere(streamPath))
        error.extensions.http = { status: 406 }
        return { errors: [error] }
      }),
  }
}

/**
 * Requests that were not executed get 400 in the media type that allows it
 * (`application/graphql-response+json`). A missing or wrong key gets 401 in both media types.
 */
function withStatus(result: ExecutionResult): ExecutionResult {
  for (const error of result.errors ?? []) {
    if (!('data' in result)) error.extensions.http ??= { spec: true, status: 400 }
    else if (error.extensions.code === 'Unauthorized') error.extensions.http = { status: 401 }
  }
  return result
}

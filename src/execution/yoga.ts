import type { ExecutionResult } from 'graphql'
import { createYoga, type GraphQLParams, type Plugin, processRegularResult } from 'graphql-yoga'
import { Outage, Refusal } from '../domain/errors/error.ts'
import type { Services } from '../graphql/context/context.ts'
import { refusalError } from '../graphql/errors.ts'
import { schema } from '../graphql/schema.ts'
import type { Caller } from '../http/caller.ts'
import { observed } from '../outside/telemetry/work.ts'
import { type Reader, readFor } from '../storage/database/database.ts'
import { asObject } from './admission/operations.ts'
import { executedUnits, writtenUnits } from './admission/units.ts'
import type { CompiledOperation } from './compiled/operation.ts'
import { operationNames } from './documents/operation-names.ts'
import type { PersistedDocuments } from './documents/persisted.ts'
import type { Executor, OperationArgs } from './execute.ts'
import type { AnswerType, GraphqlRequest } from './http/request.ts'
import type { Produced } from './idempotency.ts'

/**
 * The response that the database wrote; undefined for requests that need execution, or are refused by it.
 * @throws Outage of the database: execution then stops reading for the same request
 */
export type CompiledResponder = (params: GraphqlRequest, reader: Reader) => Promise<string | undefined>

/**
 * The fast path before Yoga (`docs/performance.md`). Also keeps valid documents that came with their hash.
 */
function createCompiledResponder(
  executor: Executor,
  services: Services,
  documents: PersistedDocuments,
): CompiledResponder {
  return async (params, reader) => {
    try {
      if (!isWellFormed(params)) return undefined
      const compiled = executor.compile(String(params.query))
      if (compiled === 'invalid') return undefined
      documents.keep(params, reader.client)
      if (compiled === 'executed' || !selectsOperation(params, compiled)) return undefined
      return await compiled.answer(asObject(params.variables), {
        ...services,
        db: readFor(services.db, reader),
      })
    } catch (error) {
      if (error instanceof Outage) throw error
      // Execution meets the same error and reports it.
      return undefined
    }
  }
}

const parameters = new Set(['query', 'variables', 'operationName', 'extensions'])

/** Yoga reports malformed parameters. */
function isWellFormed(params: GraphqlRequest): boolean {
  for (const name in params) if (!parameters.has(name)) return false
  return typeof params.query === 'string' && isObject(params.variables) && isObject(params.extensions)
}

function isObject(value: unknown): boolean {
  return value == null || (typeof value === 'object' && !Array.isArray(value))
}

/** Accepts a request for the compiled operation. Without a name, the document's only operation runs. */
function selectsOperation({ operationName }: GraphqlRequest, compiled: CompiledOperation): boolean {
  return operationName == null || operationName === compiled.operationName
}

/** Runs a request. Resolves to the response and the cost units that it used; never rejects. */
type RunRequest = (
  params: GraphqlRequest,
  type: AnswerType,
  requestContext: RequestContext,
) => Promise<Produced & { units: number }>

interface RequestContext {
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
  const answerCompiled = createCompiledResponder(executor, services, documents)
  const yoga = createYoga<RequestContext>({
    schema,
    plugins: [useExecutor(executor, streamPath)],
    context: ({ caller, gone, outage }) => executor.context(caller, gone(), outage),
    maskedErrors: { maskError: (error) => executor.mask(error) },
    // The executor has a cache that streams and REST share.
    parserAndValidationCache: false,
    logging: false,
  })

  async function resultOf(params: GraphqlRequest, requestContext: RequestContext): Promise<ExecutionResult> {
    try {
      const yogaParams = { params: params as GraphQLParams, request: postRequest }
      return (await yoga.getResultForParams(yogaParams, { ...requestContext })) as ExecutionResult
    } catch (error) {
      return { errors: [executor.mask(error, requestContext.caller.requestId)] }
    }
  }

  const nameOf = operationNames(executor, services.documents)

  async function run(params: GraphqlRequest, type: AnswerType, requestContext: RequestContext): Promise<Ran> {
    const headers: Record<string, string> = { 'Content-Type': `${type}; charset=utf-8` }
    const { caller, gone } = requestContext
    const reader = { client: caller.client, gone }
    const compiled = await answerCompiled(params, reader).catch((outage: Outage) => outage)
    if (typeof compiled === 'string') {
      return { status: 200, headers, body: compiled, units: writtenUnits(Buffer.byteLength(compiled)) }
    }
    const result = await resultOf(params, { ...requestContext, outage: compiled })
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

  return async (params, type, requestContext) => {
    const work = { kind: 'operation', ...nameOf(params) } as const
    const { result: _, ...answer } = await observed(work, () => run(params, type, requestContext), faultIn)
    return answer
  }
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

/** Makes Yoga use the executor's parse cache, limits, cost and masking. */
function useExecutor(executor: Executor, streamPath: string): Plugin {
  return {
    onParse: ({ setParseFn }) =>
      setParseFn((source: string | { body: string }) =>
        executor.parse(typeof source === 'string' ? source : source.body),
      ),
    onValidate: ({ setValidationFn }) =>
      setValidationFn((_schema: unknown, document: Parameters<Executor['validate']>[0]) =>
        executor.validate(document),
      ),
    onExecute: ({ setExecuteFn }) =>
      setExecuteFn(async (args) => withStatus(await executor.execute(args as OperationArgs))),
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

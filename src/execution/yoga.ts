import type { ExecutionResult } from 'graphql'
import { createYoga, type GraphQLParams, type Plugin, processRegularResult } from 'graphql-yoga'
import { type Outage, Refusal } from '../domain/errors/error.ts'
import type { Services } from '../graphql/context/context.ts'
import { refusalError } from '../graphql/errors/mask.ts'
import { schema } from '../graphql/schema.ts'
import type { Caller } from '../http/caller.ts'
import { executedUnits, writtenUnits } from './admission/units.ts'
import { createAnswerCompiled } from './compiled/answer.ts'
import type { PersistedDocuments } from './documents/persisted.ts'
import type { Executor, OperationArgs } from './execute.ts'
import type { AnswerType } from './http/accepted-type.ts'
import type { GraphqlRequest } from './http/request.ts'
import type { Produced } from './idempotency.ts'

/** From the parameters of a request to its answer, and the cost units that it took. Never rejects. */
type RunRequest = (
  params: GraphqlRequest,
  type: AnswerType,
  asking: Asking,
) => Promise<Produced & { units: number }>

interface Asking {
  caller: Caller
  /** When the client leaves, only what is under way hears of it: what changes something goes on to its end. */
  gone: () => AbortSignal
  /** Met before it came to execution, where each field says it. */
  outage?: Outage | undefined
}

/** What Yoga's checks ask of a request: whether its method may change anything, which was checked before. */
const posted = new Request('http://localhost/graphql', { method: 'POST' })

/**
 * Yoga from the parameters to the answer. Its reading of HTTP is not used: what it makes of a `Request` takes longer than
 * all the rest (`docs/performance.md`), and clients are admitted before anything is read.
 */
export function createRunRequest(
  executor: Executor,
  services: Services,
  documents: PersistedDocuments,
  streamPath: string,
): RunRequest {
  const answerCompiled = createAnswerCompiled(executor, services, documents)
  const yoga = createYoga<Asking>({
    schema,
    plugins: [useExecutor(executor, streamPath)],
    context: ({ caller, gone, outage }) => executor.context(caller, gone(), outage),
    maskedErrors: { maskError: (error) => executor.mask(error) },
    // The door has one that streams and REST use too.
    parserAndValidationCache: false,
    logging: false,
  })

  async function resultOf(params: GraphqlRequest, asking: Asking): Promise<ExecutionResult> {
    try {
      const parsed = { params: params as GraphQLParams, request: posted }
      return (await yoga.getResultForParams(parsed, { ...asking })) as ExecutionResult
    } catch (error) {
      return { errors: [executor.mask(error, asking.caller.requestId)] }
    }
  }

  return async (params, type, asking) => {
    const headers = { 'Content-Type': `${type}; charset=utf-8` }
    const written = await answerCompiled(params).catch((outage: Outage) => outage)
    if (typeof written === 'string') {
      return { status: 200, headers, body: written, units: writtenUnits(written.length) }
    }
    const result = await resultOf(params, { ...asking, outage: written })
    if (!result.errors) {
      const body = JSON.stringify(result)
      return { status: 200, headers, body, units: executedUnits(body.length) }
    }
    // Errors say the status, and are written without it.
    const response = processRegularResult(result, yoga.fetchAPI, type)
    const body = await response.text()
    return { status: response.status, headers, body, units: executedUnits(body.length) }
  }
}

export function streamsElsewhere(streamPath: string): Refusal {
  return new Refusal('NotAcceptable', `event streams and subscriptions are served at ${streamPath}`)
}

/** What the door does to a document on every road: parse cache, limits, cost, masking. */
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
 * A request that was never executed is the client's fault: 400 in the media type that has statuses for it. A
 * key that is missing or wrong is told by its status in both.
 */
function withStatus(result: ExecutionResult): ExecutionResult {
  for (const error of result.errors ?? []) {
    if (!('data' in result)) error.extensions.http ??= { spec: true, status: 400 }
    else if (error.extensions.code === 'Unauthorized') error.extensions.http = { status: 401 }
  }
  return result
}

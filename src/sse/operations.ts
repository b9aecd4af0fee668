import type { ExecutionResult } from 'graphql'
import { createHandler, type Handler, type OperationArgs as StreamArgs } from 'graphql-sse'
import { Refusal } from '../domain/errors/error.ts'
import type { Admission } from '../execution/admission/admission.ts'
import { executedUnits } from '../execution/admission/units.ts'
import type { Executor, OperationArgs } from '../execution/execute.ts'
import { refusalError } from '../graphql/errors/mask.ts'
import { schema } from '../graphql/schema.ts'
import type { Caller } from '../http/caller.ts'
import type { Backpressure } from './backpressure.ts'

/** One request to /graphql/stream. */
export type Exchange = {
  caller: Caller
  /** The cost of this request; undefined for one that costs nothing. */
  admission: Admission | undefined
  /** The one of the stream that carries the results of this request. */
  backpressure: Backpressure
  /** Names a stream that carries the results of several operations. */
  token: string | null
  /** Aborts when this request's own connection is gone. */
  signal: AbortSignal
} & Record<string, unknown>

export type Operations = Handler<null, Exchange>

/** graphql-sse decides which result goes over which connection; the executor does everything else. */
export function createOperations(executor: Executor): Operations {
  return createHandler<null, Exchange, Exchange>({
    authenticate: ({ context }) => context.token,
    context: ({ context }) => context,
    validate: () => [],
    onSubscribe({ context }, { query, operationName, variables }) {
      try {
        const document = executor.parse(query)
        const errors = executor.validate(document)
        if (errors.length > 0) return streamOne({ errors })
        const args = { schema, document, operationName, variableValues: variables, contextValue: context }
        return args as StreamArgs<Exchange>
      } catch (error) {
        return streamOne({ errors: [executor.mask(error, context.caller.requestId)] })
      }
    },
    async execute({ contextValue: { caller, admission, token, signal }, ...args }) {
      // With a shared stream (token), the request that brought the operation ends before the operation does.
      const clientSignal = token === null ? signal : new AbortController().signal
      const result = await executor.execute({ ...args, contextValue: executor.context(caller, clientSignal) })
      admission?.settle(() => executedUnits(JSON.stringify(result).length))
      return result
    },
    subscribe: ({ contextValue, ...args }) => subscribe(executor, contextValue, args),
    onNext: ({ backpressure }) => backpressure.ready(),
  })
}

async function subscribe(
  executor: Executor,
  { backpressure, caller }: Exchange,
  args: Omit<OperationArgs, 'contextValue'>,
): Promise<ExecutionResult | AsyncGenerator<ExecutionResult, void>> {
  const release = backpressure.begin()
  if (!release) {
    const refusal = new Refusal('RateLimited', 'this connection carries too many subscriptions already')
    return { errors: [refusalError(refusal)] }
  }
  const gone = new AbortController()
  gone.signal.addEventListener('abort', release, { once: true })
  try {
    const results = await executor.subscribe({ ...args, contextValue: executor.context(caller, gone.signal) })
    if (Symbol.asyncIterator in results) return abortOnReturn(results, gone)
    gone.abort()
    return results
  } catch (fault) {
    gone.abort()
    throw fault
  }
}

/** Aborts `gone` on `return`: only its signal wakes a source that waits for an event, and `return` alone would wait too. */
function abortOnReturn(results: AsyncGenerator<ExecutionResult, void>, gone: AbortController) {
  const generator: Pick<AsyncGenerator<ExecutionResult, void>, 'next' | 'return' | 'throw'> = {
    async next() {
      const step = await results.next()
      if (step.done) gone.abort()
      return step
    },
    return(value) {
      gone.abort()
      return results.return(value)
    },
    throw(error) {
      gone.abort()
      return results.throw(error)
    },
  }
  return Object.assign(generator, {
    [Symbol.asyncIterator]: () => generator,
  }) as AsyncGenerator<ExecutionResult, void>
}

/** A stream of one result, for an operation that was refused before it ran. */
async function* streamOne(result: ExecutionResult): AsyncGenerator<ExecutionResult, void> {
  yield result
}

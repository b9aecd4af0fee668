import type { ExecutionResult } from 'graphql'
import { createHandler, type Handler, type OperationArgs } from 'graphql-sse'
import { Refusal } from '../domain/errors/error.ts'
import { type Admission, executedUnits } from '../execution/admission/admission.ts'
import type { Subscription } from '../execution/compiled/subscription.ts'
import type { EventResult, Executor } from '../execution/execute.ts'
import type { Operation } from '../execution/operation.ts'
import { refusalError } from '../graphql/errors.ts'
import { schema } from '../graphql/schema.ts'
import type { Caller } from '../http/caller.ts'
import type { StreamMeter } from '../http/event-stream.ts'
import { WaitingSink } from '../notifications/feed.ts'
import type { SharedResult, StreamChannel } from './channel.ts'
import { type Frame, frameForm } from './frames.ts'

/** One request to /graphql/stream. */
export type Exchange = {
  caller: Caller
  /** Malformed where the request has none. */
  operation: Operation
  /** The cost of this request; undefined for a free one. */
  admission: Admission | undefined
  /** The one of the stream that carries the results of this request. */
  channel: StreamChannel
  /** Names the operation on its stream; empty where the stream has only one. Set when it begins. */
  operationId?: string
  /** Names a stream that carries the results of several operations. */
  token: string | null
  /** Aborts when this request's own connection is gone. */
  signal: AbortSignal
  /** Set where its one result was charged as an answer. */
  isAnswer?: boolean
} & Record<string, unknown>

export type Operations = Handler<null, Exchange>

/** graphql-sse decides which result goes over which connection; the executor does everything else. */
export function createOperations(executor: Executor, meter: StreamMeter): Operations {
  return createHandler<null, Exchange, Exchange>({
    authenticate: ({ context }) => context.token,
    context: ({ context }) => context,
    validate: () => [],
    onSubscribe({ context }, { extensions }) {
      const { document, operationName, variableValues, errors } = context.operation
      context.operationId = context.token === null ? '' : String(extensions?.operationId ?? '')
      const faults = errors()
      if (faults.length > 0) return streamOne({ errors: faults })
      const args = { schema, document, operationName, variableValues, contextValue: context }
      return args as OperationArgs<Exchange>
    },
    async execute({ contextValue }) {
      const { operation, caller, admission, token, signal } = contextValue
      // The request that starts an operation on a shared stream (token) ends before the operation does.
      const clientSignal = token === null ? signal : new AbortController().signal
      const result = await executor.execute(operation, executor.context(caller, clientSignal))
      admission?.settle(() => executedUnits(Buffer.byteLength(JSON.stringify(result))))
      contextValue.isAnswer = true
      return result
    },
    subscribe: ({ contextValue }) => subscribe(executor, contextValue),
    async onNext({ channel, operationId = '', isAnswer = false }, _request, result) {
      await channel.ready()
      const { errors: [fault] = [] } = result as ExecutionResult
      // Only the last event of a stream that the service ends has one.
      const reason = fault?.extensions.reason
      if (typeof reason === 'string') meter.ended(reason)
      await channel.queue(result as EventResult, operationId, isAnswer)
      return queued
    },
  })
}

/** The result that graphql-sse writes: its message only marks the place of the queued event. */
const queued: ExecutionResult = {}

type Results = AsyncGenerator<ExecutionResult | SharedResult, void>

async function subscribe(
  executor: Executor,
  { operation, channel, operationId = '', caller }: Exchange,
): Promise<ExecutionResult | AsyncGenerator<ExecutionResult, void>> {
  const release = channel.begin()
  if (!release) {
    const refusal = new Refusal('RateLimited', 'this connection carries too many subscriptions already')
    return { errors: [refusalError(refusal)] }
  }
  const gone = new AbortController()
  // An operation may have another key than its stream.
  const stopWatch = executor.watch(caller.client, () => gone.abort())
  const end = () => {
    stopWatch()
    channel.complete(operationId)
    release()
  }
  gone.signal.addEventListener('abort', end, { once: true })
  try {
    channel.start(operationId)
    const results =
      (await sharedResults(executor, operation, caller, gone.signal)) ??
      (await executor.subscribe(operation, executor.context(caller, gone.signal)))
    if (Symbol.asyncIterator in results)
      return abortOnReturn(results as AsyncGenerator<ExecutionResult, void>, gone)
    gone.abort()
    return results
  } catch (fault) {
    gone.abort()
    throw fault
  }
}

/** Results that all streams share; undefined for an operation that has to be executed. */
async function sharedResults(
  executor: Executor,
  operation: Operation,
  caller: Caller,
  signal: AbortSignal,
): Promise<Results | undefined> {
  const sink = new WaitingSink()
  const subscription = await executor.subscribeShared(operation, caller, frameForm, sink)
  return (
    subscription &&
    sharedResultsOf(subscription, sink, signal, (fault) => executor.faultResult(fault, caller.requestId))
  )
}

async function* sharedResultsOf(
  { follower, cost }: Subscription<Frame>,
  sink: WaitingSink,
  signal: AbortSignal,
  failed: (fault: unknown) => ExecutionResult,
): Results {
  let extensions: string | undefined = JSON.stringify({ cost })
  try {
    for await (const { rendered, place } of sink.entries(follower, signal)) {
      yield { frame: rendered, cursor: String(place), ...(extensions !== undefined && { extensions }) }
      extensions = undefined
    }
  } catch (fault) {
    yield failed(fault)
  }
}

/** Aborts `gone` on `return`, which alone would wait: only the signal wakes a waiting source. */
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

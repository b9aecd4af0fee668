import { createSourceEventStream, type ExecutionResult, execute, GraphQLError } from 'graphql'
import { type Outage, Refusal } from '../domain/errors/error.ts'
import { type Context, createContext, type Services } from '../graphql/context/context.ts'
import { maskError, queryError, refusalError } from '../graphql/errors.ts'
import { schema } from '../graphql/schema.ts'
import type { Caller } from '../http/caller.ts'
import type { FeedEvent } from '../notifications/feed.ts'
import type { Sink } from '../notifications/feed-follower.ts'
import type { Rendered } from '../notifications/feed-memory.ts'
import { noteWrite } from '../storage/database/own-writes.ts'
import { createGate, type Gate, type GateOptions } from './admission/admission.ts'
import { type Cost, costRefusal } from './admission/cost.ts'
import type { RateLimits } from './admission/rate-limits.ts'
import { type CompiledEventForm, type Subscription, subscribeCompiled } from './compiled/subscription.ts'
import { createDocuments, type Documents } from './documents/documents.ts'
import { variableFaults, variableLimits } from './documents/variables.ts'
import { type AnswerOnce, createAnswerOnce, defaultTimes, type IdempotencyTimes } from './idempotency.ts'
import type { Operation } from './operation.ts'

/** Limits, executes and masks every GraphQL operation: over HTTP, SSE or REST. */
export interface Executor extends Documents, Gate {
  /** @param outage of the database that this request has met before */
  context(caller: Caller, clientSignal: AbortSignal, outage?: Outage): Context
  answerOnce: AnswerOnce
  execute(operation: Operation, context: Context): Promise<ExecutionResult>
  /** Events of durable feeds have an id: their cursor. */
  subscribe(
    operation: Operation,
    context: Context,
  ): Promise<ExecutionResult | AsyncGenerator<ExecutionResult, void>>
  /** Follows a feed without execution for each subscriber; undefined if `subscribe` is required. */
  subscribeShared<Result extends Rendered>(
    operation: Operation,
    caller: Caller,
    form: CompiledEventForm<Result>,
    sink: Sink,
  ): Promise<Subscription<Result> | undefined>
  /** Executes an operation of a document that `trust` returned, whatever it costs. */
  run(operation: Operation, context: Context): Promise<ExecutionResult>
  mask(error: unknown, requestId?: string): GraphQLError
  /** The last event of a stream that fails. */
  faultResult(fault: unknown, requestId: string): ExecutionResult
}

interface ExecutorOptions extends GateOptions {
  /** Unlimited by default. */
  limits?: RateLimits
  times?: Partial<IdempotencyTimes>
}

export function createExecutor(
  services: Services,
  { limits, times, ...gate }: ExecutorOptions = {},
): Executor {
  const { log, suggests = false } = services
  const coercion = { hideSuggestions: !suggests, options: { maxCoercionErrors: variableLimits.errors } }

  const argsOf = ({ document, operationName, variableValues }: Operation, contextValue: Context) => ({
    schema,
    document,
    operationName,
    variableValues,
    contextValue,
    ...coercion,
  })

  async function run(operation: Operation, context: Context, rootValue?: unknown): Promise<ExecutionResult> {
    const overLimit = context.overLimit.catch((refusal: Error) => withoutData(refusal))
    const result = await Promise.race([execute({ ...argsOf(operation, context), rootValue }), overLimit])
    if (operation.isMutation) await notedWrite(context)
    return maskResult(result, operation, context)
  }

  /** Notes a write. Never fails: the write stands even if it is not noted. */
  async function notedWrite({ db, client, requestId }: Context): Promise<void> {
    await noteWrite(db, client).catch((error) =>
      log.warn('a write was not noted', { requestId, error: String(error) }),
    )
  }

  function maskResult(
    result: ExecutionResult,
    operation: Operation,
    { requestId }: Context,
  ): ExecutionResult {
    if (!result.errors) return result
    if ('data' in result)
      return { ...result, errors: result.errors.map((error) => maskError(error, log, requestId)) }
    const faults = variableFaults(operation, suggests)
    // An error with a path comes from a subscription's source, which failed to start.
    const maskWithoutData = (error: GraphQLError) =>
      error.path ? maskError(error, log, requestId) : queryError(error)
    return { errors: faults.length > 0 ? faults : result.errors.map(maskWithoutData) }
  }

  /** Only the first event has the cost, which is the same for each. */
  async function* resultsOf(source: AsyncIterable<unknown>, operation: Operation, context: Context) {
    const { requestId, clientSignal } = context
    let unreportedCost = operation.cost
    try {
      for await (const rootValue of source) {
        // New loaders for each event: a stream must neither accumulate nor repeat earlier reads.
        const fresh = createContext(services, context, clientSignal)
        const result = withCost(await run(operation, fresh, rootValue), unreportedCost)
        const { cursor } = rootValue as Partial<FeedEvent>
        yield cursor === undefined ? result : { ...result, [eventId]: cursor }
        unreportedCost = undefined
      }
    } catch (error) {
      yield faultResult(error, requestId)
    }
  }

  function faultResult(fault: unknown, requestId: string): ExecutionResult {
    // Set behind a gap: a client that continues there misses no more.
    const cursor = fault instanceof Refusal ? fault.ending?.cursor : undefined
    return { errors: [maskError(fault, log, requestId)], ...(cursor !== undefined && { [eventId]: cursor }) }
  }

  return {
    ...createDocuments(suggests),
    context: (caller, clientSignal, outage) => createContext(services, caller, clientSignal, outage),
    answerOnce: createAnswerOnce(services, { ...defaultTimes, ...times }),
    ...createGate(limits, gate),
    async execute(operation, context) {
      const { cost } = operation
      const refusal = cost && costRefusal(cost)
      return refusal ? refusedResult(refusal, cost) : withCost(await run(operation, context), cost)
    },
    async subscribe(operation, context) {
      const { cost } = operation
      const refusal = cost && costRefusal(cost)
      if (refusal) return refusedResult(refusal, cost)
      if (cost?.requested) context.objects = cost.requested
      const source = await createSourceEventStream(argsOf(operation, context))
      return Symbol.asyncIterator in source
        ? resultsOf(source, operation, context)
        : maskResult(source, operation, context)
    },
    subscribeShared: (operation, caller, form, sink) =>
      subscribeCompiled(operation, caller, services, form, sink, (rootValue) =>
        run(operation, createContext(services, caller, new AbortController().signal), rootValue),
      ),
    run,
    mask: (error, requestId) => maskError(error, log, requestId),
    faultResult,
  }
}

/** The member of an event's result that JSON leaves out. */
export const eventId = Symbol('event id')

/** The result of one event; without an id if the event is no entry of a feed. */
export interface EventResult extends ExecutionResult {
  [eventId]?: string
}

function refusedResult(refusal: Refusal, cost: Cost): ExecutionResult {
  return { errors: [refusalError(refusal)], extensions: { cost } }
}

/** Adds the cost to results of operations that were executed. */
function withCost(result: ExecutionResult, cost: Cost | undefined): ExecutionResult {
  return cost && 'data' in result ? { ...result, extensions: { ...result.extensions, cost } } : result
}

function withoutData(originalError: Error): ExecutionResult {
  return { data: null, errors: [new GraphQLError(originalError.message, { originalError })] }
}

import {
  createSourceEventStream,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  GraphQLError,
} from 'graphql'
import { derivedOnce } from '../domain/derived.ts'
import { type Outage, Refusal } from '../domain/errors/error.ts'
import { type Context, createContext, type Services } from '../graphql/context/context.ts'
import { maskError, queryError, refusalError } from '../graphql/errors.ts'
import { schema } from '../graphql/schema.ts'
import type { Caller } from '../http/caller.ts'
import type { FeedEvent } from '../notifications/feed.ts'
import type { Sink } from '../notifications/feed-follower.ts'
import type { Rendered } from '../notifications/feed-memory.ts'
import { noteWrite } from '../storage/database/own-writes.ts'
import { createGate, type Gate } from './admission/admission.ts'
import { isMutation, isSubscription } from './admission/charge.ts'
import { type Cost, costOf, costRefusal } from './admission/cost.ts'
import {
  createOperationGate,
  type GraphqlParams,
  introspectionIn,
  mentionsSchema,
  operationNameOf,
  type ReserveOperation,
} from './admission/operations.ts'
import type { RateLimits } from './admission/rate-limits.ts'
import { type CompiledOperation, compiledOperation } from './compiled/operation.ts'
import {
  type EventForm,
  type Subscription,
  type SubscriptionArgs,
  subscribeCompiled,
} from './compiled/subscription.ts'
import { createDocuments, type Documents } from './documents/documents.ts'
import { variableFaults, variableLimits } from './documents/variables.ts'
import { type AnswerOnce, createAnswerOnce, defaultTimes, type IdempotencyTimes } from './idempotency.ts'

export interface OperationArgs extends ExecutionArgs {
  contextValue: Context
}

/** Limits, executes and masks every GraphQL operation: over HTTP, SSE or REST. */
export interface Executor extends Documents, Gate {
  /** @param outage of the database that this request has met before */
  context(caller: Caller, clientSignal: AbortSignal, outage?: Outage): Context
  reserveOperation: ReserveOperation
  isMutation(params: GraphqlParams): boolean
  isSubscription(params: GraphqlParams): boolean
  /** Reports whether an operation selects introspection fields only. */
  isIntrospection(params: GraphqlParams): boolean
  answerOnce: AnswerOnce
  execute(args: OperationArgs): Promise<ExecutionResult>
  /** Events of durable feeds have an id: see `eventIdOf`. */
  subscribe(args: OperationArgs): Promise<ExecutionResult | AsyncGenerator<ExecutionResult, void>>
  /** Follows a feed without execution for each subscriber; undefined if `subscribe` is required. */
  subscribeShared<Result extends Rendered>(
    args: SubscriptionArgs,
    caller: Caller,
    form: EventForm<Result>,
    sink: Sink,
  ): Promise<Subscription<Result> | undefined>
  /** Compiles a document if the database alone can produce its response. @throws like `parse` */
  compile(text: string): CompiledOperation | 'executed' | 'invalid'
  /** Executes a document that `trust` returned. */
  run(document: DocumentNode, variables: Record<string, unknown>, context: Context): Promise<ExecutionResult>
  mask(error: unknown, requestId?: string): GraphQLError
  /** The last event of a stream that fails. */
  faultResult(fault: unknown, requestId: string): ExecutionResult
}

export interface ExecutorOptions {
  /** Unlimited by default. */
  limits?: RateLimits
  /** Called for every request that is over a limit. */
  onLimited?: (limit: string) => void
  times?: Partial<IdempotencyTimes>
}

export function createExecutor(
  services: Services,
  { limits, onLimited, times }: ExecutorOptions = {},
): Executor {
  const { log, suggests = false } = services
  const coercion = { hideSuggestions: !suggests, options: { maxCoercionErrors: variableLimits.errors } }

  async function executeMasked(args: OperationArgs): Promise<ExecutionResult> {
    const overLimit = args.contextValue.overLimit.catch((refusal: Error) => withoutData(refusal))
    const result = await Promise.race([execute({ ...args, ...coercion }), overLimit])
    if (isMutation(args.document, args.operationName ?? undefined)) await notedWrite(args.contextValue)
    return maskResult(result, args)
  }

  /** Notes a write. Never fails: the write stands even if it is not noted. */
  async function notedWrite({ db, client, requestId }: Context): Promise<void> {
    await noteWrite(db, client).catch((error) =>
      log.warn('a write was not noted', { requestId, error: String(error) }),
    )
  }

  function maskResult(result: ExecutionResult, args: OperationArgs): ExecutionResult {
    if (!result.errors) return result
    if ('data' in result) {
      return {
        ...result,
        errors: result.errors.map((error) => maskError(error, log, args.contextValue.requestId)),
      }
    }
    const faults = variableFaults(args, suggests)
    // An error with a path comes from a subscription's source, which failed to start.
    const maskWithoutData = (error: GraphQLError) =>
      error.path ? maskError(error, log, args.contextValue.requestId) : queryError(error)
    return { errors: faults.length > 0 ? faults : result.errors.map(maskWithoutData) }
  }

  /** Only the first event has the cost, which is the same for each. */
  async function* resultsOf(source: AsyncIterable<unknown>, args: OperationArgs, cost: Cost | undefined) {
    const { requestId, clientSignal } = args.contextValue
    let unreportedCost = cost
    try {
      for await (const rootValue of source) {
        // New loaders for each event: a stream must neither accumulate nor repeat earlier reads.
        const contextValue = createContext(services, args.contextValue, clientSignal)
        const result = withCost(await executeMasked({ ...args, rootValue, contextValue }), unreportedCost)
        const { cursor } = rootValue as Partial<FeedEvent>
        if (cursor !== undefined) eventIds.set(result, cursor)
        yield result
        unreportedCost = undefined
      }
    } catch (error) {
      yield faultResult(error, requestId)
    }
  }

  function faultResult(fault: unknown, requestId: string): ExecutionResult {
    const result = { errors: [maskError(fault, log, requestId)] }
    // Set behind a gap: a client that continues there misses no more.
    const cursor = fault instanceof Refusal ? fault.ending?.cursor : undefined
    if (cursor !== undefined) eventIds.set(result, cursor)
    return result
  }

  /** False for documents that do not parse. */
  function matches(
    params: GraphqlParams,
    predicate: (document: DocumentNode, operationName?: string) => boolean,
  ): boolean {
    try {
      return (
        typeof params.query === 'string' && predicate(documents.parse(params.query), operationNameOf(params))
      )
    } catch {
      return false
    }
  }

  const documents = createDocuments(schema, suggests)
  const compiled = derivedOnce((document: DocumentNode) =>
    documents.validate(document).length > 0 ? 'invalid' : (compiledOperation(document) ?? 'executed'),
  )

  return {
    ...documents,
    compile: (text) => compiled(documents.parse(text)),
    context: (caller, clientSignal, outage) => createContext(services, caller, clientSignal, outage),
    answerOnce: createAnswerOnce(services, { ...defaultTimes, ...times }),
    ...createGate(limits, onLimited),
    reserveOperation: createOperationGate(schema, documents),
    isMutation: (params) => matches(params, isMutation),
    isSubscription: (params) => matches(params, isSubscription),
    isIntrospection: (params) =>
      mentionsSchema(String(params.query)) &&
      matches(params, (document, operationName) => introspectionIn(document, operationName) === 'alone'),
    async execute(args) {
      const cost = costOf(args)
      const refusal = cost && costRefusal(cost)
      return refusal ? refusedResult(refusal, cost) : withCost(await executeMasked(args), cost)
    },
    async subscribe(args) {
      const cost = costOf(args)
      const refusal = cost && costRefusal(cost)
      if (refusal) return refusedResult(refusal, cost)
      if (cost?.requested) args.contextValue.objects = cost.requested
      const source = await createSourceEventStream({ ...args, ...coercion })
      return Symbol.asyncIterator in source ? resultsOf(source, args, cost) : maskResult(source, args)
    },
    subscribeShared: (args, caller, form, sink) =>
      subscribeCompiled(args, caller, services, form, sink, (rootValue) => {
        const contextValue = createContext(services, caller, new AbortController().signal)
        return executeMasked({ ...args, schema, rootValue, contextValue })
      }),
    run: (document, variableValues, contextValue) =>
      executeMasked({ schema, document, variableValues, contextValue }),
    mask: (error, requestId) => maskError(error, log, requestId),
    faultResult,
  }
}

const eventIds = new WeakMap<ExecutionResult, string>()

/** The cursor of an event; undefined for results that are no entries of a feed. */
export function eventIdOf(result: ExecutionResult): string | undefined {
  return eventIds.get(result)
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

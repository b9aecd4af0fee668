import {
  createSourceEventStream,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  GraphQLError,
} from 'graphql'
import type { Outage, Refusal } from '../domain/errors/error.ts'
import { type Context, createContext, type Services } from '../graphql/context/context.ts'
import { maskError, queryError, refusalError } from '../graphql/errors/mask.ts'
import { schema } from '../graphql/schema.ts'
import type { Caller } from '../http/caller.ts'
import { createGate, type Gate } from './admission/admission.ts'
import { isMutation } from './admission/charge.ts'
import { type Cost, costOf, costRefusal } from './admission/cost.ts'
import { introspectionIn, mentionsSchema } from './admission/introspection.ts'
import {
  createOperationGate,
  type GraphqlParams,
  operationNameOf,
  type ReserveOperation,
} from './admission/operations.ts'
import type { RateLimits } from './admission/rate-limits.ts'
import { type CompiledOperation, compiledOperation } from './compiled/operation.ts'
import { createDocuments, type Documents } from './documents/documents.ts'
import { variableFaults, variableLimits } from './documents/variables.ts'
import { type AnswerOnce, createAnswerOnce, defaultTimes, type IdempotencyTimes } from './idempotency.ts'

export interface OperationArgs extends ExecutionArgs {
  contextValue: Context
}

/** The one door to the graph: every request, whatever it came over, is limited, executed and masked here. */
export interface Executor extends Documents, Gate {
  /** @param outage of the database, for a request that has met it already */
  context(caller: Caller, clientSignal: AbortSignal, outage?: Outage): Context
  reserveOperation: ReserveOperation
  /** Whether an operation may change anything. */
  isMutation(params: GraphqlParams): boolean
  /** Whether an operation asks about the schema and nothing else. */
  isIntrospection(params: GraphqlParams): boolean
  answerOnce: AnswerOnce
  execute(args: OperationArgs): Promise<ExecutionResult>
  subscribe(args: OperationArgs): Promise<ExecutionResult | AsyncGenerator<ExecutionResult, void>>
  /** The way of a document that the database can answer alone. Throws what `parse` throws. */
  wayOf(text: string): CompiledOperation | 'executed' | 'invalid'
  /** Runs a document that was trusted. */
  run(document: DocumentNode, variables: Record<string, unknown>, context: Context): Promise<ExecutionResult>
  mask(error: unknown, requestId?: string): GraphQLError
}

export interface ExecutorOptions {
  /** None when left out. */
  limits?: RateLimits
  /** Told of every request that is over a limit. */
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
    const over = args.contextValue.overspent.catch((refusal: Error) => withoutData(refusal))
    return masked(await Promise.race([execute({ ...args, ...coercion }), over]), args)
  }

  function masked(result: ExecutionResult, args: OperationArgs): ExecutionResult {
    if (!result.errors) return result
    if ('data' in result) {
      return {
        ...result,
        errors: result.errors.map((error) => maskError(error, log, args.contextValue.requestId)),
      }
    }
    const faults = variableFaults(args, suggests)
    // What has a path was raised by a field: by the source of a stream, which never began.
    const masked = (error: GraphQLError) =>
      error.path ? maskError(error, log, args.contextValue.requestId) : queryError(error)
    return { errors: faults.length > 0 ? faults : result.errors.map(masked) }
  }

  /** The first event tells the cost of each. */
  async function* results(source: AsyncIterable<unknown>, args: OperationArgs, cost: Cost | undefined) {
    const { requestId, clientSignal } = args.contextValue
    let unreportedCost = cost
    try {
      for await (const rootValue of source) {
        // Loaders are for one event: a stream must neither grow nor tell what it read long ago.
        const contextValue = createContext(services, args.contextValue, clientSignal)
        yield withCost(await executeMasked({ ...args, rootValue, contextValue }), unreportedCost)
        unreportedCost = undefined
      }
    } catch (error) {
      yield { errors: [maskError(error, log, requestId)] }
    }
  }

  /** Whether something is so of what is asked; not of what can't be read. */
  function holds(params: GraphqlParams, is: (document: DocumentNode, name?: string) => boolean): boolean {
    try {
      return typeof params.query === 'string' && is(documents.parse(params.query), operationNameOf(params))
    } catch {
      return false
    }
  }

  const documents = createDocuments(schema, suggests)
  const ways = new WeakMap<DocumentNode, CompiledOperation | 'executed'>()

  return {
    ...documents,
    wayOf(text) {
      const document = documents.parse(text)
      const known = ways.get(document)
      if (known) return known
      if (documents.validate(document).length > 0) return 'invalid'
      const way = compiledOperation(document) ?? 'executed'
      ways.set(document, way)
      return way
    },
    context: (caller, clientSignal, outage) => createContext(services, caller, clientSignal, outage),
    answerOnce: createAnswerOnce(services, { ...defaultTimes, ...times }),
    ...createGate(limits, onLimited),
    reserveOperation: createOperationGate(schema, documents),
    isMutation: (params) => holds(params, isMutation),
    isIntrospection: (params) =>
      mentionsSchema(String(params.query)) &&
      holds(params, (document, name) => introspectionIn(document, name) === 'alone'),
    async execute(args) {
      const cost = costOf(args)
      const refusal = cost && costRefusal(cost)
      return refusal ? refused(refusal, cost) : withCost(await executeMasked(args), cost)
    },
    async subscribe(args) {
      const cost = costOf(args)
      const refusal = cost && costRefusal(cost)
      if (refusal) return refused(refusal, cost)
      const source = await createSourceEventStream({ ...args, ...coercion })
      return Symbol.asyncIterator in source ? results(source, args, cost) : masked(source, args)
    },
    run: (document, variableValues, contextValue) =>
      executeMasked({ schema, document, variableValues, contextValue }),
    mask: (error, requestId) => maskError(error, log, requestId),
  }
}

function refused(refusal: Refusal, cost: Cost): ExecutionResult {
  return { errors: [refusalError(refusal)], extensions: { cost } }
}

/** What was not executed cost nothing. */
function withCost(result: ExecutionResult, cost: Cost | undefined): ExecutionResult {
  return cost && 'data' in result ? { ...result, extensions: { ...result.extensions, cost } } : result
}

function withoutData(originalError: Error): ExecutionResult {
  return { data: null, errors: [new GraphQLError(originalError.message, { originalError })] }
}

import {
  createSourceEventStream,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  GraphQLError,
} from 'graphql'
import type { Refusal } from '../../domain/error.ts'
import type { Caller } from '../../http/caller.ts'
import { type Context, createContext, type Services } from '../context.ts'
import { schema } from '../schema.ts'
import { type Charge, chargeOf, isMutation, oneRead } from './charge.ts'
import { type Cost, costOf, costRefusal } from './cost.ts'
import { createDocuments, type Documents } from './documents.ts'
import { maskError, queryError, refusalError } from './errors.ts'
import { type HotAnswer, hotAnswer } from './hot.ts'
import { type AnswerOnce, createAnswerOnce, type IdempotencyTimes, usualTimes } from './idempotency.ts'
import type { RateLimits } from './rate-limits.ts'
import { excessOfVariables, variableFaults, variableLimits } from './variables.ts'

export interface OperationArgs extends ExecutionArgs {
  contextValue: Context
}

/** The one door to the graph: every request, whatever it came over, is limited, executed and masked here. */
export interface Door extends Documents {
  context(caller: Caller, clientSignal: AbortSignal): Context
  /**
   * Counts a request against its caller's limits, before anything is done for it, and says on the answer what
   * is left.
   * @throws Refusal RateLimited; QueryTooComplex when it counts as more than anybody may ask at once
   */
  admit(caller: Caller, charge?: Charge): void
  /**
   * The same for a request over GraphQL. What can't be executed counts as one read.
   * @throws Refusal QueryTooComplex for variables over a limit, too
   */
  admitOperation(caller: Caller, asked: Asked): void
  /** Whether an operation may change anything. */
  isMutation(asked: Asked): boolean
  answerOnce: AnswerOnce
  execute(args: OperationArgs): Promise<ExecutionResult>
  subscribe(args: OperationArgs): Promise<ExecutionResult | AsyncGenerator<ExecutionResult, void>>
  /** The way of a document that the database can answer alone. Throws what `parse` throws. */
  wayOf(text: string): HotAnswer | 'executed' | 'invalid'
  /** Runs a document that was trusted. */
  run(document: DocumentNode, variables: Record<string, unknown>, context: Context): Promise<ExecutionResult>
  mask(error: unknown, requestId?: string): GraphQLError
}

/** Of a GraphQL request, as it came. */
export interface Asked {
  query?: unknown
  operationName?: unknown
  variables?: unknown
}

export interface DoorOptions {
  /** None when left out. */
  limits?: RateLimits
  /** Told of every request that is over a limit. */
  onLimited?: (limit: string) => void
  times?: Partial<IdempotencyTimes>
}

export function createDoor(services: Services, { limits, onLimited, times }: DoorOptions = {}): Door {
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
    const told = (error: GraphQLError) =>
      error.path ? maskError(error, log, args.contextValue.requestId) : queryError(error)
    return { errors: faults.length > 0 ? faults : result.errors.map(told) }
  }

  /** The first event tells the cost of each. */
  async function* results(source: AsyncIterable<unknown>, args: OperationArgs, cost: Cost | undefined) {
    const { requestId, clientSignal } = args.contextValue
    let untold = cost
    try {
      for await (const rootValue of source) {
        // Loaders are for one event: a stream must neither grow nor tell what it read long ago.
        const contextValue = createContext(services, args.contextValue, clientSignal)
        yield withCost(await executeMasked({ ...args, rootValue, contextValue }), untold)
        untold = undefined
      }
    } catch (error) {
      yield { errors: [maskError(error, log, requestId)] }
    }
  }

  function admit(caller: Caller, charge = oneRead): void {
    const verdict = limits?.take(caller.client, charge)
    if (!verdict) return
    caller.setHeader('RateLimit-Policy', verdict.policy)
    caller.setHeader('RateLimit', verdict.state)
    if (!verdict.refusal) return
    if (verdict.over) onLimited?.(verdict.over)
    throw verdict.refusal
  }

  /** `undefined` for what can't be read, which execution says in its own words. */
  function documentOf({ query }: Asked): DocumentNode | undefined {
    try {
      return typeof query === 'string' ? documents.parse(query) : undefined
    } catch {
      return undefined
    }
  }

  function chargeOfAsked(asked: Asked): Charge {
    const document = documentOf(asked)
    try {
      return document ? chargeOf(schema, document, nameOf(asked), asObject(asked.variables)) : oneRead
    } catch {
      // A directive that is not used as it should be.
      return oneRead
    }
  }

  const documents = createDocuments(schema, suggests)
  const ways = new WeakMap<DocumentNode, HotAnswer | 'executed'>()

  return {
    ...documents,
    wayOf(text) {
      const document = documents.parse(text)
      const known = ways.get(document)
      if (known) return known
      if (documents.validate(document).length > 0) return 'invalid'
      const way = hotAnswer(document) ?? 'executed'
      ways.set(document, way)
      return way
    },
    context: (caller, clientSignal) => createContext(services, caller, clientSignal),
    answerOnce: createAnswerOnce(services, { ...usualTimes, ...times }),
    admit,
    admitOperation(caller, asked) {
      const refusal = excessOfVariables(asked.variables)
      if (limits) admit(caller, refusal ? oneRead : chargeOfAsked(asked))
      if (refusal) throw refusal
    },
    isMutation(asked) {
      const document = documentOf(asked)
      return document !== undefined && isMutation(document, nameOf(asked))
    },
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

function nameOf({ operationName }: Asked): string | undefined {
  return typeof operationName === 'string' ? operationName : undefined
}

/** Variables, whatever stands in their place. */
export function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
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

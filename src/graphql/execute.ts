import {
  createSourceEventStream,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  GraphQLError,
} from 'graphql'
import { type Context, createContext, type Services } from './context.ts'
import { costRefusal } from './cost.ts'
import { createDocuments, type Documents } from './documents.ts'
import { maskError, queryError, refusalError } from './errors.ts'
import { type HotAnswer, hotAnswer } from './hot.ts'
import { schema } from './schema.ts'
import { variableFaults } from './variables.ts'

export interface OperationArgs extends ExecutionArgs {
  contextValue: Context
}

/** The one door to the graph: every request, whatever it came over, is limited, executed and masked here. */
export interface Door extends Documents {
  context(requestId: string, clientSignal: AbortSignal): Context
  execute(args: OperationArgs): Promise<ExecutionResult>
  subscribe(args: OperationArgs): Promise<ExecutionResult | AsyncGenerator<ExecutionResult, void>>
  /** The way of a document that the database can answer alone. Throws what `parse` throws. */
  wayOf(text: string): HotAnswer | 'executed' | 'invalid'
  /** Runs a document that was trusted. */
  run(document: DocumentNode, variables: Record<string, unknown>, context: Context): Promise<ExecutionResult>
  mask(error: unknown, requestId?: string): GraphQLError
}

export function createDoor(services: Services): Door {
  const { log } = services

  async function executeMasked(args: OperationArgs): Promise<ExecutionResult> {
    const over = args.contextValue.overspent.catch((refusal: Error) => withoutData(refusal))
    return masked(await Promise.race([execute(args), over]), args)
  }

  function masked(result: ExecutionResult, args: OperationArgs): ExecutionResult {
    if (!result.errors) return result
    if ('data' in result) {
      return {
        ...result,
        errors: result.errors.map((error) => maskError(error, log, args.contextValue.requestId)),
      }
    }
    const faults = variableFaults(args)
    return { errors: faults.length > 0 ? faults : result.errors.map((error) => queryError(error)) }
  }

  async function* results(source: AsyncIterable<unknown>, args: OperationArgs) {
    const { requestId, clientSignal } = args.contextValue
    try {
      for await (const rootValue of source) {
        // Loaders are for one event: a stream must neither grow nor tell what it read long ago.
        yield await executeMasked({
          ...args,
          rootValue,
          contextValue: createContext(services, requestId, clientSignal),
        })
      }
    } catch (error) {
      yield { errors: [maskError(error, log, requestId)] }
    }
  }

  const documents = createDocuments(schema)
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
    context: (requestId, clientSignal) => createContext(services, requestId, clientSignal),
    async execute(args) {
      const refusal = costRefusal(args)
      return refusal ? { errors: [refusalError(refusal)] } : executeMasked(args)
    },
    async subscribe(args) {
      const refusal = costRefusal(args)
      if (refusal) return { errors: [refusalError(refusal)] }
      const source = await createSourceEventStream(args)
      return Symbol.asyncIterator in source ? results(source, args) : masked(source, args)
    },
    run: (document, variableValues, contextValue) =>
      executeMasked({ schema, document, variableValues, contextValue }),
    mask: (error, requestId) => maskError(error, log, requestId),
  }
}

function withoutData(originalError: Error): ExecutionResult {
  return { data: null, errors: [new GraphQLError(originalError.message, { originalError })] }
}

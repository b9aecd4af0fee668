import {
  createSourceEventStream,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  type GraphQLError,
} from 'graphql'
import { type Context, createContext, type Services } from './context.ts'
import { createDocuments, type Documents } from './documents.ts'
import { maskError, queryError } from './errors.ts'
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
    return masked(await execute(args), args)
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
    execute: executeMasked,
    async subscribe(args) {
      const source = await createSourceEventStream(args)
      return Symbol.asyncIterator in source ? results(source, args) : masked(source, args)
    },
    run: (document, variableValues, contextValue) =>
      executeMasked({ schema, document, variableValues, contextValue }),
    mask: (error, requestId) => maskError(error, log, requestId),
  }
}

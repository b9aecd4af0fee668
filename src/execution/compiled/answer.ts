import { Outage } from '../../domain/errors/error.ts'
import type { Services } from '../../graphql/context/context.ts'
import { type Reader, readFor } from '../../storage/database/database.ts'
import { asObject } from '../admission/operations.ts'
import type { PersistedDocuments } from '../documents/persisted.ts'
import type { Executor } from '../execute.ts'
import type { GraphqlRequest } from '../http/request.ts'
import type { CompiledOperation } from './operation.ts'

/**
 * The response that the database wrote; undefined for requests that have to be executed, or that execution refuses.
 * @throws Outage of the database: execution then reads nothing more for the same request
 */
export type AnswerCompiled = (params: GraphqlRequest, reader: Reader) => Promise<string | undefined>

/** The fast path before Yoga (`docs/performance.md`). Also keeps valid documents that came with their hash. */
export function createAnswerCompiled(
  executor: Executor,
  services: Services,
  documents: PersistedDocuments,
): AnswerCompiled {
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

/** Without a name, the document's only operation runs. */
function selectsOperation({ operationName }: GraphqlRequest, compiled: CompiledOperation): boolean {
  return operationName == null || operationName === compiled.operationName
}

import { Outage } from '../../domain/errors/error.ts'
import type { Services } from '../../graphql/context/context.ts'
import { asObject } from '../admission/operations.ts'
import type { PersistedDocuments } from '../documents/persisted.ts'
import type { Executor } from '../execute.ts'
import type { GraphqlRequest } from '../http/request.ts'
import type { CompiledOperation } from './operation.ts'

/**
 * The text of what the database can answer alone; `undefined` for what has to be executed, or is refused there.
 * @throws Outage of the database, which nobody should ask again for the same request
 */
export type AnswerCompiled = (params: GraphqlRequest) => Promise<string | undefined>

/** Before Yoga, which would take longer over it (`docs/performance.md`); keeps documents that came with their hash. */
export function createAnswerCompiled(
  executor: Executor,
  services: Services,
  documents: PersistedDocuments,
): AnswerCompiled {
  return async (params) => {
    try {
      if (!isWellFormed(params)) return undefined
      const way = executor.wayOf(String(params.query))
      if (way === 'invalid') return undefined
      documents.keep(params)
      if (way === 'executed' || !isNamed(params, way)) return undefined
      return await way.answer(asObject(params.variables), services)
    } catch (error) {
      if (error instanceof Outage) throw error
      // Whatever it is, execution meets it too and says it in its own words.
      return undefined
    }
  }
}

const parameters = new Set(['query', 'variables', 'operationName', 'extensions'])

/** Anything odd is for Yoga, which says what is wrong with it. */
function isWellFormed(params: GraphqlRequest): boolean {
  for (const name in params) if (!parameters.has(name)) return false
  return typeof params.query === 'string' && isObject(params.variables) && isObject(params.extensions)
}

function isObject(value: unknown): boolean {
  return value == null || (typeof value === 'object' && !Array.isArray(value))
}

/** Without a name the only operation is meant. */
function isNamed({ operationName }: GraphqlRequest, way: CompiledOperation): boolean {
  return operationName == null || operationName === way.operationName
}

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
export type AnswerCompiled = (asked: GraphqlRequest) => Promise<string | undefined>

/** Before Yoga, which would take longer over it (`docs/performance.md`); keeps documents that came with their hash. */
export function createAnswerCompiled(
  executor: Executor,
  services: Services,
  documents: PersistedDocuments,
): AnswerCompiled {
  return async (asked) => {
    try {
      if (!isWellFormed(asked)) return undefined
      const way = executor.wayOf(String(asked.query))
      if (way === 'invalid') return undefined
      documents.keep(asked)
      if (way === 'executed' || !isNamed(asked, way)) return undefined
      return await way.answer(asObject(asked.variables), services)
    } catch (error) {
      if (error instanceof Outage) throw error
      // Whatever it is, execution meets it too and says it in its own words.
      return undefined
    }
  }
}

const parameters = new Set(['query', 'variables', 'operationName', 'extensions'])

/** Anything odd is for Yoga, which says what is wrong with it. */
function isWellFormed(asked: GraphqlRequest): boolean {
  for (const name in asked) if (!parameters.has(name)) return false
  return typeof asked.query === 'string' && isObject(asked.variables) && isObject(asked.extensions)
}

function isObject(value: unknown): boolean {
  return value == null || (typeof value === 'object' && !Array.isArray(value))
}

/** Without a name the only operation is meant. */
function isNamed({ operationName }: GraphqlRequest, way: CompiledOperation): boolean {
  return operationName == null || operationName === way.operationName
}
